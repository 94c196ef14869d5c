import { assertEquals, assertStringIncludes } from "@std/assert";
import { MISTAKES } from "./mistakes.ts";
import { PAGE, rowsOf, table } from "./page.ts";

const shown: string[] = [];

for (const { mistake, told, file, remedy, show } of MISTAKES) {
  Deno.test(`a mistake is told ${told}, with its place and remedy: ${mistake}`, async () => {
    const text = await show();
    assertStringIncludes(text, file);
    assertStringIncludes(text, remedy);
    shown.push(text);
  });
}

Deno.test("src/guide/mistakes.md has what is shown of each mistake", async () => {
  assertEquals(shown.length, MISTAKES.length, "run all tests of this file");
  assertEquals(
    rowsOf(await Deno.readTextFile(PAGE)).slice(1),
    rowsOf(table(shown)).slice(1),
    "run: deno run -A tests/mistakes/write_page.ts && deno fmt src/guide/mistakes.md",
  );
});
