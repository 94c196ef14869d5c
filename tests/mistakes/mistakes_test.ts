import { assertEquals, assertStringIncludes } from "@std/assert";
import { MISTAKES } from "./mistakes.ts";
import { PAGE, rowsOf, sections } from "./page.ts";

const messages: string[] = [];

for (const { mistake, when, file, remedy, show } of MISTAKES) {
  Deno.test(`a message ${when} names the place and the remedy of ${mistake}`, async () => {
    const text = await show();
    assertStringIncludes(text, file);
    assertStringIncludes(text, remedy);
    messages.push(text);
  });
}

Deno.test("src/guide/error_messages.md has the message of each mistake", async () => {
  assertEquals(messages.length, MISTAKES.length, "run all tests of this file");
  assertEquals(
    rowsOf(await Deno.readTextFile(PAGE)),
    rowsOf(sections(messages)),
    "run: deno run -A tests/mistakes/write_page.ts && deno fmt src/guide/error_messages.md",
  );
});
