/** The page of each entry point begins with its purpose, a program and its output. */
import { assert, assertEquals } from "@std/assert";
import { Page } from "../support/pages.ts";

/** A heading, a paragraph, and the blocks of code that follow it at once. */
const OPENING =
  /^# .+: `@bough\/framework\/(\w+)`\n\n(\w[^]*?|`[^`][^]*?)\n\n((?:```[^]*?^```\n\n?)+)/m;

/** Commands or nothing, and then the first line that they print. */
const OUTPUT = /^```(?:console|text)\n(?:\$.*\n)*[^$`\n]/m;

/** The parts that are missing at the beginning of the page of an entry point. */
function missingIn(name: string, page: string): string[] {
  const [, heading, purpose = "", code = ""] = OPENING.exec(page) ?? [];
  const isThere = {
    "its heading": heading === name,
    "its purpose, in one or two sentences": purpose.split(/\.\s/).length <= 2 &&
      !/\n\n/.test(purpose),
    "a program": /^```ts/m.test(code),
    "its output": OUTPUT.test(code),
  };
  return Object.entries(isThere).flatMap(([part, is]) => is ? [] : [part]);
}

Deno.test("the page of an entry point begins with its purpose, a program and its output", async () => {
  const pages = (await Page.all()).flatMap(({ path, text }) => {
    const name = /^src\/(\w+)\/README\.md$/.exec(path)?.[1];
    return name === undefined ? [] : [{ name, text }];
  });
  assert(pages.length > 10, `only ${pages.length} pages`);
  const missing = pages.flatMap(({ name, text }) =>
    missingIn(name, text).map((part) => `src/${name}/README.md: ${part}`)
  );
  assertEquals(missing, []);
});
