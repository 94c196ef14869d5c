import type { Permission } from "../../core/start/permissions.ts";
import type { Use } from "./application.ts";
import { covers, hasElsewhere, isCached, keyOf, smallest } from "./coverage.ts";
import { type PermissionSet, type State, statesOf } from "./permission_set.ts";

/** A needed permission: a recorded use, or a need that is known without a run. */
export interface Need
  extends Permission, Pick<Use, "by" | "dependency" | "routes"> {
  /** Whether a run recorded it. */
  readonly isUse: boolean;
}

/** An entry of a set, with the first known place that needs it. */
export type Entry = Omit<Need, "isUse">;

/** The change of one permission set. */
export interface Plan {
  /** The name of the set; `undefined` if the needs are only printed. */
  readonly name: string | undefined;
  /** The new entries. */
  readonly added: readonly Entry[];
  /** The entries that nothing needs. */
  readonly unused: readonly Permission[];
  /** All entries afterwards. */
  readonly allow: readonly Permission[];
  /** The number of recorded accesses that Deno grants under the set. */
  readonly granted: number;
  /** The recorded accesses that no set grants, since Deno requires `--allow-all`. */
  readonly impossible: readonly Need[];
  /** The recorded accesses that Deno refuses under the set, for another reason. */
  readonly refused: readonly Need[];
}

/**
 * Plans the change of a permission set, and asks Deno whether it grants all needs.
 *
 * @param options The set before, the declared entries, which stay as they are written,
 * and whether the run was complete, unused entries are removed, and the set is only
 * checked.
 */
export async function planOf(
  needs: readonly Need[],
  { name, before, declared, isComplete, isPruning, isCheck }: {
    readonly name: string | undefined;
    readonly before: PermissionSet;
    readonly declared: readonly Permission[];
    readonly isComplete: boolean;
    readonly isPruning: boolean;
    readonly isCheck: boolean;
  },
): Promise<Plan> {
  const states = await statesOf(before, needs);
  const isMissing = (need: Need, state: State | undefined) =>
    state === "prompt" &&
    !(isCheck && hasElsewhere(before.allow, need));
  const lacking = new Set(
    needs.filter((need, index) =>
      isMissing(need, states[index]) && !isCached(need)
    ),
  );
  // Deno grants some hosts for imports only without a list of hosts.
  const hasList = [...lacking].some(({ kind }) => kind === "import");
  const missing = needs.filter((need) =>
    lacking.has(need) || (hasList && need.kind === "import")
  );
  // Only Deno knows some covered values, such as an address in "10.0.0.0/8".
  const unknown = needs.filter((need, index) =>
    states[index] === "granted" &&
    !before.allow.some((entry) => covers(entry, need))
  );
  // A run that fails, or that uses nothing, does not show which entries are used.
  const unused = !isComplete || !needs.some(({ isUse }) => isUse)
    ? []
    : before.allow.filter((entry) =>
      !needs.some((need) => covers(entry, need)) &&
      !unknown.some(({ kind }) => kind === entry.kind)
    );
  const kept = isPruning
    ? before.allow.filter((entry) => !unused.includes(entry))
    : before.allow;
  const allowOf = (needs: readonly Need[]) =>
    smallest(needs, [...kept, ...declared]);
  const after = missing.length === 0 && !isPruning
    ? states
    : await statesOf({ ...before, allow: allowOf(missing) }, needs);
  // Deno says that no set grants an access only under a set that lists the access.
  const never = new Set(
    needs.filter((_, index) => after[index] === "impossible"),
  );
  const allow = allowOf(missing.filter((need) => !never.has(need)));
  const uses = needs.map((need, index) => ({
    need,
    state: isCheck && !never.has(need) ? states[index] : after[index],
  })).filter(({ need }) => need.isUse);
  const impossible = uses.filter(({ need }) => never.has(need));
  const refused = uses.filter(({ need, state }) =>
    state === "denied" || isMissing(need, state)
  );
  const known = new Set(before.allow.map(keyOf));
  const added = allow.filter((entry) => !known.has(keyOf(entry)));
  return {
    name,
    added: added.map((entry) => entryOf(entry, missing)),
    unused,
    allow,
    granted: uses.length - impossible.length - refused.length,
    impossible: impossible.map(({ need }) => need),
    refused: refused.map(({ need }) => need),
  };
}

/** Whether Deno grants every recorded access under the set, and there is one. */
export function isProven({ granted, impossible, refused }: Plan): boolean {
  return granted > 0 && impossible.length + refused.length === 0;
}

function entryOf(entry: Permission, missing: readonly Need[]): Entry {
  const exact = missing.filter((need) => keyOf(need) === keyOf(entry));
  const covered = exact.length > 0
    ? exact
    : missing.filter((need) => covers(entry, need));
  // The place in a route says most about the server.
  const { by, dependency, routes = [] } =
    covered.find(({ routes }) => routes.length > 0) ??
      covered.find(({ by, dependency }) => by ?? dependency) ?? {};
  return { ...entry, by, dependency, routes };
}
