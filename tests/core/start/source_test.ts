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

/** The importer of each file of a folder, for a loader of an application. */
async function importers(
  loader: RouteLoader,
): Promise<Record<string, unknown>> {
  await using folder = await TestFolder.create(Object.fromEntries(
    PATHS.map((path) => [join("api", path), "export const by = 'Bough';"]),
  ));
  const root = join(folder.path, "api");
  const source = folderSource({ root, label: "api" }, loader);
  const { files, middleware } = await source.discover(new Faults());
  const loaded = await source.loadAll([...files, ...middleware]);
  return Object.fromEntries(loaded.map(({ file, ...rest }) => [
    file.path,
    "exports" in rest ? rest.exports.by : rest.error,
  ]));
}

Deno.test("a loader of folder and path imports all files whose paths survive an import", async () => {
  assertEquals(
    await importers((dir, path) => Promise.resolve({ by: `${dir}, ${path}` })),
    {
      "api/%2e%2e/route.ts": "Bough",
      "api/route.ts": "., route.ts",
      "api/scripts/route.js": "scripts, scripts/route.js",
      "api/users/[id]/route.ts": "users/[id], users/[id]/route.ts",
      "api/users/middleware.ts": "users, users/middleware.ts",
      "api/users/route.ts": "users, users/route.ts",
    },
  );
});

Deno.test("Bough imports the files for which a loader returns undefined", async () => {
  const loader: RouteLoader = (dir, path) =>
    path.endsWith("route.ts") ? Promise.resolve({ by: dir }) : undefined;
  assertEquals(await importers(loader), {
    "api/%2e%2e/route.ts": "Bough",
    "api/route.ts": ".",
    "api/scripts/route.js": "Bough",
    "api/users/[id]/route.ts": "users/[id]",
    "api/users/middleware.ts": "Bough",
    "api/users/route.ts": "users",
  });
});

Deno.test("a loader imports all files, even if it ignores their paths or hides its parameters", async () => {
  const all = await importers((...names) =>
    Promise.resolve({ by: names.length })
  );
  assertEquals(Object.values(all).sort(), [2, 2, 2, 2, 2, "Bough"]);
  const folders = await importers((dir) => Promise.resolve({ by: dir }));
  assertEquals(folders["api/users/middleware.ts"], "users");
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
