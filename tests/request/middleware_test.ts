import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { Framework, type Middleware, RouteError } from "@bough/framework";
import { CapturedLog, FolderApplication } from "../support/application.ts";

/** A middleware file that leaves its name on the way in and on the way out. */
function tracing(name: string): string {
  return `
    export default async (request, next) => {
      (request.trace ??= []).push("${name}");
      const response = await next();
      response.headers.append("x-out", "${name}");
      return response;
    };
  `;
}

const TRACED = `
  export function GET(request) {
    return Response.json({ in: request.trace ?? [], params: request.params, pattern: request.pattern });
  }
`;

const NESTED = {
  "middleware.ts": tracing("root"),
  "route.ts": TRACED,
  "shop/route.ts": TRACED,
  "shop/(admin)/middleware.ts": tracing("admin"),
  "shop/(admin)/[id]/middleware.ts": `
    export default [
      (request, next) => { request.trace.push("first"); return next(); },
      (request, next) => { request.trace.push("second " + request.pattern + " " + request.params.id); return next(); },
    ];
  `,
  "shop/(admin)/[id]/edit/route.ts": TRACED,
  "shop/(other)/free/route.ts": TRACED,
};

for (const lazy of [false, true]) {
  Deno.test(`middleware covers its folder and those below, outer before inner (lazy: ${lazy})`, async () => {
    const option: Middleware = async (request, next) => {
      Object.assign(request, { trace: ["option"] });
      const response = await next();
      response.headers.append("x-out", "option");
      return response;
    };
    await using application = await FolderApplication.create(NESTED, {
      lazy,
      middleware: [option],
    });
    for (
      const [path, trace, out] of [
        ["/api", ["option", "root"], "root, option"],
        ["/api/shop", ["option", "root"], "root, option"],
        ["/api/shop/free", ["option", "root"], "root, option"],
        [
          "/api/shop/7/edit",
          [
            "option",
            "root",
            "admin",
            "first",
            "second /api/shop/[id]/edit 7",
          ],
          "admin, root, option",
        ],
      ] as const
    ) {
      const response = await application.fetch(path);
      const answer = await response.json();
      assertEquals(answer.in, trace, path);
      assertEquals(response.headers.get("x-out"), out, path);
    }
    const [, edit] = await application.app.routes();
    assertEquals(
      edit!.middleware.map((file) => file.replace(/.*\/api\//, "")),
      [
        "option middleware[0]",
        "middleware.ts",
        "shop/(admin)/middleware.ts",
        "shop/(admin)/[id]/middleware.ts",
      ],
    );
  });
}

Deno.test("a middleware that does not call next() ends the request there", async () => {
  await using application = await FolderApplication.create({
    "middleware.ts": `
      export default (request, next) =>
        request.headers.get("x-key") === "right" ? next() : new Response("no", { status: 401 });
    `,
    "items/[id]/route.ts": `
      import { z } from "npm:zod@^4.1.13";
      globalThis.runs = 0;
      export const schema = { post: { body: z.object({ a: z.string() }) } };
      export function POST() { globalThis.runs++; return new Response("done"); }
    `,
  });
  const send = (key: string, method: string, body: string | null = null) =>
    application.fetch("/api/items/7", {
      method,
      body,
      headers: { "x-key": key, "content-type": "application/json" },
    });
  // Before validation, and before the answers that Bough gives itself.
  for (const method of ["POST", "PUT", "OPTIONS", "PURGE"]) {
    const response = await send("wrong", method, "{");
    assertEquals([response.status, await response.text()], [401, "no"]);
  }
  assertEquals((await send("right", "POST", "{}")).status, 400);
  assertEquals((await send("right", "PUT")).status, 405);
  assertEquals((await send("right", "OPTIONS")).status, 204);
  assertEquals((await send("right", "PURGE")).status, 501);
  assertEquals((globalThis as { runs?: number }).runs, 0);
  assertEquals((await send("right", "POST", '{"a":"b"}')).status, 200);
  assertEquals((globalThis as { runs?: number }).runs, 1);
});

Deno.test("the option middleware covers 404, 405, OPTIONS, 400 and 501, too", async () => {
  const seen: (string | undefined)[] = [];
  await using application = await FolderApplication.create({
    "route.ts": "export const GET = () => new Response('x');",
    "files/[...]/route.ts": "export const GET = () => new Response('x');",
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

Deno.test("what is thrown inside arrives as a rejection of next()", async () => {
  await using application = await FolderApplication.create({
    "middleware.ts": `
      export default async (request, next) => {
        try {
          return await next();
        } catch (error) {
          return Response.json({ caught: error.message ?? error.status });
        }
      };
    `,
    "throws/route.ts": `
      import { HttpError } from "@bough/framework";
      export function GET() { throw new Error("sync"); }
      export async function POST() { await 1; throw new HttpError(409, "later"); }
      export function PUT() { return 5; }
      export function DELETE() { throw new Response(null, { status: 410 }); }
    `.replace(
      "@bough/framework",
      new URL("../../mod.ts", import.meta.url).href,
    ),
    "checked/route.ts": `
      import { z } from "npm:zod@^4.1.13";
      export const schema = { get: { query: z.object({ a: z.string() }) } };
      export function GET() { return new Response(); }
    `,
  });
  const caught = async (method: string, path: string): Promise<unknown> => {
    const response = await application.fetch(path, { method });
    return (await response.json()).caught;
  };
  assertEquals(await caught("GET", "/api/throws"), "sync");
  assertEquals(await caught("POST", "/api/throws"), "later");
  assertStringIncludes(
    await caught("PUT", "/api/throws") as string,
    "A handler must return a Response",
  );
  assertEquals(await caught("DELETE", "/api/throws"), 410);
  assertStringIncludes(
    await caught("GET", "/api/checked") as string,
    "does not fit its schema",
  );
});

Deno.test("what no middleware catches is answered and logged as without middleware", async () => {
  await using application = await FolderApplication.create({
    "middleware.ts": "export default (request, next) => next();",
    "route.ts": `
      export function GET() { throw new Error("secret"); }
      export async function POST(request) { return Response.json(await request.json()); }
    `,
  });
  using log = new CapturedLog();
  const response = await application.fetch("/api");
  assertEquals(response.status, 500);
  assertEquals((await response.text()).includes("secret"), false);
  assertEquals(log.lines.length, 1);
  assertStringIncludes(log.lines[0]!, "[bough] GET /api (");
  assertStringIncludes(log.lines[0]!, "secret");
  const malformed = await application.fetch("/api", {
    method: "POST",
    body: "{",
  });
  assertEquals(malformed.status, 400);
});

Deno.test("errorResponse() gives a middleware the response to an error, logged once", async () => {
  const errors: unknown[] = [];
  await using application = await FolderApplication.create({
    "middleware.ts": `
      import { errorResponse } from "${new URL(
      "../../mod.ts",
      import.meta.url,
    )}";
      export default async (request, next) => {
        const response = await next().catch((error) => errorResponse(error, request));
        response.headers.set("x-stamp", "yes");
        return response;
      };
    `,
    "route.ts": `
      export function GET() { throw new Error("secret"); }
      export function POST() { throw new Response("mine", { status: 418 }); }
    `,
  }, { onError: (error) => void errors.push(error) });
  using log = new CapturedLog();
  const failed = await application.fetch("/api");
  assertEquals(failed.status, 500);
  assertEquals(failed.headers.get("x-stamp"), "yes");
  assertEquals([log.lines.length, errors.length], [1, 1]);
  const thrown = await application.fetch("/api", { method: "POST" });
  assertEquals([thrown.status, await thrown.text()], [418, "mine"]);
});

const MISTAKES: Readonly<Record<string, readonly [string, string]>> = {
  "calls next() twice": [
    "export default async (_, next) => { await next(); return next(); };",
    "called next() twice",
  ],
  "returns nothing": [
    "export default (_, next) => { next(); };",
    "must return a Response, but this one returned undefined",
  ],
  "resolves with an object": [
    "export default async (_, next) => ({ a: await next() });",
    "must return a Response, but this one returned an object of class Object",
  ],
  "throws": [
    'export default () => { throw new Error("mistake"); };',
    "mistake",
  ],
  "returns a response that was read": [
    "export default async (_, next) => { const r = await next(); await r.text(); return r; };",
    "whose body was already used",
  ],
};

for (const [name, [code, message]] of Object.entries(MISTAKES)) {
  Deno.test(`a middleware that ${name} is a 500, and the log names the file`, async () => {
    await using application = await FolderApplication.create({
      "a/middleware.ts": code,
      "a/b/route.ts": "export const GET = () => new Response('x');",
    });
    using log = new CapturedLog();
    const response = await application.fetch("/api/a/b");
    assertEquals(response.status, 500);
    assertEquals(log.lines.length, 1);
    assertStringIncludes(log.lines[0]!, message);
    assertStringIncludes(log.lines[0]!, "a/middleware.ts");
  });
}

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
  "a default export that is no function": [
    "export default { run() {} };",
    "the default export is an object; export default a function",
  ],
  "a list with something else": [
    'export default [(_, next) => next(), "auth"];',
    "default[1] is a string; it must be a function",
  ],
  "an empty list": [
    "export default [];",
    "the list of middleware is empty; remove the file",
  ],
  "an import that fails": [
    'throw new Error("no database");',
    "the import failed: no database",
  ],
  "a syntax error": [
    "export default (",
    "the import failed",
  ],
};

for (const [name, [code, message]] of Object.entries(BROKEN)) {
  for (const lazy of [false, true]) {
    Deno.test(`a middleware.ts with ${name} stops the start (lazy: ${lazy})`, async () => {
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

Deno.test("two middleware files in one folder stop the start", async () => {
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

Deno.test("new Framework() refuses middleware that is no list of functions", () => {
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
