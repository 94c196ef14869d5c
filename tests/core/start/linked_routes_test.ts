import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { Framework } from "@bough/framework";
import { discovered } from "../../support/discovery.ts";
import { ROUTES, TestFolder, WAYS } from "../../support/application.ts";
import { checkRandomLinks, guard, ROUTE } from "./random_links.ts";

const ignore = Deno.build.os === "windows";

const FILES = {
  "api/middleware.ts": guard("top"),
  "api/(staff)/middleware.ts": guard("staff"),
  "api/(staff)/users/middleware.ts": guard("users"),
  "api/(staff)/users/route.ts": ROUTE,
  "api/(staff)/users/[id]/middleware.ts": guard("id"),
  "api/(staff)/users/[id]/route.ts": ROUTE,
  "api/open/middleware.ts": guard("open"),
  "api/open/route.ts": ROUTE,
  "api/lib/middleware.ts": guard("lib"),
  "api/lib/deep/handlers.ts": ROUTE,
  "api/shared/guard.ts": guard("shared"),
};

const LINKS = {
  // Folders, within a folder that has a guard of its own and at the top.
  "api/open/people": "../(staff)/users",
  "api/people": "(staff)/users",
  // Files, under their own name and under another.
  "api/open/file/route.ts": "../../(staff)/users/[id]/route.ts",
  "api/open/lib/route.ts": "../../lib/deep/handlers.ts",
  // Links that lead to links, and through them.
  "api/(staff)/tools": "../lib",
  "api/open/chain": "../(staff)/tools",
  "api/(staff)/deep/route.ts": "../../lib/deep/handlers.ts",
  "api/open/hop/route.ts": "../../(staff)/deep/route.ts",
  "api/open/through/route.ts": "../../people/[id]/route.ts",
  // One guard in two places.
  "api/(a)/middleware.ts": "../shared/guard.ts",
  "api/(a)/x/middleware.ts": "../../shared/guard.ts",
  "api/(a)/x/route.ts": "../../(staff)/users/route.ts",
};

const PASSED: Readonly<Record<string, readonly string[]>> = {
  "/api/users": ["top", "staff", "users"],
  "/api/users/7": ["top", "staff", "users", "id"],
  "/api/open": ["top", "open"],
  "/api/open/people": ["top", "open", "staff", "users"],
  "/api/open/people/7": ["top", "open", "staff", "users", "id"],
  "/api/people": ["top", "staff", "users"],
  "/api/people/7": ["top", "staff", "users", "id"],
  "/api/open/file": ["top", "open", "staff", "users", "id"],
  "/api/open/lib": ["top", "open", "lib"],
  "/api/open/hop": ["top", "open", "staff", "lib"],
  "/api/deep": ["top", "staff", "lib"],
  "/api/open/through": ["top", "open", "staff", "users", "id"],
  "/api/x": ["top", "shared", "staff", "users"],
};

