import {
  errorResponse,
  HttpError,
  type HttpErrorOptions,
} from "@bough/framework";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { problem } from "../../src/errors.ts";
import { CapturedLog, FolderApplication } from "../support/application.ts";
import { HOSTILE } from "../support/hostile.ts";

const IMPORT = `import { HttpError } from "@bough/framework";`;

const INTERNAL = {
  type: "about:blank",
  title: "Internal Server Error",
  status: 500,
};

/** Handlers that break their contract, each with what the log says. */
const BROKEN: Readonly<Record<string, readonly [file: string, log: string]>> = {
  "throws": [`throw new Error("secret " + "x")`, "Error: secret x"],
  "rejects": [`return Promise.reject(new Error("secret"))`, "Error: secret"],
  "throws-text": [`throw "secret"`, "secret"],
  "throws-nothing": [`throw undefined`, "undefined"],
  "returns-object": [
    `return { a: 1 }`,
    "must return a Response, but this one returned an object of class Object",
  ],
  "returns-nothing": [``, "but this one returned undefined"],
  "returns-null": [`return null`, "but this one returned null"],
  "returns-text": [`return "x"`, "but this one returned a string"],
  "resolves-object": [`return Promise.resolve({})`, "returned an object"],
  "returns-error": [`return Response.error()`, "Response.error()"],
  "returns-used": [
    `const r = new Response("x"); return r.text().then(() => r)`,
    "whose body was already used",
  ],
  "throws-used": [
    `const r = new Response("x"); return r.text().then(() => { throw r; })`,
    "whose body was already used",
  ],
};

Deno.test("a broken handler answers 500, tells the client nothing, and logs one line (behaviour 8.2, 8.6)", async () => {
  for (const [name, [body, text]] of Object.entries(BROKEN)) {
    using log = new CapturedLog();
    await using application = await FolderApplication.create({
      [`${name}/[id]/route.js`]: `export function GET() { ${body} }`,
    });
    await using server = await application.serve();
    const answer = await fetch(server.url(`/api/${name}/1`));
    assertEquals(answer.status, 500, name);
    assertEquals(
      answer.headers.get("content-type"),
      "application/problem+json",
    );
    assertEquals(await answer.json(), INTERNAL, name);
    assertEquals(log.lines.length, 1, name);
    const [line] = log.lines;
    for (
      const part of [
        "GET",
        `/api/${name}/[id]`,
        `api/${name}/[id]/route.js`,
        text,
      ]
    ) {
      assert(line!.includes(part), `${part} in: ${line}`);
    }
  }
});

/** What has the class of an error for clients, and is none. */
const HOLLOW = {
  "no constructor": "Object.create(HttpError.prototype)",
  "a status of success":
    "Object.assign(Object.create(HttpError.prototype), { status: 200 })",
  "a status in a text":
    "Object.assign(Object.create(HttpError.prototype), { status: '404' })",
  "a status of none":
    "Object.defineProperty(new HttpError(404), 'status', { value: 604 })",
  "an odd status":
    "Object.defineProperty(new HttpError(404), 'status', { get: () => { throw 1; } })",
};

for (const [what, thrown] of Object.entries(HOLLOW)) {
  Deno.test(`an HttpError with ${what} is a 500, not a success (behaviour 8.2)`, async () => {
    using log = new CapturedLog();
    await using application = await FolderApplication.create({
      "route.js": `${IMPORT} export function GET() { throw ${thrown}; }`,
    });
    const answer = await application.fetch("/api");
    assertEquals(answer.status, 500);
    assertEquals(await answer.json(), INTERNAL);
    assert(
      log.lines.some((line) =>
        /^\[bough\] GET \/api \(.*api\/route\.js\) failed: /.test(line)
      ),
    );
  });
}

Deno.test("the log line of a thrown error has its stack (behaviour 8.2)", async () => {
  using log = new CapturedLog();
  await using application = await FolderApplication.create({
    "route.js": "export function GET() { null.x; }",
  });
  await (await application.fetch("/api")).body?.cancel();
  assert(/route\.js:1:\d+/.test(log.lines[0]!), log.lines[0]);
});

/** Makers of responses whose bodies Deno keeps in different ways. */
const BODIES = {
  "text": `new Response("x")`,
  "empty text": `new Response("")`,
  "json": `Response.json({ a: 1 })`,
  "json with a status": `Response.json({ a: 1 }, { status: 201 })`,
  "text with headers": `new Response("x", { headers: { a: "b", c: "d" } })`,
  "bytes": `new Response(new Uint8Array(3))`,
  "a blob": `new Response(new Blob(["x"]))`,
  "a form": `new Response(new URLSearchParams("a=b"))`,
  "a stream": `new Response(new ReadableStream({
    start(c) { c.enqueue(new Uint8Array(3)); c.close(); } }))`,
  "a clone": `new Response("x").clone()`,
};

