/** Each operation of the RealWorld example over HTTP, and its errors. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { sign } from "hono/jwt";
import { createApp } from "../../examples/realworld/main.ts";
import type {
  Article,
  ArticleList,
  Comment,
  Profile,
} from "../../examples/realworld/schemas.ts";
import { Database } from "../../examples/realworld/store/database.ts";
import { TestFolder, TestServer } from "../support/application.ts";
import { DenoProcess, freePort } from "../support/process.ts";

const EXAMPLE = fromFileUrl(
  new URL("../../examples/realworld/", import.meta.url),
);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DRAGONS = {
  title: "How to train your dragon",
  description: "Ever wonder how?",
  body: "Very carefully.",
  tagList: ["training", "dragons", "training"],
};
const NO_TOKEN = failure(401, "The token is missing");
const WRONG_TOKEN = failure(401, "The token is invalid");
const NO_ARTICLE = failure(404, 'There is no article "none"');
const MISSING = "Invalid input: expected string, received undefined";
const BLANK = "Too small: expected string to have >=1 characters";

interface User {
  email: string;
  token: string;
  username: string;
  bio: string | null;
  image: string | null;
}

function failure(status: number, ...body: string[]) {
  return { status, body: { errors: { body } } };
}

/** The example on a free port, with cheap hashes of passwords. */
class Conduit implements AsyncDisposable {
  readonly db: Database;
  readonly #server: TestServer;

  private constructor(db: Database, server: TestServer) {
    this.db = db;
    this.#server = server;
  }

  static async start(): Promise<Conduit> {
    const db = new Database(":memory:", { passwordRounds: 1 });
    const app = createApp(db, true);
    return new Conduit(db, await TestServer.start(app));
  }

  /** Sends a request. */
  async fetch(
    operation: string,
    headers: Record<string, string>,
    json?: unknown,
  ): Promise<Response> {
    const [method, path] = operation.split(" ");
    const body = json === undefined ? null : JSON.stringify(json);
    const url = this.#server.url(`/api${path}`);
    return await fetch(url, { method: method!, headers, body });
  }

  /** Sends a request, and reads the JSON of the response. */
  async call<Body>(
    operation: string,
    { token, body }: { token?: string; body?: unknown } = {},
  ): Promise<{ status: number; body: Body }> {
    const response = await this.fetch(
      operation,
      {
        "content-type": "application/json",
        ...token !== undefined && { authorization: `Token ${token}` },
      },
      body,
    );
    const { status } = response;
    if (status === 204) return { status, body: null as Body };
    assertEquals(response.headers.get("content-type"), "application/json");
    if (status === 401) {
      assertEquals(response.headers.get("www-authenticate"), "Token");
    }
    return { status, body: await response.json() };
  }

  /** Registers a user, and returns the token. */
  async register(username: string): Promise<string> {
    const user = {
      username,
      email: `${username}@mail.com`,
      password: "secret",
    };
    const { status, body } = await this.call<{ user: User }>("POST /users", {
      body: { user },
    });
    assertEquals(status, 201);
    return body.user.token;
  }

  /** Writes an article, and returns it. */
  async write(token: string, article: object = {}): Promise<Article> {
    const { status, body } = await this.call<{ article: Article }>(
      "POST /articles",
      { token, body: { article: { ...DRAGONS, ...article } } },
    );
    assertEquals(status, 201, JSON.stringify(body));
    return body.article;
  }

  /** The slugs of a list, and the number of all articles. */
  async slugs(path: string, token?: string): Promise<[string[], number]> {
    const { status, body } = await this.call<ArticleList>(
      `GET ${path}`,
      token === undefined ? {} : { token },
    );
    assertEquals(status, 200, JSON.stringify(body));
    return [body.articles.map(({ slug }) => slug), body.articlesCount];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    this.db[Symbol.dispose]();
  }
}

