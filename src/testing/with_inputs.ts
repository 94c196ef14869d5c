import fc from "fast-check";
import { type Input, isFitting, isTooLarge, planOf } from "./input.ts";
import type { Operation } from "./operation.ts";
import type { RequestPlan } from "./plan.ts";
import type { Search } from "./search.ts";
import type { Session } from "./session.ts";

/** Runs a search with inputs of an operation, or says why there are none. */
export async function withInputs(
  session: Session,
  operation: Operation,
  run: (inputs: fc.Arbitrary<Input>) => Promise<Search>,
): Promise<Search> {
  await session.begin();
  const inputs = await session.inputsOf(operation);
  return "missing" in inputs
    ? { runs: 0, finding: undefined, note: `not tested: ${inputs.missing}` }
    : await run(inputs.arbitrary);
}

/** The request of an input, which fast-check drops if a schema refuses it. */
export async function fittingPlan(
  { options: { as } }: Session,
  operation: Operation,
  input: Input,
): Promise<RequestPlan> {
  fc.pre(await isFitting(operation, input, as));
  const plan = planOf(operation, input, as);
  fc.pre(!isTooLarge(operation, plan));
  return plan;
}
