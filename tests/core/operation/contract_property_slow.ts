import { checkTrees } from "./contract_agreement.ts";

// Slow: the files of 150 trees, 5 CPU seconds.
Deno.test("requests fit 150 random trees of contracts (behaviour 10.7)", async () => {
  await checkTrees(150);
});
