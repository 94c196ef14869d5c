// Slow: it runs 2,000 random cases, one CPU second.
import { checkPrintable } from "./printable.ts";

Deno.test("printable() returns one line, and JSON keeps its meaning, for 2,000 random strings", () =>
  checkPrintable(2_000));
