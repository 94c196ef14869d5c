import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { discovered } from "../../support/discovery.ts";
import { TestFolder } from "../../support/application.ts";

async function pathsIn(folder: TestFolder, root = "api"): Promise<string[]> {
  const { files } = await discovered(join(folder.path, root), "api");
  return files.map(({ path }) => path);
}

Deno.test("discover() finds route files by their four names, in path order (behaviour 2.2)", async () => {
  await using folder = await TestFolder.create({
    "api/route.ts": "",
    "api/z/route.js": "",
    "api/a/route.tsx": "",
    "api/a/b/route.jsx": "",
    "api/a-b/route.ts": "",
    "api/a-b/middleware.ts": "",
    "api/a/middleware.ts": "",
    "api/a/routes.ts": "",
    "api/a/route.test.ts": "",
    "api/a/route.mts": "",
    "api/a/helper.ts": "",
    "api/a/Route.ts": "",
  });
  const { files, middleware } = await discovered(
    join(folder.path, "api"),
    "api",
  );
  assertEquals(files.map(({ path }) => path), [
    "api/a-b/route.ts",
    "api/a/b/route.jsx",
    "api/a/route.tsx",
    "api/route.ts",
    "api/z/route.js",
  ]);
  assertEquals(middleware.map(({ path }) => path), [
    "api/a-b/middleware.ts",
    "api/a/middleware.ts",
  ]);
});

Deno.test("discover() lists the folders of a route file", async () => {
  await using folder = await TestFolder.create({
    "api/(g)/users/[id]/route.ts": "",
  });
  const { files } = await discovered(join(folder.path, "api"), "./api");
  assertEquals(files, [{
    path: "./api/(g)/users/[id]/route.ts",
    location: join(folder.path, "api/(g)/users/[id]/route.ts"),
    folders: ["(g)", "users", "[id]"],
  }]);
});

Deno.test("discover() never enters node_modules (behaviour 2.1)", async () => {
  await using folder = await TestFolder.create({
    "api/a/route.ts": "",
    "api/node_modules/x/route.ts": "",
    "api/a/node_modules/route.ts": "",
    "api/my_node_modules/route.ts": "",
    "node_modules/package/api/b/route.ts": "",
  });
  assertEquals(await pathsIn(folder), [
    "api/a/route.ts",
    "api/my_node_modules/route.ts",
  ]);
  assertEquals(await pathsIn(folder, "node_modules/package/api"), [
    "api/b/route.ts",
  ]);
});

Deno.test({
  name:
    "discover() reports anything but a regular file with the name of one (behaviour 2.2)",
  ignore: Deno.build.os === "windows",
  async fn() {
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
});

Deno.test("discover() warns of a file that may be a route, but not of a folder (behaviour 2.2)", async () => {
  await using folder = await TestFolder.create({
    "api/a/routes.ts": "",
    "api/b/routes.ts/route.ts": "",
    "api/c/index.ts/route.ts": "",
  });
  const { files, warnings } = await discovered(join(folder.path, "api"), "api");
  assertEquals(files.length, 2);
  assertEquals(warnings.map(({ path, rule }) => `${path}: ${rule}`), [
    "api/a/routes.ts: route-name",
  ]);
});

Deno.test("discover() throws if apiDir is not a folder", async () => {
  await using folder = await TestFolder.create({ "file": "" });
  await assertRejects(() => pathsIn(folder, "nowhere"), Deno.errors.NotFound);
  await assertRejects(() => pathsIn(folder, "file"), Deno.errors.NotADirectory);
});