Deno.test("RealWorld: a user registers, and logs in", async () => {
  await using conduit = await Conduit.start();
  const account = { email: "ada@mail.com", password: " secret " };
  const registered = await conduit.call<{ user: User }>("POST /users", {
    body: { user: { ...account, username: "ada" } },
  });
  assertEquals(registered.status, 201);
  const { token, ...user } = registered.body.user;
  assertEquals(user, {
    email: "ada@mail.com",
    username: "ada",
    bio: null,
    image: null,
  });
  assertEquals(token.split(".").length, 3);
  const [row] = conduit.db.rows<{ password: string }>("SELECT * FROM users");
  assertMatch(row!.password, /^1:[-0-9a-f]{36}:[0-9a-f]{64}$/);

  const logIn = (user: object) =>
    conduit.call<{ user: User }>("POST /users/login", { body: { user } });
  const loggedIn = await logIn(account);
  assertEquals(loggedIn.status, 200);
  assertEquals({ ...loggedIn.body.user, token: "" }, { ...user, token: "" });
  const wrong = failure(401, "Email or password is wrong");
  assertEquals<unknown>(await logIn({ ...account, password: "secret" }), wrong);
  assertEquals<unknown>(
    await logIn({ ...account, email: "eve@mail.com" }),
    wrong,
  );
  assertEquals<unknown>(
    await logIn({}),
    failure(
      422,
      `#/user/email: ${MISSING}`,
      `#/user/password: ${MISSING}`,
    ),
  );
});

Deno.test("RealWorld: names and addresses are unique", async () => {
  await using conduit = await Conduit.start();
  const token = await conduit.register("ada");
  await conduit.register("bob");
  const user = { username: "ada", email: "new@mail.com", password: "x" };
  const add = (user: object) => conduit.call("POST /users", { body: { user } });
  const change = (user: object) =>
    conduit.call("PUT /user", { token, body: { user } });
  const taken = (name: string) => failure(422, `${name} is already taken`);
  assertEquals(await add(user), taken("username"));
  assertEquals(
    await add({ ...user, username: "eve", email: "ADA@mail.com" }),
    taken("email"),
  );
  assertEquals(await change({ username: "bob" }), taken("username"));
  assertEquals(await change({ email: "bob@mail.com" }), taken("email"));
  assertEquals(
    await add({ username: " ", email: "ada", password: "" }),
    failure(
      422,
      `#/user/username: ${BLANK}`,
      "#/user/email: Invalid email address",
      `#/user/password: ${BLANK}`,
    ),
  );
});

Deno.test("RealWorld: a user changes the account", async () => {
  await using conduit = await Conduit.start();
  const token = await conduit.register("ada");
  const change = (user: unknown) =>
    conduit.call<{ user: User }>("PUT /user", { token, body: { user } });
  const read = () => conduit.call<{ user: User }>("GET /user", { token });
  assertEquals((await change({ bio: "Counts", image: "a.png" })).status, 200);
  const { body } = await change({ image: null, username: "lovelace" });
  assertEquals(
    { ...body.user, token: "" },
    {
      email: "ada@mail.com",
      token: "",
      username: "lovelace",
      bio: "Counts",
      image: null,
    },
  );
  assertEquals((await read()).body.user.username, "lovelace");

  const logIn = async (password: string) => {
    const user = { email: "ada@mail.com", password };
    const { status } = await conduit.call("POST /users/login", {
      body: { user },
    });
    return status;
  };
  assertEquals(await logIn("secret"), 200);
  assertEquals((await change({ password: "other" })).status, 200);
  assertEquals([await logIn("secret"), await logIn("other")], [401, 200]);
  assertEquals<unknown>(
    await change(undefined),
    failure(
      422,
      "#/user: Invalid input: expected object, received undefined",
    ),
  );
});

Deno.test("RealWorld: everyone reads, and only users with a token write", async () => {
  await using conduit = await Conduit.start();
  const ada = await conduit.register("ada");
  const bob = await conduit.register("bob");
  const { slug } = await conduit.write(ada);
  const open = [
    "GET /articles",
    `GET /articles/${slug}`,
    `GET /articles/${slug}/comments`,
    "GET /profiles/ada",
  ];
  const guarded = [
    "GET /user",
    "PUT /user",
    "GET /articles/feed",
    "POST /articles",
    `PUT /articles/${slug}`,
    `DELETE /articles/${slug}`,
    `POST /articles/${slug}/comments`,
    `DELETE /articles/${slug}/comments/1`,
    `POST /articles/${slug}/favorite`,
    `DELETE /articles/${slug}/favorite`,
    "POST /profiles/ada/follow",
    "DELETE /profiles/ada/follow",
  ];
  const key = conduit.db.tokenKey;
  const now = Math.floor(Date.now() / 1000);
  const invalid = [
    "",
    "x",
    `${bob.slice(0, bob.lastIndexOf("."))}.`,
    await sign({ id: 1, exp: now + 60 }, "another key", "HS256"),
    await sign({ id: 1, exp: now - 60 }, key, "HS256"),
    await sign({ id: 99, exp: now + 60 }, key, "HS256"),
    await sign({ exp: now + 60 }, key, "HS256"),
  ];
  for (const operation of open) {
    assertEquals((await conduit.call(operation)).status, 200, operation);
  }
  for (const operation of guarded) {
    assertEquals(await conduit.call(operation), NO_TOKEN, operation);
  }
  for (const operation of [...open, ...guarded]) {
    for (const token of invalid) {
      assertEquals(await conduit.call(operation, { token }), WRONG_TOKEN);
    }
  }
  for (const authorization of [bob, `Bearer ${bob}`, `token ${bob}`]) {
    const { status, body } = await conduit.fetch("GET /user", {
      authorization,
    });
    assertEquals(status, 401, authorization);
    await body?.cancel();
  }
  // Routes outside the guard ignore tokens.
  assertEquals((await conduit.call("GET /tags", { token: "x" })).status, 200);
});

