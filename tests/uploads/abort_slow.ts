/** `abort_test.ts` with more seeds, each of which starts a process. */
import { assertAborts, assertStop } from "./aborts.ts";

for (let seed = 2; seed <= 6; seed++) {
  Deno.test(`uploads that break off leave no files, seed ${seed} (behaviour 7.8)`, async () => {
    await assertAborts(200, seed);
  });
}

Deno.test("processes that are stopped leave no temporary files (behaviour 7.8)", async () => {
  for (let seed = 2; seed <= 30; seed++) await assertStop(seed);
});
