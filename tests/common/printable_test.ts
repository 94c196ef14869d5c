import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { printable, printableLines } from "../../src/common/log.ts";

Deno.test("printable() escapes what breaks a line or steers a terminal", () => {
  for (
    const [text, expected] of [
      ["a\nb\r\tc", "a\\nb\\r\\tc"],
      ["\x00\x1b[31mred\x1b[0m\x07", "\\u0000\\u001b[31mred\\u001b[0m\\u0007"],
      ["\x7f\x80\x9b31m\x9f", "\\u007f\\u0080\\u009b31m\\u009f"],
      ["a\u2028b\u2029c", "a\\u2028b\\u2029c"],
      ["\u061c\u200e\u200f", "\\u061c\\u200e\\u200f"],
      ["\u202a\u202e\u2066\u2069", "\\u202a\\u202e\\u2066\\u2069"],
      ["\ud800x\udc00", "\\ud800x\\udc00"],
    ] as const
  ) assertEquals(printable(text), expected);
});

Deno.test("printable() leaves all other text as it is", () => {
  for (
    const text of [
      "",
      "api/users/[id]/route.ts",
      "C:\\api\\n",
      "café 漢字 👩‍👩‍👧 “quoted”",
      "\u00a0\u200d\u2027\u202f\u206a",
    ]
  ) assertEquals(printable(text), text);
});

Deno.test("printable() gives one line without controls, and JSON stays what it says", () => {
  const text = fc.string({ unit: "binary" });
  const unpaired = fc.array(fc.integer({ min: 0, max: 0xffff }))
    .map((codes) => String.fromCharCode(...codes));
  fc.assert(
    fc.property(fc.oneof(text, unpaired), (text) => {
      const line = printable(text);
      assert(line.isWellFormed());
      assert(!/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(line));
      assertEquals(JSON.parse(printable(JSON.stringify(text))), text);
      assertEquals(printable(line), line);
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("printableLines() keeps line breaks, and indents what follows them", () => {
  assertEquals(
    printableLines("Expected ';'\n\n  const = 1;\r\n[bough] forged\x1b[2J"),
    "Expected ';'\n  \n    const = 1;\\r\n  [bough] forged\\u001b[2J",
  );
});
