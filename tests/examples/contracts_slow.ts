/** Contract tests of whole applications, with more runs and seeds than `contract_test.ts`. */
import { checkContracts, failureText } from "@bough/framework/testing";
import { assertEquals } from "@std/assert";
import {
  APPLICATIONS,
  filesOf,
  withCopy,
} from "../instruments/planted/applications.ts";

const RUNS: Readonly<Record<string, number>> = {
  bookshop: 50,
  realworld: 50,
  expenses: 20,
};

// Slow: 35 CPU seconds, and 100 seconds of waiting.
for (const [name, application] of Object.entries(APPLICATIONS)) {
  for (const seed of [7, 8]) {
    Deno.test(`${name} passes its contract tests with seed ${seed}`, async () => {
      const options = { runs: RUNS[name]!, seed };
      const { failures, problem } = await withCopy(
        await filesOf(application),
        (app, given) => checkContracts(app, { ...given, ...options }),
      );
      assertEquals(failures.map((failure) => failureText(failure)), []);
      assertEquals(problem, undefined);
    });
  }
}
