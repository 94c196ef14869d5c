import { assertEquals, assertStringIncludes } from "@std/assert";
import { TestFolder } from "../support/application.ts";
import { boughIn } from "./support.ts";

const FILES = {
  "api/README.md": "",
  "guarded/middleware.ts": "export default (_, next) => next();",
  "main.ts": `import { Framework } from "@bough/framework";
    const plugin = {
      name: "docs",
      routes: () => [{ path: "/docs", handlers: { GET: () => new Response() } }],
    };
    export const app = new Framework({ apiDir: "api", plugins: [plugin] });`,
  "manifest.ts": `import { Framework } from "@bough/framework";
    export const app = new Framework({ manifest: {} });`,
};

for (
  const [argument, path] of [
    ["api", "api"],
    ["guarded", "guarded"],
    ["main.ts", "api"],
    ["manifest.ts", "the manifest"],
  ]
) {
  Deno.test(`bough check fails without a route: ${argument} (behaviour 9.2)`, async () => {
    await using folder = await TestFolder.create(FILES);
    const { code, stdout } = await boughIn(folder.path, "check", argument!);
    assertEquals(code, 1);
    assertStringIncludes(stdout, `warning "${path}": `);
    assertStringIncludes(stdout, "(no-routes)");
    const allowed = await boughIn(
      folder.path,
      "check",
      argument!,
      "--allow=no-routes",
    );
    assertEquals(allowed.code, 0, allowed.stdout);
  });
}

Deno.test("other commands print the warning about a folder without routes", async () => {
  await using folder = await TestFolder.create(FILES);
  const { code, stderr } = await boughIn(folder.path, "routes");
  assertEquals(code, 0);
  assertStringIncludes(stderr, `Warning: "api": `);
});
