import { checkTrees } from "./contract_agreement.ts";

Deno.test("requests and command agree about random contracts (behaviour 10.7)", async () => {
  await checkTrees(20);
});
