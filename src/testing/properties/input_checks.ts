import type { Fault } from "../checks.ts";
import type { Input } from "../generate/input.ts";
import type { Operation } from "../operation.ts";
import type { RequestPlan } from "../plan.ts";
import {
  inTurn,
  type Search,
  search,
  validPlan,
  withInputs,
} from "../search/search.ts";
import type { Sender } from "../search/sender.ts";

export interface Tested {
  readonly sender: Sender;
  readonly operation: Operation;
}

/** A valid input, and its request. */
export interface Tried extends Tested {
  readonly input: Input;
  readonly plan: RequestPlan;
}

/** A check of an input, with the maximum number of inputs to try. */
export type Check = readonly [
  most: number,
  find: (tried: Tried) => Promise<Fault | undefined>,
];

/** Tries valid inputs with each check; `undefined` if there are no checks. */
export async function findIn(
  checks: readonly Check[],
  tested: Tested,
): Promise<Search | undefined> {
  const { sender, operation } = tested;
  if (checks.length === 0) return undefined;
  return await withInputs(sender, operation, (inputs) => {
    const searches = checks.map(([most, find]) => () => {
      const runs = Math.min(sender.subject.options.runs, most);
      const attempt = async (input: Input) => {
        const plan = await validPlan(operation, input);
        return await find({ ...tested, input, plan });
      };
      return search(sender, inputs, { runs, attempt });
    });
    return inTurn(searches);
  });
}