Deno.test("a response that is sent twice is a 500 that tells the route (behaviour 8.2)", async () => {
  for (const [name, body] of Object.entries(BODIES)) {
    using log = new CapturedLog();
    await using application = await FolderApplication.create({
      "[id]/route.js": `
        const response = ${body};
        export const GET = () => response;
        export const POST = () => Promise.resolve(response);`,
    });
    await using server = await application.serve();
    const url = server.url("/api/7");
    const first = await fetch(url);
    await first.body?.cancel();
    assert(first.ok, name);
    for (const method of ["GET", "POST"]) {
      const again = await fetch(url, { method });
      assertEquals(again.status, 500, name);
      assertEquals(await again.json(), INTERNAL, name);
      const line = log.lines.at(-1)!;
      assert(line.includes(`${method} /api/[id] (`), `${name}: ${line}`);
      assert(line.includes("route.js) failed"), `${name}: ${line}`);
      assert(line.includes("body was already used"), `${name}: ${line}`);
    }
    assertEquals(log.lines.length, 2, name);
  }
});

Deno.test("a response whose body is locked is a 500 that tells the route (behaviour 8.8)", async () => {
  const middleware = "export default (_request, next) => next();";
  const fetched = `await fetch("data:text/plain,x")`;
  for (const [name, body] of Object.entries({ ...BODIES, fetched })) {
    using log = new CapturedLog();
    await using application = await FolderApplication.create({
      "[id]/route.js": `
        const locked = async () => {
          const response = ${body};
          response.body.getReader();
          return response;
        };
        export const GET = locked;
        export const POST = async () => { throw await locked(); }`,
      "guarded/middleware.js": middleware,
      "guarded/route.js": `export { GET, POST } from "../[id]/route.js";`,
    });
    await using server = await application.serve();
    for (
      const [path, pattern] of [["/api/7", "/api/[id]"], [
        "/api/guarded",
        "/api/guarded",
      ]] as const
    ) {
      for (const method of ["GET", "POST"]) {
        const response = await fetch(server.url(path), { method });
        assertEquals(response.status, 500, name);
        assertEquals(await response.json(), INTERNAL, name);
        const line = log.lines.at(-1)!;
        assert(line.includes(`${method} ${pattern} (`), `${name}: ${line}`);
        assert(line.includes("body was locked"), `${name}: ${line}`);
      }
    }
    assertEquals(log.lines.length, 4, name);
  }
});

Deno.test("a response without a body may be sent again", async () => {
  using log = new CapturedLog();
  await using application = await FolderApplication.create({
    "route.js": `
      const response = new Response(null, { status: 204 });
      export const GET = () => response;`,
  });
  await using server = await application.serve();
  for (let round = 0; round < 3; round++) {
    assertEquals((await fetch(server.url("/api"))).status, 204);
  }
  assertEquals(log.lines, []);
});

Deno.test("a response is looked at by its public members where Deno hides its own", async () => {
  const { getOwnPropertySymbols } = Object;
  Object.getOwnPropertySymbols = () => [];
  const url = new URL("../../src/response.ts?other", import.meta.url);
  const { assertUsable } = await import(url.href).finally(() => {
    Object.getOwnPropertySymbols = getOwnPropertySymbols;
  });
  const used = new Response("x");
  await used.text();
  const locked = new Response(new ReadableStream());
  locked.body!.getReader();
  assertThrows(() => assertUsable(used), TypeError, "body was already used");
  assertThrows(() => assertUsable(locked), TypeError, "body was locked");
  for (const body of ["x", null, new ReadableStream()]) {
    const response = new Response(body);
    assertEquals(assertUsable(response), response);
  }
});

