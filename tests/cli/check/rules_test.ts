import { assertEquals } from "@std/assert";
import { ERRORS, WARNINGS } from "../../../src/cli/check/rules.ts";

Deno.test("the page of the command lists exactly the rules of bough check", async () => {
  const page = await Deno.readTextFile(
    new URL("../../../src/cli/README.md", import.meta.url),
  );
  const rows = [
    ...page.matchAll(/^\| `([a-z-]+)`\s+\| (error|warning)\s+\| (.*?)\s+\|$/gm),
  ]
    .map(([, rule, level, meaning]) => [rule, level, meaning]);
  const expected = [
    ...Object.entries(ERRORS).map(([rule, text]) => [rule, "error", text]),
    ...Object.entries(WARNINGS).map(([rule, text]) => [rule, "warning", text]),
  ];
  assertEquals(rows, expected);
});
