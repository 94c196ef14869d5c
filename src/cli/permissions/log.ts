import { isAbsolute } from "@std/path/is-absolute";
import { resolve } from "@std/path/resolve";
import type { Want } from "../../routes/permission_flags.ts";
import { Audit, type Place } from "./audit.ts";
import type { Request } from "./broker.ts";
import {
  isPath,
  keyOf,
  temporaryFolder,
  withoutTemporary,
} from "./coverage.ts";

/** Something that a command asked for. */
export interface Access extends Want {
  /** The last run that asked for it, from 1. */
  readonly run: number;
  /** The last run whose permission set lacked it; 0 if none did. */
  readonly lackingRun: number;
  /** Where it may have been made. */
  readonly places: readonly Place[];
}

/** What the audit has the place of an access with. */
type Source = Pick<Request, "kind" | "value">;

interface Entry extends Omit<Access, "places"> {
  readonly sources: Map<string, Source>;
}

/** How many different accesses are kept. */
const LIMIT = 100_000;

/** What all runs of a command asked for, each different access once. */
export class Log {
  /** Knows the places of accesses. */
  readonly audit = new Audit();
  /** Whether any process of Deno was run. */
  hasProcesses = false;
  readonly #limit: number;
  readonly #entries = new Map<string, Entry>();
  #run = 0;

  /** @param limit How many different accesses are kept. */
  constructor(limit: number = LIMIT) {
    this.#limit = limit;
  }

  /** The number of the current run, from 1. */
  get run(): number {
    return this.#run;
  }

  /** Begins a run. */
  begin(): void {
    this.#run++;
    this.audit.begin();
  }

  /** Whether there may be more accesses than are kept. */
  get isFull(): boolean {
    return this.#entries.size >= this.#limit;
  }

  /** The accesses, in order. */
  get accesses(): Access[] {
    return [...this.#entries.values()].map(({ sources, ...access }) => ({
      ...access,
      places: [...sources.values()].flatMap(({ kind, value }) =>
        this.audit.placesOf(kind, value)
      ),
    }));
  }

  /** Keeps an access, which the set of the current run grants or lacks. */
  add(want: Want, isLacking: boolean, source: Source): void {
    const { kind, value } = withoutTemporary(want);
    const key = keyOf({ kind, value });
    const before = this.#entries.get(key);
    if (before === undefined && this.isFull) return;
    const { sources = new Map(), lackingRun = 0 } = before ?? {};
    this.#entries.set(key, {
      kind,
      value,
      run: this.#run,
      lackingRun: isLacking ? this.#run : lackingRun,
      sources: sources.set(`${source.kind} ${source.value}`, source),
    });
  }
}

/** What a process asks for, with absolute paths. */
export function wantOf({ kind, value, pid }: Request): Want {
  if (value === null) return { kind, value: true };
  if (value === "<TMP>") return { kind, value: temporaryFolder() };
  const isRelative = !isAbsolute(value) &&
    (isPath(kind) || (kind === "run" && /[\\/]/.test(value)));
  return { kind, value: isRelative ? resolve(folderOf(pid), value) : value };
}

/** The working directory of a process, if the system tells it, as Linux does. */
function folderOf(pid: number): string {
  try {
    return Deno.readLinkSync(`/proc/${pid}/cwd`);
  } catch {
    return Deno.cwd();
  }
}
