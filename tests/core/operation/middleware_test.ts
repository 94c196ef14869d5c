import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import {
  errorResponse,
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
import { throwing } from "./support.ts";

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

const GET = () => new Response("x");

Deno.test("middleware covers its folder and the folders below, outer before inner", async () => {
  const edit = "second /api/shop/[id]/edit 7";
  for (const lazy of [false, true]) {
    const application = TestApplication.of(NESTED, {
      lazy,
      middleware: [tracing("option")],
    });
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
  }
});

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
  const send = (key: string, method: string, body: string) =>
    application.fetch("/api/items/7", {
      method,
      body,
      headers: { "x-key": key, "content-type": "application/json" },
    });
  // Before validation, and before the responses of Bough itself.
  for (
    const [method, status] of [
      ["POST", 400],
      ["PUT", 405],
      ["OPTIONS", 204],
      ["PURGE", 501],
    ] as const
  ) {
    const refused = await send("wrong", method, "{");
    assertEquals([refused.status, await refused.text()], [401, "no"], method);
    assertEquals((await send("right", method, "{}")).status, status, method);
  }
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
  assertEquals([seen.length, seen[0], seen[5]], [10, "/api", undefined]);
  const { status, headers } = await application.app.fetch(
    new Request("http://other/api"),
  );
  assertEquals([status, headers.get("x-all")], [400, "yes"]);
});

Deno.test("next() rejects with an error that is thrown inside", async () => {
  const application = TestApplication.of({
    "middleware.ts": {
      default: (_, next) =>
        next().catch((error) => Response.json(error.message ?? error.status)),
    },
    "throws/route.ts": {
      ...throwing(() => new Error("sync")),
      POST: () => Promise.reject(new HttpError(409, "later")),
      PUT: () => 5,
      DELETE: throwing(() => new Response(null, { status: 410 })).GET!,
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
    "route.ts": throwing(() => new Error("secret")),
    "mine/route.ts": throwing(() => new Response("mine", { status: 418 })),
  }, { onError: (error) => void errors.push(error) });
  using log = new CapturedLog();
  for (const [path, status] of [["/api", 500], ["/api/mine", 418]] as const) {
    const response = await application.fetch(path);
    assertEquals(
      [response.status, response.headers.get("x-stamp")],
      [status, "yes"],
    );
    assertEquals([log.lines.length, errors.length], [1, 1]);
  }
});

/** A call of `next()` as in other frameworks. */
type Passing = (value: unknown) => Promise<Response>;

/** Mistakes of middleware, and what the log says of them. */
const MISTAKES: Readonly<
  Record<string, readonly [NonNullable<TestModule["default"]>, log: string]>
> = {
  "calls-twice": [(_, next) => next().then(next), "called next() twice"],
  "passes-a-request": [
    ({ url }, next) => (next as Passing)(new Request(url)),
    "passed an object of class Request to next(), which takes no argument; pass values with a RequestState, and throw errors",
  ],
  "passes-an-error": [
    (_, next) => (next as Passing)(new Error("no user")),
    "passed an object of class Error to next()",
  ],
  "returns-nothing": [
    (_, next) => void next(),
    "must return a Response, but this one returned undefined",
  ],
  "resolves-with-an-object": [
    async (_, next) => ({ a: await next() }),
    "must return a Response, but this one returned an object of class Object",
  ],
  "throws": [
    () => {
      throw new Error("mistake");
    },
    "mistake",
  ],
};

Deno.test("if middleware is broken, Bough responds with 500, and logs the file", async () => {
  const application = TestApplication.of(Object.fromEntries(
    Object.entries(MISTAKES).flatMap(([name, [middleware]]) => [
      [`${name}/middleware.ts`, { default: middleware }] as const,
      [`${name}/b/route.ts`, { GET }] as const,
    ]),
  ));
  await using server = await application.serve();
  for (const [name, [, message]] of Object.entries(MISTAKES)) {
    const path = `/api/${name}/b`;
    for (
      const call of [
        () => application.fetch(path),
        () => fetch(server.url(path)),
      ]
    ) {
      using log = new CapturedLog();
      const response = await call();
      await response.body?.cancel();
      assertEquals([response.status, log.lines.length], [500, 1], name);
      assertStringIncludes(log.lines[0]!, message);
      // The file of an error is in its stack.
      const file = name === "throws"
        ? "middleware_test.ts:"
        : `${name}/middleware.ts`;
      assertStringIncludes(log.lines[0]!, file);
    }
  }
});

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

const MISSING =
  "the default export is missing; export default a function, such as (request, next) => next(), or a list of functions";

/** Middleware files, and the fault of each. */
const BROKEN = {
  "export const middleware = (_, next) => next();": MISSING,
  "export const permissions = { env: ['A'] }; export const authenticate = (_, next) => next();":
    MISSING,
  "export const permissions = {};": MISSING,
  "export default (_, next) => next(); export const config = { bodyLimit: 1 };":
    "config must be absent, since only a route file has settings; export it from the route files",
  "export default { run() {} };":
    "default must be a function, such as (request, next) => next(), or a list of functions, got an object",
  'export default [(_, next) => next(), "auth"];':
    'default[1] must be a function, such as (request, next) => next(), got "auth"',
  "export default [];": "or a list of functions, got []",
  'throw new Error("no database");': "the import failed: no database",
  "export default (": "the import failed",
};

Deno.test("broken middleware files prevent startup", async () => {
  const codes = Object.entries(BROKEN);
  const route = "export const GET = () => new Response('x');";
  const files = Object.fromEntries(codes.flatMap(([code], index) => [
    [`${index}/middleware.js`, code],
    [`${index}/route.js`, route],
  ]));
  for (const lazy of [false, true]) {
    await using application = await FolderApplication.create({
      ...files,
      "z/middleware.ts": "export default (_, next) => next();",
      "z/middleware.js": "export default (_, next) => next();",
      "z/route.ts": route,
    }, { lazy });
    const error = await assertRejects(
      () => application.app.start(),
      RouteError,
      'z/middleware.js" is middleware of the same folder; keep one of them',
    );
    assertEquals(error.faults.length, codes.length + 1);
    for (const [index, [code, reason]] of codes.entries()) {
      const fault = error.faults[index]!;
      assert(fault.path.endsWith(`api/${index}/middleware.js`), code);
      assertStringIncludes(fault.reason, reason, code);
    }
  }
});
