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
import { CapturedLog, TestApplication } from "../support/application.ts";

const FILES = {
  "(admin)/users/[id]/route.ts": `
    import { z } from "npm:zod@^4.1.13";
    export const schema = { get: { params: z.object({ id: z.string() }) } };
    export function PUT() { return new Response(); }
    export function GET() { return new Response(); }
  `,
  "route.ts": `export function GET() { return new Response("root"); }`,
};

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
    await using application = await TestApplication.create(FILES, {
      plugins: [LISTING],
      lazy,
    });
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

  Deno.test(`app.routes() tells what the files of apiDir say (lazy: ${lazy})`, async () => {
    await using application = await TestApplication.create(FILES, { lazy });
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

Deno.test("a plugin's route that a file serves, too, stops the start", async () => {
  await using application = await TestApplication.create(FILES, {
    plugins: [{
      name: "clash",
      routes: () => [{ path: "/api/users/[x]", handlers: {} }],
    }],
  });
  await assertRejects(
    () => application.app.start(),
    RouteError,
    '"plugin clash" would serve the same URLs, "/api/users/[id]"',
  );
});

Deno.test("a plugin that fails stops the start, by its name", async () => {
  await using application = await TestApplication.create(FILES, {
    plugins: [{
      name: "broken",
      routes: () => [{ path: "/[id", handlers: {} }],
    }],
  });
  await assertRejects(
    () => application.app.start(),
    RouteError,
    'Cannot serve "plugin broken": folder name "[id" is missing its "]"',
  );
});

Deno.test("new Framework() refuses what are no plugins", () => {
  for (const plugins of [{}, [null], [{ name: "x" }], ["openapi"]]) {
    assertThrows(
      () => new Framework({ apiDir: "api", plugins: plugins as Plugin[] }),
      TypeError,
      "plugins must be an array of plugins",
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

/** A plugin with one route, whatever its handlers are. */
function adding(path: string, handlers: unknown): Plugin {
  return {
    name: "odd",
    routes: () => [{ path, handlers: handlers as PluginRoute["handlers"] }],
  };
}

const HANDLER = () => new Response("plugin");

for (
  const [handlers, reason] of [
    [{ get: HANDLER }, 'its route "/x" has a handler for "get", which is none'],
    [{ TRACE: HANDLER }, 'has a handler for "TRACE", which is none of GET'],
    [{ default: HANDLER }, 'has a handler for "default", which is none'],
    [{ PURGE: HANDLER }, 'has a handler for "PURGE", which is none'],
    [{ constructor: HANDLER }, 'has a handler for "constructor"'],
    [{ GET: "x" }, 'the handler for GET of its route "/x" is a string'],
    [{ GET: null }, 'the handler for GET of its route "/x" is null'],
    [{ GET: HANDLER, POST: undefined }, "the handler for POST of its route"],
    [{ DELETE: new Response() }, "the handler for DELETE of its route"],
    [undefined, 'the handlers of its route "/x" are undefined'],
    [[HANDLER], 'the handlers of its route "/x" are an array'],
  ] as const
) {
  Deno.test(`a plugin's handlers are the seven methods, and functions: ${reason}`, async () => {
    await using application = await TestApplication.create(FILES, {
      plugins: [adding("/x", handlers)],
    });
    const error = await assertRejects(
      () => application.app.start(),
      RouteError,
      'Cannot serve "plugin odd": ',
    );
    assertEquals(error.faults.length, 1);
    assertEquals(error.faults[0]!.path, "plugin odd");
    assertStringIncludes(error.faults[0]!.reason, reason);
  });
}

Deno.test("all that is wrong with a plugin is told together", async () => {
  await using application = await TestApplication.create(FILES, {
    plugins: [
      adding("/x", { get: HANDLER, GET: 1 }),
      adding("/y", { Post: HANDLER }),
    ],
  });
  const error = await assertRejects(() => application.app.start(), RouteError);
  assertEquals(error.faults.length, 3);
});

const GUARD = "export default () => new Response('no', { status: 401 });";

Deno.test("routes of plugins have the option middleware alone, and a start warns of those below a guarded folder", async () => {
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
    await using application = await TestApplication.create({
      ...FILES,
      "admin/middleware.ts": GUARD,
      "admin/users/middleware.ts": GUARD,
      // A group covers what is in it, whatever the URL.
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
    const line = log.lines[0]!
      .replaceAll(`${application.folder.path}/api/`, "");
    assertStringIncludes(
      line,
      `[bough] "plugin odd": its route "${
        path.replace("/(staff)", "")
      }" lies below ${
        guards.map((guard) => `"${guard}"`).join(" and ")
      } by its URL, but folder middleware does not run around`,
    );
  }
});

Deno.test("a plugin may find faults of routes, which stop the start (behaviour 10.5)", async () => {
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
  await using application = await TestApplication.create(FILES, {
    plugins: [finding, throwing],
  });
  const error = await assertRejects(() => application.app.start(), RouteError);
  const { path } = application.folder;
  assertEquals(
    error.faults.map((fault) => [
      fault.path.replace(`${path}/`, ""),
      fault.reason,
      fault.rule,
    ]),
    [
      ["api/(admin)/users/[id]/route.ts", "it is not liked", "plugin"],
      ["api/route.ts", "it is not liked", "plugin"],
      ["plugin picky", "nothing is liked", "plugin"],
    ],
  );
  assertEquals(seen.length, 2);

  // Before its import, nothing is known of a route.
  await using lazy = await TestApplication.create(FILES, {
    plugins: [finding],
    lazy: true,
  });
  await lazy.app.start();
  assertEquals(seen.at(-1), []);
  await lazy.app.inspect();
  assertEquals(seen.at(-1), seen[0]);
});
