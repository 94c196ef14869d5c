/** Middleware that Hono provides, in Bough. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { getConnInfo } from "hono/deno";
import { basicAuth } from "hono/basic-auth";
import { bodyLimit } from "hono/body-limit";
import { compress } from "hono/compress";
import { cors } from "hono/cors";
import { csrf } from "hono/csrf";
import { etag } from "hono/etag";
import { ipRestriction } from "hono/ip-restriction";
import { jwt, type JwtVariables, sign } from "hono/jwt";
import { logger } from "hono/logger";
import { requestId, type RequestIdVariables } from "hono/request-id";
import { secureHeaders } from "hono/secure-headers";
import { timeout } from "hono/timeout";
import { timing } from "hono/timing";
import type { Middleware } from "@bough/framework";
import { honoMiddleware, honoValues } from "@bough/framework/hono";
import { CapturedLog } from "../support/application.ts";
import { FakeTimers } from "../support/fake_timers.ts";
import { behind, head, serve, slow, status } from "./support.ts";

Deno.test("cors() answers a preflight, and marks all responses, even errors", async () => {
  using _ = new CapturedLog();
  await using server = await serve(
    cors({ origin: "https://a.example", credentials: true }),
  );
  const headers = { origin: "https://a.example" };
  const preflight = await fetch(server.url("/api/items/7"), {
    method: "OPTIONS",
    headers: {
      ...headers,
      "access-control-request-method": "PUT",
      "access-control-request-headers": "content-type",
    },
  });
  assertEquals(preflight.status, 204);
  assertStringIncludes(
    preflight.headers.get("access-control-allow-methods")!,
    "PUT",
  );
  assertEquals(
    preflight.headers.get("access-control-allow-headers"),
    "content-type",
  );
  for (
    const [path, init, status] of [
      ["/api", {}, 200],
      ["/nothing", {}, 404],
      ["/api", { method: "DELETE" }, 405],
      ["/api/items/7", { method: "PUT", body: "{}" }, 415],
      ["/api/throws", {}, 500],
      ["/%GG", {}, 400],
      ["/api/redirect", { redirect: "manual" }, 302],
    ] as const
  ) {
    const response = await head(server, path, { ...init, headers });
    const [origin, credentials] = ["allow-origin", "allow-credentials"]
      .map((name) => response.headers.get(`access-control-${name}`));
    assertEquals(
      [response.status, origin, credentials],
      [status, "https://a.example", "true"],
      path,
    );
  }
});

Deno.test("csrf() rejects forms from other origins", async () => {
  await using server = await behind(
    [honoMiddleware(csrf({ origin: "https://a.example" }))],
    { trustedOrigins: ["https://a.example"] },
  ).serve();
  const send = (origin: string) =>
    status(server, "/api", {
      method: "POST",
      body: new URLSearchParams({ a: "1" }),
      headers: { origin },
    });
  assertEquals(await send("https://evil.example"), 403);
  assertEquals(await send("https://a.example"), 200);
});

Deno.test("secureHeaders(), timing(), etag() and compress() set their headers on responses", async () => {
  await using server = await serve(secureHeaders(), timing());
  for (const path of ["/api", "/nothing"]) {
    const { headers } = await head(server, path);
    assertEquals(headers.get("x-content-type-options"), "nosniff");
    assertEquals(headers.get("x-frame-options"), "SAMEORIGIN");
    assertStringIncludes(headers.get("server-timing")!, "total;dur=");
  }
  await using tagged = await serve(etag());
  const tag = (await head(tagged, "/api")).headers.get("etag")!;
  assertMatch(tag, /^"[0-9a-f]+"$/);
  const second = await fetch(tagged.url("/api"), {
    headers: { "if-none-match": tag },
  });
  assertEquals([second.status, await second.text()], [304, ""]);
  await using compressed = await serve(compress());
  const response = await fetch(compressed.url("/api"), {
    headers: { "accept-encoding": "gzip" },
  });
  assertEquals((await response.text()).length, 3_000);
  assertStringIncludes(response.headers.get("vary")!, "Accept-Encoding");
});

Deno.test("basicAuth() allows only clients with the secret, and rejects others with a problem", async () => {
  const basic = basicAuth({ username: "ada", password: "x" });
  await using server = await serve(basic);
  const authorization = `Basic ${btoa("ada:x")}`;
  assertEquals(
    await status(server, "/api", { headers: { authorization } }),
    200,
  );
  const refused = await fetch(server.url("/api"));
  assertEquals([refused.status, await refused.text()], [
    401,
    '{"type":"about:blank","title":"Unauthorized","status":401}',
  ]);
  const type = refused.headers.get("content-type");
  assertEquals(type, "application/problem+json");
  assertStringIncludes(refused.headers.get("www-authenticate")!, "Basic");
  assertEquals(await status(server, "/nothing"), 401);
});

Deno.test("jwt() checks tokens, and gives inner middleware their payload", async () => {
  const reveal: Middleware = async (request, next) => {
    const response = await next();
    const { jwtPayload } = honoValues<JwtVariables<{ sub: string }>>(request);
    response.headers.set("x-user", jwtPayload!.sub);
    return response;
  };
  const check = honoMiddleware(jwt({ secret: "s", alg: "HS256" }));
  await using server = await behind([check, reveal]).serve();
  const send = async (secret: string) => {
    const token = await sign({ sub: "ada" }, secret, "HS256");
    const headers = { authorization: `Bearer ${token}` };
    return await head(server, "/api", { headers });
  };
  const good = await send("s");
  assertEquals([good.status, good.headers.get("x-user")], [200, "ada"]);
  assertEquals((await send("other")).status, 401);
});

Deno.test("requestId() gives each request an id, in values and headers", async () => {
  let inside: string | undefined;
  const peek: Middleware = (request, next) => {
    inside = honoValues<RequestIdVariables>(request).requestId;
    return next();
  };
  await using server = await behind([honoMiddleware(requestId()), peek])
    .serve();
  const response = await head(server, "/nothing");
  assertMatch(inside!, /^[0-9a-f-]{36}$/);
  assertEquals(response.headers.get("x-request-id"), inside);
  assertEquals(honoValues(new Request("http://h/")), {});
});

Deno.test("bodyLimit() limits bodies with and without a length; handlers can read them", async () => {
  await using server = await serve(bodyLimit({ maxSize: 10 }));
  const chunked = (text: string) =>
    new Blob([text]).stream() as unknown as BodyInit;
  for (const body of ["short", chunked("short")]) {
    const response = await fetch(server.url("/api"), { method: "POST", body });
    assertEquals(await response.text(), "short");
  }
  for (const body of ["much too long", chunked("much too long")]) {
    assertEquals(await status(server, "/api", { method: "POST", body }), 413);
  }
  const checked = await fetch(server.url("/api/items/7"), {
    method: "PUT",
    body: chunked('{"a":"b"}'),
    headers: { "content-type": "application/json" },
  });
  assertEquals(await checked.json(), [{ a: "b" }, { a: "b" }]);
});

Deno.test("timeout() responds with 504 if a handler takes too long", async () => {
  using timers = new FakeTimers();
  const application = behind([honoMiddleware(timeout(100))]);
  const late = application.fetch("/api/slow");
  await timers.pass(101);
  assertEquals((await late).status, 504);
  assertEquals((await application.fetch("/api")).status, 200);
  slow.finish();
});

Deno.test("logger() logs requests and responses", async () => {
  const lines: string[] = [];
  await using server = await serve(logger((line) => void lines.push(line)));
  await status(server, "/api");
  await status(server, "/nothing");
  assertEquals(lines.length, 4);
  assertMatch(lines[0]!, /^<-- GET \/api/);
  assertMatch(lines[3]!, /^--> GET \/nothing .*404/);
});

Deno.test("ipRestriction() reads the address of the client", async () => {
  for (const [denied, expected] of [["127.0.0.1", 403], ["10.0.0.0/8", 200]]) {
    await using server = await serve(
      ipRestriction(getConnInfo as never, { denyList: [`${denied}`] }),
    );
    assertEquals<unknown>(await status(server, "/api"), expected);
  }
});