Deno.test("RealWorld: an article is written, changed and removed by its author", async () => {
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

Deno.test("RealWorld: what does not exist gets 404", async () => {
  await using conduit = await Conduit.start();
  const token = await conduit.register("ada");
  const article = { body: "No" };
  const comment = { body: "No" };
  const body = { article, comment };
  for (
    const operation of [
      "GET /articles/none",
      "PUT /articles/none",
      "DELETE /articles/none",
      "GET /articles/none/comments",
      "POST /articles/none/comments",
      "DELETE /articles/none/comments/1",
      "POST /articles/none/favorite",
      "DELETE /articles/none/favorite",
    ]
  ) {
    const sent = operation.startsWith("GET") ? { token } : { token, body };
    assertEquals(await conduit.call(operation, sent), NO_ARTICLE, operation);
  }
  for (
    const operation of [
      "GET /profiles/none",
      "POST /profiles/none/follow",
      "DELETE /profiles/none/follow",
    ]
  ) {
    const expected = failure(404, 'There is no user "none"');
    assertEquals(await conduit.call(operation, { token }), expected);
  }
  const { status, body: nothing } = await conduit.call("GET /nothing");
  assertEquals(
    [status, nothing],
    [404, { errors: { body: ["No route matches this path"] } }],
  );
});

Deno.test("RealWorld: each article has a slug of its own", async () => {
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

Deno.test("RealWorld: articles are filtered and paged, the latest first", async () => {
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

Deno.test("RealWorld: the feed has the articles of followed users", async () => {
  await using conduit = await Conduit.start();
  const ada = await conduit.register("ada");
  const bob = await conduit.register("bob");
  await conduit.write(ada, { title: "One" });
  await conduit.write(bob, { title: "Two" });
  const feed = (query = "") => conduit.slugs(`/articles/feed${query}`, ada);
  assertEquals(await feed(), [[], 0]);
  const change = async (operation: string) => {
    const { status, body } = await conduit.call<{ profile: Profile }>(
      operation,
      { token: ada },
    );
    assertEquals(status, 200);
    return body.profile.following;
  };
  assertEquals(await change("GET /profiles/bob"), false);
  for (let times = 0; times < 2; times++) {
    assertEquals(await change("POST /profiles/bob/follow"), true);
  }
  assertEquals(await change("GET /profiles/bob"), true);
  assertEquals(await feed(), [["two"], 1]);
  assertEquals(await feed("?offset=1"), [[], 1]);
  const { body } = await conduit.call<{ article: Article }>(
    "GET /articles/two",
    { token: ada },
  );
  assertEquals(body.article.author.following, true);
  assertEquals(await conduit.slugs("/articles/feed", bob), [[], 0]);
  for (let times = 0; times < 2; times++) {
    assertEquals(await change("DELETE /profiles/bob/follow"), false);
  }
  assertEquals(await feed(), [[], 0]);
  const { status } = await conduit.call("GET /articles/feed?limit=many", {
    token: ada,
  });
  assertEquals(status, 422);
});

Deno.test("RealWorld: favorites are counted once for each user", async () => {
  await using conduit = await Conduit.start();
  const ada = await conduit.register("ada");
  const bob = await conduit.register("bob");
  await conduit.write(ada, { title: "One" });
  const change = async (operation: string, token: string) => {
    const { status, body } = await conduit.call<{ article: Article }>(
      `${operation} /articles/one/favorite`,
      { token },
    );
    assertEquals(status, 200);
    return [body.article.favorited, body.article.favoritesCount];
  };
  assertEquals(await change("POST", ada), [true, 1]);
  assertEquals(await change("POST", ada), [true, 1]);
  assertEquals(await change("POST", bob), [true, 2]);
  assertEquals(await change("DELETE", ada), [false, 1]);
  assertEquals(await change("DELETE", ada), [false, 1]);
  const { body } = await conduit.call<ArticleList>("GET /articles", {
    token: bob,
  });
  assertEquals(body.articles[0]!.favorited, true);
});

Deno.test("RealWorld: comments are added and removed by their authors", async () => {
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
  const { status, body: { comment } } = await add(bob, "Thank you!");
  assertEquals(status, 200);
  const { createdAt, ...others } = comment;
  assertMatch(createdAt, TIME);
  const author = { username: "bob", bio: null, image: null, following: false };
  assertEquals(others, {
    id: 1,
    updatedAt: createdAt,
    body: "Thank you!",
    author,
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

  const remove = (id: string, token: string, of = path) =>
    conduit.call(`DELETE ${of}/${id}`, { token });
  const missing = failure(404, "There is no comment 1");
  assertEquals(
    await remove("1", ada),
    failure(403, "The comment has another author"),
  );
  assertEquals(await remove("1", bob, "/articles/two/comments"), missing);
  assertEquals((await remove("one", bob)).status, 422);
  assertEquals(await remove("1", bob), { status: 204, body: null });
  assertEquals(await remove("1", bob), missing);
  assertEquals(await list(), [[2, "ada"]]);
  // The comments go with their article.
  const { status: removed } = await conduit.call("DELETE /articles/one", {
    token: ada,
  });
  assertEquals(removed, 204);
  assertEquals(conduit.db.rows("SELECT * FROM comments"), []);
});

Deno.test("RealWorld: pages of other origins may call it", async () => {
  await using conduit = await Conduit.start();
  const origin = "https://example.com";
  const preflight = await conduit.fetch("OPTIONS /articles", {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization,content-type",
  });
  assertEquals(preflight.status, 204);
  const allowed = (name: string) =>
    preflight.headers.get(`access-control-allow-${name}`);
  assertEquals(allowed("origin"), "*");
  assertEquals(allowed("headers"), "authorization,content-type");
  for (const operation of ["GET /tags", "POST /articles", "GET /nothing"]) {
    const { headers, body } = await conduit.fetch(operation, { origin });
    assertEquals(headers.get("access-control-allow-origin"), "*", operation);
    await body?.cancel();
  }
});

Deno.test("RealWorld: malformed requests have the form of its errors", async () => {
  await using conduit = await Conduit.start();
  const token = await conduit.register("ada");
  assertEquals((await conduit.call("GET /articles/%ff")).status, 422);
  assertEquals((await conduit.call("DELETE /tags")).status, 405);
  const large = { article: { ...DRAGONS, body: "x".repeat(2_000_000) } };
  const sent = await conduit.call("POST /articles", { token, body: large });
  assertEquals(sent.status, 413);
});

Deno.test("RealWorld: main.ts starts with its permissions, and keeps users and tokens in a file", async () => {
  await using folder = await TestFolder.create({});
  const port = freePort();
  const env = { PORT: String(port), HOST: "127.0.0.1" };
  const flags = ["--allow-read", "--allow-net", "--allow-env=PORT,HOST"]
    .concat(`--allow-write=${folder.path}`);
  const start = async () => {
    const args = [join(folder.path, "conduit.db")];
    const process = new DenoProcess(EXAMPLE, flags, "main.ts", { args, env });
    await process.printed("Listening");
    return process;
  };
  const api = `http://127.0.0.1:${port}/api`;
  const user = { username: "ada", email: "ada@mail.com", password: "secret" };
  let token: string;
  {
    await using process = await start();
    const response = await fetch(`${api}/users`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ user }),
    });
    token = (await response.json()).user.token;
    process.kill("SIGTERM");
    assertEquals((await process.outcome()).code, 0);
  }
  await using _ = await start();
  const headers = { authorization: `Token ${token}` };
  const response = await fetch(`${api}/user`, { headers });
  assertEquals((await response.json()).user.username, "ada");
});
