import { checkContracts } from "@bough/framework/testing";
import { assertEquals, assertThrows } from "@std/assert";
import { sign } from "hono/jwt";
import { app } from "./main.ts";
import { createToken, setSecret } from "./user.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
setSecret(SECRET);

/** Calls the recipe, and returns the status, challenge and JSON of the response. */
async function call(
  method: "GET" | "POST",
  authorization?: string,
): Promise<[status: number, challenge: string | null, json: unknown]> {
  const headers = new Headers({ "content-type": "application/json" });
  if (authorization !== undefined) headers.set("authorization", authorization);
  const response = await app.fetch(
    new Request("http://localhost/api/articles", {
      method,
      headers,
      body: method === "POST" ? '{"title":"Emma"}' : null,
    }),
  );
  const challenge = response.headers.get("www-authenticate");
  return [response.status, challenge, await response.json()];
}

Deno.test("everyone can read, and users can write", async () => {
  const token = `Bearer ${await createToken("ada")}`;
  const [status, challenge, { detail }] = await call("POST") as [
    number,
    string,
    { detail: string },
  ];
  assertEquals([status, challenge, detail], [401, "Bearer", "Sign in first"]);
  const article = { title: "Emma", author: "ada", isMine: true };
  assertEquals(await call("POST", token), [201, null, article]);
  assertEquals(await call("GET", token), [200, null, [article]]);
  const other = { ...article, isMine: false };
  assertEquals(await call("GET"), [200, null, [other]]);
  const bob = `bearer ${await createToken("bob")}`;
  assertEquals(await call("GET", bob), [200, null, [other]]);
});

Deno.test("an invalid token gets 401, even if the token is optional", async () => {
  const exp = Math.floor(Date.now() / 1000) + 60;
  const right = { sub: "ada", exp };
  const [header, payload, signature] = (await sign(right, SECRET)).split(".");
  const forged = btoa(JSON.stringify({ sub: "eve", exp })).replaceAll("=", "");
  const unsigned = btoa('{"alg":"none","typ":"JWT"}').replaceAll("=", "");
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
      await sign({ sub: "ada" }, SECRET), // without expiry
      await sign({ exp }, SECRET),
    ]
  ) {
    const [status, challenge] = await call("GET", `Bearer ${token}`);
    const expected = [401, 'Bearer error="invalid_token"'];
    assertEquals([status, challenge], expected, token);
  }
  assertEquals((await call("GET", "Basic YWRhOng="))[0], 401);
});

Deno.test("setSecret() rejects a short secret", () => {
  assertThrows(() => setSecret("secret"), Error, "Set JWT_SECRET to at least");
});

Deno.test("all responses match the schemas, and the guard is tested", async () => {
  const { failures, results } = await checkContracts(app, {
    seed: 1,
    runs: 20,
    as: { authorization: `Bearer ${await createToken("ada")}` },
  });
  assertEquals(failures.map(({ property, seen }) => [property, seen]), []);
  const secured = results.filter(({ property }) => property === "security")
    .map(({ operation }) => operation);
  assertEquals(secured, ["GET /api/articles", "POST /api/articles"]);
});
