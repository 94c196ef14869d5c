import { needsCredentials } from "../../core/start/modules.ts";
import { WILDCARD } from "../../shared/fill_path.ts";
import type { Operation } from "../operation.ts";
import type { Sender } from "../search/sender.ts";

/** An operation whose handler was not tested. */
export interface UntestedOperation {
  /** The method and the path of the route. */
  readonly operation: string;
  /** The reason why the operation was not tested. */
  readonly reason: string;
}

/**
 * Whether a response shows that a valid request reached its handler and was accepted. A
 * `GET` of a socket gets 426, and the property `failure` reports a 500.
 */
export function isAccepted(status = 0): boolean {
  return status > 0 && status < 400 || status === 426 || status === 500;
}

/** Statuses that do not depend on the values of a request. */
const INDEPENDENT: readonly (number | undefined)[] = [401, 403, 429, 503];

/** Describes that no request was accepted; `undefined` if one was. */
export function rejectionText(
  statuses: ReadonlySet<number | undefined>,
  to = "",
): string | undefined {
  const all = [...statuses];
  if (all.some(isAccepted)) return undefined;
  if (all.length === 0) return "no request was sent";
  if (all.includes(undefined)) return "no response";
  return `every response${to} had the status ${all.sort().join(" or ")}`;
}

/** The reason why an operation was not tested; `undefined` if it was tested. */
export function untestedReason(
  sender: Sender,
  operation: Operation,
  statuses: ReadonlySet<number | undefined> = sender.results.of(operation)
    .statuses,
): string | undefined {
  const { length } = Object.keys(sender.subject.options.as);
  // Another identity may have got another status.
  const to = length > 1 ? ` to "${operation.as!.name}"` : "";
  const seen = rejectionText(statuses, to);
  if (statuses.size === 0) return sender.missingOf(operation) ?? seen;
  if (seen === undefined || statuses.has(undefined)) return seen;
  if (statuses.values().some((each) => !INDEPENDENT.includes(each))) {
    const example = operation.name.endsWith(WILDCARD)
      ? `, such as params: [{ "${WILDCARD}": ["a", "b.txt"] }]`
      : "";
    const values = `${statuses.has(404) ? "existing" : "accepted"} values`;
    return `${seen}; provide ${values} with "generators"${example}`;
  }
  if (!statuses.has(401) && !statuses.has(403)) return seen;
  return length === 0
    ? `${seen}; send credentials with "as"`
    : `${seen}, even with the headers of "as"`;
}

/** The operations that a run did not test, and whether the run tested too little. */
export interface Coverage {
  /** The untested operations, except the operations of the option `skip`. */
  readonly untested: readonly UntestedOperation[];
  /**
   * The reason why the run tested too little. Such a run fails even if it found no
   * failure.
   */
  readonly problem: string | undefined;
}

/**
 * @param isShown Whether the tested properties show which operations were tested, as
 * those of valid requests do.
 */
export function coverageOf(sender: Sender, isShown: boolean): Coverage {
  const { subject: { operations, leftOut, options }, results } = sender;
  const { late } = results;
  const reasonOf = (operation: Operation) => {
    if (!isShown) return undefined;
    const isSilent = operation.schema.socket?.value.receive !== undefined &&
      !results.of(operation).statuses.has(101);
    return untestedReason(sender, operation) ??
      (isSilent ? "no handler received a message over its socket" : undefined);
  };
  const untested = [
    ...operations.map((operation) => ({
      operation: operation.name,
      reason: late.has(operation)
        ? `no time for the property "${late.get(operation)}" and those after it`
        : reasonOf(operation),
    })),
    ...leftOut.map(({ name }) => ({
      operation: name,
      reason: 'not sent to a running server; allow such requests with "unsafe"',
    })),
  ].filter((each): each is UntestedOperation => each.reason !== undefined);
  const all = operations.length + leftOut.length;
  const problem = operations.every((each) => reasonOf(each) !== undefined)
    ? "no operation was tested"
    : areRejected(sender)
    ? 'every operation that requires credentials rejected the credentials of "as" with 401'
    : options.strict && untested.length > 0
    ? `${untested.length} of ${all} operations were not tested`
    : undefined;
  return { untested, problem };
}

/** Whether every guard rejected the credentials. */
function areRejected({ subject, results }: Sender): boolean {
  const statuses = subject.operations
    .filter(({ security }) => needsCredentials(security))
    .flatMap((operation) => [...results.of(operation).statuses]);
  // A guard may also limit the rate of requests.
  return Object.keys(subject.options.as).length > 0 && statuses.includes(401) &&
    statuses.every((status) => [401, 429, 503].includes(status!));
}
