/** Symbolic links below `apiDir` (behaviour 2.6). */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { Framework, RouteError } from "@bough/framework";
import { discovered } from "../../support/discovery.ts";
import { CapturedLog, TestFolder } from "../../support/application.ts";
import { UNIX } from "../server/support.ts";

const GET = "export const GET = () => new Response('open');";
const FILES = {
  "api/open/route.ts": GET,
  "api/(staff)/users/route.ts": GET,
  "api/(staff)/middleware.ts": "export default (_, next) => next();",
  "api/lib/list.ts": GET,
  "api/node_modules/pkg/route.ts": GET,
  "outside/route.ts": GET,
  "outside/list.ts": GET,
};

/** The target of each link that prevents startup, by the path of the link. */
const REJECTED: Readonly<Record<string, string>> = {
  "open/x/route.ts": "../../(staff)/users/route.ts",
  "open/x/route.js": "../../lib/list.ts",
  "open/y/route.ts": "../../../outside/route.ts",
  "open/middleware.ts": "../(staff)/middleware.ts",
  "open/middleware.tsx": "../lib",
  "open/x/route.jsx": "nowhere.ts",
  "open/people": "../(staff)/users",
  "open/out": "../../outside",
  "pkg": "node_modules/pkg",
  "open/above": "..",
  "open/top": "../../api",
  "ring": "ring",
  "open/gone": "nowhere",
  "null": "/dev/null",
  // A Kubernetes ConfigMap has a link for each file, and one for their folder.
  "..data": "../outside",
  "far/route.ts": "../..data/route.ts",
};

Deno.test(
  "one error lists all links that could be a route, a guard or a folder (behaviour 2.6)",
  UNIX,
  async () => {
    await using folder = await TestFolder.create(FILES);
    for (const [path, target] of Object.entries(REJECTED)) {
      await folder.link({ [`api/${path}`]: target });
    }
    const paths = Object.keys(REJECTED).map((path) => `api/${path}`).sort();
    for (const lazy of [false, true]) {
      const app = new Framework({ apiDir: join(folder.path, "api"), lazy });
      const { faults } = await assertRejects(() => app.start(), RouteError);
      assertEquals(
        faults.map(({ path, rule }) => [path, rule]).sort(),
        paths.map((path) => [join(folder.path, path), "link"]),
      );
      for (const { path, reason } of faults) {
        assert(reason.startsWith("this is a link"), reason);
        assert(reason.includes("Kubernetes ConfigMap"), path);
      }
    }
  },
);

Deno.test(
  "Bough ignores links to other files (behaviour 2.6)",
  UNIX,
  async () => {
    await using folder = await TestFolder.create(FILES);
    await folder.link({
      "api/open/list.ts": "../lib/list.ts",
      "api/open/far.ts": "../../outside/list.ts",
      "api/open/route.test.ts": "../lib/list.ts",
      "api/open/node_modules": "../../outside",
      "api/lib/node_modules": "nowhere",
      // Emacs keeps this link while `route.ts` has unsaved changes.
      "api/open/.#route.ts": "user@host.4711:1790000000",
    });
    using log = new CapturedLog();
    const app = new Framework({ apiDir: join(folder.path, "api") });
    const paths = (await app.routes()).map(({ path }) => path);
    assertEquals(paths, ["/api/users", "/api/open"]);
    assertEquals(log.lines, []);
  },
);

Deno.test(
  "a link with the name of a misnamed guard is reported as such",
  UNIX,
  async () => {
    await using folder = await TestFolder.create(FILES);
    await folder.link({
      "api/open/middlewares.ts": "../lib/list.ts",
      "api/lib/routes.ts": "list.ts",
    });
    const { faults, warnings } = await discovered(
      join(folder.path, "api"),
      "api",
    );
    assertEquals(faults.map(({ path, rule }) => [path, rule]), [
      ["api/open/middlewares.ts", "guard-off"],
    ]);
    assertEquals(warnings.map(({ path, rule }) => [path, rule]), [
      ["api/lib/routes.ts", "route-name"],
    ]);
  },
);

Deno.test("apiDir may be a link (behaviour 2.6)", UNIX, async () => {
  await using folder = await TestFolder.create(FILES);
  await folder.link({ "current": "api", "latest": "current" });
  for (const name of ["current", "latest"]) {
    const app = new Framework({ apiDir: join(folder.path, name) });
    const response = await app.fetch(new Request("http://h/api/open"));
    assertEquals(await response.text(), "open");
  }
});
