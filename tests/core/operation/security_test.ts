/** The security of operations, as guards and handlers read it (behaviour 10.7). */
import { assertEquals } from "@std/assert";
import type {
  Framework,
  Middleware,
  SecurityRequirement,
} from "@bough/framework";
import {
  FolderApplication,
  TestApplication,
  type TestModule,
  WAYS,
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

const ROUTE = `
  export const schema = {
    get: { security: [] },
    put: { security: [{ bearer: ["admin"] }, {}] },
  };
  const respond = (request) => Response.json(request.security ?? null);
  export { respond as GET, respond as POST, respond as PUT };`;

const FILES = {
  "(members)/middleware.js": GUARD,
  "(members)/articles/route.js": ROUTE,
  "(members)/users/route.js": "export const GET = () => new Response();",
};

const FOLDER = [{ bearer: [] }];
const METHODS = [..."GET HEAD POST PUT PATCH DELETE OPTIONS PURGE".split(" ")];

/** The status of an anonymous request, and the security that the guard read. */
async function outcomeOf(
  app: Pick<Framework, "fetch">,
  method: string,
  path = "/api/articles",
): Promise<[number, unknown]> {
  const request = new Request(`http://localhost${path}`, { method });
  const { status, headers } = await app.fetch(request);
  return [status, JSON.parse(headers.get("x-security")!)];
}

/** The outcome of each method, with the methods that have their own security. */
function expectedOf(
  own: Readonly<Record<string, [number, unknown]>>,
): [string, [number, unknown]][] {
  return METHODS.map((method) => [method, own[method] ?? [401, FOLDER]]);
}

const OWN = {
  GET: [200, []],
  HEAD: [200, []],
  PUT: [401, [{ bearer: ["admin"] }, {}]],
} satisfies Record<string, [number, unknown]>;

async function allOutcomes(
  app: Pick<Framework, "fetch">,
  methods: readonly string[] = METHODS,
): Promise<[string, [number, unknown]][]> {
  const all: [string, [number, unknown]][] = [];
  for (const method of methods) {
    all.push([method, await outcomeOf(app, method)]);
  }
  return all;
}

for (const way of WAYS) {
  for (const lazy of [false, true]) {
    Deno.test(`a method may have its own security (${way}, lazy: ${lazy}, behaviour 10.7)`, async () => {
      for (const methods of [METHODS, METHODS.toReversed()]) {
        await using application = await FolderApplication.create(
          FILES,
          { lazy },
          way,
        );
        const outcomes = new Map(await allOutcomes(application.app, methods));
        assertEquals(
          METHODS.map((method) => [method, outcomes.get(method)]),
          expectedOf(OWN),
        );
        assertEquals(await outcomeOf(application.app, "GET", "/api/users"), [
          401,
          FOLDER,
        ]);
        const read = await application.fetch("/api/articles");
        assertEquals(await read.json(), [], "the handler reads it, too");
      }
    });
  }
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

Deno.test("another application does not change the security of a request (behaviour 10.7)", async () => {
  const other = TestApplication.of({
    "articles/route.ts": {
      schema: { get: { security: [] } },
      GET: () => new Response(null, { status: 404 }),
    },
  });
  const application = TestApplication.of({
    "middleware.ts": level({ bearer: [] }),
    "articles/route.ts": { GET: read },
  }, {
    middleware: [async (request, next) => {
      const response = await other.app.fetch(request);
      return response.status === 404 ? await next() : response;
    }],
  });
  const response = await application.fetch("/api/articles");
  assertEquals(await response.json(), FOLDER);
  assertEquals(response.headers.get("x-security"), JSON.stringify(FOLDER));
});

Deno.test("the method of a request cannot select a member of the schema (behaviour 4.4)", async () => {
  await using application = await FolderApplication.create(FILES);
  for (const method of ["constructor", "toString", "__proto__"]) {
    assertEquals(await outcomeOf(application.app, method), [401, FOLDER]);
  }
});

Deno.test("HEAD has the security of its own handler or of GET (behaviour 10.7)", async () => {
  const files = (exports: string) => ({
    "middleware.js": GUARD,
    "articles/route.js": `
      export const schema = { get: { security: [] }, head: { security: [{ b: [] }, {}] } };
      export const GET = () => new Response();
      ${exports}`,
  });
  const HEAD = "export const HEAD = () => new Response();";
  for (const lazy of [false, true]) {
    await using follows = await FolderApplication.create(files(""), { lazy });
    assertEquals(await outcomeOf(follows.app, "HEAD"), [200, []]);
    await using own = await FolderApplication.create(files(HEAD), { lazy });
    assertEquals(await outcomeOf(own.app, "HEAD"), [401, [{ b: [] }, {}]]);
  }
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

Deno.test("a request that is passed on has the security of the other application (behaviour 10.7)", async () => {
  const inner = TestApplication.of({ "route.ts": { GET: read } });
  const outer = TestApplication.of({
    "middleware.ts": level({ bearer: [] }),
    "route.ts": {
      schema: { get: { security: [] } },
      GET: (request) => inner.app.fetch(request),
    },
  });
  const response = await outer.fetch("/api");
  assertEquals(await response.json(), null);
});

Deno.test("a guard cannot change the security of later requests (behaviour 10.7)", async () => {
  const security = [{ bearer: ["admin"] }, { cookie: [] }];
  const changes: ((
    // deno-lint-ignore no-explicit-any
    list: any,
  ) => void)[] = [
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
