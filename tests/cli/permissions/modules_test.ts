import { assert, assertEquals } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import {
  displayName,
  ModuleGraph,
  nodeOf,
} from "../../../src/cli/permissions/modules.ts";
import { TestFolder } from "../../support/application.ts";

Deno.test("ModuleGraph follows imports, also those of packages", () => {
  const framework = new URL("../../../mod.ts", import.meta.url).href;
  const code = (...specifiers: string[]) =>
    specifiers.map((specifier) => ({ code: { specifier } }));
  const graph = new ModuleGraph({
    modules: [
      {
        specifier: "file:///a.ts",
        dependencies: [...code("npm:x@1", framework), {}, { code: {} }],
      },
      { specifier: framework, dependencies: code("npm:y@1") },
      { specifier: "npm:/x@1.0.0", npmPackage: "x@1.0.0" },
      { specifier: "npm:/y@1.0.0", npmPackage: "y@1.0.0" },
    ],
    redirects: { "npm:x@1": "npm:/x@1.0.0", "npm:y@1": "npm:/y@1.0.0" },
    npmPackages: {
      "x@1.0.0": { dependencies: ["@s/z@2.0.0_x@1.0.0"] },
      "@s/z@2.0.0_x@1.0.0": { dependencies: ["x@1.0.0"] },
    },
  });
  const z =
    "file:///p/node_modules/.deno/@s+z@2.0.0/node_modules/@s/z/index.js";
  const y = "file:///cache/npm/registry.example/y/1.0.0/y.js";
  const found = graph.from(["file:///a.ts"]);
  assertEquals([...found], [
    "file:///a.ts",
    framework,
    "npm:y",
    "npm:x",
    "npm:@s/z",
  ]);
  assert(found.has(nodeOf(z)) && found.has(nodeOf(y)));
  assertEquals(displayName(z), "npm:@s/z");
  // With a package.json, a package is known by its files.
  const x = "file:///p/node_modules/x/index.js";
  const files = new ModuleGraph({
    modules: [{ specifier: "file:///a.ts", dependencies: code(x) }, {
      specifier: x,
    }],
    redirects: {},
  });
  const other = nodeOf("file:///p/node_modules/x/other.js");
  assert(files.from(["file:///a.ts"]).has(other));
  assertEquals(
    displayName("https://jsr.io/@std/fs/1.0.0/walk.ts"),
    "jsr:@std/fs@1.0.0",
  );
  assertEquals(displayName("https://esm.sh/x"), "https://esm.sh/x");
  assertEquals(
    displayName(import.meta.url),
    "tests/cli/permissions/modules_test.ts",
  );
});

Deno.test("ModuleGraph.read() reads any number of modules, and leaves no file", async () => {
  const names = Array.from({ length: 400 }, (_, id) => `m${id}.ts`);
  await using folder = await TestFolder.create(
    Object.fromEntries(names.map((name) => [name, "export {};"])),
  );
  const urls = names.map((name) => toFileUrl(join(folder.path, name)).href);
  const graph = await ModuleGraph.read(urls, undefined);
  assertEquals(graph.from(urls).size, names.length);
  assertEquals([...graph.from(urls.slice(0, 1))], urls.slice(0, 1));
  assertEquals([...Deno.readDirSync(folder.path)].length, names.length);
});
