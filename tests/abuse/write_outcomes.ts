/**
 * Writes `outcomes.md`, the outcome of every case of abuse: `deno task outcomes`.
 * Nothing is written if a case fails.
 */
import type { AbuseCase } from "./case.ts";
import { CASES, OUTCOMES, outcomesPage } from "./outcomes.ts";

const seen = new Map<AbuseCase, string>();
for (const each of CASES) {
  seen.set(each, await each.attempt());
}
await Deno.writeTextFile(OUTCOMES, outcomesPage((each) => seen.get(each)!));
