import { checkRandomExamples } from "./random.ts";

Deno.test("the examples of 2,000 random schemas are valid", () => {
  checkRandomExamples(2_000);
});
