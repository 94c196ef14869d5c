/** The security of operations, as guards and handlers read it (behaviour 10.7). */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import {
  Framework,
  type Middleware,
  type RouteManifest,
  type SecurityRequirement,
} from "@bough/framework";
import { boughIn } from "../cli/support.ts";
import {
  CapturedLog,
  FolderApplication,
  TestApplication,
  type TestFolder,
  type TestModule,
  WAYS,
} from "../support/application.ts";

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
  Deno.test(`a method may have its own security (${way}, behaviour 10.7)`, async () => {
    await using application = await FolderApplication.create(FILES, {}, way);
    assertEquals(await allOutcomes(application.app), expectedOf(OWN));
    assertEquals(await outcomeOf(application.app, "GET", "/api/users"), [
      401,
      FOLDER,
    ]);
    const read = await application.fetch("/api/articles");
    assertEquals(await read.json(), [], "the handler reads it, too");
  });
}

/** An application with the manifest that `bough build` writes. */
async function built(folder: TestFolder): Promise<Framework> {
  const written = await boughIn(folder.path, "build", "--lazy", "-o", "m.ts");
  assertEquals(written, { code: 0, stdout: "", stderr: "" });
  return new Framework({ manifest: await manifestOf(folder) });
}

async function manifestOf({ path }: TestFolder): Promise<RouteManifest> {
  return (await import(toFileUrl(join(path, "m.ts")).href)).default;
}

Deno.test("a guard gets the security of a method before a lazy import (behaviour 10.6)", async () => {
  await using application = await FolderApplication.create(FILES);
  for (const methods of [METHODS, METHODS.toReversed()]) {
    const app = await built(application.folder);
    for (const time of ["before the import", "after it"]) {
      const outcomes = new Map(await allOutcomes(app, methods));
      const inOrder = METHODS.map((method) => [method, outcomes.get(method)]);
      assertEquals(inOrder, expectedOf(OWN), time);
    }
  }
});

Deno.test("without a manifest, a lazy route has the security of its folder, even after the import (behaviour 10.6)", async () => {
  await using application = await FolderApplication.create(FILES, {
    lazy: true,
  });
  assertEquals(await allOutcomes(application.app), expectedOf({}));
  const headers = { authorization: "Bearer t" };
  const read = await application.fetch("/api/articles", { headers });
  assertEquals(await read.json(), FOLDER);
  assertEquals(await allOutcomes(application.app), expectedOf({}));
});

Deno.test("if the manifest lacks the security of a method, its lazy route stays closed (behaviour 10.6)", async () => {
  const folder = (security: unknown[]) =>
    `export const contract = { security: ${JSON.stringify(security)} };`;
  const guard = `
    export default (request, next) => {
      const ways = request.security ?? [FOR_MEMBERS];
      const isOpen = !ways.every((way) => Object.keys(way).length > 0) ||
        ways.length === 0;
      return isOpen ? next() : new Response(null, { status: 401 });
    };
    const FOR_MEMBERS = { bearer: [] };`;
  const closed = `
    export const schema = { delete: { security: [{ bearer: [] }] } };
    export const DELETE = () => new Response("deleted");`;
  const undeclared = 'export const DELETE = () => new Response("deleted");';
  const stale = { security: { "route.js": { DELETE: [] } } };
  using _log = new CapturedLog();
  for (
    const [contract, route, listed] of [
      [folder([]), closed, {}],
      [folder([{ bearer: [] }, {}]), closed, {}],
      ["", undeclared, stale],
    ] as const
  ) {
    await using application = await FolderApplication.create({
      "middleware.js": contract + guard,
      "route.js": route,
    });
    const statusOf = async ({ fetch }: Pick<Framework, "fetch">) => {
      const request = new Request("http://localhost/api", { method: "DELETE" });
      return (await fetch(request)).status;
    };
    assertEquals(await statusOf(application.app), 401, "imported at startup");
    await built(application.folder);
    const { security: _, ...manifest } = await manifestOf(application.folder);
    const lazy = new Framework({ manifest: { ...manifest, ...listed } });
    assertEquals(await statusOf(lazy), 500, `${contract} ${route}`);
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

Deno.test("if an old manifest opens a method that its file closed, Bough responds with 500 (behaviour 10.6)", async () => {
  await using application = await FolderApplication.create({
    "middleware.js": GUARD,
    "route.js": `
      export const schema = { get: { security: [{ bearer: ["admin"] }] } };
      export const GET = () => new Response("secret");`,
  });
  const send = async ({ fetch }: Framework) => {
    const headers = { authorization: "Bearer t" };
    const request = new Request("http://localhost/api", { headers });
    const response = await fetch(request);
    return [response.status, response.headers.get("x-security")];
  };
  const app = await built(application.folder);
  assertEquals(await send(app), [200, '[{"bearer":["admin"]}]']);

  const { security: _, ...manifest } = await manifestOf(application.folder);
  const folder = new Framework({ manifest });
  assertEquals(await send(folder), [200, JSON.stringify(FOLDER)]);
  using log = new CapturedLog();
  const security = { "route.js": { GET: [], HEAD: [] } };
  const stale = new Framework({ manifest: { ...manifest, security } });
  assertEquals(await send(stale), [500, null]);
  assertStringIncludes(
    log.lines.join("\n"),
    'guards cannot know the security of GET, HEAD before this lazy route is imported; write the manifest with "bough build --lazy"',
  );
});

Deno.test("the method of a request cannot select a member of a manifest (behaviour 4.4)", async () => {
  await using application = await FolderApplication.create(FILES);
  const app = await built(application.folder);
  for (const method of ["constructor", "toString", "__proto__"]) {
    assertEquals(await outcomeOf(app, method), [401, FOLDER], method);
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
  await using follows = await FolderApplication.create(files(""));
  assertEquals(await outcomeOf(follows.app, "HEAD"), [200, []]);
  const HEAD = "export const HEAD = () => new Response();";
  await using own = await FolderApplication.create(files(HEAD));
  assertEquals(await outcomeOf(own.app, "HEAD"), [401, [{ b: [] }, {}]]);
  for (const { app, folder } of [follows, own]) {
    const lazy = await built(folder);
    assertEquals(await outcomeOf(lazy, "HEAD"), await outcomeOf(app, "HEAD"));
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
