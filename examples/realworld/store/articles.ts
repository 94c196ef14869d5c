import { HttpError } from "@bough/framework";
import type {
  Article,
  ArticleChanges,
  ArticleList,
  NewArticle,
} from "@/schemas.ts";
import { type Database, NOW, type Viewer } from "./database.ts";
import { PROFILE } from "./users.ts";

const ARTICLE = `json_object(
  'slug', slug, 'title', title, 'description', description, 'body', body,
  'tagList', json(tags), 'createdAt', created_at, 'updatedAt', updated_at,
  'favoritesCount', (
    SELECT count(*) FROM favorites WHERE article = articles.id
  ),
  'favorited', json(iif(EXISTS (
    SELECT 1 FROM favorites WHERE article = articles.id AND user = :viewer
  ), 'true', 'false')),
  'author', ${PROFILE})`;
const FROM = "FROM articles JOIN users ON users.id = author";
const FILTER = `WHERE
  (:tag IS NULL OR :tag IN (SELECT value FROM json_each(tags))) AND
  (:author IS NULL OR username = :author) AND
  (:favorited IS NULL OR articles.id IN (
    SELECT article FROM favorites JOIN users ON users.id = user
    WHERE username = :favorited
  )) AND
  (:follower IS NULL OR author IN (
    SELECT followed FROM follows WHERE follower = :follower
  ))`;

/** A page of a list, of a tag, an author or the favorites of a user. */
type Filter =
  & { limit: number; offset: number; follower?: number }
  & { [Name in "tag" | "author" | "favorited"]?: string };

/** Lists articles, the latest first, and counts those of all pages. */
export function listArticles(
  { db, id: viewer }: Viewer,
  { limit, offset, ...filter }: Filter,
): ArticleList {
  const none = { tag: null, author: null, favorited: null, follower: null };
  const values = { ...none, ...filter };
  const articles = db.values<ArticleList["articles"][number]>(
    `SELECT json_remove(${ARTICLE}, '$.body') AS json ${FROM} ${FILTER}
     ORDER BY articles.id DESC LIMIT :limit OFFSET :offset`,
    { ...values, viewer, limit, offset },
  );
  const count = `SELECT count(*) AS json ${FROM} ${FILTER}`;
  return { articles, articlesCount: db.values<number>(count, values)[0]! };
}

/** An article; an error with 404 if there is none. */
export function getArticle({ db, id }: Viewer, slug: string): Article {
  const [article] = db.values<Article>(
    `SELECT ${ARTICLE} AS json ${FROM} WHERE slug = :slug`,
    { slug, viewer: id },
  );
  return article ?? missing(slug);
}

/** Adds an article of the viewer. */
export function addArticle(
  viewer: Viewer,
  { tagList, ...values }: NewArticle,
): Article {
  const slug = freeSlug(viewer.db, values.title);
  const tags = JSON.stringify([...new Set(tagList)].sort());
  viewer.db.run(
    `INSERT INTO articles (slug, title, description, body, tags, author)
     VALUES (:slug, :title, :description, :body, :tags, :author)`,
    { slug, tags, ...values, author: viewer.id },
  );
  return getArticle(viewer, slug);
}

/** Changes an article of the viewer; a new title changes the slug. */
export function changeArticle(
  viewer: Viewer,
  slug: string,
  changes: ArticleChanges,
): Article {
  const id = idOf(viewer, slug, { isOwn: true });
  const old = getArticle(viewer, slug);
  const { title, description, body } = { ...old, ...changes };
  const next = title === old.title ? slug : freeSlug(viewer.db, title);
  viewer.db.run(
    `UPDATE articles SET slug = :next, title = :title, body = :body,
       description = :description, updated_at = ${NOW} WHERE id = :id`,
    { id, next, title, description, body },
  );
  return getArticle(viewer, next);
}

/** Removes an article of the viewer. */
export function removeArticle(viewer: Viewer, slug: string): void {
  const id = idOf(viewer, slug, { isOwn: true });
  viewer.db.run("DELETE FROM articles WHERE id = :id", { id });
}

/** Marks an article as a favorite of the viewer, or stops that. */
export function favorite(
  viewer: Viewer,
  slug: string,
  isFavorite: boolean,
): Article {
  viewer.db.run(
    isFavorite
      ? "INSERT OR IGNORE INTO favorites VALUES (:article, :user)"
      : "DELETE FROM favorites WHERE article = :article AND user = :user",
    { article: idOf(viewer, slug), user: viewer.id },
  );
  return getArticle(viewer, slug);
}

/** The tags of all articles, the most frequent first. */
export function listTags({ db }: Viewer): string[] {
  return db.values<string>(
    `SELECT json_quote(value) AS json FROM articles, json_each(tags)
     GROUP BY value ORDER BY count(*) DESC, value LIMIT 100`,
  );
}

/** The id of an article; an error with 404 or 403 if it is missing or not own. */
export function idOf(
  { db, id }: Viewer,
  slug: string,
  { isOwn = false } = {},
): number {
  const sql = "SELECT id, author FROM articles WHERE slug = :slug";
  const [found] = db.rows<{ id: number; author: number }>(sql, { slug });
  if (!found) return missing(slug);
  if (!isOwn || found.author === id) return found.id;
  throw new HttpError(403, "The article has another author");
}

function missing(slug: string): never {
  throw new HttpError(404, `There is no article "${slug}"`);
}

/** A slug for the title of a new or another article. */
function freeSlug(db: Database, title: string): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["article"];
  const slug = words.join("-").slice(0, 80).replace(/-$/, "").toWellFormed();
  const sql = "SELECT 1 FROM articles WHERE slug = :slug";
  // The route `articles/feed` would hide an article of that name.
  return slug === "feed" || db.rows(sql, { slug }).length > 0
    ? `${slug}-${crypto.randomUUID().slice(0, 13)}`
    : slug;
}
