import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { TestFolder } from "../support/application.ts";
import { bough, runProgram } from "./support.ts";

const COMMAND = fromFileUrl(new URL("../../src/cli/mod.ts", import.meta.url));

Deno.test("bough new refuses an empty name, as from an unset variable", async () => {
  await using folder = await TestFolder.create({ "main.ts": "kept" });
  const { code, stdout, stderr } = await bough(folder.path, "new", "");
  assertEquals([code, stdout], [2, ""]);
  assertEquals(
    stderr.split("\n")[0],
    "bough new: name the folder to create",
  );
  assertEquals(
    Deno.readTextFileSync(join(folder.path, "main.ts")),
    "kept",
  );
  assertEquals([...Deno.readDirSync(folder.path)].length, 1);
});

Deno.test("bough new refuses a folder that it may write but not list", async () => {
  await using folder = await TestFolder.create({ "full/main.ts": "kept" });
  for (const name of ["full", "."]) {
    const outcome = await runProgram(
      join(folder.path, name === "." ? "full" : ""),
      ...["--allow-write", "--allow-env", "--no-prompt"],
      ...[COMMAND, "new", name],
    );
    assertEquals(outcome, {
      code: 2,
      stdout: "",
      stderr:
        `bough new: "${name}" cannot be created: Requires read access to "${name}", run again with the --allow-read flag`,
    });
  }
  assertEquals(
    Deno.readTextFileSync(join(folder.path, "full/main.ts")),
    "kept",
  );
  assertEquals([...Deno.readDirSync(join(folder.path, "full"))].length, 1);
});
