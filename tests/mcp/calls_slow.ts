import { checkCalls } from "./calls.ts";

Deno.test("the result of a tool is the response of its route, in 2,000 random calls", async () => {
  await checkCalls({ numRuns: 2_000 });
});
