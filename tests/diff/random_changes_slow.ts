/** The random changes of `random_changes_test.ts`, more often: 13 CPU seconds. */
import { assertEdits } from "./edits.ts";
import { assertNeverCompatible } from "./random_pairs.ts";

Deno.test("500 edits of one keyword have the right verdict, or are unknown", async () => {
  await assertEdits(500);
});

Deno.test("2,000 random changes are not compatible if a value shows that they break clients", async () => {
  await assertNeverCompatible(2_000);
});
