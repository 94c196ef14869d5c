import { checkContracts } from "@bough/framework/testing";
import { assertEquals } from "@std/assert";
import { passes } from "../run_test_text.ts";
import { type Change, FAULTS, withChanged } from "./invoices.ts";

// Slow: each failure is shrunk, 20 CPU seconds.
for (const [name, changes] of Object.entries(FAULTS)) {
  Deno.test(`the test of a report shows ${name}`, async () => {
    const { failures } = await withChanged(
      changes,
      (app, reset) =>
        checkContracts(app, {
          properties: ["state"],
          runs: 50,
          seed: 7,
          reset,
        }),
    );
    assertEquals(failures.map(({ replays }) => replays), [true]);
    const passesWith = (changes: readonly Change[]) =>
      withChanged(changes, (app) => passes(failures[0]!.test, app()));
    assertEquals(await passesWith(changes), false, "with the fault");
    assertEquals(await passesWith([]), true, "without the fault");
  });
}
