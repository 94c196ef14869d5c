import { assertEquals, assertStringIncludes } from "@std/assert";
import { Framework, type RouteManifest } from "@bough/framework";
import {
  CapturedLog,
  FolderApplication,
  TestApplication,
} from "../../support/application.ts";

const GET = "export const GET = () => new Response();";

for (const lazy of [false, true]) {
  Deno.test(`inspect() finds the same as startup, and prints nothing (lazy: ${lazy})`, async () => {
    await using application = await FolderApplication.create({
      "middleware.ts": "export default (_, next) => next();",
      "good/(g)/[id]/route.ts": `export const schema = { get: { tags: ["x"] } };
        export const PUT = () => new Response();
        ${GET}`,
      "misnamed/route.ts": "export const get = () => new Response();",
      ":id/route.ts": GET,
      "[x/route.ts": GET,
    }, {
      lazy,
      plugins: [{
        name: "p",
        routes: () => [{
          path: "/api/p",
          handlers: { POST: () => new Response() },
        }],
      }],
    });
    using log = new CapturedLog();
    const found = await application.app.inspect();
    assertEquals(log.lines, []);
    const api = `${application.folder.path}/api`;
    assertEquals(found.source, api);
    assertEquals(found.faults.map(({ rule, path }) => [rule, path]), [
      ["folder-name", `${api}/[x/route.ts`],
      ["exports", `${api}/misnamed/route.ts`],
    ]);
    assertEquals(found.warnings.map(({ rule, path }) => [rule, path]), [
      ["folder-notation", `${api}/:id`],
    ]);
    assertEquals(found.files.map(({ path }) => path), [
      "/api/:id",
      "/api/good/[id]",
      "/api/misnamed",
    ]);
    assertEquals(found.middleware, [`${api}/middleware.ts`]);
    const { routes } = found;
    const good = `${api}/good/(g)/[id]/route.ts`;
    assertEquals(
      routes.map(({ path, file, folders, methods, schema }) =>
        [path, file, folders, methods, Object.keys(schema)] as const
      ),
      [
        ["/api/:id", `${api}/:id/route.ts`, [":id"], ["GET"], []],
        [
          "/api/good/[id]",
          good,
          ["good", "(g)", "[id]"],
          ["GET", "PUT"],
          ["get"],
        ],
      ],
    );
    assertEquals(
      found.pluginRoutes.map((
        { path, file, folders, methods },
      ) => [path, file, folders, methods]),
      [["/api/p", "plugin p", [], ["POST"]]],
    );
    assertEquals(found.plugins.map(({ name }) => name), ["p"]);
  });
}

Deno.test("inspect() names the middleware of a plugin route below a guarded folder", async () => {
  const run = (_: Request, next: () => Promise<Response>) => next();
  for (
    const [middleware, message] of [
      [[], "this one has no middleware;"],
      [[run], "this one has option middleware[0];"],
      [
        [run, run],
        "this one has option middleware[0] and option middleware[1];",
      ],
    ] as const
  ) {
    const application = TestApplication.of({
      "admin/middleware.ts": { default: (_, next) => next() },
    }, {
      middleware,
      plugins: [{
        name: "p",
        routes: () => [{ path: "/api/admin/p", handlers: {} }],
      }],
    });
    const { warnings } = await application.app.inspect();
    assertEquals(warnings.map(({ rule, path }) => [rule, path]), [
      ["no-routes", "the manifest"],
      ["plugin-route", "plugin p"],
    ]);
    assertStringIncludes(warnings[1]!.message, message);
  }
});

Deno.test("inspect() reports a missing folder, and the faults of a manifest and its functions (behaviour 9.7)", async () => {
  const missing = await new Framework({ apiDir: "not-there" }).inspect();
  assertEquals(missing.faults.map(({ rule }) => rule), ["api-dir"]);
  assertEquals(missing.routes, []);
  const manifest: RouteManifest = {
    "a/route.ts": { GET: () => new Response() },
    "../b/route.ts": {},
    "Middleware.ts": {},
    "broken/route.ts": () => Promise.reject(new Error("no such table")),
    "good/route.ts": () => Promise.resolve({ GET: () => new Response() }),
    "misnamed/route.ts": () => Promise.resolve({ get: () => new Response() }),
  };
  const found = await new Framework({ manifest }).inspect();
  assertEquals(found.faults.map(({ rule, path }) => [rule, path]), [
    ["manifest", "../b/route.ts"],
    ["guard-off", "Middleware.ts"],
    ["import", "broken/route.ts"],
    ["exports", "misnamed/route.ts"],
  ]);
  assertEquals(found.routes.map(({ file }) => file), [
    "a/route.ts",
    "good/route.ts",
  ]);
});
