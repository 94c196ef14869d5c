import {
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import {
  Framework,
  type Plugin,
  type PluginRoute,
  RouteError,
} from "@bough/framework";
import { z } from "zod";
import {
  CapturedLog,
  FolderApplication,
  TestApplication,
} from "../../support/application.ts";

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

/** Checks that a plugin prevents startup with one fault. */
async function assertFault(plugin: Plugin, reason: string): Promise<void> {
  const { app } = TestApplication.of(FILES, { plugins: [plugin] });
  const { faults } = await assertRejects(
    () => app.start(),
    RouteError,
    'Cannot serve "plugin odd": ',
  );
  assertEquals(faults.map(({ path }) => path), ["plugin odd"]);
  assertStringIncludes(faults[0]!.reason, reason);
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
  Deno.test(`a plugin adds routes, and lists those of the application (lazy: ${lazy})`, async () => {
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

  Deno.test(`app.routes() lists the routes in the files of apiDir (lazy: ${lazy})`, async () => {
    await using application = await FolderApplication.create({
      "(admin)/users/[id]/route.ts": `
        import { z } from "npm:zod@^4.2.0";
        export const schema = { get: { params: z.object({ id: z.string() }) } };
        export function PUT() { return new Response(); }
        export function GET() { return new Response(); }
      `,
      "route.ts": `export function GET() { return new Response("root"); }`,
    }, { lazy });
    const [users, root] = await application.app.routes();
    const apiDir = `${application.folder.path}/api`;
    assertEquals(users!.path, "/api/users/[id]");
    assertEquals(users!.file, `${apiDir}/(admin)/users/[id]/route.ts`);
    assertEquals(users!.folders, ["(admin)", "users", "[id]"]);
    assertEquals(users!.methods, ["GET", "PUT"]);
    assertEquals(Object.keys(users!.schema), ["get"]);
    assertEquals(root!.path, "/api");
    assertEquals(root!.methods, ["GET"]);
    assertEquals(root!.schema, {});
  });
}

Deno.test("a plugin route that a file serves, too, prevents startup", async () => {
  const { app } = TestApplication.of(FILES, {
    plugins: [adding("/api/users/[x]", {})],
  });
  await assertRejects(
    () => app.start(),
    RouteError,
    '"plugin odd" would serve the same URLs, "/api/users/[id]"',
  );
});

Deno.test("the error for an invalid plugin route names the plugin", async () => {
  const { app } = TestApplication.of(FILES, { plugins: [adding("/[id", {})] });
  await assertRejects(
    () => app.start(),
    RouteError,
    'Cannot serve "plugin odd": folder name "[id" is missing its "]"',
  );
});

Deno.test("new Framework() refuses other values than plugins", () => {
  for (
    const [plugins, message] of [
      [{}, "plugins must be an array of plugins"],
      [[null], "plugins[0] must be a plugin"],
      [[{ name: "x" }], "plugins[0].routes must be a function"],
      [["openapi"], "plugins[0] must be a plugin"],
    ] as const
  ) {
    assertThrows(
      () =>
        new Framework({
          apiDir: "api",
          plugins: plugins as unknown as Plugin[],
        }),
      TypeError,
      message,
    );
  }
});

Deno.test("new Framework() refuses other values of validateResponses", () => {
  assertThrows(
    () =>
      new Framework({ apiDir: "api", validateResponses: "error" as "warn" }),
    TypeError,
    'validateResponses must be true, false or "warn", got "error"',
  );
});

const HANDLER = () => new Response("plugin");

for (
  const [handlers, reason] of [
    [{ get: HANDLER }, '.get is unknown; did you mean "GET"? The members are'],
    [{ TRACE: HANDLER }, '.TRACE is unknown; the members are "GET"'],
    [{ default: HANDLER }, ".default is unknown; the members are"],
    [{ PURGE: HANDLER }, ".PURGE is unknown; the members are"],
    [{ constructor: HANDLER }, ".constructor is unknown"],
    [{ GET: "x" }, ".GET must be a function that takes a request"],
    [{ GET: null }, ".GET must be a function"],
    [{ GET: HANDLER, POST: undefined }, ".POST must be a function"],
    [{ DELETE: new Response() }, ".DELETE must be a function"],
    [undefined, " must be an object such as { GET: (request) => ... }, got un"],
    [[HANDLER], " must be an object such as"],
  ] as const
) {
  Deno.test(`the handlers of a plugin are functions for the seven methods: ${reason}`, () =>
    assertFault(adding("/x", handlers), `routes()[0].handlers${reason}`));
}

for (
  const [routes, reason] of [
    [
      () => {},
      'routes() must be an array such as [{ path: "/docs", handlers: { GET } }], got undefined',
    ],
    [() => null, "{ GET } }], got null"],
    [() => ({ path: "/x", handlers: {} }), "{ GET } }], got an object"],
    [async () => await Promise.resolve([]), "{ GET } }], got a promise"],
    [
      () => [undefined],
      'routes()[0] must be an object with "path", "handlers", got undefined',
    ],
    [() => ["/x"], "routes()[0] must be an object"],
    [() => [{ handlers: {} }], "routes()[0].path must be a path"],
    [() => [{ path: 5, handlers: {} }], "routes()[0].path must be a path"],
    [
      () => [{ path: "/x/../y", handlers: {} }],
      'routes()[0].path must be a path without the segments "." and "..", got "/x/../y"',
    ],
    [() => [{ path: "/./y", handlers: {} }], "routes()[0].path must be a path"],
  ] as const
) {
  Deno.test(`the routes of a plugin are an array, each with a path: ${reason}`, () =>
    assertFault({ name: "odd", routes } as unknown as Plugin, reason));
}

for (
  const [found, reason] of [
    [
      true,
      'check() must be an array such as [{ path: "api/route.ts", reason: "add a description" }], got true',
    ],
    [Promise.resolve([]), '" }], got a promise'],
    [[null], "check()[0] must be an object with a path and a reason, got null"],
    [["x"], "check()[0] must be an object with a path"],
    [
      [{ path: "x" }],
      "check()[0].reason must be a string, got undefined",
    ],
  ] as const
) {
  Deno.test(`the faults of a plugin are an array, each with path and reason: ${reason}`, () => {
    const check = () => found as never;
    return assertFault({ name: "odd", routes: () => [], check }, reason);
  });
}

Deno.test("an error reports all faults of plugins together", async () => {
  const { app } = TestApplication.of(FILES, {
    plugins: [
      adding("/x", { get: HANDLER, GET: 1 }),
      adding("/y", { Post: HANDLER }),
    ],
  });
  const error = await assertRejects(() => app.start(), RouteError);
  assertEquals(error.faults.length, 3);
});

const GUARD = { default: () => new Response("no", { status: 401 }) };

Deno.test("plugin routes have only the option middleware, and startup warns of those below a guarded folder", async () => {
  for (
    const [path, guards] of [
      ["/api/admin/report", ["admin/middleware.ts"]],
      ["/api/admin", ["admin/middleware.ts"]],
      ["/api/admin/users/[name]", [
        "admin/middleware.ts",
        "admin/users/middleware.ts",
      ]],
      ["/api/[section]/report", [
        "(staff)/shelves/[id]/middleware.ts",
        "admin/middleware.ts",
      ]],
      ["/api/[section]", ["admin/middleware.ts"]],
      ["/api/7/report", []],
      ["/api/(staff)/admin/[...]", ["admin/middleware.ts"]],
      ["/api/shelves/[id]/books", ["(staff)/shelves/[id]/middleware.ts"]],
      ["/api/shelves/new", ["(staff)/shelves/[id]/middleware.ts"]],
      ["/api/shelves", []],
      ["/api/tasks", []],
      ["/api/administrators", []],
      ["/admin/report", []],
      ["/docs", []],
      ["/[...]", []],
    ] as const
  ) {
    let passed = 0;
    const application = TestApplication.of({
      ...FILES,
      "admin/middleware.ts": GUARD,
      "admin/users/middleware.ts": GUARD,
      // A group covers its own folders, whatever the URL.
      "(staff)/middleware.ts": GUARD,
      "(staff)/shelves/[id]/middleware.ts": GUARD,
    }, {
      plugins: [adding(path, { GET: HANDLER })],
      middleware: [(_, next) => {
        passed++;
        return next();
      }],
    });
    using log = new CapturedLog();
    const target = path.replace("/(staff)", "").replaceAll(
      /\[[^/]*\]/g,
      "admin",
    );
    const response = await application.fetch(target);
    assertEquals([response.status, await response.text()], [200, "plugin"]);
    assertEquals(passed, 1);
    assertEquals(log.lines.length, guards.length === 0 ? 0 : 1, path);
    if (guards.length === 0) continue;
    assertStringIncludes(
      log.lines[0]!,
      `[bough] "plugin odd": route "${path.replace("/(staff)", "")}" is below ${
        guards.map((guard) => `"${guard}"`).join(" and ")
      }, which does not run around plugin routes`,
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

Deno.test("a plugin lists the routes of all plugins", async () => {
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
