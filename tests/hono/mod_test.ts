import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { getConnInfo } from "hono/deno";
import { basicAuth } from "hono/basic-auth";
import { bearerAuth } from "hono/bearer-auth";
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
import type { Context, MiddlewareHandler, Next } from "hono";
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import { routePath } from "hono/route";
import type { Middleware } from "@bough/framework";
import type { CommonOptions } from "@bough/framework/types";
import {
  type HonoMiddleware,
  honoMiddleware,
  honoValues,
} from "@bough/framework/hono";
import { CapturedLog, FolderApplication } from "../support/application.ts";
import { rawRequest } from "../support/raw_http.ts";

const FILES = {
  "route.ts": `
    export function GET() { return new Response("hello ".repeat(500), { headers: { "content-type": "text/plain" } }); }
    export async function POST(request) { return new Response(await request.text()); }
  `,
  "items/[id]/route.ts": `
    import { z } from "npm:zod@^4.1.13";
    export const schema = { put: { body: z.object({ a: z.string() }) } };
    export async function PUT(request) { return Response.json([request.validated.body, await request.json()]); }
  `,
  "throws/route.ts": `export function GET() { throw new Error("secret"); }`,
  "slow/route.ts": `
    export async function GET(request) {
      await (globalThis.honoSlow = Promise.withResolvers()).promise;
      return new Response("late");
    }
  `,
  "redirect/route.ts":
    `export function GET() { return Response.redirect("http://localhost/x"); }`,
  "socket/route.ts": `
    export function GET(request) {
      const { socket, response } = Deno.upgradeWebSocket(request);
      socket.onmessage = ({ data }) => socket.send("echo " + data);
      return response;
    }
  `,
};

/** Serves the files behind middleware, and calls them over HTTP. */
async function behind(
  middleware: readonly (HonoMiddleware | Middleware)[],
  run: (
    call: (path: string, init?: RequestInit) => Promise<Response>,
    port: number,
  ) => Promise<void>,
  options: CommonOptions = {},
): Promise<void> {
  await using application = await FolderApplication.create(FILES, {
    ...options,
    middleware: middleware.map((each) =>
      honoMiddleware(each as HonoMiddleware)
    ),
  });
  await using server = await application.serve();
  await run((path, init) => fetch(server.url(path), init), server.port);
}

async function status(response: Promise<Response>): Promise<number> {
  const { status, body } = await response;
  await body?.cancel();
  return status;
}

