import type { Permission } from "../../core/start/permissions.ts";
import type { Need, Needs } from "./needs.ts";
import { type PermissionSet, statesOf } from "./permission_set.ts";

/** The change of a permission set. */
export interface Plan {
  /** All entries afterwards. */
  readonly allow: readonly Permission[];
  /** The entries that the set lacks so far. */
  readonly lacking: readonly Permission[];
  /** The number of accesses that Deno grants under the entries. */
  readonly granted: number;
  /** The accesses that Deno refuses under any set, such as files of "/proc". */
  readonly refused: readonly Permission[];
}

/**
 * Plans the change of a permission set, and asks Deno whether it grants all needs.
 *
 * @param before The set before. Its entries stay, since a run may not need all of them,
 * and what it denies is denied on purpose.
 * @param declared The entries that stay as they are written.
 */
export async function planOf(
  needs: Needs,
  before: PermissionSet,
  declared: readonly Permission[],
): Promise<Plan> {
  /** The needs that a set with a list of entries lacks. */
  const lackingOf = async (
    all: readonly Need[],
    allow: readonly Permission[],
  ) => {
    const states = await statesOf(
      { ...before, allow },
      all.map(({ used }) => used),
    );
    return all.filter((_, index) => states[index] === "prompt");
  };
  const open = await lackingOf(needs.all, []);
  // Deno grants some hosts for imports only if a set has no list of hosts.
  const hasHosts = open.some(({ used }) => used.kind === "import");
  const wanted = needs.all.filter((need) =>
    open.includes(need) || (hasHosts && need.used.kind === "import")
  );
  const kept = [...declared, ...before.allow];
  let allow = needs.entries(wanted, kept);
  let refused = await lackingOf(wanted, allow);
  if (refused.length > 0) {
    // The form of an entry may suit only other machines, so the exact value is added.
    const exact = refused.map(({ used }) => used);
    allow = needs.entries(wanted, [...kept, ...exact]);
    refused = await lackingOf(refused, allow);
  }
  const possible = wanted.filter((need) => !refused.includes(need));
  const lacking = await lackingOf(possible, before.allow);
  return {
    allow,
    lacking: needs.entries(lacking, []),
    granted: possible.length,
    refused: refused.map(({ used }) => used),
  };
}
