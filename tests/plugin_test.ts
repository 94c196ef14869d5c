import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Framework, type Plugin, RouteError } from "@bough/framework";
import { TestApplication } from "./support/application.ts";

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
  routes: ({ listRoutes }) => [{
    path: "/listing/[name]",
    handlers: {
      async GET(request) {
        const routes = await listRoutes();
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
    '"plugin clash" would answer the same URLs, "/api/users/[id]"',
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
    'validateResponses must be true, false or "warn", got error',
  );
});
