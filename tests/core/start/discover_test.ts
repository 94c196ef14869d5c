import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { discovered } from "../../support/discovery.ts";
import { TestFolder } from "../../support/application.ts";
import { UNIX } from "../server/support.ts";

const EMPTY = [
  "(g)/users/[id]/route.ts",
  "route.ts",
  "z/route.js",
  "a/route.tsx",
  "a/b/route.jsx",
  "a-b/route.ts",
  "a-b/middleware.ts",
  "a/middleware.ts",
  "a/routes.ts",
  "a/route.test.ts",
  "a/route.mts",
  "a/helper.ts",
  "a/Route.ts",
  // Folders with the names of files.
  "b/routes.ts/route.ts",
  "c/index.ts/route.ts",
  "d/index.ts",
  "node_modules/x/route.ts",
  "a/node_modules/route.ts",
  "my_node_modules/route.ts",
];

Deno.test("discover() finds route files by their four names, in path order, and warns of others (behaviour 2.1, 2.2)", async () => {
  await using folder = await TestFolder.create(
    Object.fromEntries(EMPTY.map((path) => [`node_modules/api/${path}`, ""])),
  );
  const root = join(folder.path, "node_modules/api");
  const { files, middleware, warnings, faults } = await discovered(
    root,
    "./api",
  );
  assertEquals(files.map(({ path }) => path), [
    "./api/(g)/users/[id]/route.ts",
    "./api/a-b/route.ts",
    "./api/a/b/route.jsx",
    "./api/a/route.tsx",
    "./api/b/routes.ts/route.ts",
    "./api/c/index.ts/route.ts",
    "./api/my_node_modules/route.ts",
    "./api/route.ts",
    "./api/z/route.js",
  ]);
  assertEquals(files[0], {
    path: "./api/(g)/users/[id]/route.ts",
    location: join(root, "(g)/users/[id]/route.ts"),
    folders: ["(g)", "users", "[id]"],
  });
  assertEquals(middleware.map(({ path }) => path), [
    "./api/a-b/middleware.ts",
    "./api/a/middleware.ts",
  ]);
  assertEquals(faults, []);
  assertEquals(warnings.map(({ path, rule }) => `${path}: ${rule}`), [
    "./api/d/index.ts: route-name",
  ]);
});

Deno.test(
  "discover() reports anything but a regular file with the name of one (behaviour 2.2)",
  UNIX,
  async () => {
    await using folder = await TestFolder.create({
      "api/folder/route.ts/helper.ts": "",
      "api/a/route.ts": "",
    });
    const fifo = join(folder.path, "api/route.ts");
    await new Deno.Command("mkfifo", { args: [fifo] }).output();
    const { files, faults } = await discovered(join(folder.path, "api"), "api");
    assertEquals(files.map(({ path }) => path), ["api/a/route.ts"]);
    assertEquals(faults.map(({ path, rule }) => [path, rule]), [
      ["api/route.ts", "link"],
      ["api/folder/route.ts", "link"],
    ]);
  },
);
