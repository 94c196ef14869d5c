import { isGuarded, type Operation } from "./operation.ts";
import type { Session } from "./session.ts";

/** An operation of which nothing was tested behind its schemas and its guard. */
export interface UntestedOperation {
  /** The method and the path of the route. */
  readonly operation: string;
  /** Why it was not tested. */
  readonly reason: string;
}

/** By these, a response tells nothing of what an operation does. */
const BLOCKED: ReadonlySet<number | undefined> = new Set([
  undefined,
  401,
  403,
  404,
  429,
  503,
]);

/** Why an operation was not tested, as far as its requests show. */
export function untestedReason(
  session: Session,
  operation: Operation,
): string | undefined {
  const statuses = [...session.statuses.get(operation)?.keys() ?? []];
  if (statuses.some((status) => !BLOCKED.has(status))) return undefined;
  if (statuses.length === 0) {
    return session.missingOf(operation) ?? "no request was sent";
  }
  if (statuses.includes(undefined)) return "it does not respond";
  const seen = `every response was a ${statuses.sort().join(" or ")}`;
  if (statuses.includes(404)) {
    return `${seen}; name values that there are by "generators"`;
  }
  if (!statuses.includes(401) && !statuses.includes(403)) return seen;
  return Object.keys(session.options.as).length === 0
    ? `${seen}; show who sends the requests by "as"`
    : `${seen}, also with the headers of "as"`;
}

/** What a run did not test. */
export interface Coverage {
  /** The operations that were not tested, but for those of the option `skip`. */
  readonly untested: readonly UntestedOperation[];
  /** Why the run shows too little to be good, whatever it found. */
  readonly problem: string | undefined;
}

/** Says what a run did not test. */
export function coverageOf(
  session: Session,
  leftOut: readonly Operation[],
): Coverage {
  const { operations, options: { as, strict } } = session;
  const untested = [
    ...operations.flatMap((operation) => {
      const reason = untestedReason(session, operation);
      return reason === undefined
        ? []
        : [{ operation: operation.name, reason }];
    }),
    ...leftOut.map(({ name }) => ({
      operation: name,
      reason: 'it is sent to a server elsewhere only with "unsafe"',
    })),
  ];
  const guarded = operations.filter(isGuarded)
    .flatMap((operation) => [...session.statuses.get(operation) ?? []]);
  // A guard may also limit how often somebody tries.
  const isRefused = Object.keys(as).length > 0 && guarded.includes(401) &&
    guarded.every((status) => [401, 429, 503].includes(status!));
  const all = operations.length + leftOut.length;
  const problem = untested.length === all
    ? "no operation was tested"
    : isRefused
    ? 'every operation that asks for credentials refused those of "as" by a 401'
    : strict && untested.length > 0
    ? `${untested.length} of ${all} operations were not tested`
    : undefined;
  return { untested, problem };
}
