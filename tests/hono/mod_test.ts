import { assertEquals, assertStringIncludes } from "@std/assert";
import { bearerAuth } from "hono/bearer-auth";
import { cors } from "hono/cors";
import { secureHeaders } from "hono/secure-headers";
import type { Context, MiddlewareHandler, Next } from "hono";
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import { routePath } from "hono/route";
import type { Middleware } from "@bough/framework";
import { honoMiddleware } from "@bough/framework/hono";
import { CapturedLog, TestApplication } from "../support/application.ts";
import { rawRequest } from "../support/raw_http.ts";
import { behind, serve, status } from "./support.ts";

Deno.test("middleware of Hono runs before and after middleware of Bough, and shares the values of c.set()", async () => {
  const stamp: Middleware = async (_request, next) => {
    const response = await next();
    return new Response(
      `${await response.text()}! ${response.headers.get("x-inner")}`,
      {
        headers: { "x-stamp": "yes" },
      },
    );
  };
  const outer = createMiddleware(async (c, next) => {
    c.set("outer", "from outside");
    await next();
    c.header("x-outer", String(c.get("inner")));
  });
  const inner = createMiddleware(async (c, next) => {
    const before = String(c.get("outer"));
    c.set("inner", "from inside");
    c.header("x-before", "inner");
    await next();
    c.header("x-inner", before);
  });
  await using server = await behind([
    honoMiddleware(cors()),
    honoMiddleware(outer),
    stamp,
    honoMiddleware(inner),
  ]).serve();
  const response = await fetch(server.url("/api"), {
    headers: { origin: "https://a.example" },
  });
  assertEquals((await response.text()).endsWith("! from outside"), true);
  const { headers } = response;
  assertEquals(headers.get("access-control-allow-origin"), "*");
  assertEquals(headers.get("x-stamp"), "yes");
  assertEquals(headers.get("x-outer"), "from inside");
  assertEquals(headers.get("x-inner"), null, "a replacement has no old header");
  assertEquals(headers.get("x-before"), null);
});

const X_A = { "x-a": "1" };

/** Middleware that responds itself, with the status, the body and a header. */
const RESPONDING: Readonly<
  Record<
    string,
    readonly [(c: Context, next: Next) => unknown, readonly unknown[]]
  >
> = {
  "c.notFound()": [(c) => c.notFound(), [404, "Not Found", null]],
  "c.text()": [(c) => c.text("own", 402, X_A), [402, "own", "1"]],
  "an exception": [() => {
    throw new HTTPException(403, { message: "no" });
  }, [
    403,
    '{"type":"about:blank","title":"Forbidden","status":403,"detail":"no"}',
    null,
  ]],
  "an exception with a response": [() => {
    const res = new Response("not so", { headers: X_A });
    throw new HTTPException(418, { res });
  }, [
    418,
    `{"type":"about:blank","title":"I'm a teapot","status":418,"detail":"not so"}`,
    "1",
  ]],
  "an exception with a response of another type": [() => {
    const res = Response.json({ message: "not so" }, { headers: X_A });
    throw new HTTPException(418, { res });
  }, [418, '{"message":"not so"}', "1"]],
  "c.res": [(c) => {
    c.res = new Response("set", { status: 201, headers: X_A });
  }, [201, "set", "1"]],
  // As in Hono, the inner response wins.
  "a response after next()": [async (c, next) => {
    await next();
    return c.text("late");
  }, [200, "hello ".repeat(500), null]],
};

Deno.test("middleware may respond in every way of Hono", async () => {
  for (const [name, [middleware, expected]] of Object.entries(RESPONDING)) {
    await using server = await serve(
      createMiddleware(middleware as MiddlewareHandler),
    );
    const response = await fetch(server.url("/api"));
    assertEquals(
      [response.status, await response.text(), response.headers.get("x-a")],
      expected,
      name,
    );
  }
});

Deno.test("c.error is an error even if a string was thrown; other errors of middleware pass", async () => {
  using log = new CapturedLog();
  const errors: unknown[] = [];
  const look = createMiddleware(async (c, next) => {
    await next();
    errors.push(c.error);
  });
  const failing: Middleware = () => {
    throw "a text";
  };
  const application = behind([honoMiddleware(look), failing]);
  assertEquals((await application.fetch("/api")).status, 500);
  assertEquals(errors.map(String), ["Error: a text"]);
  assertStringIncludes(log.lines.join(), "a text");
  await using server = await serve(createMiddleware(() => {
    throw Object.assign(new TypeError("its own"), { getResponse: 403 });
  }));
  assertEquals(await status(server, "/api"), 500);
  assertStringIncludes(log.lines.at(-1)!, "its own");
});