for (const way of WAYS) {
  for (const lazy of [false, true]) {
    Deno.test({
      name:
        `a linked route has the guards of all its places, each once (behaviour 2.6; by ${way}, lazy: ${lazy})`,
      ignore,
      async fn() {
        await using folder = await TestFolder.create(FILES);
        await folder.link(LINKS);
        const options = await ROUTES[way](join(folder.path, "api"));
        const app = new Framework({ ...options, lazy });
        for (const [path, passed] of Object.entries(PASSED)) {
          const response = await app.fetch(new Request(`http://h${path}`));
          assertEquals(response.status, 200, path);
          assertEquals((await response.json()).passed, passed, path);
        }
        const routes = await app.routes();
        const linked = routes.find(({ path }) => path === "/api/open/people");
        assertEquals(
          linked!.middleware.map((file) => file.replace(/^.*\/api\//, "")),
          [
            "middleware.ts",
            "open/middleware.ts",
            "(staff)/middleware.ts",
            "open/people/middleware.ts",
          ],
        );
      },
    });
  }
}

Deno.test({
  name:
    "Bough follows links with absolute targets, and an apiDir that is a link",
  ignore,
  async fn() {
    await using folder = await TestFolder.create({
      "data/v1/(staff)/middleware.ts": guard("staff"),
      "data/v1/(staff)/users/route.ts": ROUTE,
      "data/v1/lib/list.ts": ROUTE,
    });
    await folder.link({
      "api": "data/v1",
      "data/v1/by-api": `${folder.path}/api/(staff)/users`,
      "data/v1/by-data": `${folder.path}/data/v1/(staff)/users`,
      "data/v1/(staff)/list/route.ts": `${folder.path}/data/v1/lib/list.ts`,
      "data/v1/by-hop/route.ts": `${folder.path}/api/(staff)/list/route.ts`,
    });
    const app = new Framework({ apiDir: join(folder.path, "api") });
    for (const path of ["users", "by-api", "by-data", "list", "by-hop"]) {
      const response = await app.fetch(new Request(`http://h/api/${path}`));
      assertEquals((await response.json()).passed, ["staff"], path);
    }
  },
});

Deno.test({
  name: "a linked route is the module of its target, with its imports",
  ignore,
  async fn() {
    await using folder = await TestFolder.create({
      "api/(staff)/count.ts": "export const calls = { count: 0 };",
      "api/(staff)/users/route.ts": `
        import { calls } from "../count.ts";
        export const GET = () => Response.json(++calls.count);`,
    });
    await folder.link({ "api/deeper/down/people": "../../(staff)/users" });
    const app = new Framework({ apiDir: join(folder.path, "api") });
    const counts = [];
    for (const path of ["users", "deeper/down/people", "users"]) {
      const response = await app.fetch(new Request(`http://h/api/${path}`));
      counts.push(await response.json());
    }
    assertEquals(counts, [1, 2, 3]);
  },
});

Deno.test({
  name: "Bough follows no link into node_modules (behaviour 2.1)",
  ignore,
  async fn() {
    await using folder = await TestFolder.create({
      "api/route.ts": "",
      "api/node_modules/pkg/route.ts": "",
      "api/node_modules/pkg/middleware.ts": "",
    });
    await folder.link({
      "api/pkg": "node_modules/pkg",
      "api/file/route.ts": "../node_modules/pkg/route.ts",
      "api/middleware.ts": "node_modules/pkg/middleware.ts",
    });
    const { files, middleware, faults, warnings } = discovered(
      join(folder.path, "api"),
      "api",
    );
    assertEquals(files.map(({ path }) => path), ["api/route.ts"]);
    assertEquals(middleware, []);
    assertEquals(faults.map(({ path }) => path), ["api/middleware.ts"]);
    assertEquals(warnings.map(({ path }) => path), [
      "api/file/route.ts",
      "api/pkg",
    ]);
  },
});

Deno.test({
  name: "a route in a random tree with links has the guards of all its places",
  ignore,
  fn: () => checkRandomLinks(30),
});

Deno.test({
  name:
    "a link below a guard cannot open the routes behind it (behaviour 10.7)",
  ignore,
  fn: async () => {
    const files = {
      "api/open/middleware.ts": "export const contract = { security: [] };",
      "api/open/x/route.ts": ROUTE,
      "api/staff/middleware.ts":
        `export const contract = { security: [{ bearer: [] }] };\n${
          guard("staff")
        }`,
    };
    await using folder = await TestFolder.create(files);
    const app = new Framework({ apiDir: join(folder.path, "api") });
    assertEquals((await app.inspect()).faults, []);
    await folder.link({ "api/staff/x": "../open/x" });
    const { faults } = await app.inspect();
    const api = join(folder.path, "api/");
    const shown = faults.map(({ path, reason }) =>
      [path, reason].map((text) => text.replaceAll(api, ""))
    );
    assertEquals(shown, [[
      "staff/x/route.ts",
      'this link leads to a folder where "open/middleware.ts" allows anonymous requests, but "staff/middleware.ts" guards the link; remove the link, or open single methods with schema.get.security',
    ]]);
  },
});

Deno.test({
  name:
    "errors behind a link have the format of the link's folders (behaviour 8.9)",
  ignore,
  fn: async () => {
    const core = new URL("../../../mod.ts", import.meta.url).href;
    const format = (name: string) => `
      import { errorFormat } from ${JSON.stringify(core)};
      import { z } from "npm:zod@^4.2.0";
      export const errors = errorFormat({
        contentType: "text/plain",
        schema: z.string(),
        format: () => ${JSON.stringify(name)},
      });`;
    await using folder = await TestFolder.create({
      "api/v1/middleware.ts": format("v1"),
      "api/v1/x/route.ts": ROUTE,
      "api/v2/middleware.ts": format("v2"),
    });
    await folder.link({ "api/v2/x": "../v1/x", "api/v3/x": "../v1/x" });
    const { fetch } = new Framework({ apiDir: join(folder.path, "api") });
    const bodies: string[] = [];
    for (const version of ["v1", "v2", "v3"]) {
      const request = new Request(`http://localhost/api/${version}/x`, {
        method: "PUT",
      });
      bodies.push(await (await fetch(request)).text());
    }
    assertEquals(bodies.slice(0, 2), ["v1", "v2"]);
    assertEquals(JSON.parse(bodies[2]!).status, 405);
  },
});
