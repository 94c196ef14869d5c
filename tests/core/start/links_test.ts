/** Symbolic links below `apiDir` (behaviour 2.6). */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { Framework, RouteError } from "@bough/framework";
import { boughIn } from "../../cli/support.ts";
import { discovered } from "../../support/discovery.ts";
import { CapturedLog, TestFolder } from "../../support/application.ts";

const ignore = Deno.build.os === "windows";

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
  "a route": "open/x/route.ts: ../../(staff)/users/route.ts",
  "a route of another name": "open/x/route.js: ../../lib/list.ts",
  "a route outside of apiDir": "open/x/route.ts: ../../../outside/route.ts",
  "a guard": "open/middleware.ts: ../(staff)/middleware.ts",
  "a guard that is a folder": "open/middleware.tsx: ../lib",
  "a missing route": "open/x/route.jsx: nowhere.ts",
  "a folder": "open/people: ../(staff)/users",
  "a folder outside of apiDir": "open/out: ../../outside",
  "a folder in node_modules": "pkg: node_modules/pkg",
  "the folder above": "open/up: ..",
  "apiDir": "open/up: ../../api",
  "its own name": "ring: ring",
  "a missing folder": "open/gone: nowhere",
  "a special file": "null: /dev/null",
};

for (const [target, link] of Object.entries(REJECTED)) {
  Deno.test({
    name: `a link to ${target} prevents startup (behaviour 2.6)`,
    ignore,
    async fn() {
      const [path, to] = link.split(": ") as [string, string];
      await using folder = await TestFolder.create(FILES);
      await folder.link({ [`api/${path}`]: to });
      for (const lazy of [false, true]) {
        const app = new Framework({ apiDir: join(folder.path, "api"), lazy });
        const { faults } = await assertRejects(() => app.start(), RouteError);
        assertEquals(
          faults.map(({ path, rule }) => [path, rule]),
          [[join(folder.path, "api", path), "link"]],
        );
        assert(faults[0]!.reason.startsWith("this is a link"));
      }
    },
  });
}

Deno.test({
  name: "Bough ignores links to other files (behaviour 2.6)",
  ignore,
  async fn() {
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
});

Deno.test({
  name: "a link with the name of a misnamed guard is reported as such",
  ignore,
  async fn() {
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
});

Deno.test({
  name: "apiDir may be a link (behaviour 2.6)",
  ignore,
  async fn() {
    await using folder = await TestFolder.create(FILES);
    await folder.link({ "current": "api", "latest": "current" });
    for (const name of ["current", "latest"]) {
      const app = new Framework({ apiDir: join(folder.path, name) });
      const response = await app.fetch(new Request("http://h/api/open"));
      assertEquals(await response.text(), "open");
    }
  },
});

Deno.test({
  name: "one error lists all links, and bough check and bough build fail",
  ignore,
  async fn() {
    await using folder = await TestFolder.create(FILES);
    // A Kubernetes ConfigMap has a link for each file, and one for their folder.
    await folder.link({
      "api/..data": "../outside",
      "api/far/route.ts": "../..data/route.ts",
    });
    const paths = ["api/..data", "api/far/route.ts"];
    const checked = await boughIn(folder.path, "check", "--json");
    assertEquals(checked.code, 1);
    const findings: Record<"level" | "rule" | "path" | "message", string>[] =
      JSON.parse(checked.stdout);
    assertEquals(
      findings.map(({ level, rule, path }) => `${level} ${rule} ${path}`),
      paths.map((path) => `error link ${path}`),
    );
    for (const { message } of findings) {
      assert(message.includes("Kubernetes ConfigMap"), message);
    }
    const built = await boughIn(folder.path, "build", "-o", "api.manifest.ts");
    assertEquals(built.code, 1);
    for (const path of paths) assert(built.stderr.includes(`"${path}"`));
  },
});
