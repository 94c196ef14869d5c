import { METHODS } from "../methods.ts";
import { contractsFor } from "../schema/effective_schema.ts";
import type { LocatedContract } from "../types/contract.ts";
import type { MethodSchema } from "../types/schema.ts";

/**
 * Finds the contracts that would disable an outer guard, since they allow anonymous
 * requests with a method that both cover. Such a contract would also open routes that a
 * developer adds to the folder later.
 *
 * @param contracts The contracts around a route, outermost first.
 */
export function disabledGuards(
  contracts: readonly LocatedContract[],
): readonly { contract: LocatedContract; guard: LocatedContract }[] {
  return contracts.flatMap((contract, index) => {
    const { security } = contract.contract;
    if (security === undefined || needsCredentials(security)) return [];
    const guards = contracts.slice(0, index)
      .filter(({ contract }) => needsCredentials(contract.security));
    const guard = METHODS
      .filter((method) => contractsFor([contract], method).length > 0)
      .map((method) => contractsFor(guards, method).at(-1))
      .find((guard) => guard !== undefined);
    return guard === undefined ? [] : [{ contract, guard }];
  });
}

/**
 * Whether a request needs credentials. The alternative `{}` does not require
 * credentials.
 */
export function needsCredentials(
  security: MethodSchema["security"] = [],
): boolean {
  return security.length > 0 &&
    security.every((requirement) => Object.keys(requirement).length > 0);
}
