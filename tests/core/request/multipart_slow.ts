import { compareReaders } from "./compare_readers.ts";

// Slow: four readers of 20,000 forms, 10 CPU seconds.
Deno.test("20,000 nearly valid forms have the same parts, whole and in pieces (RFC 2046, 5.1.1)", async () => {
  await compareReaders(42, 20_000);
});
