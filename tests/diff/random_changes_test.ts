import { assertEdits } from "./edits.ts";
import { assertNeverCompatible } from "./random_pairs.ts";

Deno.test("20 edits of one keyword have the right verdict, or are unknown", async () => {
  await assertEdits(20);
});

Deno.test("60 random changes are not compatible if a value shows that they break clients", async () => {
  await assertNeverCompatible(60);
});
