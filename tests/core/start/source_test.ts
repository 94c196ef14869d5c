import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { Faults } from "../../../src/core/common/faults.ts";
import { folderSource, importFailure } from "../../../src/core/start/source.ts";
import type { RouteLoader } from "@bough/framework";
import { TestFolder } from "../../support/application.ts";

const PATHS = [
  "%2e%2e/route.ts",
  "route.ts",
  "scripts/route.js",
  "users/[id]/route.ts",
  "users/middleware.ts",
  "users/route.ts",
];

/** How each file of a folder is imported, for a loader of an application. */
async function importers(loader: RouteLoader): Promise<readonly unknown[]> {
  await using folder = await TestFolder.create(Object.fromEntries(
    PATHS.map((path) => [join("api", path), "export const by = 'Bough';"]),
  ));
  const root = join(folder.path, "api");
  const source = folderSource({ root, label: "api" }, loader);
  const { files, middleware } = await source.discover(new Faults());
  const loaded = await source.loadAll([...files, ...middleware]);
  const all = new Map(loaded.map(({ file, ...rest }) => [
    file.path,
    "exports" in rest ? rest.exports.by : rest.error,
  ]));
  return PATHS.map((path) => all.get(`api/${path}`));
}

Deno.test("a loader of folder and path imports all files whose paths survive an import, and for which it returns something (behaviour 9.4)", async () => {
  const by = (by: unknown) => Promise.resolve({ by });
  const seen = await Promise.all([
    importers((dir, path) => by(`${dir}, ${path}`)),
    importers((dir, path) => path.endsWith("route.ts") ? by(dir) : undefined),
    // A loader may ignore paths, or hide its parameters.
    importers((...names) => by(names.length)),
    importers((dir) => by(dir)),
  ]);
  assertEquals(seen, [
    [
      "Bough",
      "., route.ts",
      "scripts, scripts/route.js",
      "users/[id], users/[id]/route.ts",
      "users, users/middleware.ts",
      "users, users/route.ts",
    ],
    ["Bough", ".", "Bough", "users/[id]", "Bough", "users"],
    [
      "Bough",
      ...[2, 2, 2, 2, 2],
    ],
    ["Bough", ".", "scripts", "users/[id]", "users", "users"],
  ]);
});

Deno.test("a generated module imports the files of a folder once for all applications", async () => {
  await using folder = await TestFolder.create(Object.fromEntries(
    [...PATHS, "new/route.ts"].map((path) => [path, "export const by = 1;"]),
  ));
  const { createObjectURL } = URL;
  let generated = 0;
  URL.createObjectURL = (blob) => {
    generated++;
    return createObjectURL(blob);
  };
  using cleanup = new DisposableStack();
  cleanup.defer(() => URL.createObjectURL = createObjectURL);
  const source = folderSource({ root: folder.path, label: "api" }, undefined);
  const { files, middleware } = await source.discover(new Faults());
  const all = [...files, ...middleware];
  const some = all.filter(({ path }) => !path.includes("new"));
  const counts = [];
  for (const files of [some, some, all, all]) {
    const loaded = await source.loadAll(files);
    assertEquals(
      loaded.map((each) => "exports" in each),
      files.map(() => true),
    );
    counts.push(generated);
  }
  assertEquals(counts, [1, 1, 2, 2]);
});

Deno.test("importFailure() has the message of the import, without colours", () => {
  const denied = 'Requires read access to "/lib/db.ts", run again with …';
  for (const error of [new TypeError(denied), `\x1b[31m${denied}\x1b[0m`]) {
    assertEquals(importFailure(error), `the import failed: ${denied}`);
  }
});
