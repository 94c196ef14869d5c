import { printable } from "../../core/common/log.ts";
import { aligned } from "../../shared/aligned.ts";
import type { Operation } from "../operation.ts";
import { seedText } from "../options.ts";
import { curlOf, type RequestPlan } from "../plan.ts";
import {
  PROPERTIES,
  PROPERTY_NAMES,
  type PropertyName,
} from "../properties/properties.ts";
import type { Counterexample } from "../search/search.ts";
import { type Subject, withoutSecrets } from "../search/subject.ts";
import { rerunText, testText } from "./test_text.ts";

/** A violated property, and the requests that show the violation. */
export interface ContractFailure {
  /** The response that the contract requires. */
  readonly expected: string;
  /** The actual response. */
  readonly seen: string;
  /** The property. */
  readonly property: PropertyName;
  /** The method and the path of the route. */
  readonly operation: string;
  /** All operations that violate the property for the same cause; the first is `operation`. */
  readonly operations: readonly string[];
  /** The file of the route. */
  readonly file: string;
  /** The shrunk requests in order; the last one shows the violation. */
  readonly requests: readonly RequestPlan[];
  /**
   * Whether these requests show the violation after a reset of the application. If not,
   * run all requests with the seed in a new process.
   */
  readonly replays: boolean;
  /** Each request as a shell command. */
  readonly curl: readonly string[];
  /** The source text of a test. */
  readonly test: string;
  /**
   * Whether the test sends these requests to where they were sent, and can find the
   * failure. Otherwise, reports print `curl` as well: for example, the test repeats the
   * run, or a server was tested.
   */
  readonly isTestEnough: boolean;
  /** The seed of the run, with the version of its random choices: `2:7`. */
  readonly seed: string;
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

/** A counterexample to a property of an operation. */
export interface Failure {
  readonly property: PropertyName;
  readonly operation: Operation;
  readonly counterexample: Counterexample;
}

/**
 * A string that is equal for failures with the same cause. Such failures violate one
 * property in the same way, at the same members or lines. If a fault names neither,
 * operations share a cause only if they have the same middleware.
 */
export function causeOf(
  { property, operation, counterexample: { fault } }: Failure,
): string {
  const { kind, at = [], expectedStatus, status } = fault;
  const { name, route: { middleware } } = operation;
  const isShared = PROPERTIES[property].sharesCauses && middleware.length > 0;
  const places = at.length > 0 ? at : isShared ? middleware : [name];
  return JSON.stringify([property, kind, expectedStatus, status, places]);
}

/** The report of a failure of one operation, without the secrets of identities. */
export function failureIn(
  subject: Subject,
  { property, operation, counterexample }: Failure,
): Omit<ContractFailure, "operations"> {
  const { fault, requests: sent } = counterexample;
  const { target, identities, options } = subject;
  const { expected, seen, assertion, kind } = fault;
  const { name, route: { file } } = operation;
  const { title, isRerun = false } = PROPERTIES[property];
  const { runs, url, responseTimeout } = options;
  const seed = seedText(options.seed);
  const mask = (text: string) => withoutSecrets(subject, text);
  const requests = sent.map(({ returned: _, hasVersion: __, ...plan }) => plan);
  const test = `${name}: ${title}`;
  const as = identities.size > 0 ? "as, " : "";
  const further = `seed: "${seed}", runs: ${runs}, properties: ["${property}"]`;
  return {
    property,
    operation: name,
    file,
    expected: mask(expected),
    seen: mask(seen),
    requests,
    replays: isRerun ? target.isResettable : counterexample.replays,
    curl: requests.map((plan) => {
      const names = Object.keys(identities.get(plan.as!)?.headers ?? {});
      return curlOf(plan, { origin: target.origin, names });
    }),
    test: isRerun
      ? rerunText(test, { operation: name, options: as + further })
      : testText(test, sent, assertion && mask(assertion), responseTimeout),
    isTestEnough: !isRerun && url === undefined &&
      // Without an assertion, `assertResponds` finds only a failure of the application.
      (assertion ?? kind) !== undefined,
    seed,
  };
}

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
  const { file, test, replays, seed } = failure;
  const { title } = PROPERTIES[failure.property];
  if (operation !== failure.operation) {
    return printable(
      `${operation}: ${title}: see the report for ${failure.operation}, which has the same cause`,
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
  return [`${operation} (${file}): ${title}`, ...lines].map(printable)
    .join("\n");
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
    if (found.some(({ failure }) => failure !== undefined)) return "FAILED";
    const [{ runs, note } = { runs: 0, note: "" }] = found;
    return runs > 0 ? String(runs) : note === undefined ? "none" : "-";
  };
  return aligned([
    ["ROUTE", ...PROPERTY_NAMES.map((name) => name.toUpperCase())],
    ...operations.map((operation) => [
      printable(operation),
      ...PROPERTY_NAMES.map((property) => cell(operation, property)),
    ]),
  ]).join("\n");
}
