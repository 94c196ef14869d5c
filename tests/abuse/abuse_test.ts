import { assertEquals } from "@std/assert";
import {
  CASES,
  outcomeRow,
  OUTCOMES,
  outcomesPage,
  testCase,
} from "./outcomes.ts";

const page = await Deno.readTextFile(OUTCOMES);
const lines = page.split("\n");

for (const each of CASES) testCase(each);

Deno.test("tests/abuse/outcomes.md has a row for each case, and no more", () => {
  const expected = outcomesPage((each) => {
    const start = outcomeRow(each, "").slice(0, -" |".length);
    const row = lines.find((line) => line.startsWith(start)) ?? "";
    return row.slice(start.length, -" |".length);
  });
  assertEquals(page, expected, "run: deno task outcomes");
});