Deno.test("cors() answers a preflight, and marks all answers, errors among them", async () => {
  using _ = new CapturedLog();
  await behind(
    [cors({ origin: "https://a.example", credentials: true })],
    async (call) => {
      const headers = { origin: "https://a.example" };
      const preflight = await call("/api/items/7", {
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
        const response = await call(path, { ...init, headers });
        await response.body?.cancel();
        assertEquals(response.status, status, path);
        assertEquals(
          response.headers.get("access-control-allow-origin"),
          "https://a.example",
          path,
        );
        assertEquals(
          response.headers.get("access-control-allow-credentials"),
          "true",
        );
      }
    },
  );
});

Deno.test("secureHeaders() sets its headers on all answers", async () => {
  await behind([secureHeaders()], async (call) => {
    for (const path of ["/api", "/nothing"]) {
      const { headers, body } = await call(path);
      await body?.cancel();
      assertEquals(headers.get("x-content-type-options"), "nosniff");
      assertEquals(headers.get("x-frame-options"), "SAMEORIGIN");
    }
  });
});

Deno.test("csrf() refuses forms from elsewhere", async () => {
  await behind([csrf({ origin: "https://a.example" })], async (call) => {
    const send = (origin: string) =>
      status(call("/api", {
        method: "POST",
        body: new URLSearchParams({ a: "1" }),
        headers: { origin },
      }));
    assertEquals(await send("https://evil.example"), 403);
    assertEquals(await send("https://a.example"), 200);
  }, { trustedOrigins: ["https://a.example"] });
});

Deno.test("etag() answers 304 to who has the answer", async () => {
  await behind([etag()], async (call) => {
    const first = await call("/api");
    await first.body?.cancel();
    const tag = first.headers.get("etag")!;
    assertMatch(tag, /^"[0-9a-f]+"$/);
    const again = await call("/api", { headers: { "if-none-match": tag } });
    assertEquals([again.status, await again.text()], [304, ""]);
  });
});

Deno.test("compress() compresses what the client accepts", async () => {
  await behind([compress()], async (call) => {
    const response = await call("/api", {
      headers: { "accept-encoding": "gzip" },
    });
    assertEquals((await response.text()).length, 3_000);
    assertStringIncludes(response.headers.get("vary")!, "Accept-Encoding");
  });
});

Deno.test("basicAuth() and bearerAuth() let in who knows the secret", async () => {
  await behind(
    [basicAuth({ username: "ada", password: "x" })],
    async (call) => {
      const authorization = `Basic ${btoa("ada:x")}`;
      assertEquals(
        await status(call("/api", { headers: { authorization } })),
        200,
      );
      const refused = await call("/api");
      assertEquals([refused.status, await refused.text()], [
        401,
        '{"type":"about:blank","title":"Unauthorized","status":401}',
      ]);
      const type = refused.headers.get("content-type");
      assertEquals(type, "application/problem+json");
      assertStringIncludes(refused.headers.get("www-authenticate")!, "Basic");
      assertEquals(await status(call("/nothing")), 401);
    },
  );
  await behind([bearerAuth({ token: "secret" })], async (call) => {
    const send = (token: string) =>
      status(call("/api", { headers: { authorization: `Bearer ${token}` } }));
    assertEquals([await send("secret"), await send("other")], [200, 401]);
  });
});

Deno.test("jwt() checks tokens, and its payload goes inward", async () => {
  const reveal: Middleware = async (request, next) => {
    const response = await next();
    const { jwtPayload } = honoValues<JwtVariables<{ sub: string }>>(request);
    response.headers.set("x-user", jwtPayload!.sub);
    return response;
  };
  await using application = await FolderApplication.create(FILES, {
    middleware: [honoMiddleware(jwt({ secret: "s", alg: "HS256" })), reveal],
  });
  await using server = await application.serve();
  const send = (token: string) =>
    fetch(server.url("/api"), {
      headers: { authorization: `Bearer ${token}` },
    });
  const good = await send(await sign({ sub: "ada" }, "s", "HS256"));
  await good.body?.cancel();
  assertEquals([good.status, good.headers.get("x-user")], [200, "ada"]);
  const bad = await send(await sign({ sub: "ada" }, "other", "HS256"));
  await bad.body?.cancel();
  assertEquals(bad.status, 401);
});

Deno.test("requestId() gives each request an id, inside and outside", async () => {
  let inside: string | undefined;
  const peek: Middleware = (request, next) => {
    inside = honoValues<RequestIdVariables>(request).requestId;
    return next();
  };
  await using application = await FolderApplication.create(FILES, {
    middleware: [honoMiddleware(requestId()), peek],
  });
  await using server = await application.serve();
  const response = await fetch(server.url("/nothing"));
  await response.body?.cancel();
  assertMatch(inside!, /^[0-9a-f-]{36}$/);
  assertEquals(response.headers.get("x-request-id"), inside);
  assertEquals(honoValues(new Request("http://h/")), {});
});

Deno.test("timing() tells how long it took", async () => {
  await behind([timing()], async (call) => {
    const response = await call("/api");
    await response.body?.cancel();
    assertStringIncludes(response.headers.get("server-timing")!, "total;dur=");
  });
});

Deno.test("bodyLimit() limits bodies with and without a length, and they stay readable", async () => {
  await behind([bodyLimit({ maxSize: 10 })], async (call) => {
    const chunked = (text: string) =>
      new Blob([text]).stream() as unknown as BodyInit;
    for (const body of ["short", chunked("short")]) {
      const response = await call("/api", { method: "POST", body });
      assertEquals(await response.text(), "short");
    }
    for (const body of ["much too long", chunked("much too long")]) {
      assertEquals(await status(call("/api", { method: "POST", body })), 413);
    }
    const checked = await call("/api/items/7", {
      method: "PUT",
      body: chunked('{"a":"b"}'),
      headers: { "content-type": "application/json" },
    });
    assertEquals(await checked.json(), [{ a: "b" }, { a: "b" }]);
  });
});

Deno.test("timeout() answers 504 to what takes too long", async () => {
  await behind([timeout(100)], async (call) => {
    assertEquals(await status(call("/api/slow")), 504);
    assertEquals(await status(call("/api")), 200);
    const { honoSlow } = globalThis as {
      honoSlow?: PromiseWithResolvers<void>;
    };
    honoSlow!.resolve();
  });
});

Deno.test("logger() logs requests and answers", async () => {
  const lines: string[] = [];
  await behind([logger((line) => void lines.push(line))], async (call) => {
    await status(call("/api"));
    await status(call("/nothing"));
  });
  assertEquals(lines.length, 4);
  assertMatch(lines[0]!, /^<-- GET \/api/);
  assertMatch(lines[3]!, /^--> GET \/nothing .*404/);
});

Deno.test("ipRestriction() goes by the address of the client", async () => {
  const restricted = (denyList: string[]) =>
    ipRestriction(getConnInfo as never, { denyList });
  await behind([restricted(["127.0.0.1"])], async (call) => {
    assertEquals(await status(call("/api")), 403);
  });
  await behind([restricted(["10.0.0.0/8"])], async (call) => {
    assertEquals(await status(call("/api")), 200);
  });
});

Deno.test("several go together, with Bough's own between them", async () => {
  const stamp: Middleware = async (_request, next) => {
    const response = await next();
    return new Response(await response.text() + "!", {
      headers: { "x-stamp": "yes" },
    });
  };
  const inner = createMiddleware(async (c, next) => {
    c.set("who", "ada");
    c.header("x-before", "inner");
    await next();
    c.header("x-inner", String(c.get("who")));
  });
  await using application = await FolderApplication.create(FILES, {
    middleware: [
      honoMiddleware(cors()),
      honoMiddleware(secureHeaders()),
      stamp,
      honoMiddleware(inner),
    ],
  });
  await using server = await application.serve();
  const response = await fetch(server.url("/api"), {
    headers: { origin: "https://a.example" },
  });
  assertEquals((await response.text()).endsWith("!"), true);
  const { headers } = response;
  assertEquals(headers.get("access-control-allow-origin"), "*");
  assertEquals(headers.get("x-stamp"), "yes");
  assertEquals(headers.get("x-content-type-options"), "nosniff");
  assertEquals(headers.get("x-inner"), null, "what is replaced leaves nothing");
  assertEquals(headers.get("x-before"), null);
});

Deno.test("what one sets with c.set(), those further in and further out have", async () => {
  const outer = createMiddleware(async (c, next) => {
    c.set("outer", "from outside");
    await next();
    c.header("x-inner", String(c.get("inner")));
  });
  const inner = createMiddleware(async (c, next) => {
    const before = c.get("outer");
    c.set("inner", "from inside");
    await next();
    c.header("x-outer", String(before));
  });
  await behind([outer, inner], async (call) => {
    const { headers, body } = await call("/api");
    await body?.cancel();
    assertEquals(headers.get("x-outer"), "from outside");
    assertEquals(headers.get("x-inner"), "from inside");
  });
});

Deno.test("c.req knows path, params and the pattern; c.error what was thrown", async () => {
  using log = new CapturedLog();
  const seen: unknown[] = [];
  const look = createMiddleware(async (c, next) => {
    await next();
    seen.push([c.req.path, c.req.param("id"), c.res.status, c.error?.message]);
  });
  await behind([look], async (call) => {
    await status(call("/api/items/7?a=b", { method: "DELETE" }));
    await status(call("/api/throws"));
    await status(call("/nothing"));
  });
  assertEquals(seen, [
    ["/api/items/7", "7", 405, undefined],
    ["/api/throws", undefined, 500, "secret"],
    ["/nothing", undefined, 404, undefined],
  ]);
  assertEquals(log.lines.length, 1);
});

Deno.test("one may respond by itself, in every way of Hono's", async () => {
  const header = { "x-a": "1" };
  for (
    const [which, middleware, expected] of [
      ["c.notFound()", (c) => c.notFound(), [404, "Not Found", null]],
      ["c.text()", (c) => c.text("own", 402, header), [402, "own", "1"]],
      ["an exception", () => {
        throw new HTTPException(403, { message: "no" });
      }, [
        403,
        '{"type":"about:blank","title":"Forbidden","status":403,"detail":"no"}',
        null,
      ]],
      ["an exception with a response", () => {
        const res = new Response("not so", { headers: header });
        throw new HTTPException(418, { res });
      }, [
        418,
        `{"type":"about:blank","title":"I'm a teapot","status":418,"detail":"not so"}`,
        "1",
      ]],
      ["an exception with a response of another type", () => {
        const res = Response.json({ message: "not so" }, { headers: header });
        throw new HTTPException(418, { res });
      }, [418, '{"message":"not so"}', "1"]],
      ["c.res", (c) => {
        c.res = new Response("set", { status: 201, headers: header });
      }, [201, "set", "1"]],
      // What came from inside is the response, as in Hono.
      ["both", async (c, next) => {
        await next();
        return c.text("late");
      }, [200, "hello ".repeat(500), null]],
    ] satisfies [string, (c: Context, next: Next) => unknown, unknown[]][]
  ) {
    await behind(
      [createMiddleware(middleware as MiddlewareHandler)],
      async (call) => {
        const response = await call("/api");
        assertEquals(
          [response.status, await response.text(), response.headers.get("x-a")],
          expected,
          which,
        );
      },
    );
  }
});

Deno.test("c.error is an error whatever was thrown, and errors of one's own pass", async () => {
  using log = new CapturedLog();
  const errors: unknown[] = [];
  const look = createMiddleware(async (c, next) => {
    await next();
    errors.push(c.error);
  });
  const failing: Middleware = () => {
    throw "a text";
  };
  await using application = await FolderApplication.create(FILES, {
    middleware: [
      honoMiddleware(look),
      failing,
    ],
  });
  assertEquals((await application.fetch("/api")).status, 500);
  assertEquals(errors.map(String), ["Error: a text"]);
  assertStringIncludes(log.lines.join(), "a text");
  await behind([createMiddleware(() => {
    throw Object.assign(new TypeError("its own"), { getResponse: 403 });
  })], async (call) => {
    assertEquals(await status(call("/api")), 500);
  });
  assertStringIncludes(log.lines.at(-1)!, "its own");
});

Deno.test("c.req has the method and the route, and a path even where the URL has none", async () => {
  const seen: unknown[] = [];
  const look = createMiddleware((c, next) => {
    const { hostname } = c.env.remoteAddr;
    seen.push([c.req.method, routePath(c), c.req.path, hostname]);
    return next();
  });
  await using application = await FolderApplication.create(FILES, {
    middleware: [honoMiddleware(look)],
  });
  const fetched = async (path: string, init?: RequestInit) => {
    await (await application.fetch(path, init)).body?.cancel();
  };
  await fetched("/api/items/7?a=b", { method: "PUT" });
  await fetched("/nothing");
  await using server = await application.serve();
  await rawRequest(server.port, "GET /api HTTP/1.1\nHost: a b");
  assertEquals(seen, [
    ["PUT", "/api/items/[id]", "/api/items/7", "0.0.0.0"],
    ["GET", "*", "/nothing", "0.0.0.0"],
    ["GET", "*", "/", "127.0.0.1"],
  ]);
});

Deno.test("one that neither goes on nor answers is a 500", async () => {
  using log = new CapturedLog();
  await behind([createMiddleware(async () => {})], async (call) => {
    assertEquals(await status(call("/api")), 500);
  });
  assertStringIncludes(log.lines[0]!, "must call next() or return a Response");
});

Deno.test("a WebSocket opens behind authenticating middleware, and only with the secret", async () => {
  const auth = bearerAuth({ token: "secret" });
  await behind([cors(), auth], async (call, port) => {
    assertEquals(await status(call("/api/socket")), 401);
    const headers = { authorization: "Bearer secret" };
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/socket`, {
      headers,
    } as unknown as string[]);
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    socket.onopen = () => socket.send("hello");
    socket.onmessage = ({ data }) => resolve(data);
    socket.onerror = (event) => reject(event);
    assertEquals(await promise, "echo hello");
    const closed = new Promise((resolve) => socket.onclose = resolve);
    socket.close();
    await closed;
  });
});

Deno.test("a stream goes through as it comes", async () => {
  await using application = await FolderApplication.create({
    "route.ts": `
      export function GET() {
        let count = 0;
        return new Response(new ReadableStream({
          async pull(controller) {
            await new Promise((resolve) => setTimeout(resolve, 20));
            controller.enqueue(new TextEncoder().encode("part " + count++ + ";"));
            if (count === 3) controller.close();
          },
        }), { headers: { "content-type": "text/event-stream" } });
      }
    `,
  }, { middleware: [honoMiddleware(cors()), honoMiddleware(secureHeaders())] });
  await using server = await application.serve();
  const response = await fetch(server.url("/api"));
  const parts = [];
  for await (
    const part of response.body!.pipeThrough(new TextDecoderStream())
  ) {
    parts.push(part);
  }
  assert(parts.length > 1, "it comes in parts");
  assertEquals(parts.join(""), "part 0;part 1;part 2;");
});
