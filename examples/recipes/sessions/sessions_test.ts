import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
} from "@std/assert";
import { app } from "./main.ts";
import { addUser, cost } from "./users.ts";

cost.N = 2; // the derived keys of the tests need no strength
await addUser("ada", "correct horse");

/** Serves the recipe on a free port until the end of a test. */
function serve(): Promise<Deno.HttpServer<Deno.NetAddr>> {
  return app.serve({ port: 0, hostname: "127.0.0.1", onListen() {} });
}

/** The first cookie of a response, as a browser sends it back. */
function cookieOf(response: Response): string {
  return response.headers.getSetCookie()[0]!.split(";")[0]!;
}

/** Calls the recipe, and reads the body. */
async function call(
  { addr }: Deno.HttpServer<Deno.NetAddr>,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const url = `http://127.0.0.1:${addr.port}/api/${path}`;
  const response = await fetch(url, init);
  return new Response(await response.text() || null, response);
}

function signIn(
  server: Deno.HttpServer<Deno.NetAddr>,
  { user = "ada", password = "correct horse", cookie = "" } = {},
): Promise<Response> {
  return call(server, "session", {
    method: "POST",
    headers: { "content-type": "application/json", cookie },
    body: JSON.stringify({ user, password }),
  });
}

async function statusOf(
  server: Deno.HttpServer<Deno.NetAddr>,
  cookie: string,
): Promise<number> {
  const response = await call(server, "account", { headers: { cookie } });
  return response.status;
}

Deno.test("signing in sets a cookie that neither scripts nor other sites can read", async () => {
  await using server = await serve();
  const response = await signIn(server);
  assertEquals(response.status, 204);
  const [cookie, ...rest] = response.headers.getSetCookie();
  assertEquals(rest, []);
  assertMatch(cookie!, /^__Host-session=[0-9a-f]{64}; /);
  assertEquals(
    cookie!.split("; ").slice(1).sort(),
    ["HttpOnly", "Max-Age=28800", "Path=/", "SameSite=Lax", "Secure"],
  );
  const account = await call(server, "account", {
    headers: { cookie: `theme=dark; ${cookieOf(response)}` },
  });
  assertEquals(await account.json(), { user: "ada" });
  assertEquals(account.headers.get("cache-control"), "no-store");
});

Deno.test("requests without a session get 401, and wrong passwords get 403", async () => {
  await using server = await serve();
  const forged = `__Host-session=${"0".repeat(64)}`;
  for (const cookie of ["", "__Host-session=", "=;;=", "session=1", forged]) {
    assertEquals(await statusOf(server, cookie), 401, cookie);
  }
  for (const wrong of [{ password: "wrong" }, { user: "bob" }]) {
    const response = await signIn(server, wrong);
    assertEquals(response.status, 403);
    assertEquals(response.headers.getSetCookie(), []);
    assertEquals((await response.json()).detail, "User or password is wrong");
  }
});

Deno.test("signing in replaces the id of the session", async () => {
  await using server = await serve();
  const planted = `__Host-session=${"1".repeat(64)}`;
  const first = cookieOf(await signIn(server, { cookie: planted }));
  assertNotEquals(first, planted);
  assertEquals(await statusOf(server, planted), 401);
  const second = cookieOf(await signIn(server, { cookie: first }));
  assertNotEquals(second, first);
  assertEquals(await statusOf(server, first), 401);
  assertEquals(await statusOf(server, second), 200);
});

Deno.test("a session ends when its user signs out", async () => {
  await using server = await serve();
  const cookie = cookieOf(await signIn(server));
  const other = cookieOf(await signIn(server));
  const response = await call(server, "session", {
    method: "DELETE",
    headers: { cookie },
  });
  assertEquals(response.status, 204);
  const [removed] = response.headers.getSetCookie();
  assertMatch(removed!, /^__Host-session=; .*Secure/); // or browsers keep it
  assert(removed!.includes("Max-Age=0"));
  assertEquals(await statusOf(server, cookie), 401);
  assertEquals(await statusOf(server, other), 200);
});

Deno.test("a session expires, even if the browser keeps its cookie", async () => {
  await using server = await serve();
  const cookie = cookieOf(await signIn(server));
  const now = Date.now;
  try {
    Date.now = () => now() + 28_799_000;
    assertEquals(await statusOf(server, cookie), 200);
    Date.now = () => now() + 28_801_000;
    assertEquals(await statusOf(server, cookie), 401);
  } finally {
    Date.now = now;
  }
});

Deno.test("a form of another site cannot sign in", async () => {
  await using server = await serve();
  const response = await call(server, "session", {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "origin": "https://evil.example",
    },
    body: "user=ada&password=correct+horse",
  });
  assertEquals(response.status, 403);
  assertEquals(response.headers.getSetCookie(), []);
});
