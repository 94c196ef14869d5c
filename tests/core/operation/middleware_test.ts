import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import {
  errorResponse,
  Framework,
  HttpError,
  type Middleware,
  RequestState,
  RouteError,
} from "@bough/framework";
import { z } from "zod";
import {
  CapturedLog,
  FolderApplication,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";

const trace = new RequestState<string[]>("trace");

/** Middleware that leaves its name on the way in and on the way out. */
const tracing = (name: string): Middleware => async (request, next) => {
  trace.set(request, [...trace.find(request) ?? [], name]);
  const response = await next();
  response.headers.append("x-out", name);
  return response;
};

const TRACED: TestModule = {
  GET: (request) => Response.json(trace.get(request)),
};

const NESTED: Readonly<Record<string, TestModule>> = {
  "middleware.ts": { default: tracing("root") },
  "route.ts": TRACED,
  "shop/route.ts": TRACED,
  "shop/(admin)/middleware.ts": { default: tracing("admin") },
  "shop/(admin)/[id]/middleware.ts": {
    default: [
      tracing("first"),
      ((request, next) => {
        const { pattern, params } = request;
        return tracing(`second ${pattern} ${params.id}`)(request, next);
      }) satisfies Middleware,
    ],
  },
  "shop/(admin)/[id]/edit/route.ts": TRACED,
  "shop/(other)/free/route.ts": TRACED,
};

const pass: Middleware = (_, next) => next();
const GET = () => new Response("x");

for (const lazy of [false, true]) {
  Deno.test(`middleware covers its folder and the folders below, outer before inner (lazy: ${lazy})`, async () => {
    const application = TestApplication.of(NESTED, {
      lazy,
      middleware: [tracing("option")],
    });
    const edit = "second /api/shop/[id]/edit 7";
    for (
      const [path, names] of [
        ["/api", ["option", "root"]],
        ["/api/shop", ["option", "root"]],
        ["/api/shop/free", ["option", "root"]],
        ["/api/shop/7/edit", ["option", "root", "admin", "first", edit]],
      ] as const
    ) {
      const response = await application.fetch(path);
      assertEquals(await response.json(), names, path);
      const out = response.headers.get("x-out");
      assertEquals(out, names.toReversed().join(", "), path);
    }
    const [, route] = await application.app.routes();
    assertEquals(route!.middleware, [
      "option middleware[0]",
      "middleware.ts",
      "shop/(admin)/middleware.ts",
      "shop/(admin)/[id]/middleware.ts",
    ]);
  });
}

Deno.test("middleware that does not call next() ends the request", async () => {
  let runs = 0;
  const application = TestApplication.of({
    "middleware.ts": {
      default: (request, next) =>
        request.headers.get("x-key") === "right"
          ? next()
          : new Response("no", { status: 401 }),
    },
    "items/[id]/route.ts": {
      schema: { post: { body: z.object({ a: z.string() }) } },
      POST() {
        runs++;
        return new Response("done");
      },
    },
  });
  const send = (key: string, method: string, body: string | null = null) =>
    application.fetch("/api/items/7", {
      method,
      body,
      headers: { "x-key": key, "content-type": "application/json" },
    });
  // Before validation, and before the responses of Bough itself.
  for (const method of ["POST", "PUT", "OPTIONS", "PURGE"]) {
    const response = await send("wrong", method, "{");
    assertEquals([response.status, await response.text()], [401, "no"]);
  }
  assertEquals((await send("right", "POST", "{}")).status, 400);
  assertEquals((await send("right", "PUT")).status, 405);
  assertEquals((await send("right", "OPTIONS")).status, 204);
  assertEquals((await send("right", "PURGE")).status, 501);
  assertEquals(runs, 0);
  assertEquals((await send("right", "POST", '{"a":"b"}')).status, 200);
  assertEquals(runs, 1);
});

Deno.test("the option middleware covers 404, 405, OPTIONS, 400 and 501", async () => {
  const seen: (string | undefined)[] = [];
  const application = TestApplication.of({
    "route.ts": { GET },
    "files/[...]/route.ts": { GET },
  }, {
    allowedHosts: ["localhost"],
    middleware: [async (request, next) => {
      seen.push(request.pattern);
      assertEquals(Object.keys(request.params), []);
      const response = await next();
      response.headers.set("x-all", "yes");
      return response;
    }],
  });
  for (
    const [method, target, status] of [
      ["GET", "/api", 200],
      ["HEAD", "/api", 200],
      ["POST", "/api", 405],
      ["OPTIONS", "/api", 204],
      ["OPTIONS", "/*", 204],
      ["GET", "/nothing", 404],
      ["GET", "/%GG", 400],
      ["GET", "/api/files/a%2Fb", 400],
      ["PURGE", "/api", 501],
      ["PURGE", "/nothing", 501],
    ] as const
  ) {
    const response = await application.fetch(target, { method });
    assertEquals(response.status, status, target);
    assertEquals(response.headers.get("x-all"), "yes", `${method} ${target}`);
  }
  assertEquals(seen.length, 10);
  assertEquals(seen[0], "/api");
  assertEquals(seen[5], undefined);
  const elsewhere = await application.app.fetch(
    new Request("http://other/api"),
  );
  assertEquals(elsewhere.status, 400);
  assertEquals(elsewhere.headers.get("x-all"), "yes");
});

Deno.test("next() rejects with an error that is thrown inside", async () => {
  const application = TestApplication.of({
    "middleware.ts": {
      default: (_, next) =>
        next().catch((error) => Response.json(error.message ?? error.status)),
    },
    "throws/route.ts": {
      GET() {
        throw new Error("sync");
      },
      async POST() {
        await Promise.resolve();
        throw new HttpError(409, "later");
      },
      PUT: () => 5,
      DELETE() {
        throw new Response(null, { status: 410 });
      },
    },
    "checked/route.ts": {
      schema: { get: { query: z.object({ a: z.string() }) } },
      GET,
    },
  });
  for (
    const [method, path, caught] of [
      ["GET", "throws", '"sync"'],
      ["POST", "throws", '"later"'],
      ["PUT", "throws", "A handler must return a Response"],
      ["DELETE", "throws", "410"],
      ["GET", "checked", "does not fit its schema"],
    ] as const
  ) {
    const response = await application.fetch(`/api/${path}`, { method });
    assertStringIncludes(await response.text(), caught);
  }
});

Deno.test("if no middleware catches an error, Bough responds and logs it", async () => {
  const application = TestApplication.of({
    "middleware.ts": { default: pass },
    "route.ts": {
      GET() {
        throw new Error("secret");
      },
      POST: async (request) => Response.json(await request.json()),
    },
  });
  using log = new CapturedLog();
  const response = await application.fetch("/api");
  assertEquals(response.status, 500);
  assertEquals((await response.text()).includes("secret"), false);
  assertEquals(log.lines.length, 1);
  assertStringIncludes(log.lines[0]!, "[bough] GET /api (");
  assertStringIncludes(log.lines[0]!, "secret");
  const init = { method: "POST", body: "{" };
  assertEquals((await application.fetch("/api", init)).status, 400);
});

Deno.test("errorResponse() gives middleware the response to an error, logged once", async () => {
  const errors: unknown[] = [];
  const application = TestApplication.of({
    "middleware.ts": {
      async default(request, next) {
        const response = await next()
          .catch((error) => errorResponse(error, request));
        response.headers.set("x-stamp", "yes");
        return response;
      },
    },
    "route.ts": {
      GET() {
        throw new Error("secret");
      },
      POST() {
        throw new Response("mine", { status: 418 });
      },
    },
  }, { onError: (error) => void errors.push(error) });
  using log = new CapturedLog();
  const failed = await application.fetch("/api");
  assertEquals(failed.status, 500);
  assertEquals(failed.headers.get("x-stamp"), "yes");
  assertEquals([log.lines.length, errors.length], [1, 1]);
  const thrown = await application.fetch("/api", { method: "POST" });
  assertEquals([thrown.status, await thrown.text()], [418, "mine"]);
});

/** A call of `next()` as in other frameworks. */
type Passing = (value: unknown) => Promise<Response>;

const MISTAKES: Readonly<
  Record<
    string,
    readonly [
      middleware: NonNullable<TestModule["default"]>,
      message: string,
      file?: string,
    ]
  >
> = {
  "calls next() twice": [(_, next) => next().then(next), "called next() twice"],
  "passes another request to next()": [
    ({ url }, next) => (next as Passing)(new Request(url)),
    "passed an object of class Request to next(), which takes no argument; pass values with a RequestState, and throw errors",
  ],
  "passes an error to next()": [
    (_, next) => (next as Passing)(new Error("no user")),
    "passed an object of class Error to next()",
  ],
  "returns nothing": [
    (_, next) => void next(),
    "must return a Response, but this one returned undefined",
  ],
  "resolves with an object": [
    async (_, next) => ({ a: await next() }),
    "must return a Response, but this one returned an object of class Object",
  ],
  // The file is in the stack.
  "throws": [
    () => {
      throw new Error("mistake");
    },
    "mistake",
    "middleware_test.ts:",
  ],
};

for (const [name, [middleware, message, file]] of Object.entries(MISTAKES)) {
  Deno.test(`if middleware ${name}, Bough responds with 500, and logs the file`, async () => {
    const application = TestApplication.of({
      "a/middleware.ts": { default: middleware },
      "a/b/route.ts": { GET },
    });
    await using server = await application.serve();
    for (const target of ["http://localhost/api/a/b", server.url("/api/a/b")]) {
      using log = new CapturedLog();
      const request = new Request(target);
      const response = target.startsWith(server.url("/"))
        ? await fetch(request)
        : await application.app.fetch(request);
      await response.body?.cancel();
      assertEquals(response.status, 500);
      assertEquals(log.lines.length, 1);
      assertStringIncludes(log.lines[0]!, message);
      assertStringIncludes(log.lines[0]!, file ?? "a/middleware.ts");
    }
  });
}

Deno.test("the headers of a served request cannot be changed, and those of app.fetch() are the caller's (behaviour 6.1)", async () => {
  const application = TestApplication.of({
    "middleware.ts": {
      default(request, next) {
        request.headers.set("x-user", "Ada");
        return next();
      },
    },
    "route.ts": { GET: ({ headers }) => Response.json([...headers]) },
  });
  await using server = await application.serve();
  using log = new CapturedLog();
  const refused = await fetch(server.url("/api"));
  await refused.body?.cancel();
  assertEquals(refused.status, 500);
  assertEquals(log.lines.length, 1);
  assertStringIncludes(log.lines[0]!, "headers are immutable");
  const request = new Request("http://localhost/api");
  const response = await application.app.fetch(request);
  assertEquals(await response.json(), [["x-user", "Ada"]]);
  assertEquals(request.headers.get("x-user"), "Ada");
});

const BROKEN: Readonly<Record<string, readonly [string, string]>> = {
  "no default export": [
    "export const middleware = (_, next) => next();",
    "the default export is missing; export default a function, such as (request, next) => next(), or a list of functions",
  ],
  "no default export, but permissions and a function": [
    "export const permissions = { env: ['A'] }; export const authenticate = (_, next) => next();",
    "the default export is missing; export default a function, such as (request, next) => next(), or a list of functions",
  ],
  "permissions without any, and no default export": [
    "export const permissions = {};",
    "the default export is missing",
  ],
  "settings, which only a route file has": [
    "export default (_, next) => next(); export const config = { bodyLimit: 1 };",
    "config must be absent, since only a route file has settings; export it from the route files",
  ],
  "an object as its default export": [
    "export default { run() {} };",
    "default must be a function, such as (request, next) => next(), or a list of functions, got an object",
  ],
  "a list with a string": [
    'export default [(_, next) => next(), "auth"];',
    'default[1] must be a function, such as (request, next) => next(), got "auth"',
  ],
  "an empty list": [
    "export default [];",
    "or a list of functions, got []",
  ],
  "an import that fails": [
    'throw new Error("no database");',
    "the import failed: no database",
  ],
  "a syntax error": ["export default (", "the import failed"],
};

for (const [name, [code, message]] of Object.entries(BROKEN)) {
  for (const lazy of [false, true]) {
    Deno.test(`a middleware.ts with ${name} prevents startup (lazy: ${lazy})`, async () => {
      await using application = await FolderApplication.create({
        "a/middleware.ts": code,
        "a/route.ts": "export const GET = () => new Response('x');",
      }, { lazy });
      const error = await assertRejects(
        () => application.app.start(),
        RouteError,
        message,
      );
      assertEquals(error.faults.length, 1);
      assert(error.faults[0]!.path.endsWith("api/a/middleware.ts"));
    });
  }
}

Deno.test("two middleware files in one folder prevent startup", async () => {
  await using application = await FolderApplication.create({
    "middleware.ts": "export default (_, next) => next();",
    "middleware.js": "export default (_, next) => next();",
    "route.ts": "export const GET = () => new Response('x');",
  });
  await assertRejects(
    () => application.app.start(),
    RouteError,
    'middleware.js" is middleware of the same folder; keep one of them',
  );
});

Deno.test("new Framework() rejects middleware other than a list of functions", () => {
  for (
    const [middleware, message] of [
      [{}, "middleware must be an array of functions"],
      [["cors"], "middleware[0] must be a function"],
      [[undefined], "middleware[0] must be a function"],
    ] as const
  ) {
    assertThrows(
      () =>
        new Framework({
          apiDir: "api",
          middleware: middleware as unknown as Middleware[],
        }),
      TypeError,
      message,
    );
  }
});
