import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { printable } from "../../src/common/log.ts";

/** Characters that break a line or control a terminal. */
export const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** Checks that random strings become one line, and that JSON keeps its meaning. */
export function checkPrintable(runs: number): void {
  const text = fc.string({ unit: "binary" });
  const unpaired = fc.array(fc.integer({ min: 0, max: 0xffff }))
    .map((codes) => String.fromCharCode(...codes));
  fc.assert(
    fc.property(fc.oneof(text, unpaired), (text) => {
      const line = printable(text);
      assert(line.isWellFormed());
      assert(!CONTROL.test(line));
      assertEquals(JSON.parse(printable(JSON.stringify(text))), text);
      assertEquals(printable(line), line);
    }),
    { numRuns: runs },
  );
}