Deno.test("c.req has method, route, path and params, even if the URL has no path, and c.error the error of a handler", async () => {
  using log = new CapturedLog();
  const seen: unknown[] = [];
  const look = createMiddleware(async (c, next) => {
    const { hostname } = c.env.remoteAddr;
    const { method, path } = c.req;
    const before = [hostname, method, routePath(c), path, c.req.param("id")];
    await next();
    seen.push([...before, c.res.status, c.error?.message]);
  });
  const application = behind([honoMiddleware(look)]);
  const put = await application.fetch("/api/items/7?a=b", { method: "PUT" });
  await put.body?.cancel();
  await using server = await application.serve();
  await status(server, "/api/items/7", { method: "DELETE" });
  await status(server, "/api/throws");
  await status(server, "/nothing");
  await rawRequest(server.port, "GET /api HTTP/1.1\nHost: a b");
  const local = "127.0.0.1";
  const item = "/api/items/[id]";
  assertEquals(seen, [
    [
      "0.0.0.0",
      "PUT",
      item,
      "/api/items/7",
      "7",
      400,
      "The request does not fit its schema",
    ],
    [local, "DELETE", item, "/api/items/7", "7", 405, undefined],
    [local, "GET", "/api/throws", "/api/throws", undefined, 500, "secret"],
    [local, "GET", "*", "/nothing", undefined, 404, undefined],
    [local, "GET", "*", "/", undefined, 400, undefined],
  ]);
  assertEquals(log.lines.length, 1);
});

Deno.test("Bough responds with 500 if middleware neither calls next() nor responds", async () => {
  using log = new CapturedLog();
  await using server = await serve(createMiddleware(async () => {}));
  assertEquals(await status(server, "/api"), 500);
  assertStringIncludes(log.lines[0]!, "must call next() or return a Response");
});

Deno.test("a WebSocket behind authenticating middleware opens only with the secret", async () => {
  await using server = await serve(cors(), bearerAuth({ token: "secret" }));
  assertEquals(await status(server, "/api/socket"), 401);
  const headers = { authorization: "Bearer secret" };
  const url = server.url("/api/socket").replace("http", "ws");
  const socket = new WebSocket(url, { headers } as unknown as string[]);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  socket.onopen = () => socket.send("hello");
  socket.onmessage = ({ data }) => resolve(data);
  socket.onerror = (event) => reject(event);
  assertEquals(await promise, "echo hello");
  const closed = new Promise((resolve) => socket.onclose = resolve);
  socket.close();
  await closed;
});

Deno.test("middleware passes on each part of a stream at once", async () => {
  const { readable, writable } = new TransformStream<string, string>();
  const body = readable.pipeThrough(new TextEncoderStream());
  const headers = { "content-type": "text/event-stream" };
  await using server = await TestApplication.of(
    { "route.ts": { GET: () => new Response(body, { headers }) } },
    { middleware: [honoMiddleware(cors()), honoMiddleware(secureHeaders())] },
  ).serve();
  const signal = AbortSignal.timeout(20_000);
  const response = await fetch(server.url("/api"), { signal });
  const writer = writable.getWriter();
  const reader = response.body!.pipeThrough(new TextDecoderStream())
    .getReader();
  for (const part of ["part 0;", "part 1;", "part 2;"]) {
    await writer.write(part);
    assertEquals((await reader.read()).value, part);
  }
  await writer.close();
  assertEquals((await reader.read()).done, true);
});

Deno.test("a body that middleware of Hono replaces or reads in a clone can be read and cloned, even after a guard has read the body", async () => {
  const replace = createMiddleware(async (context, next) => {
    context.req.raw = new Request(context.req.raw, { body: "replaced" });
    await next();
  });
  const read = createMiddleware(async (context, next) => {
    context.req.raw = context.req.raw.clone();
    await context.req.json();
    await next();
  });
  const POST = async (request: Request) => {
    const clone = request.clone();
    return new Response(`${await request.text()} ${await clone.text()}`);
  };
  const application = TestApplication.of({
    "replaced/middleware.ts": {
      async default(request, next) {
        await request.text();
        return await honoMiddleware(replace)(request, next);
      },
    },
    "replaced/route.ts": { POST },
    "read/middleware.ts": { default: honoMiddleware(read) },
    "read/route.ts": { POST },
  });
  for (
    const [path, text] of [["replaced", "replaced replaced"], ["read", "1 1"]]
  ) {
    const init = { method: "POST", body: "1" };
    const response = await application.fetch(`/api/${path}`, init);
    assertEquals(await response.text(), text);
  }
});
