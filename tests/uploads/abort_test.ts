import { assertAborts, assertStop } from "./aborts.ts";

Deno.test("uploads that break off leave nothing (behaviour 7.8)", async () => {
  await assertAborts(100, 1);
});

Deno.test("a process that is stopped leaves nothing (behaviour 7.8)", async () => {
  for (let seed = 1; seed <= 10; seed++) await assertStop(seed);
});
