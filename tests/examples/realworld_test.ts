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

/** Operations, whether they need a token, and what a missing part of their path is. */
const OPERATIONS: readonly (readonly [string, boolean, missing?: string])[] = [
  ["GET /articles", false],
  ["GET /articles/:name", false, "article"],
  ["GET /articles/:name/comments", false, "article"],
  ["GET /profiles/:name", false, "user"],
  ["GET /user", true],
  ["PUT /user", true],
  ["GET /articles/feed", true],
  ["POST /articles", true],
  ["PUT /articles/:name", true, "article"],
  ["DELETE /articles/:name", true, "article"],
  ["POST /articles/:name/comments", true, "article"],
  ["DELETE /articles/:name/comments/1", true, "article"],
  ["POST /articles/:name/favorite", true, "article"],
  ["DELETE /articles/:name/favorite", true, "article"],
  ["POST /profiles/:name/follow", true, "user"],
  ["DELETE /profiles/:name/follow", true, "user"],
];

Deno.test("RealWorld: everyone can read, only users with a token can write, and what is missing gets 404", async () => {
  await using conduit = await Conduit.start();
  const ada = await conduit.register("ada");
  const bob = await conduit.register("bob");
  await conduit.write(ada, { title: "ada" });
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
  for (const [operation, isGuarded, missing] of OPERATIONS) {
    const found = operation.replace(":name", "ada");
    const open = await conduit.call(found);
    if (isGuarded) assertEquals(open, NO_TOKEN, operation);
    else assertEquals(open.status, 200, operation);
    for (const token of invalid) {
      assertEquals(await conduit.call(found, { token }), WRONG_TOKEN);
    }
    if (missing === undefined) continue;
    const body = { article: { body: "No" }, comment: { body: "No" } };
    const sent = operation.startsWith("GET") ? {} : { body };
    assertEquals(
      await conduit.call(operation.replace(":name", "none"), {
        token: bob,
        ...sent,
      }),
      failure(404, `There is no ${missing} "none"`),
      operation,
    );
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

Deno.test("RealWorld: malformed requests get errors in its form, and other origins may read them", async () => {
  await using conduit = await Conduit.start();
  const token = await conduit.register("ada");
  const large = { article: { ...DRAGONS, body: "x".repeat(2_000_000) } };
  const statuses = [
    await conduit.call("GET /articles/%ff"),
    await conduit.call("DELETE /tags"),
    await conduit.call("POST /articles", { token, body: large }),
  ].map(({ status }) => status);
  assertEquals(statuses, [422, 405, 413]);
  assertEquals(
    await conduit.call("GET /nothing"),
    failure(404, "No route matches this path"),
  );

  const origin = "https://example.com";
  const preflight = await conduit.fetch("OPTIONS /articles", {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization,content-type",
  });
  const allowed = ["origin", "headers"]
    .map((name) => preflight.headers.get(`access-control-allow-${name}`));
  assertEquals(
    [preflight.status, ...allowed],
    [204, "*", "authorization,content-type"],
  );
  for (const operation of ["GET /tags", "POST /articles", "GET /nothing"]) {
    const { headers, body } = await conduit.fetch(operation, { origin });
    assertEquals(headers.get("access-control-allow-origin"), "*", operation);
    await body?.cancel();
  }
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
