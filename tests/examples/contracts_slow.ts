/**
 * Contract tests of whole applications, with more runs than `contract_test.ts`:
 * `BOUGH_SEEDS=3` tries three seeds.
 */
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

const SEEDS = Number(Deno.env.get("BOUGH_SEEDS") ?? 1);

// Slow: 18 CPU seconds, and 50 seconds of waiting.
for (const [name, application] of Object.entries(APPLICATIONS)) {
  for (let seed = 1; seed <= SEEDS; seed++) {
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
