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
const MISSING = "Invalid input: expected string, received undefined";

Deno.test("RealWorld: a user registers, logs in, and changes the account", async () => {
  await using conduit = await Conduit.start();
  await conduit.register("bob");
  const send = (operation: string, user: unknown, token?: string) =>
    conduit.call<{ user: User }>(operation, {
      body: { user },
      ...token !== undefined && { token },
    });
  const account = { email: "ada@mail.com", password: " secret " };
  const registered = await send("POST /users", { ...account, username: "ada" });
  const { token, ...user } = registered.body.user;
  const ada = {
    email: "ada@mail.com",
    username: "ada",
    bio: null,
    image: null,
  };
  assertEquals([registered.status, user], [201, ada]);
  assertEquals(token.split(".").length, 3);
  for (
    const row of conduit.db.rows<{ password: string }>("SELECT * FROM users")
  ) {
    assertMatch(row.password, /^1:[-0-9a-f]{36}:[0-9a-f]{64}$/);
  }

  const wrong = failure(401, "Email or password is wrong");
  const taken = (name: string) => failure(422, `${name} is already taken`);
  const eve = { username: "eve", email: "eve@mail.com", password: "x" };
  for (
    const [operation, body, expected] of [
      ["POST /users/login", { ...account, password: "secret" }, wrong],
      ["POST /users/login", { ...account, email: "eve@mail.com" }, wrong],
      [
        "POST /users/login",
        {},
        failure(422, `#/user/email: ${MISSING}`, `#/user/password: ${MISSING}`),
      ],
      ["POST /users", { ...eve, username: "ada" }, taken("username")],
      ["POST /users", { ...eve, email: "ADA@mail.com" }, taken("email")],
      [
        "POST /users",
        { username: " ", email: "ada", password: "" },
        failure(
          422,
          `#/user/username: ${BLANK}`,
          "#/user/email: Invalid email address",
          `#/user/password: ${BLANK}`,
        ),
      ],
      ["PUT /user", { username: "bob" }, taken("username")],
      ["PUT /user", { email: "bob@mail.com" }, taken("email")],
      [
        "PUT /user",
        undefined,
        failure(
          422,
          "#/user: Invalid input: expected object, received undefined",
        ),
      ],
    ] as const
  ) {
    const of = operation === "PUT /user" ? token : undefined;
    const name = `${operation} ${JSON.stringify(body)}`;
    assertEquals<unknown>(await send(operation, body, of), expected, name);
  }

  for (
    const [change, expected] of [
      [{ bio: "Counts", image: "a.png" }, { bio: "Counts", image: "a.png" }],
      [
        { image: null, username: "lovelace" },
        { bio: "Counts", username: "lovelace" },
      ],
      [{ password: "other" }, { bio: "Counts", username: "lovelace" }],
    ]
  ) {
    const before = await send("POST /users/login", account);
    assertEquals(before.status, 200);
    const { status, body } = await send("PUT /user", change, token);
    const { token: _, ...now } = body.user;
    assertEquals([status, now], [200, { ...ada, ...expected }]);
    const read = await conduit.call<{ user: User }>("GET /user", { token });
    assertEquals({ ...read.body.user, token: "" }, { ...now, token: "" });
  }
  assertEquals<unknown>(await send("POST /users/login", account), wrong);
  account.password = "other";
  assertEquals((await send("POST /users/login", account)).status, 200);
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
  const body = { article: { body: "No" }, comment: { body: "No" } };
  const [article, user, path] = [
    'There is no article "none"',
    'There is no user "none"',
    "No route matches this path",
  ];
  for (
    const [operation, error] of [
      ["GET /articles/none", article],
      ["PUT /articles/none", article],
      ["DELETE /articles/none", article],
      ["GET /articles/none/comments", article],
      ["POST /articles/none/comments", article],
      ["DELETE /articles/none/comments/1", article],
      ["POST /articles/none/favorite", article],
      ["DELETE /articles/none/favorite", article],
      ["GET /profiles/none", user],
      ["POST /profiles/none/follow", user],
      ["DELETE /profiles/none/follow", user],
      ["GET /nothing", path],
    ] as const
  ) {
    const sent = operation.startsWith("GET") ? { token } : { token, body };
    const expected = failure(404, error!);
    assertEquals(await conduit.call(operation, sent), expected, operation);
  }
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
  const large = { article: { ...DRAGONS, body: "x".repeat(2_000_000) } };
  const statuses = [
    await conduit.call("GET /articles/%ff"),
    await conduit.call("DELETE /tags"),
    await conduit.call("POST /articles", { token, body: large }),
  ].map(({ status }) => status);
  assertEquals(statuses, [422, 405, 413]);
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
