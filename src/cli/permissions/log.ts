import { isAbsolute } from "@std/path/is-absolute";
import { resolve } from "@std/path/resolve";
import type { Permission } from "../../exports/permissions.ts";
import { Audit, type Place } from "./audit.ts";
import type { Request } from "./broker.ts";
import {
  isPath,
  keyOf,
  temporaryFolder,
  withoutTemporary,
} from "./coverage.ts";
import { type PermissionSet, statesOf } from "./permission_set.ts";

/** An access that a command asked for. */
export interface Access extends Permission {
  /** The last run that asked for it, from 1. */
  readonly run: number;
  /** The last run whose permission set lacked it; 0 if none did. */
  readonly lackingRun: number;
  readonly places: readonly Place[];
}

/** The access whose line in the audit has the place. */
type Source = Pick<Request, "kind" | "value">;

interface Entry {
  readonly want: Permission;
  run: number;
  lackingRun: number;
  readonly sources: Map<string, Source>;
}

/** How many different accesses are kept. */
const LIMIT = 50_000;

/** The accesses of all runs of a command, each different one once. */
export class Log {
  /** Knows the places of accesses. */
  readonly audit = new Audit();
  /** Whether any process of Deno was run. */
  hasProcesses = false;
  /** The number of the current run, from 1. */
  run = 0;
  readonly #limit: number;
  readonly #entries = new Map<string, Entry>();

  /** @param limit How many different accesses are kept. */
  constructor(limit: number = LIMIT) {
    this.#limit = limit;
  }

  /** Whether there may be more accesses than are kept. */
  get isFull(): boolean {
    return this.#entries.size >= this.#limit;
  }

  add(want: Permission, source: Source): void {
    const key = keyOf(want);
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      if (this.isFull) return;
      entry = { want, run: 0, lackingRun: 0, sources: new Map() };
      this.#entries.set(key, entry);
    }
    entry.run = this.run;
    entry.sources.set(`${source.kind} ${source.value}`, source);
  }

  /** Finds the accesses of the current run that its permission set lacks. */
  async compare(set: PermissionSet): Promise<void> {
    const asked = [...this.#entries].filter(([, { run }]) => run === this.run);
    const states = await statesOf(set, asked.map(([, { want }]) => want));
    asked.forEach(([key, entry], index) => {
      const { kind } = entry.want;
      // If a set has no list, Deno grants some hosts of modules.
      const isFree = states[index] === "granted" && kind === "import" &&
        !set.allow.some((want) => want.kind === kind);
      if (states[index] === "prompt") entry.lackingRun = this.run;
      else if (isFree) this.#entries.delete(key);
    });
  }

  get accesses(): Access[] {
    const all = new Map<string, Access>();
    for (const { want, run, lackingRun, sources } of this.#entries.values()) {
      const { kind, value } = withoutTemporary(want);
      const key = keyOf({ kind, value });
      const before = all.get(key);
      const places = [...sources.values()].flatMap(({ kind, value }) =>
        this.audit.placesOf(kind, value)
      );
      all.set(key, {
        kind,
        value,
        run: Math.max(run, before?.run ?? 0),
        lackingRun: Math.max(lackingRun, before?.lackingRun ?? 0),
        places: [...before?.places ?? [], ...places],
      });
    }
    return [...all.values()];
  }
}

/** The permission that a process asks for, with absolute paths. */
export function permissionOf({ kind, value, pid }: Request): Permission {
  if (value === null) return { kind, value: true };
  if (value === "<TMP>") return { kind, value: temporaryFolder() };
  const isRelative = !isAbsolute(value) &&
    (isPath(kind) || (kind === "run" && /[\\/]/.test(value)));
  return { kind, value: isRelative ? resolve(folderOf(pid), value) : value };
}

/** The working directory of a process, where the system shows it: on Linux. */
function folderOf(pid: number): string {
  try {
    return Deno.readLinkSync(`/proc/${pid}/cwd`);
  } catch {
    return Deno.cwd();
  }
}
