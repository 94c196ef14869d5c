import { printable } from "../core/common/log.ts";
import { needsCredentials } from "../core/start/modules.ts";
import { liftLimits } from "../protect/rate_limit.ts";
import { contractsFor } from "../core/schema/declaration.ts";
import {
  ContractError,
  type ContractFailure,
  PROPERTIES,
  type PropertyName,
  seenError,
  TITLES,
} from "./checks.ts";
import type { Operation } from "./operation.ts";
import {
  type ContractTestOptions,
  resolveTestOptions,
  type TestedApplication,
} from "./options.ts";
import { masked } from "./identity.ts";
import { curlOf } from "./plan.ts";
import { watchProcess } from "../shared/process_watch.ts";
import { type Property, TESTS } from "./properties/properties.ts";
import { causeOf } from "./report/cause.ts";
import { type OperationCoverage, usesOf } from "./report/coverage.ts";
import {
  type Coverage,
  coverageOf,
  failureText,
  type OperationResult,
} from "./report/report.ts";
import { rerunText, testText } from "./report/test_text.ts";
import { type Counterexample, faultOf, type Search } from "./search/search.ts";
import { Sender } from "./search/sender.ts";
import { createSubject, secretsOf } from "./search/subject.ts";
import type { MakeApplication } from "./send/exchange.ts";
import type { ExchangeError } from "./send/read_response.ts";

/** Milliseconds to wait for late errors after the last request. */
const SETTLE_TIME = 100;

/**
 * The properties whose tests repeat the run. Requests as text cannot contain the cursor, the
 * `ETag` or the key of an earlier response, and cannot show what happens at once.
 */
const RERUN: readonly PropertyName[] = ["pages", "repeats", "live", "limits"];

/** Options of {@linkcode checkContracts} and {@linkcode contractTests}. */
export interface CheckOptions extends ContractTestOptions {
  /**
   * The properties to test.
   *
   * @default {all of them}
   */
  readonly properties?: readonly PropertyName[];
  /** Called with the result of each property and operation, to show progress. */
  readonly onResult?: (result: OperationResult) => void;
}

/** The report of {@linkcode checkContracts}. */
export interface ContractReport extends Coverage {
  /** The seed of all random choices. */
  readonly seed: number;
  /** The results by property and operation. */
  readonly results: readonly OperationResult[];
  /** The violated properties, once for each cause. */
  readonly failures: readonly ContractFailure[];
  /** The note about resets and log-ins that take more than a third of the time. */
  readonly slowReset: string | undefined;
  /** The declarations that the run used, by operation. */
  readonly coverage: readonly OperationCoverage[];
}

/**
 * Tests an application with its schemas, for programs and tools. In `deno test`, use
 * {@linkcode contractTests}.
 *
 * @param app The application, or a function that creates the application.
 * @param options Options of the tests.
 * @returns The results, the violated properties and the untested operations.
 * @throws {RouteError} If the application cannot start.
 * @throws {TypeError} If an option is unknown, or its value is invalid.
 *
 * @example Usage
 * ```ts
 * import { Framework } from "@bough/framework";
 * import { checkContracts } from "@bough/framework/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const app = new Framework({ apiDir: "examples/minimal/api" });
 * const { failures } = await checkContracts(app, { seed: 7, runs: 10 });
 * assertEquals(failures, []);
 * ```
 */
export async function checkContracts(
  app: TestedApplication | MakeApplication,
  { properties, onResult, ...options }: CheckOptions = {},
): Promise<ContractReport> {
  const tested = checkedProperties(properties);
  const resolved = resolveTestOptions(options);
  const sender = new Sender(await createSubject(app, resolved));
  const results: OperationResult[] = [];
  for (const property of tested) {
    for (const operation of sender.subject.operations) {
      if (!concerns(property, operation)) continue;
      if (isLate(sender, operation, property)) continue;
      const result = await resultOf(sender, operation, property);
      if (result === undefined) continue;
      results.push(result);
      onResult?.(result);
    }
  }
  const last = sender.subject.operations.at(-1);
  const settle = async () => {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_TIME));
    return undefined;
  };
  const late = last && await resultOf(sender, last, PROPERTIES[0]!, settle);
  if (late !== undefined) results.push(late);
  return {
    ...coverageOf(sender, tested),
    seed: resolved.seed,
    results,
    failures: [...sender.results.reports.values()],
    slowReset: sender.times.note,
    get coverage() {
      return usesOf(sender);
    },
  };
}

