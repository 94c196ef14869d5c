import { printable } from "../../common/log.ts";
import { needsCredentials } from "../../exports/middleware_module.ts";
import {
  type ContractFailure,
  PROPERTIES,
  type PropertyName,
  TITLES,
} from "../checks.ts";
import type { Operation } from "../operation.ts";
import type { Session } from "../search/session.ts";

/** The maximum number of requests to show. */
const MAX_SHOWN = 10;

/**
 * The report of a failure: the expected response, the actual response, and how to
 * reproduce the failure.
 */
export function failureText(
  { property, operation, file, expected, seen, curl, test, replays, seed }:
    ContractFailure,
): string {
  const shown = curl.slice(-MAX_SHOWN);
  const lines = [
    `${operation} (${file}): ${TITLES[property]}`,
    `  expected: ${expected}`,
    `  seen:     ${seen}`,
    `  seed:     ${seed}`,
    ...(replays ? [] : [
      "  These requests may not suffice: to reproduce, run all tests with this seed in a new process.",
    ]),
    "",
    ...shown.map((line) => `  ${line}`),
    "",
    ...test.split("\n").map((line) => `  ${line}`),
  ];
  return lines.map(printable).join("\n");
}

/** The table of results, with a line for each operation. */
export function summaryTable(results: readonly OperationResult[]): string {
  const operations = [...new Set(results.map(({ operation }) => operation))];
  const cell = (operation: string, property: string): string => {
    const found = results.filter((each) =>
      each.operation === operation && each.property === property
    );
    const [result] = found;
    if (result === undefined) return "-";
    if (found.some(({ failure }) => failure !== undefined)) return "FAILED";
    if (result.runs > 0) return String(result.runs);
    return result.note === undefined ? "none" : "-";
  };
  const rows = [
    ["ROUTE", ...PROPERTIES.map((name) => name.toUpperCase())],
    ...operations.map((operation) => [
      operation,
      ...PROPERTIES.map((property) => cell(operation, property)),
    ]),
  ];
  const widths = rows[0]!.map((_, column) =>
    Math.max(...rows.map((row) => printable(row[column]!).length))
  );
  return rows.map((row) =>
    row.map((text, column) => printable(text).padEnd(widths[column]!))
      .join("  ").trimEnd()
  ).join("\n");
}

/** An operation whose handler was not tested. */
export interface UntestedOperation {
  /** The method and the path of the route. */
  readonly operation: string;
  /** The reason why the operation was not tested. */
  readonly reason: string;
}

/** Statuses that do not show whether the request reached a resource. */
const BLOCKED = [undefined, 401, 403, 404, 429, 503];

/** The reason why an operation was not tested; `undefined` if it was tested. */
export function untestedReason(
  session: Session,
  operation: Operation,
): string | undefined {
  const statuses = [...session.statuses.get(operation)?.keys() ?? []];
  if (statuses.some((status) => !BLOCKED.includes(status))) return undefined;
  if (statuses.length === 0) {
    return session.missingOf(operation) ?? "no request was sent";
  }
  if (statuses.includes(undefined)) return "no response";
  const seen = `every response had the status ${statuses.sort().join(" or ")}`;
  if (statuses.includes(404)) {
    return `${seen}; provide existing values with "generators"`;
  }
  if (!statuses.includes(401) && !statuses.includes(403)) return seen;
  return Object.keys(session.options.as).length === 0
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

export function coverageOf(session: Session): Coverage {
  const { operations, leftOut, options: { as, strict } } = session;
  const untested = [
    ...operations.map((operation) => ({
      operation: operation.name,
      reason: untestedReason(session, operation),
    })),
    ...leftOut.map(({ name }) => ({
      operation: name,
      reason: 'not sent to another machine; allow such requests with "unsafe"',
    })),
  ].filter((each): each is UntestedOperation => each.reason !== undefined);
  const guarded = operations
    .filter(({ security }) => needsCredentials(security))
    .flatMap((operation) => [...session.statuses.get(operation) ?? []]);
  // A guard may also limit the rate of requests.
  const isRefused = Object.keys(as).length > 0 && guarded.includes(401) &&
    guarded.every((status) => [401, 429, 503].includes(status!));
  const all = operations.length + leftOut.length;
  const problem = untested.length === all
    ? "no operation was tested"
    : isRefused
    ? 'every operation that requires credentials rejected the credentials of "as" with 401'
    : strict && untested.length > 0
    ? `${untested.length} of ${all} operations were not tested`
    : undefined;
  return { untested, problem };
}

/** The result of a property with one operation. */
export interface OperationResult {
  /** The property. */
  readonly property: PropertyName;
  /** The method and the path of the route. */
  readonly operation: string;
  /** The number of values tried. */
  readonly runs: number;
  /** The failure, if the property does not hold. */
  readonly failure: ContractFailure | undefined;
  /** The reason why fewer values were tried than requested. */
  readonly note: string | undefined;
}
