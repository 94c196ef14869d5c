import { assert, assertEquals, assertRejects } from "@std/assert";
import { type Plugin, type PluginRoute, RouteError } from "@bough/framework";
import { z } from "zod";
import { CapturedLog, TestApplication } from "../../support/application.ts";

const RESPOND = () => new Response();
const FILES = {
  "(admin)/users/[id]/route.ts": {
    schema: { get: { params: z.object({ id: z.string() }) } },
    PUT: RESPOND,
    GET: RESPOND,
  },
  "route.ts": { GET: () => new Response("root") },
};

/** A plugin with one route, whatever its handlers are. */
function adding(path: string, handlers: unknown): Plugin {
  return {
    name: "odd",
    routes: () => [{ path, handlers: handlers as PluginRoute["handlers"] }],
  };
}

const LISTING: Plugin = {
  name: "listing",
  routes: (application) => [{
    path: "/listing/[name]",
    handlers: {
      async GET(request) {
        const routes = await application.routes();
        return Response.json({
          params: request.params,
          routes: routes.map(({ path }) => path),
        });
      },
    },
  }],
};

for (const lazy of [false, true]) {
  Deno.test(`a plugin adds routes, and lists those of the application (lazy: ${lazy}, behaviour 10.5)`, async () => {
    const application = TestApplication.of(FILES, { plugins: [LISTING], lazy });
    const response = await application.fetch("/listing/x");
    assertEquals(await response.json(), {
      params: { name: "x" },
      routes: ["/api/users/[id]", "/api"],
    });
    const wrong = await application.fetch("/listing/x", { method: "POST" });
    assertEquals(wrong.status, 405);
    assertEquals(wrong.headers.get("allow"), "GET, HEAD, OPTIONS");
    assertEquals(await (await application.fetch("/api")).text(), "root");
  });
}

const ROUTES = '[{ path: "/docs", handlers: { GET } }]';
const FOUND = '[{ path: "api/route.ts", reason: "add a description" }]';

/** Wrong results of `routes()` or `check()`, by the error that they cause. */
const ODD: Readonly<Record<string, readonly unknown[]>> = {
  '"plugin odd" would serve the same URLs, "/api/users/[id]"': [
    [{ path: "/api/users/[x]", handlers: {} }],
  ],
  'folder name "[id" is missing its "]"': [[{ path: "/[id", handlers: {} }]],
  [`routes() must be an array such as ${ROUTES}, got undefined`]: [undefined],
  [`routes() must be an array such as ${ROUTES}, got null`]: [null],
  [`routes() must be an array such as ${ROUTES}, got an object`]: [
    { path: "/x", handlers: {} },
  ],
  [`routes() must be an array such as ${ROUTES}, got a promise`]: [
    Promise.resolve([]),
  ],
  'routes()[0] must be an object with "path", "handlers", got undefined': [
    [undefined],
  ],
  "routes()[0] must be an object": [["/x"]],
  "routes()[0].path must be a path": [
    [{ handlers: {} }],
    [{ path: 5, handlers: {} }],
    [{ path: "/./y", handlers: {} }],
    [{ path: "/x/..", handlers: {} }],
  ],
  'routes()[0].path must be a path without the segments "." and "..", got "/x/../y"':
    [[{ path: "/x/../y", handlers: {} }]],
  ...Object.fromEntries(
    Object.entries({
      '.get is unknown; did you mean "GET"? The members are': { get: RESPOND },
      '.TRACE is unknown; the members are "GET"': { TRACE: RESPOND },
      ".default is unknown; the members are": { default: RESPOND },
      ".PURGE is unknown; the members are": { PURGE: RESPOND },
      ".constructor is unknown": { constructor: RESPOND },
      ".GET must be a function that takes a request": { GET: "x" },
      ".GET must be a function": { GET: null },
      ".POST must be a function": { GET: RESPOND, POST: undefined },
      " must be an object such as { GET: (request) => ... }, got un": undefined,
      " must be an object such as": [RESPOND],
    }).map(([reason, handlers]) => [
      `routes()[0].handlers${reason}`,
      [[{ path: "/x", handlers }]],
    ]),
  ),
  [`check() must be an array such as ${FOUND}, got true`]: [true],
  [`check() must be an array such as ${FOUND}, got a promise`]: [
    Promise.resolve([]),
  ],
  "check()[0] must be an object with a path and a reason, got null": [[null]],
  "check()[0] must be an object with a path": [["x"]],
  "check()[0].reason must be a string, got undefined": [[{ path: "x" }]],
};

Deno.test("a plugin with wrong routes, handlers or faults prevents startup (behaviour 10.5)", async () => {
  for (const [reason, all] of Object.entries(ODD)) {
    for (const value of all) {
      const plugin = reason.startsWith("check")
        ? { name: "odd", routes: () => [], check: () => value }
        : { name: "odd", routes: () => value };
      const plugins = [plugin as unknown as Plugin];
      const { app } = TestApplication.of(FILES, { plugins });
      const { faults } = await assertRejects(
        () => app.start(),
        RouteError,
        reason,
      );
      assertEquals(faults.length, 1, reason);
      const isNamed = reason.startsWith('"plugin odd"');
      assert(isNamed || faults[0]!.path === "plugin odd", reason);
    }
  }
});

Deno.test("an error reports all faults of plugins together", async () => {
  const { app } = TestApplication.of(FILES, {
    plugins: [
      adding("/x", { get: RESPOND, GET: 1 }),
      adding("/y", { Post: RESPOND }),
    ],
  });
  const error = await assertRejects(() => app.start(), RouteError);
  assertEquals(error.faults.length, 3);
});