Deno.test("a hostile value that is thrown is a 500 that tells the route (behaviour 8.2, 8.5)", async () => {
  const hostile = new URL("../support/hostile.ts", import.meta.url);
  for (const onError of [undefined, () => undefined]) {
    await using application = await FolderApplication.create({
      "[name]/route.js": `import { HOSTILE } from "${hostile}";
        export function GET({ params }) { throw HOSTILE[params.name]; }
        export const PUT = ({ params }) => Promise.reject(HOSTILE[params.name]);
        export async function POST(request) {
          await request.json();
          throw HOSTILE[request.params.name];
        }`,
      "guarded/middleware.js": "export default (_request, next) => next();",
      "guarded/[name]/route.js": `export * from "../../[name]/route.js";`,
    }, { ...(onError && { onError }) });
    await using server = await application.serve();
    for (const name of Object.keys(HOSTILE)) {
      for (const folder of ["", "guarded/"]) {
        for (const method of ["GET", "PUT", "POST"]) {
          using log = new CapturedLog();
          const url = server.url(`/api/${folder}${encodeURIComponent(name)}`);
          const response = await fetch(url, {
            method,
            ...(method === "POST" && { body: "{}" }),
          });
          assertEquals(response.status, 500, name);
          assertEquals(await response.json(), INTERNAL, name);
          assertEquals(log.lines.length, 1, log.lines.join("\n"));
          const place = `[bough] ${method} /api/${folder}[name] (`;
          assert(log.lines[0]!.startsWith(place), log.lines[0]);
        }
      }
    }
  }
});

Deno.test("a thrown HttpError is answered as a problem (behaviour 8.1, 8.2)", async () => {
  using log = new CapturedLog();
  await using application = await FolderApplication.create({
    "full/route.ts": `${IMPORT}
      export async function GET(): Promise<Response> {
        throw new HttpError(409, "Stock is out", {
          headers: { "retry-after": "5", "content-type": "text/plain" },
          cause: new Error("secret"),
          left: 0,
          type: "https://example.com/problems/stock",
          status: 200,
        } as object);
      }`,
    "bare/route.ts": `${IMPORT}
      export function GET() { throw new HttpError(418); }`,
    "odd/route.ts": `${IMPORT}
      export function GET() { throw new HttpError(499, "x"); }`,
    "unprintable/route.ts": `${IMPORT}
      export function GET() { throw new HttpError(400, "x", { n: 1n }); }`,
  });
  const full = await application.fetch("/api/full");
  assertEquals(full.status, 409);
  assertEquals(full.headers.get("retry-after"), "5");
  assertEquals(full.headers.get("content-type"), "application/problem+json");
  assertEquals(await full.json(), {
    type: "https://example.com/problems/stock",
    title: "Conflict",
    status: 409,
    detail: "Stock is out",
    left: 0,
  });
  const bare = await application.fetch("/api/bare");
  assertEquals(await bare.json(), {
    type: "about:blank",
    title: "I'm a teapot",
    status: 418,
  });
  const odd = await application.fetch("/api/odd");
  assertEquals((await odd.json()).title, "Error");
  assertEquals(log.lines, []);
  const unprintable = await application.fetch("/api/unprintable");
  assertEquals(unprintable.status, 400);
  assertEquals(log.lines.length, 1);
});

Deno.test("new HttpError() refuses what is no error status", () => {
  for (const status of [200, 302, 399, 600, 404.5, NaN]) {
    assertThrows(
      () => new HttpError(status),
      RangeError,
      `status must be 400 to 599, got ${status}`,
    );
  }
  assertEquals(new HttpError(404).message, "HTTP status 404");
  assertEquals(new HttpError(404, "gone").message, "gone");
});

Deno.test("a thrown Response is answered as it is (behaviour 8.2)", async () => {
  using log = new CapturedLog();
  await using application = await FolderApplication.create({
    "route.js":
      "export function GET() { throw new Response('moved', { status: 303, headers: { location: '/x' } }); }",
  });
  const answer = await application.fetch("/api");
  assertEquals(answer.status, 303);
  assertEquals(answer.headers.get("location"), "/x");
  assertEquals(await answer.text(), "moved");
  assertEquals(log.lines, []);
});

const FAILING = {
  "error/route.js": "export function GET() { throw new Error('secret'); }",
  "http/route.ts":
    `${IMPORT} export function GET() { throw new HttpError(403); }`,
};

Deno.test("onError sees the error and the request, and may answer (behaviour 8.3)", async () => {
  using log = new CapturedLog();
  const seen: unknown[] = [];
  await using application = await FolderApplication.create(FAILING, {
    onError: async (error, request) => {
      await Promise.resolve();
      seen.push((error as Error).name, new URL(request.url).pathname);
      return new Response("mine", { status: 503 });
    },
  });
  for (const path of ["/api/error", "/api/http"]) {
    const answer = await application.fetch(path);
    assertEquals([answer.status, await answer.text()], [503, "mine"]);
  }
  assertEquals(seen, ["Error", "/api/error", "HttpError", "/api/http"]);
  assertEquals(log.lines, []);
});

