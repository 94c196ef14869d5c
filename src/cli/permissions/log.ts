import { isAbsolute } from "@std/path/is-absolute";
import { resolve } from "@std/path/resolve";
import type { Permission } from "../../core/exports/permissions.ts";
import { type AccessPlace, Audit } from "./audit.ts";
import type { AccessRequest } from "./broker.ts";
import {
  isPath,
  keyOf,
  temporaryFolder,
  withoutTemporary,
} from "./coverage.ts";
import { type PermissionSet, statesOf } from "./permission_set.ts";

/** An access that a command requested. */
export interface Access extends Permission {
  /** The last run that requested the access, from 1. */
  readonly run: number;
  /** The last run whose permission set lacked the access; 0 if every set included it. */
  readonly missingRun: number;
  readonly places: readonly AccessPlace[];
}

/** The access on the line of the audit that shows the place. */
type Source = Pick<AccessRequest, "kind" | "value">;

interface Entry {
  readonly permission: Permission;
  run: number;
  missingRun: number;
  readonly sources: Map<string, Source>;
}

/** The maximum number of distinct accesses. */
const LIMIT = 50_000;

/** The distinct accesses of all runs of a command. */
export class Log {
  /** The places of accesses. */
  readonly audit = new Audit();
  /** Whether any Deno process ran. */
  hasProcesses = false;
  /** The number of the current run, from 1. */
  run = 0;
  readonly #limit: number;
  readonly #entries = new Map<string, Entry>();

  /** @param limit The maximum number of distinct accesses. */
  constructor(limit: number = LIMIT) {
    this.#limit = limit;
  }

  /** Whether the limit is reached, so that accesses may be missing. */
  get isFull(): boolean {
    return this.#entries.size >= this.#limit;
  }

  add(permission: Permission, source: Source): void {
    const key = keyOf(permission);
    if (this.isFull && !this.#entries.has(key)) return;
    const entry = this.#entries.getOrInsertComputed(
      key,
      () => ({ permission, run: 0, missingRun: 0, sources: new Map() }),
    );
    entry.run = this.run;
    entry.sources.set(`${source.kind} ${source.value}`, source);
  }

  /** Finds the accesses of the current run that a permission set does not include. */
  async compare(set: PermissionSet): Promise<void> {
    const asked = [...this.#entries].filter(([, { run }]) => run === this.run);
    const permissions = asked.map(([, { permission }]) => permission);
    const states = await statesOf(set, permissions);
    asked.forEach(([key, entry], index) => {
      const { kind } = entry.permission;
      // If a set has no list of hosts for imports, Deno grants some hosts by default.
      const isFree = states[index] === "granted" && kind === "import" &&
        !set.allow.some((each) => each.kind === kind);
      if (states[index] === "prompt") entry.missingRun = this.run;
      else if (isFree) this.#entries.delete(key);
    });
  }

  get accesses(): Access[] {
    const all = new Map<string, Access>();
    for (const entry of this.#entries.values()) {
      const { run, missingRun, sources } = entry;
      const { kind, value } = withoutTemporary(entry.permission);
      const key = keyOf({ kind, value });
      const before = all.get(key);
      const places = [...sources.values()].flatMap(({ kind, value }) =>
        this.audit.placesOf(kind, value)
      );
      all.set(key, {
        kind,
        value,
        run: Math.max(run, before?.run ?? 0),
        missingRun: Math.max(missingRun, before?.missingRun ?? 0),
        places: [...before?.places ?? [], ...places],
      });
    }
    return [...all.values()];
  }
}

/** The permission that a process requests, with absolute paths. */
export function permissionOf({ kind, value, pid }: AccessRequest): Permission {
  if (value === null) return { kind, value: true };
  if (value === "<TMP>") return { kind, value: temporaryFolder() };
  const isRelative = !isAbsolute(value) &&
    (isPath(kind) || (kind === "run" && /[\\/]/.test(value)));
  return { kind, value: isRelative ? resolve(folderOf(pid), value) : value };
}

/** The working directory of a process on Linux; elsewhere, of this process. */
function folderOf(pid: number): string {
  try {
    return Deno.readLinkSync(`/proc/${pid}/cwd`);
  } catch {
    return Deno.cwd();
  }
}
