import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { runProgram } from "../cli/support.ts";
import { TestFolder } from "../support/application.ts";

const MAIN = pathOf("../../examples/bookshop/main.ts");

function pathOf(file: string): string {
  return fromFileUrl(new URL(file, import.meta.url));
}

function filesOf({ path }: TestFolder): string[] {
  return [...Deno.readDirSync(path)].map(({ name }) => name).sort();
}

Deno.test("importing the bookshop's routes writes no file, even with arguments", async () => {
  await using folder = await TestFolder.create({});
  const args = ["-A", pathOf("programs/run_commands.ts"), "shop.db"];
  const { code, stderr } = await runProgram(folder.path, ...args);
  assertEquals([code, stderr.split("\n").at(-1)], [0, "[200,0,0,0]"]);
  assertEquals(filesOf(folder), []);
});

Deno.test("the bookshop's main.ts opens only the file of its argument", async () => {
  await using folder = await TestFolder.create({});
  // Without --allow-net, the program ends when it would listen.
  const start = (...args: readonly string[]) =>
    runProgram(folder.path, "--allow-read", ...args);
  const inMemory = await start("--allow-write=.", MAIN);
  assertStringIncludes(inMemory.stderr, "Requires net access");
  assertEquals(filesOf(folder), []);
  const denied = await start(MAIN, "shop.db");
  assertStringIncludes(denied.stderr, "Requires write access");
  assertEquals(filesOf(folder), []);
  const inFile = await start("--allow-write=.", MAIN, "shop.db");
  assertStringIncludes(inFile.stderr, "Requires net access");
  assertEquals(filesOf(folder), ["shop.db"]);
});

Deno.test("the bookshop keeps its books in its file", async () => {
  await using folder = await TestFolder.create({});
  const program = pathOf("programs/add_book.ts");
  for (const before of [0, 1]) {
    const { stdout } = await runProgram(folder.path, "-A", program);
    assertEquals(stdout, String(before));
  }
  assertEquals(filesOf(folder), ["shop.db"]);
});

Deno.test("the bookshop opens a file only before it uses its database", async () => {
  await using folder = await TestFolder.create({});
  const { code, stdout, stderr } = await runProgram(
    folder.path,
    "-A",
    pathOf("programs/open_late.ts"),
  );
  assertEquals([code, stdout], [1, "true"]);
  assertStringIncludes(
    stderr,
    'Cannot open "late.db": the shop has a database already; call openDatabase() once, before the first request',
  );
  assertEquals(filesOf(folder), []);
});
