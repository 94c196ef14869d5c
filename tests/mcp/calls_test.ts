import { checkCalls } from "./calls.ts";

Deno.test("the result of a tool is the response of its route, in 250 calls", async () => {
  await checkCalls({ numRuns: 250, seed: 41 });
});
