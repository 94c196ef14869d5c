import { assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { discovered } from "../../support/discovery.ts";
import { TestFolder } from "../../support/application.ts";

function pathsIn(folder: TestFolder, root = "api"): string[] {
  const { files } = discovered(join(folder.path, root), "api");
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
  const { files, middleware } = discovered(join(folder.path, "api"), "api");
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
  const { files, folders } = discovered(join(folder.path, "api"), "./api");
  assertEquals(files, [{
    path: "./api/(g)/users/[id]/route.ts",
    location: join(folder.path, "api/(g)/users/[id]/route.ts"),
    folders: ["(g)", "users", "[id]"],
  }]);
  assertEquals(folders, [
    ["(g)"],
    ["(g)", "users"],
    ["(g)", "users", "[id]"],
  ]);
});

Deno.test("discover() never enters node_modules (behaviour 2.1)", async () => {
  await using folder = await TestFolder.create({
    "api/a/route.ts": "",
    "api/node_modules/x/route.ts": "",
    "api/a/node_modules/route.ts": "",
    "api/my_node_modules/route.ts": "",
    "node_modules/package/api/b/route.ts": "",
  });
  assertEquals(pathsIn(folder), [
    "api/a/route.ts",
    "api/my_node_modules/route.ts",
  ]);
  assertEquals(pathsIn(folder, "node_modules/package/api"), [
    "api/b/route.ts",
  ]);
  assertEquals(pathsIn(folder, "node_modules"), [
    "api/package/api/b/route.ts",
  ]);
});

Deno.test({
  name: "discover() skips anything but regular files (behaviour 2.2)",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await TestFolder.create({
      "api/folder/route.ts/helper.ts": "",
      "api/a/route.ts": "",
    });
    const fifo = join(folder.path, "api/route.ts");
    await new Deno.Command("mkfifo", { args: [fifo] }).output();
    await Deno.mkdir(join(folder.path, "api/link"));
    await Deno.symlink(fifo, join(folder.path, "api/link/route.ts"));
    assertEquals(pathsIn(folder), ["api/a/route.ts"]);
  },
});

Deno.test({
  name:
    "discover() follows links only inside apiDir, and ends cycles (behaviour 2.6)",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await TestFolder.create({
      "api/users/route.ts": "",
      "api/users/[id]/route.ts": "",
      "api/x/y/route.ts": "",
      "api/x/y/node_modules/pkg/route.ts": "",
      "secret/route.ts": "",
      "api-neighbour/route.ts": "",
    });
    const link = (target: string, name: string): Promise<void> =>
      Deno.symlink(join(folder.path, target), join(folder.path, name));
    await link("api/users", "api/people");
    await link("api/users/route.ts", "api/x/route.ts");
    await link("secret", "api/secret");
    await link("secret/route.ts", "api/x/y/route.js");
    await link("api-neighbour", "api/neighbour");
    await link("api", "api/users/up");
    await link("api/x", "api/x/y/around");
    await link("nowhere", "api/broken");
    await link("api/ring2", "api/ring1");
    await link("api/ring1", "api/ring2");
    await link("api/x/y/node_modules/pkg", "api/package");

    const { files, warnings } = discovered(join(folder.path, "api"), "api");
    assertEquals(files.map(({ path }) => path), [
      "api/people/[id]/route.ts",
      "api/people/route.ts",
      "api/users/[id]/route.ts",
      "api/users/route.ts",
      "api/x/route.ts",
      "api/x/y/route.ts",
    ]);
    assertEquals(
      warnings.map(({ path, message }) => `${path}: ${message}`),
      [
        "api/broken: this is a link that leads nowhere, so it is skipped",
        'api/neighbour: this is a link that leaves "api", so it is skipped',
        'api/package: this is a link into "node_modules", so it is skipped',
        "api/people/up: this is a link to a folder above it, so it is skipped",
        "api/ring1: this is a link that leads nowhere, so it is skipped",
        "api/ring2: this is a link that leads nowhere, so it is skipped",
        'api/secret: this is a link that leaves "api", so it is skipped',
        "api/users/up: this is a link to a folder above it, so it is skipped",
        "api/x/y/around: this is a link to a folder above it, so it is skipped",
        'api/x/y/route.js: this is a link that leaves "api", so it is skipped',
      ],
    );
  },
});

Deno.test({
  name: "discover() ends cycles that lead through two links (behaviour 2.6)",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await TestFolder.create({
      "api/a/route.ts": "",
      "api/b/route.ts": "",
    });
    const at = (name: string): string => join(folder.path, name);
    await Deno.symlink(at("api/b"), at("api/a/to-b"));
    await Deno.symlink(at("api/a"), at("api/b/to-a"));
    assertEquals(pathsIn(folder), [
      "api/a/route.ts",
      "api/a/to-b/route.ts",
      "api/b/route.ts",
      "api/b/to-a/route.ts",
    ]);
  },
});

Deno.test({
  name: "discover() accepts an apiDir that is a link (behaviour 2.6)",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await TestFolder.create({
      "data/v1/users/route.ts": "",
    });
    const at = (name: string): string => join(folder.path, name);
    await Deno.symlink(at("data/v1/users"), at("data/v1/people"));
    await Deno.symlink(at("data/v1"), at("api"));
    assertEquals(pathsIn(folder), [
      "api/people/route.ts",
      "api/users/route.ts",
    ]);
  },
});

Deno.test("discover() warns of a file that may be a route, but not of a folder (behaviour 2.2)", async () => {
  await using folder = await TestFolder.create({
    "api/a/routes.ts": "",
    "api/b/routes.ts/route.ts": "",
    "api/c/index.ts/route.ts": "",
  });
  const { files, warnings } = discovered(join(folder.path, "api"), "api");
  assertEquals(files.length, 2);
  assertEquals(warnings.map(({ path, rule }) => `${path}: ${rule}`), [
    "api/a/routes.ts: route-name",
  ]);
});

Deno.test("discover() throws if apiDir is not a folder", async () => {
  await using folder = await TestFolder.create({ "file": "" });
  assertThrows(() => pathsIn(folder, "nowhere"), Deno.errors.NotFound);
  assertThrows(() => pathsIn(folder, "file"), Deno.errors.NotADirectory);
});
