import { assertAborts, assertStop } from "./aborts.ts";

Deno.test("uploads that break off leave no files (behaviour 7.8)", async () => {
  await assertAborts(100, 1);
});

Deno.test("a process that is stopped leaves no temporary files (behaviour 7.8)", async () => {
  await assertStop(1);
});
