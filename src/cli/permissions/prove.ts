import { dirname } from "@std/path/dirname";
import type { Want } from "../../exports/permissions.ts";
import type { Use } from "./attribution.ts";
import { covers, hostOf, isPath, isWithin, smallest } from "./coverage.ts";
import type { Log } from "./log.ts";
import type { PermissionSet } from "./permission_set.ts";
import { type Ended, isComplete } from "./shell_command.ts";
import { runUnder, type Trial } from "./trial.ts";

/** How often a command runs at most, as long as it asks for more. */
const RUNS = 4;

/** The result of the last run. */
export interface Proof {
  /** How it ended. */
  readonly ended: Ended;
  /** The entries of its permission set that it asked for. */
  readonly proven: readonly Want[];
  /** The entries that it did not ask for. */
  readonly unproven: readonly Want[];
}

/**
 * Runs a command under a permission set, then under the set that it turned out to need,
 * until the two are the same.
 *
 * @param first The set of the first run.
 * @param setAfter Returns the set that all runs so far need; receives how the last ended.
 */
export async function prove(
  trial: Trial,
  first: PermissionSet,
  { log, setAfter }: {
    readonly log: Log;
    readonly setAfter: (ended: Ended) => Promise<PermissionSet>;
  },
): Promise<Proof> {
  for (let set = first;;) {
    const ended = await runUnder(set, trial, log);
    const next = await setAfter(ended);
    const [now, then] = [set, next].map(({ allow }) =>
      JSON.stringify(smallest([], allow))
    );
    if (now === then || log.run === RUNS || !isComplete(ended)) {
      const asked = log.accesses.filter(({ run }) => run === log.run);
      const isProven = (want: Want) => asked.some((each) => covers(want, each));
      return {
        ended,
        proven: set.allow.filter(isProven),
        unproven: set.allow.filter((want) => !isProven(want)),
      };
    }
    set = next;
  }
}

/**
 * The hosts and folders of values that differ from run to run: the last run lacked one,
 * and did not repeat another, which the same line had asked for before.
 */
export function widerThan(uses: readonly Use[], run: number): Want[] {
  return uses.filter(({ lackingRun }) => lackingRun === run).flatMap((use) =>
    uses.filter((other) => other.run < run)
      .flatMap((other) => common(use, other) ?? []).slice(0, 1)
  );
}

function common(one: Use, other: Use): Want | undefined {
  const { kind, value } = one;
  if (other.kind !== kind || value === true || other.value === true) return;
  if (one.by?.url !== other.by?.url || one.by?.line !== other.by?.line) return;
  if (kind === "net" || kind === "import") {
    const host = hostOf(value);
    return host === hostOf(other.value) ? { kind, value: host } : undefined;
  }
  if (!isPath(kind)) return;
  let folder = dirname(value);
  while (!isWithin(folder, other.value)) folder = dirname(folder);
  // The folder of the whole project would allow far more.
  return isWithin(folder, Deno.cwd()) ? undefined : { kind, value: folder };
}