/**
 * Registers tests that compare an application with its own schemas. Each property is a
 * test with a step for each operation. One more test fails if too little was tested;
 * see the option `strict`. `deno test` runs these tests.
 *
 * @param app A function that creates the application, or the application itself. With a
 * function, or with the option `reset`, failures are shrunk from a known state.
 * @param options Options of the tests.
 * @throws {TypeError} If an option is unknown, or its value is invalid.
 *
 * @example Usage
 * ```ts ignore
 * import { Framework } from "@bough/framework";
 * import { contractTests } from "@bough/framework/testing";
 *
 * contractTests(() => new Framework({ apiDir: "examples/minimal/api" }), {
 *   as: { authorization: "Bearer test" },
 *   runs: 20,
 * });
 * ```
 */
export function contractTests(
  app: TestedApplication | MakeApplication,
  { properties, onResult, ...options }: CheckOptions = {},
): void {
  const tested = checkedProperties(properties);
  const resolved = resolveTestOptions(options);
  let first: Promise<Sender> | undefined;
  const getSender = () =>
    first ??= createSubject(app, resolved).then((each) => new Sender(each));
  for (const property of tested) {
    Deno.test(`contract: ${TITLES[property]}`, async (test) => {
      const sender = await getSender();
      for (const operation of sender.subject.operations) {
        if (!concerns(property, operation)) continue;
        const { name } = operation;
        const ignore = isLate(sender, operation, property);
        await test.step({
          name,
          ignore,
          fn: async () => {
            const result = await resultOf(sender, operation, property);
            if (result !== undefined) onResult?.(result);
            if (result?.note !== undefined) {
              console.warn(printable(`${name}: ${result.note}`));
            }
            if (result?.failure !== undefined) {
              throw errorOf(failureText(result.failure, name));
            }
          },
        });
      }
    });
  }
  Deno.test("contract: the operations are tested", async () => {
    const sender = await getSender();
    const { problem, untested } = coverageOf(sender, tested);
    const { note } = sender.times;
    if (note !== undefined) console.warn(note);
    if (problem === undefined) return;
    const lines = untested.map(({ operation, reason }) =>
      `  ${operation}: ${reason}`
    );
    throw errorOf([`${problem}:`, ...lines].map(printable).join("\n"));
  });
}

/**
 * The properties to test, in the order of testing.
 *
 * @throws {TypeError} If a property is unknown.
 */
function checkedProperties(
  given: readonly PropertyName[] = PROPERTIES,
): PropertyName[] {
  const names = [given].flat();
  const unknown = names.find((each) => !PROPERTIES.includes(each));
  if (unknown === undefined) {
    return PROPERTIES.filter((each) => names.includes(each));
  }
  throw new TypeError(
    `Cannot test the application: property "${unknown}" is unknown; the properties are ${
      PROPERTIES.join(", ")
    }`,
  );
}

/** An error without a stack, since the stack would point into Bough. */
function errorOf(text: string): ContractError {
  const error = new ContractError(`\n${text}\n`);
  error.stack = `${error.name}: ${error.message}`;
  return error;
}

/** Whether a property applies to an operation, as far as the contracts show. */
function concerns(
  property: PropertyName,
  { security, method, route: { contracts } }: Operation,
): boolean {
  // An operation below a guard may allow anonymous requests.
  return property !== "security" || needsCredentials(security) ||
    contractsFor(contracts, method)
      .some(({ contract }) => needsCredentials(contract.security));
}

