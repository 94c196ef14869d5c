import { checkTrees } from "./contract_agreement.ts";

Deno.test("requests fit random contracts (behaviour 10.7)", async () => {
  await checkTrees(20);
});
