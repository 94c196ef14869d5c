import { printable } from "../common/printable.ts";

/** One thing that is wrong with a tree of route files. */
export interface RouteFault {
  /** The file or folder concerned, as `apiDir` spells it: `api/users/route.ts`. */
  readonly path: string;
  /** What is wrong with it, and what to do. */
  readonly reason: string;
  /** The error behind it, such as the one that a route file threw on import. */
  readonly cause?: unknown;
}

/**
 * Thrown at the start when a tree of route files cannot be served. It gathers
 * all faults of the tree, in path order, so that they can be mended in one go.
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
 * One line for each fault. Files that one error kept from being imported, such as
 * that of a module they share, have one together.
 */
function describe(faults: readonly RouteFault[]): string {
  const groups = new Map<unknown, RouteFault[]>();
  for (const fault of faults) {
    const key = fault.cause ?? fault;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [fault]);
    else group.push(fault);
  }
  return [...groups.values()].map(([first, ...others]) => {
    const line = `Cannot serve "${printable(first!.path)}": ${
      first!.reason.split("\n").map(printable).join("\n")
    }`;
    if (others.length === 0) return line;
    const paths = others.map(({ path }) => `"${printable(path)}"`).join(", ");
    return `${line}\n  The same keeps out ${paths}`;
  }).join("\n");
}

/** One fault's cause is the error's own; several go together. */
function causeOf(faults: readonly RouteFault[]): ErrorOptions {
  const causes = [...new Set(faults.map(({ cause }) => cause))]
    .filter((cause) => cause !== undefined);
  if (causes.length === 0) return {};
  return {
    cause: causes.length === 1 ? causes[0] : new AggregateError(causes),
  };
}

/** Takes what is wrong with one file or folder: a sentence with its fix. */
export type Report = (reason: string, cause?: unknown) => void;

/** Gathers what is wrong with a tree, so that all of it is told together. */
export class Faults {
  readonly #all: RouteFault[] = [];

  /** What is wrong, in the order of its finding. */
  get all(): readonly RouteFault[] {
    return this.#all;
  }

  /** Takes what is wrong with the file or folder at a path. */
  at(path: string): Report {
    return (reason, cause) =>
      this.#all.push({ path, reason, ...(cause !== undefined && { cause }) });
  }

  /** @throws {RouteError} With all faults, if there are any. */
  throwIfAny(): void {
    if (this.#all.length > 0) throw new RouteError(this.#all);
  }
}

/** Gives what a check made, if it found nothing to report. */
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
