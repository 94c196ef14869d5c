import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { bough, runProgram } from "../cli/support.ts";
import { TestFolder } from "../support/application.ts";

const SHOP = new URL("../../examples/bookshop/", import.meta.url);
const MAIN = fromFileUrl(new URL("main.ts", SHOP));

function filesOf({ path }: TestFolder): string[] {
  return [...Deno.readDirSync(path)].map(({ name }) => name).sort();
}

Deno.test("importing the bookshop's routes writes no file, whatever the arguments", async () => {
  await using folder = await TestFolder.create({
    "program.ts": `import { app } from "${new URL("main.ts", SHOP)}";
      console.log((await app.fetch(new Request("http://localhost/api/books"))).status);`,
  });
  const { code, stdout } = await runProgram(
    folder.path,
    "-A",
    "program.ts",
    "shop.db",
  );
  assertEquals([code, stdout], [0, "200"]);
  const api = fromFileUrl(new URL("api/", SHOP));
  for (const command of ["routes", "check", "openapi"]) {
    assertEquals((await bough(folder.path, command, api)).code, 0, command);
  }
  assertEquals(filesOf(folder), ["program.ts"]);
});

Deno.test("the bookshop's main.ts opens the file it is given, and none else", async () => {
  await using folder = await TestFolder.create({});
  // Without --allow-net it ends when it would listen.
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

Deno.test("a bookshop with a file keeps its books", async () => {
  await using folder = await TestFolder.create({
    "program.ts": `
      import { addBook, findBooks } from "${new URL("store/books.ts", SHOP)}";
      import { openDatabase } from "${new URL("store/database.ts", SHOP)}";
      openDatabase("shop.db");
      const page = { limit: 9, offset: 0 };
      console.log(findBooks("Lodore", page).length);
      addBook({ title: \`Lodore \${Date.now()}\`, author: "Mary Shelley", cents: 800 });
    `,
  });
  for (const before of [0, 1, 2]) {
    const { stdout } = await runProgram(folder.path, "-A", "program.ts");
    assertEquals(stdout, String(before));
  }
  assertEquals(filesOf(folder), ["program.ts", "shop.db"]);
});

Deno.test("a bookshop refuses a file when its database is in use", async () => {
  await using folder = await TestFolder.create({
    "program.ts": `
      import { isOpen, openDatabase } from "${new URL(
      "store/database.ts",
      SHOP,
    )}";
      console.log(isOpen());
      openDatabase("late.db");`,
  });
  const { code, stdout, stderr } = await runProgram(
    folder.path,
    "-A",
    "program.ts",
  );
  assertEquals([code, stdout], [1, "true"]);
  assertStringIncludes(
    stderr,
    'Cannot open "late.db": the shop has a database already; call openDatabase() once, before the first request',
  );
  assertEquals(filesOf(folder), ["program.ts"]);
});
