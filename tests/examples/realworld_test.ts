/** Users, tokens and errors of the RealWorld example over HTTP. */
import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { sign } from "hono/jwt";
import { TestFolder } from "../support/application.ts";
import { DenoProcess, freePort } from "../support/process.ts";
import {
  BLANK,
  Conduit,
  DRAGONS,
  failure,
  type User,
} from "./realworld_support.ts";

const EXAMPLE = fromFileUrl(
  new URL("../../examples/realworld/", import.meta.url),
);
const NO_TOKEN = failure(401, "The token is missing");
const WRONG_TOKEN = failure(401, "The token is invalid");
const NO_ARTICLE = failure(404, 'There is no article "none"');
const MISSING = "Invalid input: expected string, received undefined";

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

Deno.test("RealWorld: everyone can read, and only users with a token can write", async () => {
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

Deno.test("RealWorld: a missing article, user or path gets 404", async () => {
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

Deno.test("RealWorld: pages of other origins can call the API", async () => {
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

Deno.test("RealWorld: malformed requests get errors in its form", async () => {
  await using conduit = await Conduit.start();
  const token = await conduit.register("ada");
  assertEquals((await conduit.call("GET /articles/%ff")).status, 422);
  assertEquals((await conduit.call("DELETE /tags")).status, 405);
  const large = { article: { ...DRAGONS, body: "x".repeat(2_000_000) } };
  const sent = await conduit.call("POST /articles", { token, body: large });
  assertEquals(sent.status, 413);
});

Deno.test("RealWorld: main.ts starts with its permissions, and stores users and tokens in a file", async () => {
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
