import { assert, assertEquals } from "@std/assert";
import { CASES, outcomeRow, OUTCOMES, outcomesPage } from "./outcomes.ts";

const page = await Deno.readTextFile(OUTCOMES);
const lines = page.split("\n");

for (const each of CASES) {
  Deno.test({
    name: `abuse: ${each.abuse}: ${each.must}`,
    ignore: each.ignore ?? false,
    async fn() {
      const row = outcomeRow(each, await each.attempt());
      assert(
        lines.includes(row),
        `outcomes.md has no such row; if it is right, run: deno task outcomes\n${row}`,
      );
    },
  });
}

Deno.test("tests/abuse/outcomes.md has a row for each case, and no more", () => {
  const expected = outcomesPage((each) => {
    const start = outcomeRow(each, "").slice(0, -" |".length);
    const row = lines.find((line) => line.startsWith(start)) ?? "";
    return row.slice(start.length, -" |".length);
  });
  assertEquals(page, expected, "run: deno task outcomes");
});
