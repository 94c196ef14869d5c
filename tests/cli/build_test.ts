import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { TestFolder } from "../support/application.ts";
import { boughIn } from "./support.ts";

const GET = "export const GET = () => new Response();";
const MANIFEST =
  `// Written by "bough build" from the files of the application; do not edit.
// deno-fmt-ignore-file
import * as file0 from "./api/a/route.ts";

export default {
  "a/route.ts": file0,
};
`;

Deno.test("bough build prints a manifest with paths from the working directory", async () => {
  await using folder = await TestFolder.create({ "api/a/route.ts": GET });
  assertEquals(await boughIn(folder.path, "build"), {
    code: 0,
    stdout: MANIFEST.trimEnd(),
    stderr: "",
  });
});

Deno.test("bough build -o writes a manifest with paths from its folder", async () => {
  await using folder = await TestFolder.create({
    "api/a/route.ts": GET,
    "out/keep": "",
  });
  for (const args of [["-o", "m.ts"], ["--output=out/m.ts"]]) {
    assertEquals(await boughIn(folder.path, "build", ...args), {
      code: 0,
      stdout: "",
      stderr: "",
    });
  }
  const args = ["--prefix=v1", "--lazy", "-o", "lazy.ts"];
  assertEquals((await boughIn(folder.path, "build", ...args)).code, 0);
  const read = (name: string) => Deno.readTextFileSync(join(folder.path, name));
  assertStringIncludes(read("lazy.ts"), '() => import("./api/a/route.ts")');
  assertEquals(read("m.ts"), MANIFEST);
  assertEquals(read("out/m.ts"), MANIFEST.replace("./api", "../api"));
});

Deno.test("bough build --check compares the manifest, but writes nothing", async () => {
  await using folder = await TestFolder.create({ "api/a/route.ts": GET });
  const check = () =>
    boughIn(folder.path, "build", "--check", "--output", "m.ts");
  const stale = {
    code: 1,
    stdout: "",
    stderr: '"m.ts" is out of date; update it with: bough build api -o m.ts',
  };
  assertEquals(await check(), stale, "without a manifest");
  const lazy = await boughIn(
    folder.path,
    ..."build --lazy --check -o m.ts".split(" "),
  );
  assertStringIncludes(lazy.stderr, "with: bough build api --lazy -o m.ts");
  await folder.write("m.ts", MANIFEST + "\n");
  assertEquals(await check(), stale);
  await folder.write("m.ts", MANIFEST);
  assertEquals(await check(), { code: 0, stdout: "", stderr: "" });
  assertEquals(Deno.readTextFileSync(join(folder.path, "m.ts")), MANIFEST);
  // A folder in place of the manifest is misuse.
  const folderCheck = await boughIn(
    folder.path,
    "build",
    "--check",
    "-o",
    "api",
  );
  assertEquals(folderCheck.code, 2);
  assertStringIncludes(
    folderCheck.stderr,
    'bough build: cannot read "api": the path is not a file',
  );
  const without = await boughIn(folder.path, "build", "--check");
  assertEquals(without.code, 2);
  assertStringIncludes(
    without.stderr,
    "bough build: --check has no file to compare; add --output=<file>\n",
  );
  await folder.write("api/b/route.ts", GET);
  assertEquals(await check(), stale);
  assertEquals(Deno.readTextFileSync(join(folder.path, "m.ts")), MANIFEST);
  await folder.write("api/[x/route.ts", GET);
  const broken = await boughIn(folder.path, "build", "-o", "m.ts");
  assertEquals(broken.code, 1);
});

Deno.test("bough build reports why it cannot write", async () => {
  await using folder = await TestFolder.create({ "api/a/route.ts": GET });
  const missing = await boughIn(folder.path, "build", "-o", "out/m.ts");
  assertEquals([missing.code, missing.stdout], [2, ""]);
  assertStringIncludes(
    missing.stderr,
    'bough build: cannot write "out/m.ts": folder "out" does not exist; create it first',
  );
  const taken = await boughIn(folder.path, "build", "-o", "api");
  assertEquals([taken.code, taken.stdout], [2, ""]);
  assertStringIncludes(
    taken.stderr,
    'bough build: cannot read "api": the path is not a file',
  );
});