const GUARD = { default: () => new Response("no", { status: 401 }) };
const [ADMIN, SHELF] = [
  "admin/middleware.ts",
  "(staff)/shelves/[id]/middleware.ts",
];

/** The path of a plugin route, and the guards that do not run around it. */
const UNGUARDED: readonly (readonly [path: string, ...guards: string[]])[] = [
  ["/api/admin/report", ADMIN],
  ["/api/admin", ADMIN],
  ["/api/admin/users/[name]", ADMIN, "admin/users/middleware.ts"],
  ["/api/[section]/report", SHELF, ADMIN],
  ["/api/[section]", ADMIN],
  ["/api/7/report"],
  ["/api/(staff)/admin/[...]", ADMIN],
  ["/api/shelves/[id]/books", SHELF],
  ["/api/shelves/new", SHELF],
  ["/api/shelves"],
  ["/api/tasks"],
  ["/api/administrators"],
  ["/admin/report"],
  ["/docs"],
  ["/[...]"],
];

Deno.test("plugin routes have only the option middleware, and startup warns of those below a guarded folder (behaviour 10.5)", async () => {
  for (const [path, ...guards] of UNGUARDED) {
    let passed = 0;
    const application = TestApplication.of({
      ...FILES,
      "admin/middleware.ts": GUARD,
      "admin/users/middleware.ts": GUARD,
      // A group covers its own folders, whatever the URL.
      "(staff)/middleware.ts": GUARD,
      "(staff)/shelves/[id]/middleware.ts": GUARD,
    }, {
      plugins: [adding(path, { GET: () => new Response("plugin") })],
      middleware: [(_, next) => {
        passed++;
        return next();
      }],
    });
    using log = new CapturedLog();
    const shown = path.replace("/(staff)", "");
    const target = shown.replaceAll(/\[[^/]*\]/g, "admin");
    const response = await application.fetch(target);
    assertEquals([await response.text(), passed], ["plugin", 1], path);
    const warning = `[bough] "plugin odd": route "${shown}" is below ${
      guards.map((guard) => `"${guard}"`).join(" and ")
    }, which does not run around plugin routes`;
    assertEquals(
      log.lines.map((line) => line.slice(0, warning.length)),
      guards.length === 0 ? [] : [warning],
      path,
    );
  }
});

Deno.test("a plugin may find faults of routes, which prevent startup (behaviour 10.5)", async () => {
  const seen: string[][] = [];
  const plugin = (check: Plugin["check"]): Plugin => ({
    name: "picky",
    routes: () => [],
    check: (routes) => {
      seen.push(routes.map(({ path }) => path));
      return check!(routes);
    },
  });
  const finding = plugin((routes) =>
    routes.map(({ file }) => ({ path: file, reason: "it is not liked" }))
  );
  const throwing = plugin(() => {
    throw new Error("nothing is liked");
  });
  const { app } = TestApplication.of(FILES, { plugins: [finding, throwing] });
  const error = await assertRejects(() => app.start(), RouteError);
  assertEquals(
    error.faults.map(({ path, reason, rule }) => [path, reason, rule]),
    [
      ["(admin)/users/[id]/route.ts", "it is not liked", "plugin"],
      ["plugin picky", "nothing is liked", "plugin"],
      ["route.ts", "it is not liked", "plugin"],
    ],
  );
  assertEquals(seen.length, 2);

  // A route is unknown before its import.
  const lazy =
    TestApplication.of(FILES, { plugins: [finding], lazy: true }).app;
  await lazy.start();
  assertEquals(seen.at(-1), []);
  await lazy.inspect();
  assertEquals(seen.at(-1), seen[0]);
});

Deno.test("a plugin lists the routes of all plugins (behaviour 10.5)", async () => {
  const plugins = ["first", "second"].map((name): Plugin => ({
    name,
    routes: ({ pluginRoutes }) => [{
      path: `/${name}`,
      handlers: {
        GET: async () =>
          Response.json((await pluginRoutes()).map(({ path }) => path)),
      },
    }],
  }));
  const application = TestApplication.of(FILES, { plugins });
  for (const path of ["/first", "/second"]) {
    const response = await application.fetch(path);
    assertEquals(await response.json(), ["/first", "/second"]);
  }
});

Deno.test("a plugin sends requests to the application, within all its middleware (behaviour 10.5)", async () => {
  const passed: string[] = [];
  const forwarding: Plugin = {
    name: "forwarding",
    routes: ({ fetch }) => [{
      path: "/forward",
      handlers: {
        POST: async (request) => {
          const inner = new Request("http://localhost/api/admin/peer", {
            headers: { accept: request.headers.get("x-inner") ?? "none" },
          });
          return await fetch(inner, request.info);
        },
      },
    }],
  };
  const application = TestApplication.of({
    "middleware.ts": {
      default: (request, next) =>
        request.headers.get("accept") === "yes"
          ? next()
          : new Response("guarded", { status: 401 }),
    },
    "admin/peer/route.ts": {
      GET: ({ info, pattern }) => Response.json([pattern, info?.remoteAddr]),
    },
  }, {
    plugins: [forwarding],
    middleware: [(request, next) => {
      passed.push(`${request.method} ${request.pattern}`);
      return next();
    }],
  });
  const refused = await application.fetch("/forward", { method: "POST" });
  assertEquals([refused.status, await refused.text()], [401, "guarded"]);
  const inner = "GET /api/admin/peer";
  assertEquals(passed, ["POST /forward", inner]);
  await using server = await application.serve();
  const response = await fetch(server.url("/forward"), {
    method: "POST",
    headers: { "x-inner": "yes" },
  });
  const [pattern, { hostname }] = await response.json();
  assertEquals([pattern, hostname], ["/api/admin/peer", "127.0.0.1"]);
});
