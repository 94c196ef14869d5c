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

/** How many requests before the last one are shown. */
const MAX_SHOWN = 10;

/** A failure as a text: what was expected and seen, and how to see it again. */
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
      "  The application was not at its beginning: to see this again, run all with that seed in a new process.",
    ]),
    "",
    ...shown.map((line) => `  ${line}`),
    "",
    ...test.split("\n").map((line) => `  ${line}`),
  ];
  return lines.map(printable).join("\n");
}

/** The results as a table, with a line for each operation. */
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

/** An operation of which nothing was tested behind its schemas and its guard. */
export interface UntestedOperation {
  /** The method and the path of the route. */
  readonly operation: string;
  /** Why it was not tested. */
  readonly reason: string;
}

/** By these, a response tells nothing of what an operation does. */
const BLOCKED = [undefined, 401, 403, 404, 429, 503];

/** Why an operation was not tested, as far as its requests show. */
export function untestedReason(
  session: Session,
  operation: Operation,
): string | undefined {
  const statuses = [...session.statuses.get(operation)?.keys() ?? []];
  if (statuses.some((status) => !BLOCKED.includes(status))) return undefined;
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
export function coverageOf(session: Session): Coverage {
  const { operations, leftOut, options: { as, strict } } = session;
  const untested = [
    ...operations.map((operation) => ({
      operation: operation.name,
      reason: untestedReason(session, operation),
    })),
    ...leftOut.map(({ name }) => ({
      operation: name,
      reason: 'it is sent to a server elsewhere only with "unsafe"',
    })),
  ].filter((each): each is UntestedOperation => each.reason !== undefined);
  const guarded = operations
    .filter(({ security }) => needsCredentials(security))
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

/** What came of a property with one operation. */
export interface OperationResult {
  /** The property. */
  readonly property: PropertyName;
  /** The method and the path of the route. */
  readonly operation: string;
  /** How many values were tried. */
  readonly runs: number;
  /** What was found, if the property does not hold. */
  readonly failure: ContractFailure | undefined;
  /** Why fewer values were tried than wanted. */
  readonly note: string | undefined;
}