/** Whether the time of the run is over, so that an operation is not tested. */
function isLate(
  sender: Sender,
  operation: Operation,
  property: PropertyName,
): boolean {
  const isOver = performance.now() > sender.subject.end;
  if (isOver) sender.results.late.getOrInsert(operation, property);
  return isOver;
}

/** Tests a property with an operation; `undefined` if the property does not apply. */
async function resultOf(
  sender: Sender,
  operation: Operation,
  property: PropertyName,
  test: Property = TESTS[property],
): Promise<OperationResult | undefined> {
  const { results, subject } = sender;
  const { silent, reports } = results;
  const late: ExchangeError[] = [];
  results.escapes = [];
  using _lifted = property === "limits" ? undefined : liftLimits();
  using _ = watchProcess(({ text, namesLine }) =>
    late.push({ kind: "escaped", text, namesLine })
  );
  const isSilent = property !== PROPERTIES[0] && silent.has(operation);
  const found = isSilent
    ? { runs: 0, note: "not tested: no response to earlier requests" }
    : await test(sender, operation).catch((error): Search => ({
      runs: 0,
      counterexample: { fault: faultOf(error), requests: [], replays: false },
    }));
  // Most properties only look at responses, and some errors have been reported already.
  const secrets = secretsOf(subject);
  const reported = [...reports.values()].map(({ seen }) => seen);
  const seen = late[0] ?? results.escapes
    .find(({ text }) => !reported.includes(masked(text, secrets)));
  if (found === undefined && seen === undefined) return undefined;
  if (found?.isOutOfTime) isLate(sender, operation, property);
  // Code that was not awaited fails between two requests.
  const expected = "no error during or after a response";
  const lateError = seen === undefined ? undefined : {
    fault: { expected, ...seenError(seen) },
    requests: sender.history.slice(-1),
    replays: false,
  };
  const { runs, note, counterexample = lateError }: Search = found ??
    { runs: 0 };
  const kind = counterexample?.fault.kind;
  if (kind === "timeout" || kind === "missing") {
    silent.set(operation, undefined);
  }
  return {
    property,
    operation: operation.name,
    runs,
    note: note && masked(note, secrets),
    failure: counterexample &&
      reportOf(sender, operation, { property, ...counterexample }),
  };
}

/** The report of a failure, which may have been found for another operation already. */
function reportOf(
  { subject, results: { reports } }: Sender,
  operation: Operation,
  { property, fault: given, requests: sent, replays }: Counterexample & {
    readonly property: PropertyName;
  },
): ContractFailure {
  const { target, identities, options } = subject;
  const secrets = secretsOf(subject);
  const { seed, runs, url, responseTimeout } = options;
  const { name, route: { file } } = operation;
  const { assertion, kind } = given;
  const mask = (text = "") => masked(text, secrets);
  const [expected, seen] = [mask(given.expected), mask(given.seen)];
  const requests = sent.map(({ returned: _, hasVersion: __, ...plan }) => plan);
  const title = `${name}: ${TITLES[property]}`;
  const isRerun = RERUN.includes(property);
  const failure = {
    property,
    operation: name,
    operations: [name],
    file,
    expected,
    seen,
    requests,
    replays: isRerun ? target.isResettable : replays,
    curl: requests.map((plan) => {
      const names = Object.keys(identities.get(plan.as!)?.headers ?? {});
      return curlOf(plan, { origin: target.origin, names });
    }),
    test: isRerun
      ? rerunText(title, name, {
        ...{ property, seed, runs },
        hasHeaders: identities.size > 0,
      })
      : testText(title, sent, assertion && mask(assertion), responseTimeout),
    isTestEnough: !isRerun && url === undefined &&
      // Without an assertion, `assertResponds` finds only a failure of the application.
      (assertion !== undefined || kind !== undefined && kind !== "absence"),
    seed,
  };
  const report = reports.getOrInsert(
    causeOf({ ...given, ...failure }, operation),
    failure,
  );
  // The late errors of a run may concern an operation again.
  if (!report.operations.includes(name)) report.operations.push(name);
  return report;
}
