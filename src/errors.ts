import { printable } from "./printable.ts";

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

/** Options of an {@linkcode HttpError}; other members extend the problem. */
export interface HttpErrorOptions {
  /** Headers of the answer, such as `{ "retry-after": "120" }`. */
  headers?: HeadersInit;
  /** The error behind this one: for your logs, never sent to the client. */
  cause?: unknown;
  /** Extension members of the problem (RFC 9457, section 3.2), sent as JSON. */
  [member: string]: unknown;
}

/**
 * An error with a status for the client. A handler throws it, and Bough answers
 * with a problem document (RFC 9457) of that status.
 *
 * @example Usage
 * ```ts
 * import { type FrameworkRequest, HttpError } from "@bough/framework";
 *
 * export function GET(request: FrameworkRequest): Response {
 *   const { id } = request.params;
 *   if (id !== "1") throw new HttpError(404, `There is no book "${id}"`, { id });
 *   return Response.json({ id });
 * }
 * ```
 */
export class HttpError extends Error {
  /** The name of the error class. */
  override name = "HttpError";
  /** The status of the answer, 400 to 599. */
  readonly status: number;
  /** What the client is told about this very occurrence. */
  readonly detail: string | undefined;
  /** Headers of the answer. */
  readonly headers: Headers;
  /** Extension members of the problem. */
  readonly extensions: Readonly<Record<string, unknown>>;

  /**
   * Creates the error.
   *
   * @param status The status of the answer, 400 to 599.
   * @param detail What to tell the client; nothing by default.
   * @param options Headers, a cause, and extension members of the problem.
   * @throws {RangeError} If `status` is no error status.
   */
  constructor(status: number, detail?: string, options: HttpErrorOptions = {}) {
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new RangeError(
        `Cannot create an HttpError: status must be 400 to 599, got ${status}`,
      );
    }
    const { headers, cause, ...extensions } = options;
    super(
      detail ?? `HTTP status ${status}`,
      cause === undefined ? {} : { cause },
    );
    this.status = status;
    this.detail = detail;
    this.headers = new Headers(headers);
    this.extensions = extensions;
  }
}
