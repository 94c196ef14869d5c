import { assertEquals, assertThrows } from "@std/assert";
import { sign } from "hono/jwt";
import { articles } from "./articles.ts";
import { app } from "./main.ts";
import { createToken, setSecret } from "./user.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
setSecret(SECRET);

const ada = `Bearer ${await createToken("ada", "author")}`;
const bob = `bearer ${await createToken("bob", "author")}`;
const moderator = `Bearer ${await createToken("max", "moderator")}`;

type Call = (
  operation: string,
  authorization?: string,
) => Promise<[status: number, challenge: string | null, json: unknown]>;

/** Serves the recipe on a free port. */
async function served(test: (call: Call) => Promise<void>): Promise<void> {
  articles.clear();
  const options = { port: 0, hostname: "127.0.0.1", onListen() {} };
  await using server = await app.serve(options);
  await test(async (operation, authorization) => {
    const [method = "", path] = operation.split(" ");
    const headers = new Headers({ "content-type": "application/json" });
    if (authorization !== undefined) {
      headers.set("authorization", authorization);
    }
    const url = `http://127.0.0.1:${server.addr.port}/api${path}`;
    const body = method === "POST" || method === "PUT"
      ? '{"title":"Emma"}'
      : null;
    const response = await fetch(url, { method, headers, body });
    const text = await response.text();
    const challenge = response.headers.get("www-authenticate");
    return [response.status, challenge, text && JSON.parse(text)];
  });
}

/** Adds an article of Ada, and returns it. */
async function add(call: Call): Promise<{ id: string }> {
  return (await call("POST /articles", ada))[2] as { id: string };
}

Deno.test("everyone can read, and users can write", async () => {
  await served(async (call) => {
    const [status, challenge, problem] = await call("POST /articles");
    const { detail } = problem as { detail: string };
    assertEquals([status, challenge, detail], [401, "Bearer", "Sign in first"]);
    const [created, , article] = await call("POST /articles", ada);
    const { id } = article as { id: string };
    const expected = { id, title: "Emma", author: "ada", isPinned: false };
    assertEquals([created, article], [201, expected]);
    for (const [token, isMine] of [[ada, true], [undefined, false]] as const) {
      const list = [{ ...expected, isMine }];
      assertEquals(await call("GET /articles", token), [200, null, list]);
    }
    const [read, , same] = await call(`GET /articles/${id}`);
    assertEquals([read, same], [200, expected]);
  });
});

Deno.test("an author changes and removes only own articles", async () => {
  await served(async (call) => {
    const { id } = await add(call);
    for (const method of ["PUT", "DELETE"]) {
      assertEquals((await call(`${method} /articles/${id}`))[0], 401);
      assertEquals((await call(`${method} /articles/${id}`, bob))[0], 403);
    }
    assertEquals((await call(`PUT /articles/${id}`, ada))[0], 200);
    assertEquals((await call(`DELETE /articles/${id}`, ada))[0], 204);
    assertEquals((await call(`DELETE /articles/${id}`, ada))[0], 404);
  });
});

Deno.test("a moderator removes each article, but cannot change articles of others", async () => {
  await served(async (call) => {
    const { id } = await add(call);
    assertEquals((await call(`PUT /articles/${id}`, moderator))[0], 403);
    assertEquals((await call(`DELETE /articles/${id}`, moderator))[0], 204);
  });
});

Deno.test("only a token with the scope pins an article", async () => {
  await served(async (call) => {
    const { id } = await add(call);
    const path = `PUT /articles/${id}/pin`;
    const [status, challenge] = await call(path, ada);
    const expected = 'Bearer error="insufficient_scope", scope="moderate"';
    assertEquals([status, challenge], [403, expected]);
    assertEquals((await call(path))[0], 401);
    assertEquals((await call(path, moderator))[0], 204);
    assertEquals(articles.get(id)?.isPinned, true);
  });
});

Deno.test("an invalid token gets 401, even if the token is optional", async () => {
  const exp = Math.floor(Date.now() / 1000) + 60;
  const right = { sub: "ada", scope: "write", exp };
  const [header, payload, signature] = (await sign(right, SECRET)).split(".");
  const forged = btoa(JSON.stringify({ ...right, sub: "eve" })).replaceAll(
    "=",
    "",
  );
  const unsigned = btoa('{"alg":"none","typ":"JWT"}').replaceAll("=", "");
  await served(async (call) => {
    for (
      const token of [
        "",
        "x",
        `${header}.${forged}.${signature}`,
        `${unsigned}.${payload}.`,
        await sign(right, "another secret of 32 characters."),
        await sign(right, SECRET, "HS512"),
        await sign({ ...right, exp: exp - 61 }, SECRET),
        await sign({ ...right, nbf: exp }, SECRET),
        await sign({ sub: "ada", scope: "write" }, SECRET), // without expiry
        await sign({ scope: "write", exp }, SECRET),
        await sign({ sub: "ada", exp }, SECRET),
      ]
    ) {
      const [status, challenge] = await call(
        "GET /articles",
        `Bearer ${token}`,
      );
      const expected = [401, 'Bearer error="invalid_token"'];
      assertEquals([status, challenge], expected, token);
    }
    assertEquals((await call("GET /articles", "Basic YWRhOng="))[0], 401);
  });
});

Deno.test("setSecret() rejects a short secret", () => {
  assertThrows(() => setSecret("secret"), Error, "Set JWT_SECRET to at least");
});