Deno.test("onError that returns nothing leaves answer and log to Bough (behaviour 8.3)", async () => {
  using log = new CapturedLog();
  await using application = await FolderApplication.create(FAILING, {
    onError: () => {},
  });
  assertEquals(await (await application.fetch("/api/error")).json(), INTERNAL);
  assertEquals((await application.fetch("/api/http")).status, 403);
  assertEquals(log.lines.length, 1);
});

Deno.test("onError that fails itself answers the plain 500, and both are logged (behaviour 8.3)", async () => {
  for (
    const onError of [
      () => {
        throw new Error("onError broke");
      },
      () => Promise.reject(new Error("onError broke")),
      () => Response.error(),
      () => "text" as unknown as Response,
    ]
  ) {
    using log = new CapturedLog();
    await using application = await FolderApplication.create(FAILING, {
      onError,
    });
    const answer = await application.fetch("/api/error");
    assertEquals(answer.status, 500);
    assertEquals(await answer.json(), INTERNAL);
    assertEquals(log.lines.length, 2);
    assert(log.lines[0]!.includes("secret"), log.lines[0]);
  }
});

Deno.test("onNotFound may answer paths without a route (behaviour 8.3)", async () => {
  using log = new CapturedLog();
  await using application = await FolderApplication.create(FAILING, {
    onNotFound: (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/throws") throw new HttpError(410, "Gone for good");
      if (pathname === "/breaks") throw new Error("secret");
      if (pathname === "/mine") return new Response("mine", { status: 404 });
    },
  });
  assertEquals(await (await application.fetch("/mine")).text(), "mine");
  assertEquals((await application.fetch("/other")).status, 404);
  assertEquals((await application.fetch("/throws")).status, 410);
  assertEquals(log.lines, []);
  assertEquals((await application.fetch("/breaks")).status, 500);
  assertEquals(log.lines.length, 1);
  assertEquals(
    (await application.fetch("/api/http", { method: "POST" })).status,
    405,
  );
});

Deno.test("HttpError refuses headers by the name of header", () => {
  assertThrows(
    // As from JavaScript: the types refuse it, too.
    () =>
      new HttpError(404, "none", {
        header: { "retry-after": "1" },
      } as unknown as HttpErrorOptions),
    TypeError,
    'name it "headers"',
  );
  assertEquals(new HttpError(404, "none", { id: 1 }).extensions, { id: 1 });
});

Deno.test("an extension member never takes the place of the problem document", async () => {
  const toJSON = () => ({ everything: "else" });
  for (
    const [extensions, expected] of [
      [{ toJSON, id: 1 }, { id: 1 }],
      [{ ["__proto__"]: { toJSON }, id: 1 }, {
        ["__proto__"]: {
          everything: "else",
        },
        id: 1,
      }],
      [{ toJSON: "a text" }, { toJSON: "a text" }],
      [{ nested: { toJSON } }, { nested: { everything: "else" } }],
    ] as const
  ) {
    const response = problem(new HttpError(404, "none", extensions));
    assertEquals(
      await response.text(),
      JSON.stringify({
        type: "about:blank",
        title: "Not Found",
        status: 404,
        detail: "none",
        ...expected,
      }),
    );
  }
});

Deno.test("an error after a request came back from another application is one of the first (behaviour 8.2)", async () => {
  using log = new CapturedLog();
  const seen: string[] = [];
  await using inner = await FolderApplication.create(
    { "route.js": "export const GET = () => new Response();" },
    { onError: () => void seen.push("inner") },
  );
  await using outer = await FolderApplication.create(
    {
      "middleware.js": `import { errorResponse } from "@bough/framework";
        export default (request, next) =>
          next().catch((error) => errorResponse(error, request));`,
      "route.js": `export const GET = async (request) => {
          await globalThis.passOn(request);
          throw new Error("afterwards");
        };
        export const HEAD = GET;`,
    },
    { onError: () => void seen.push("outer") },
  );
  Object.assign(globalThis, { passOn: inner.app.fetch });
  for (const method of ["GET", "HEAD"]) {
    assertEquals((await outer.fetch("/api", { method })).status, 500);
    assertEquals(seen.splice(0), ["outer"]);
    assert(log.lines.splice(0).every((line) => line.includes("afterwards")));
  }
});

Deno.test("an error of option middleware behind onNotFound names the middleware (behaviour 8.2)", async () => {
  using log = new CapturedLog();
  await using application = await FolderApplication.create({}, {
    onNotFound: () => new Response(),
    middleware: [async (request, next) => {
      await next();
      return await errorResponse(new Error("later"), request);
    }],
  });
  assertEquals((await application.fetch("/api/none")).status, 500);
  assert(log.lines.at(-1)!.includes("GET no route (option middleware) failed"));
});
