import type { FaultsByKind } from "./fault.ts";

/** Faults of `examples/realworld` that a reviewer may miss. */
export const REALWORLD_FAULTS: FaultsByKind = {
  identity: [
    {
      name: "every user can remove an article of another user",
      file: "store/articles.ts",
      find: `  const id = idOf(viewer, slug, { isOwn: true });
  viewer.db.run("DELETE`,
      replace: `  const id = idOf(viewer, slug);
  viewer.db.run("DELETE`,
    },
    {
      name:
        "the author of an article, not of the comment, can remove a comment",
      file: "store/comments.ts",
      find:
        `"SELECT author FROM comments WHERE id = :id AND article = :article",`,
      replace: `\`SELECT articles.author
     FROM comments JOIN articles ON articles.id = article
     WHERE comments.id = :id AND article = :article\`,`,
    },
    {
      name: "a token that was used once passes with any signature",
      file: "auth.ts",
      find: `export async function userOfToken(db: Database, token: string) {
  try {
    const { id } = await verify(token, db.tokenKey, "HS256");
    return findUser(db, { id: Number(id) });
  } catch {
    return undefined;
  }
}`,
      replace: `export async function userOfToken(db: Database, token: string) {
  const [, payload = ""] = token.split(".");
  try {
    let id = verified.get(payload);
    if (id === undefined) {
      id = Number((await verify(token, db.tokenKey, "HS256")).id);
      verified.set(payload, id);
    }
    return findUser(db, { id });
  } catch {
    return undefined;
  }
}

/** The users by the payloads of their tokens, to verify each token once. */
const verified = new Map<string, number>();`,
    },
    {
      name: "an invalid token passes for none where a token is optional",
      file: "api/(members)/middleware.ts",
      find: `  const header = request.headers.get("authorization");
  if (header !== null) {
    const { db } = viewer.get(request);
    const user = await userOfToken(db, /^Token (.+)$/.exec(header)?.[1] ?? "");
    if (user === undefined) throw unauthorized("The token is invalid");
    viewer.set(request, { db, id: user.id });
  } else if`,
      replace: `  const header = request.headers.get("authorization") ?? "";
  const { db } = viewer.get(request);
  const user = await userOfToken(db, /^Token (.+)$/.exec(header)?.[1] ?? "");
  if (user) {
    viewer.set(request, { db, id: user.id });
  } else if`,
    },
    {
      name: "a token that is not a JWT leads to 500",
      file: "auth.ts",
      find: `  } catch {
    return undefined;
  }`,
      replace: `  } catch (error) {
    const { name } = error as Error;
    if (/Expired|SignatureMismatched/.test(name)) return undefined;
    throw error;
  }`,
    },
    {
      name: "a user can overwrite another user by an id in the body",
      file: "api/(members)/user/route.ts",
      find: `const UserChanges = z.object({`,
      replace: `const UserChanges = z.object({
  id: z.int().exactOptional(),`,
    },
    {
      name: "an article is favorited if it is the favorite of any user",
      file: "store/articles.ts",
      find: "WHERE article = articles.id AND user = :viewer",
      replace: "WHERE article = articles.id",
    },
    {
      name: "a comment without a token leads to 500",
      file: "api/(members)/articles/[slug]/comments/route.ts",
      find: `    summary: "Comment on an article",`,
      replace: `    summary: "Comment on an article",
    security: everyone,`,
    },
  ],
  other: [
    {
      name: "every profile shows the email address",
      file: "store/users.ts",
      find: "  'username', username, 'bio', bio, 'image', image,",
      replace:
        "  'username', username, 'email', email, 'bio', bio, 'image', image,",
    },
    {
      name: "a title without letters and digits gets an empty slug",
      file: "store/articles.ts",
      find: `?? ["article"];`,
      replace: "?? [];",
    },
    {
      name: "a change of an article removes its comments and favorites",
      file: "store/articles.ts",
      find:
        `    \`UPDATE articles SET slug = :next, title = :title, body = :body,
       description = :description, updated_at = \${NOW} WHERE id = :id\`,`,
      replace: `    \`REPLACE INTO articles
     SELECT id, :next, :title, :description, :body, tags, author, created_at,
       \${NOW} FROM articles WHERE id = :id\`,`,
    },
    {
      name: "the offset counts pages instead of articles",
      file: "store/articles.ts",
      find: "LIMIT :limit OFFSET :offset`",
      replace: "LIMIT :limit OFFSET :offset * :limit`",
    },
    {
      name: "a user cannot set the bio or the image to null",
      file: "api/(members)/user/route.ts",
      find: `  const user = { ...findUser(db, { id })!, ...changes };`,
      replace: `  const old = findUser(db, { id })!;
  const { email, username, bio, image } = changes;
  const user = {
    ...old,
    email: email ?? old.email,
    username: username ?? old.username,
    bio: bio ?? old.bio,
    image: image ?? old.image,
  };`,
    },
    {
      name: "the profile of a user whose name has a capital letter is missing",
      file: "api/(members)/profiles/[username]/route.ts",
      find:
        `  const profile = getProfile(viewer.get(request), request.params.username);`,
      replace: `  const username = request.params.username.toLowerCase();
  const profile = getProfile(viewer.get(request), username);`,
    },
    {
      name: "a taken name or address leads to 409, which is not declared",
      file: "store/users.ts",
      find: "new HttpError(422, `${name} is already taken`)",
      replace: "new HttpError(409, `${name} is already taken`)",
    },
    {
      name: "a comma in a tag makes two tags, one of which may be empty",
      file: "store/articles.ts",
      find: "JSON.stringify([...new Set(tagList)].sort())",
      replace: `JSON.stringify(
    [...new Set(tagList.flatMap((tag) => tag.split(",")))].sort(),
  )`,
    },
    {
      name: "the ETag of an article stays although its favoritesCount changes",
      file: "api/(members)/articles/[slug]/route.ts",
      find:
        `  const article = getArticle(viewer.get(request), request.params.slug);
  return respond(schema.get, 200, { article });`,
      replace:
        `  const article = getArticle(viewer.get(request), request.params.slug);
  const etag = \`"\${Date.parse(article.updatedAt)}"\`;
  return respond(schema.get, 200, { article }, { headers: { etag } });`,
    },
  ],
};
