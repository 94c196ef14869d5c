import { printable } from "../../core/common/log.ts";
import { needsCredentials } from "../../core/start/modules.ts";
import { WILDCARD } from "../../shared/fill_path.ts";
import { aligned } from "../../shared/aligned.ts";
import {
  type ContractFailure,
  PROPERTIES,
  type PropertyName,
  TITLES,
} from "../checks.ts";
import type { Operation } from "../operation.ts";
import type { Sender } from "../search/sender.ts";

const MAX_SHOWN = 10;

/**
 * The report of a failure: the expected response, the actual response, and how to
 * reproduce the failure.
 *
 * @param failure The failure.
 * @param operation The operation that the report is for. If the failure was found for an
 * earlier operation, the report is one line, which names that operation.
 */
export function failureText(
  failure: ContractFailure,
  operation: string = failure.operation,
): string {
  const { property, file, test, replays, seed } = failure;
  if (operation !== failure.operation) {
    return printable(
      `${operation}: ${
        TITLES[property]
      }: see the report for ${failure.operation}, which has the same cause`,
    );
  }
  // Each line of a message has its own line, below the first.
  const [expected, seen] = distinct([failure.expected, failure.seen])
    .map((text) => text.replaceAll(/\n\s*/g, `\n${" ".repeat(12)}`));
  const others = failure.operations.slice(1);
  const lines = [
    ...(others.length === 0 ? [] : [`also:     ${others.join(", ")}`]),
    `expected: ${expected}`,
    `seen:     ${seen}`,
    `seed:     ${seed}`,
    ...(replays ? [] : [
      "These requests may not suffice: to reproduce, run all tests with this seed in a new process.",
    ]),
    ...(failure.isTestEnough ? [] : ["", ...failure.curl.slice(-MAX_SHOWN)]),
    "",
    test,
  ].join("\n").split("\n").map((line) => line && `  ${line}`);
  return [`${operation} (${file}): ${TITLES[property]}`, ...lines]
    .map(printable).join("\n");
}

const STRING = /"(?:[^"\\\n]|\\.)*"/g;

/** Characters and JSON escapes that are easily overlooked, such as a zero-width space. */
const INVISIBLE = /\p{C}|\p{M}|(?! )\p{Z}|\\u[\da-f]{4}/gu;

/**
 * Escapes strings that look like others, or have characters that are easily overlooked,
 * and adds their lengths: `"e\u{301}" (length 2)`.
 */
function distinct(texts: readonly string[]): string[] {
  const strings = texts.flatMap((text) => text.match(STRING) ?? []);
  const plain = (text: string) =>
    text.normalize("NFKC").replaceAll(INVISIBLE, "").replaceAll(" ", "");
  const isClear = (text: string) =>
    text.search(INVISIBLE) === -1 &&
    strings.every((each) => each === text || plain(each) !== plain(text));
  return texts.map((text) =>
    text.replaceAll(STRING, (text) => {
      if (isClear(text)) return text;
      const escaped = text.replaceAll(/[^ -~]/gu, (character) =>
        `\\u{${character.codePointAt(0)!.toString(16)}}`);
      const { length } = text.replaceAll(/\\u.{4}|\\./g, ".");
      return `${escaped} (length ${length - 2})`;
    })
  );
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
  return aligned([
    ["ROUTE", ...PROPERTIES.map((name) => name.toUpperCase())],
    ...operations.map((operation) => [
      printable(operation),
      ...PROPERTIES.map((property) => cell(operation, property)),
    ]),
  ]).join("\n");
}

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

export function coverageOf(
  sender: Sender,
  properties: readonly PropertyName[],
): Coverage {
  const { subject: { operations, leftOut, options }, results } = sender;
  const { as, strict } = options;
  const { late } = results;
  // Only properties with valid requests show which operations were tested.
  const isShown = properties
    .some((each) => /^(?:failure|accepted|declared)$/.test(each));
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
  const guarded = operations
    .filter(({ security }) => needsCredentials(security))
    .flatMap((operation) => [...results.of(operation).statuses]);
  // A guard may also limit the rate of requests.
  const isRefused = Object.keys(as).length > 0 && guarded.includes(401) &&
    guarded.every((status) => [401, 429, 503].includes(status!));
  const all = operations.length + leftOut.length;
  const problem = operations.every((each) => reasonOf(each) !== undefined)
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
