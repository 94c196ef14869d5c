/** Articles, favorites and comments of the RealWorld example over HTTP. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import type {
  Article,
  ArticleList,
  Comment,
  Profile,
} from "../../examples/realworld/schemas.ts";
import { BLANK, Conduit, DRAGONS, failure } from "./realworld_support.ts";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

Deno.test("RealWorld: an author writes, changes and removes an article", async () => {
  await using conduit = await Conduit.start();
  const token = await conduit.register("ada");
  const article = await conduit.write(token);
  const { createdAt, updatedAt, ...others } = article;
  assertMatch(createdAt, TIME);
  assertEquals(updatedAt, createdAt);
  assertEquals(others, {
    ...DRAGONS,
    slug: "how-to-train-your-dragon",
    tagList: ["dragons", "training"],
    favorited: false,
    favoritesCount: 0,
    author: { username: "ada", bio: null, image: null, following: false },
  });
  const path = "/articles/how-to-train-your-dragon";
  const read = (path: string) =>
    conduit.call<{ article: Article }>(`GET ${path}`);
  assertEquals((await read(path)).body, { article });

  const change = (article: object, user = token) =>
    conduit.call<{ article: Article }>(`PUT ${path}`, {
      token: user,
      body: { article },
    });
  const changed = await change({ body: "With two hands" });
  assertEquals(changed.status, 200);
  assertEquals(
    { ...changed.body.article, updatedAt },
    { ...article, body: "With two hands" },
  );
  assert(changed.body.article.updatedAt >= updatedAt);
  assertEquals<unknown>(
    await change({ title: " ", body: 7 }),
    failure(
      422,
      `#/article/title: ${BLANK}`,
      "#/article/body: Invalid input: expected string, received number",
    ),
  );

  const bob = await conduit.register("bob");
  const forbidden = failure(403, "The article has another author");
  assertEquals<unknown>(await change({ body: "No" }, bob), forbidden);
  assertEquals(await conduit.call(`DELETE ${path}`, { token: bob }), forbidden);

  const renamed = await change({ title: "Dragons: 2nd edition" });
  assertEquals(renamed.body.article.slug, "dragons-2nd-edition");
  assertEquals((await read(path)).status, 404);
  const remove = () =>
    conduit.call("DELETE /articles/dragons-2nd-edition", { token });
  assertEquals(await remove(), { status: 204, body: null });
  assertEquals((await remove()).status, 404);
});

Deno.test("RealWorld: each article has a unique slug", async () => {
  await using conduit = await Conduit.start();
  const token = await conduit.register("ada");
  const slugOf = async (title: string) =>
    (await conduit.write(token, { title })).slug;
  assertEquals(await slugOf("Ünïcode & more!"), "ünïcode-more");
  assertEquals(await slugOf("Twice"), "twice");
  const second = await slugOf("twice?");
  assertMatch(second, /^twice-[-0-9a-f]{13}$/);
  assertEquals(await slugOf("?!"), "article");
  assertEquals(
    await slugOf("word ".repeat(1_000)),
    `${"word-".repeat(15)}word`,
  );
  // `/articles/feed` is another route.
  assertEquals((await slugOf("Feed")).slice(0, -13), "feed-");
  const { body } = await conduit.call<{ article: Article }>(
    "GET /articles/%C3%BCn%C3%AFcode-more",
  );
  assertEquals(body.article.title, "Ünïcode & more!");
  // The same title keeps the slug.
  const { body: kept } = await conduit.call<{ article: Article }>(
    `PUT /articles/${second}`,
    { token, body: { article: { title: "twice?" } } },
  );
  assertEquals(kept.article.slug, second);
});

Deno.test("RealWorld: a list of articles has filters and pages, the latest first", async () => {
  await using conduit = await Conduit.start();
  const ada = await conduit.register("ada");
  const bob = await conduit.register("bob");
  await conduit.write(ada, { title: "One", tagList: ["odd"] });
  await conduit.write(bob, { title: "Two", tagList: ["even", "prime"] });
  await conduit.write(ada, { title: "Three", tagList: ["odd", "prime"] });
  await conduit.call("POST /articles/two/favorite", { token: ada });
  const { slugs } = conduit;
  const list = slugs.bind(conduit);
  assertEquals(await list("/articles"), [["three", "two", "one"], 3]);
  assertEquals(await list("/articles?tag=odd"), [["three", "one"], 2]);
  assertEquals(await list("/articles?tag=od"), [[], 0]);
  assertEquals(await list("/articles?author=bob"), [["two"], 1]);
  assertEquals(await list("/articles?favorited=ada"), [["two"], 1]);
  assertEquals(await list("/articles?favorited=bob"), [[], 0]);
  assertEquals(await list("/articles?tag=prime&author=ada"), [["three"], 1]);
  assertEquals(await list("/articles?limit=1&offset=1"), [["two"], 3]);
  const { body } = await conduit.call<ArticleList>("GET /articles?limit=1");
  assert(!Object.hasOwn(body.articles[0]!, "body"));
  const invalid = "/articles?limit=0&offset=-1";
  const expected = failure(
    422,
    "#/limit: Too small: expected number to be >=1",
    "#/offset: Too small: expected number to be >=0",
  );
  assertEquals(await conduit.call(`GET ${invalid}`), expected);
  const tags = await conduit.call<{ tags: string[] }>("GET /tags");
  assertEquals(tags.body.tags, ["odd", "prime", "even"]);
});

Deno.test("RealWorld: the feed has the articles of followed users, and a favorite counts once", async () => {
  await using conduit = await Conduit.start();
  const ada = await conduit.register("ada");
  const bob = await conduit.register("bob");
  await conduit.write(ada, { title: "One" });
  await conduit.write(bob, { title: "Two" });
  const feed = (query = "") => conduit.slugs(`/articles/feed${query}`, ada);
  const follow = async (operation: string) => {
    const { body } = await conduit.call<{ profile: Profile }>(
      operation,
      { token: ada },
    );
    return [body.profile.following, ...await feed()];
  };
  const without = [false, [], 0];
  const withTwo = [true, ["two"], 1];
  assertEquals(await follow("GET /profiles/bob"), without);
  assertEquals(await follow("POST /profiles/bob/follow"), withTwo);
  assertEquals(await follow("POST /profiles/bob/follow"), withTwo);
  assertEquals(await follow("GET /profiles/bob"), withTwo);
  assertEquals(await feed("?offset=1"), [[], 1]);
  const { body: { article } } = await conduit.call<{ article: Article }>(
    "GET /articles/two",
    { token: ada },
  );
  assertEquals(article.author.following, true);
  assertEquals(await conduit.slugs("/articles/feed", bob), [[], 0]);
  assertEquals(await follow("DELETE /profiles/bob/follow"), without);
  assertEquals(await follow("DELETE /profiles/bob/follow"), without);
  const { status } = await conduit.call("GET /articles/feed?limit=many", {
    token: ada,
  });
  assertEquals(status, 422);

  const favorite = async (method: string, token: string) => {
    const { body } = await conduit.call<{ article: Article }>(
      `${method} /articles/one/favorite`,
      { token },
    );
    return [body.article.favorited, body.article.favoritesCount];
  };
  assertEquals(await favorite("POST", ada), [true, 1]);
  assertEquals(await favorite("POST", ada), [true, 1]);
  assertEquals(await favorite("POST", bob), [true, 2]);
  assertEquals(await favorite("DELETE", ada), [false, 1]);
  assertEquals(await favorite("DELETE", ada), [false, 1]);
  const { body } = await conduit.call<ArticleList>("GET /articles", {
    token: bob,
  });
  assertEquals(body.articles.map(({ favorited }) => favorited), [false, true]);
});

Deno.test("RealWorld: users add and remove their comments", async () => {
  await using conduit = await Conduit.start();
  const ada = await conduit.register("ada");
  const bob = await conduit.register("bob");
  await conduit.write(ada, { title: "One" });
  await conduit.write(ada, { title: "Two" });
  const path = "/articles/one/comments";
  const add = (token: string, body: unknown) =>
    conduit.call<{ comment: Comment }>(`POST ${path}`, {
      token,
      body: { comment: { body } },
    });
  const { body: { comment } } = await add(bob, "Thank you!");
  assertMatch(comment.createdAt, TIME);
  assertEquals(comment, {
    id: 1,
    createdAt: comment.createdAt,
    updatedAt: comment.createdAt,
    body: "Thank you!",
    author: { username: "bob", bio: null, image: null, following: false },
  });
  await add(ada, "You are welcome");
  const list = async () => {
    const { body } = await conduit.call<{ comments: Comment[] }>(`GET ${path}`);
    return body.comments.map(({ id, author }) => [id, author.username]);
  };
  assertEquals(await list(), [[2, "ada"], [1, "bob"]]);
  assertEquals<unknown>(
    await add(bob, ""),
    failure(422, `#/comment/body: ${BLANK}`),
  );

  const missing = failure(404, "There is no comment 1");
  for (
    const [id, token, expected, of = path] of [
      ["1", ada, failure(403, "The comment has another author")],
      ["1", bob, missing, "/articles/two/comments"],
      ["1", bob, { status: 204, body: null }],
      ["1", bob, missing],
    ] as const
  ) {
    const removed = await conduit.call(`DELETE ${of}/${id}`, { token });
    assertEquals<unknown>(removed, expected);
  }
  const { status } = await conduit.call(`DELETE ${path}/one`, { token: bob });
  assertEquals(status, 422);
  assertEquals(await list(), [[2, "ada"]]);
  // Removing an article removes its comments.
  await conduit.call("DELETE /articles/one", { token: ada });
  assertEquals(conduit.db.rows("SELECT * FROM comments"), []);
});
