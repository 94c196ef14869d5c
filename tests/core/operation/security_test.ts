/** The security of operations, as guards and handlers read it (behaviour 10.7). */
import { assertEquals } from "@std/assert";
import type { Middleware, SecurityRequirement } from "@bough/framework";
import { METHODS } from "../../../src/core/methods.ts";
import {
  FolderApplication,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";

/** A guard that adds the security to the response; only `isOpen` opens methods. */
const GUARD = `
  export const contract = { security: [{ bearer: [] }], response: { 401: {} } };
  export default async (request, next) => {
    const isOpen = request.security?.length === 0;
    const isMember = request.headers.has("authorization");
    const response = isOpen || isMember
      ? await next()
      : new Response(null, { status: 401 });
    response.headers.set("x-security", JSON.stringify(request.security) ?? "none");
    return response;
  };`;

const respond =
  "const GET = (request) => Response.json(request.security ?? null);";
const FILES = {
  "(members)/middleware.js": GUARD,
  "(members)/articles/route.js": `${respond}
    export const schema = {
      get: { security: [] },
      put: { security: [{ bearer: ["admin"] }, {}] },
    };
    export { GET, GET as POST, GET as PUT };`,
  "(members)/users/route.js": `${respond} export { GET };`,
  "(members)/head/route.js": `${respond}
    export const schema = { get: { security: [] }, head: { security: [{ b: [] }, {}] } };
    export { GET, GET as HEAD };`,
};

const FOLDER = [{ bearer: [] }];

/** The status of anonymous requests by path and method, and the security that the guard read. */
const OWN: Readonly<Record<string, Record<string, [number, unknown]>>> = {
  articles: {
    GET: [200, []],
    // HEAD has the security of its own handler or of GET.
    HEAD: [200, []],
    PUT: [401, [{ bearer: ["admin"] }, {}]],
  },
  users: {},
  head: { GET: [200, []], HEAD: [401, [{ b: [] }, {}]] },
};

for (
  const [way, lazy] of [["folder", true], ["manifest", false]] as const
) {
  Deno.test(`a method may have its own security (${way}, lazy: ${lazy}, behaviour 10.7)`, async () => {
    // The method of a request cannot select a member of the schema (behaviour 4.4).
    const methods = [...METHODS, "PURGE", "constructor", "__proto__"];
    for (const order of [methods, methods.toReversed()]) {
      await using application = await FolderApplication.create(
        FILES,
        { lazy },
        way,
      );
      for (const [path, own] of Object.entries(OWN)) {
        for (const method of order) {
          const target = `/api/${path}`;
          const { status, headers } = await application.fetch(target, {
            method,
          });
          const security = JSON.parse(headers.get("x-security")!);
          const expected = Object.hasOwn(own, method)
            ? own[method]
            : [401, FOLDER];
          assertEquals([status, security], expected, `${method} ${path}`);
        }
      }
      const read = await application.fetch("/api/articles");
      assertEquals(await read.json(), [], "the handler reads it, too");
    }
  });
}

Deno.test("a lazy route is closed if only its file requires credentials (behaviour 10.6)", async () => {
  const guard: TestModule["default"] = (request, next) => {
    const ways = request.security ?? [];
    const isOpen = !ways.every((way) => Object.keys(way).length > 0) ||
      ways.length === 0;
    return isOpen ? next() : new Response(null, { status: 401 });
  };
  for (const security of [undefined, [], [{ bearer: [] }, {}]]) {
    for (const lazy of [false, true]) {
      const application = TestApplication.of({
        "middleware.ts": {
          ...(security && { contract: { security } }),
          default: guard,
        },
        "route.ts": {
          schema: { delete: { security: [{ bearer: [] }] } },
          DELETE: () => new Response("deleted"),
        },
      }, { lazy });
      const response = await application.fetch("/api", { method: "DELETE" });
      assertEquals(response.status, 401, Deno.inspect(security));
    }
  }
});

const read = (request: { security?: unknown }) =>
  Response.json(request.security ?? null);

/** Middleware that adds the security to the response. */
const noteSecurity: Middleware = async (request, next) => {
  const { security } = request;
  const response = await next();
  assertEquals(request.security, security);
  const text = JSON.stringify(security) ?? "none";
  response.headers.append("x-security", text);
  return response;
};
const level = (...security: SecurityRequirement[]): TestModule => ({
  contract: { security },
  default: noteSecurity,
});

Deno.test("each application has its own security of a request (behaviour 10.7)", async () => {
  const other = TestApplication.of({
    "articles/route.ts": {
      schema: { get: { security: [] } },
      GET: () => new Response(),
    },
    "open/route.ts": { GET: read },
  });
  const application = TestApplication.of({
    "middleware.ts": level({ bearer: [] }),
    "articles/route.ts": { GET: read },
    "open/route.ts": {
      schema: { get: { security: [] } },
      GET: (request) => other.app.fetch(request),
    },
  }, {
    middleware: [async (request, next) => {
      await other.app.fetch(request);
      return await next();
    }],
  });
  const response = await application.fetch("/api/articles");
  assertEquals(await response.json(), FOLDER);
  assertEquals(response.headers.get("x-security"), JSON.stringify(FOLDER));
  const passedOn = await application.fetch("/api/open");
  assertEquals(await passedOn.json(), null);
});

Deno.test("the innermost security counts, and is undefined if no folder declares any (behaviour 10.7)", async () => {
  const application = TestApplication.of({
    "a/middleware.ts": level({ a: [] }),
    "a/b/middleware.ts": level({ b: [] }),
    "a/b/route.ts": { GET: read },
    "c/route.ts": { GET: read },
  }, {
    middleware: [noteSecurity],
    plugins: [{
      name: "more",
      routes: () => [{ path: "/more", handlers: { GET: read } }],
    }],
  });
  const inner = '[{"b":[]}]';
  for (
    const [path, expected] of [
      ["/api/a/b", [inner, inner, inner].join(", ")],
      ["/api/c", "none"],
      ["/more", "none"],
      ["/nowhere", "none"],
      ["/%", "none"],
    ] as const
  ) {
    const { headers } = await application.fetch(path);
    assertEquals(headers.get("x-security"), expected, path);
  }
});

Deno.test("a guard cannot change the security of later requests (behaviour 10.7)", async () => {
  const security = [{ bearer: ["admin"] }, { cookie: [] }];
  // deno-lint-ignore no-explicit-any
  const changes: ((list: any) => void)[] = [
    (list) => list.pop(),
    (list) => list.push({}),
    (list) => list[0].bearer.pop(),
    (list) => delete list[0].bearer,
    (list) => list[0].other = [],
  ];
  const seen: string[] = [];
  const app = TestApplication.of({
    "middleware.ts": {
      contract: { security, response: { 401: {} } },
      default: (request, next) => {
        seen.push(JSON.stringify(request.security));
        const change = changes[Number(request.headers.get("x-change") ?? NaN)];
        change?.(request.security);
        return next();
      },
    },
    "route.ts": { GET: () => new Response("passed") },
  }, { onError: () => new Response("failed", { status: 500 }) });
  for (const change of changes.keys()) {
    const headers = { "x-change": `${change}` };
    assertEquals((await app.fetch("/api", { headers })).status, 500);
  }
  assertEquals((await app.fetch("/api")).status, 200);
  assertEquals(new Set(seen), new Set([JSON.stringify(security)]));
});
