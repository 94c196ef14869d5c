import { printable, programFault } from "./log.ts";
import { groupBy, quoted } from "./values.ts";

/** One fault of a tree of route files. */
export interface RouteFault {
  /** The file or folder, with `apiDir`: `api/users/route.ts`. */
  readonly path: string;
  /** The explanation of the fault, and what to do. */
  readonly reason: string;
  /** The kind of fault, named after its rule in `bough check`. */
  readonly rule?: string;
  /** The error that caused the fault, such as one thrown by a route file on import. */
  readonly cause?: unknown;
}

/**
 * The error of `start`, `serve` and `fetch` if a tree of route files cannot be served.
 * The error lists all faults of the tree, in path order, so that you can fix them
 * together.
 *
 * @example Usage
 * ```ts
 * import { RouteError } from "@bough/framework";
 *
 * const error = new RouteError([
 *   { path: "api/users/route.ts", reason: "no handler is exported" },
 * ]);
 * console.log(error.message);
 * // Cannot serve "api/users/route.ts": no handler is exported
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
   * @param faults The faults, in any order.
   */
  constructor(faults: readonly RouteFault[]) {
    const sorted = faults.toSorted((a, b) =>
      a.path < b.path ? -1 : a.path > b.path ? 1 : 0
    );
    const groups = [...groupBy(sorted, ({ reason }) => reason).values()];
    super(groups.map(describe).join("\n"), causeOf(sorted));
    programFault(this);
    this.faults = sorted;
  }
}

/**
 * Describes a fault on one line. Files with the same fault share the line, for example
 * if the import of a shared module fails.
 */
function describe([first, ...others]: readonly RouteFault[]): string {
  const reason = first!.reason.split("\n").map(printable).join("\n");
  const line = `Cannot serve "${printable(first!.path)}": ${reason}`;
  if (others.length === 0) return line;
  const paths = quoted(others.map(({ path }) => printable(path)));
  return `${line}\n  The same error affects ${paths}`;
}

/**
 * The options that set the cause of the error: a single cause, or an `AggregateError`
 * of several causes.
 */
function causeOf(faults: readonly RouteFault[]): ErrorOptions {
  const causes = [...new Set(faults.map(({ cause }) => cause))]
    .filter((cause) => cause !== undefined);
  if (causes.length < 2) return causes.length === 0 ? {} : { cause: causes[0] };
  return { cause: new AggregateError(causes) };
}

/** The kinds of faults. The page of `bough check` explains each kind. */
export type FaultRule =
  | "api-dir"
  | "exports"
  | "folder-name"
  | "guard-off"
  | "import"
  | "link"
  | "manifest"
  | "permissions"
  | "plugin"
  | "same-url"
  | "unreadable";

/**
 * Receives a fault of one file or folder: a sentence that explains the fault and its
 * fix.
 */
export type Report = (reason: string, cause?: unknown) => void;

/** Collects the faults of a tree, to report them together. */
export class Faults {
  readonly #all: RouteFault[] = [];

  /** All faults, in the order in which they were found. */
  get all(): readonly RouteFault[] {
    return this.#all;
  }

  /** Returns the function that reports faults of one kind at a path. */
  at(path: string, rule: FaultRule): Report {
    return (reason, cause) => {
      const fault = { path, reason, rule };
      this.#all.push(cause === undefined ? fault : { ...fault, cause });
    };
  }

  /** @throws {RouteError} With all faults, if there are any. */
  throwIfAny(): void {
    if (this.#all.length > 0) throw new RouteError(this.#all);
  }
}
