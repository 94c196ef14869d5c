import { printable } from "./common/log.ts";

/** One thing that is wrong with a tree of route files. */
export interface RouteFault {
  /** The file or folder, with `apiDir`: `api/users/route.ts`. */
  readonly path: string;
  /** What is wrong with it, and what to do. */
  readonly reason: string;
  /** What kind of fault it is, by the name that `bough check` has for it. */
  readonly rule?: string;
  /** The error behind it, such as the one that a route file threw on import. */
  readonly cause?: unknown;
}

/**
 * Thrown at the start if a tree of route files cannot be served. It has all faults of
 * the tree, in path order, so that you can mend them all at once.
 *
 * @example Usage
 * ```ts
 * import { RouteError } from "@bough/framework";
 *
 * const error = new RouteError([
 *   { path: "api/users/route.ts", reason: "it exports no handler" },
 * ]);
 * console.log(error.message);
 * // Cannot serve "api/users/route.ts": it exports no handler
 * ```
 */
export class RouteError extends Error {
  /** The name of the error class. */
  override name = "RouteError";
  /** Every fault found, in path order. */
  readonly faults: readonly RouteFault[];

  /**
   * Creates the error from the faults of a tree.
   *
   * @param faults What is wrong, in any order.
   */
  constructor(faults: readonly RouteFault[]) {
    const sorted = faults.toSorted((a, b) =>
      a.path < b.path ? -1 : a.path > b.path ? 1 : 0
    );
    super(describe(sorted), causeOf(sorted));
    this.faults = sorted;
  }
}

/**
 * Describes each fault on one line. Files that the same error affects share a line:
 * for example, if the import of a module fails that all of them use.
 */
function describe(faults: readonly RouteFault[]): string {
  const groups = new Map<unknown, RouteFault[]>();
  for (const fault of faults) {
    const key = errorOf(fault.cause) ?? fault;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [fault]);
    else group.push(fault);
  }
  return [...groups.values()].map(([first, ...others]) => {
    const reason = first!.reason.split("\n").map(printable).join("\n");
    const line = `Cannot serve "${printable(first!.path)}": ${reason}`;
    if (others.length === 0) return line;
    const paths = others.map(({ path }) => `"${printable(path)}"`).join(", ");
    return `${line}\n  The same error keeps out ${paths}`;
  }).join("\n");
}

/**
 * What tells an error from another: itself; or what Deno refuses, since each file whose
 * import needs the same permission has an error of its own.
 */
function errorOf(cause: unknown): unknown {
  return cause instanceof Error && /^Requires \w+ access/.test(cause.message)
    ? cause.message
    : cause;
}

/** A single cause becomes that of the error; several become an `AggregateError`. */
function causeOf(faults: readonly RouteFault[]): ErrorOptions {
  const byError = new Map(faults.map(({ cause }) => [errorOf(cause), cause]));
  const causes = [...byError.values()].filter((cause) => cause !== undefined);
  if (causes.length < 2) return causes.length === 0 ? {} : { cause: causes[0] };
  return { cause: new AggregateError(causes) };
}

/** The kinds of faults. The page of the command explains them. */
export type FaultRule =
  | "api-dir"
  | "exports"
  | "folder-name"
  | "guard-off"
  | "import"
  | "manifest"
  | "permissions"
  | "plugin"
  | "same-url"
  | "unreadable";

/** Receives what is wrong with one file or folder: a sentence that says how to fix it. */
export type Report = (reason: string, cause?: unknown) => void;

/** Collects what is wrong with a tree, to report everything at once. */
export class Faults {
  readonly #all: RouteFault[] = [];

  /** All faults, in the order in which they were found. */
  get all(): readonly RouteFault[] {
    return this.#all;
  }

  /** The report for faults of one kind in the file or folder at a path. */
  at(path: string, rule: FaultRule): Report {
    return (reason, cause) => {
      const behind = cause === undefined ? {} : { cause };
      this.#all.push({ path, reason, rule, ...behind });
    };
  }

  /** @throws {RouteError} With all faults, if there are any. */
  throwIfAny(): void {
    if (this.#all.length > 0) throw new RouteError(this.#all);
  }
}

/** Returns the result of a check, or `undefined` if it reported anything. */
export function ifSound<Checked>(
  report: Report,
  check: (report: Report) => Checked,
): Checked | undefined {
  let isSound = true;
  const checked = check((reason, cause) => {
    isSound = false;
    report(reason, cause);
  });
  return isSound ? checked : undefined;
}
