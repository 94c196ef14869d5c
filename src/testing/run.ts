import { printable } from "../core/common/log.ts";
import { liftLimits } from "../protect/rate_limit.ts";
import { watchProcess } from "../shared/process_watch.ts";
import { ContractError, seenError } from "./checks.ts";
import type { Operation } from "./operation.ts";
import {
  type ContractTestOptions,
  resolveTestOptions,
  seedText,
  type TestedApplication,
} from "./options.ts";
import {
  PROPERTIES,
  PROPERTY_NAMES,
  type PropertyName,
  testProperty,
} from "./properties/properties.ts";
import { type OperationCoverage, usesOf } from "./report/coverage.ts";
import {
  causeOf,
  type ContractFailure,
  type Failure,
  failureIn,
  failureText,
  type OperationResult,
} from "./report/failure.ts";
import { type Coverage, coverageOf } from "./report/report.ts";
import { faultOf, type Search } from "./search/search.ts";
import { Sender } from "./search/sender.ts";
import {
  createSubject,
  type Subject,
  withoutSecrets,
} from "./search/subject.ts";
import type { MakeApplication } from "./send/exchange.ts";
import type { ExchangeError } from "./send/live.ts";

/** Milliseconds to wait for late errors after the last request. */
const SETTLE_TIME = 100;

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
  /** The seed of all random choices, with their version: `2:7`. */
  readonly seed: string;
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
  options: CheckOptions = {},
): Promise<ContractReport> {
  const run = new Run(app, options);
  const sender = await run.start();
  const results: OperationResult[] = [];
  for (const property of run.properties) {
    for (const operation of run.operationsOf(property)) {
      if (run.isLate(property, operation)) continue;
      const result = await run.test({ property, operation });
      if (result === undefined) continue;
      results.push(result);
      options.onResult?.(result);
    }
  }
  const operation = sender.subject.operations.at(-1);
  const late = operation &&
    await run.test({ property: "failure", operation, test: settle });
  if (late !== undefined) results.push(late);
  return {
    ...run.coverage,
    seed: seedText(sender.subject.options.seed),
    results,
    failures: [...run.reports.values()],
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
  options: CheckOptions = {},
): void {
  const run = new Run(app, options);
  for (const property of run.properties) {
    Deno.test(`contract: ${PROPERTIES[property].title}`, async (test) => {
      await run.start();
      for (const operation of run.operationsOf(property)) {
        const { name } = operation;
        const ignore = run.isLate(property, operation);
        const fn = async () => {
          const result = await run.test({ property, operation });
          if (result === undefined) return;
          options.onResult?.(result);
          const { note, failure } = result;
          if (note !== undefined) console.warn(printable(`${name}: ${note}`));
          if (failure !== undefined) throw errorOf(failureText(failure, name));
        };
        await test.step({ name, ignore, fn });
      }
    });
  }
  Deno.test("contract: the operations are tested", async () => {
    const { times: { note } } = await run.start();
    const { problem, untested } = run.coverage;
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
  given: readonly PropertyName[] = PROPERTY_NAMES,
): PropertyName[] {
  const names = [given].flat();
  const unknown = names.find((each) => !PROPERTY_NAMES.includes(each));
  if (unknown === undefined) {
    return PROPERTY_NAMES.filter((each) => names.includes(each));
  }
  const all = PROPERTY_NAMES.join(", ");
  throw new TypeError(
    `Cannot test the application: property "${unknown}" is unknown; the properties are ${all}`,
  );
}

/** An error without a stack, since the stack would point into Bough. */
function errorOf(text: string): ContractError {
  const error = new ContractError(`\n${text}\n`);
  error.stack = `${error.name}: ${error.message}`;
  return error;
}

/** Waits for late errors after the last request. */
async function settle(): Promise<undefined> {
  await new Promise((resolve) => setTimeout(resolve, SETTLE_TIME));
}

/** A run, with the reports of its failures by their cause. */
class Run {
  readonly properties: readonly PropertyName[];
  readonly reports: Map<string, ContractFailure & { operations: string[] }> =
    new Map();
  readonly #seen = new Set<string>();
  readonly #create: () => Promise<Subject>;
  #starting: Promise<Sender> | undefined;
  sender!: Sender;

  /** @throws {TypeError} If an option is unknown, or its value is invalid. */
  constructor(
    app: TestedApplication | MakeApplication,
    { properties, onResult: _, ...options }: CheckOptions,
  ) {
    this.properties = checkedProperties(properties);
    const resolved = resolveTestOptions(options);
    this.#create = () => createSubject(app, resolved);
  }

  /** Creates the application and its test data, unless this has happened. */
  async start(): Promise<Sender> {
    this.#starting ??= this.#create().then((subject) => new Sender(subject));
    return this.sender = await this.#starting;
  }

  /** The operations to which a property applies, as far as their contracts show. */
  operationsOf(property: PropertyName): Operation[] {
    const { appliesTo = () => true } = PROPERTIES[property];
    return this.sender.subject.operations.filter(appliesTo);
  }

  /** Whether the time of the run is over, so that an operation is not tested. */
  isLate(property: PropertyName, operation: Operation): boolean {
    const { subject, results } = this.sender;
    const isOver = performance.now() > subject.end;
    if (isOver) results.late.getOrInsert(operation, property);
    return isOver;
  }

  get coverage(): Coverage {
    const isShown = this.properties.some((name) =>
      PROPERTIES[name].showsTested
    );
    return coverageOf(this.sender, isShown);
  }

  /** Tests a property with an operation; `undefined` if the property does not apply. */
  async test({ property, operation, test = testProperty }: {
    readonly property: PropertyName;
    readonly operation: Operation;
    readonly test?: typeof testProperty;
  }): Promise<OperationResult | undefined> {
    const { sender } = this;
    const late: ExchangeError[] = [];
    const escapes: ExchangeError[] = sender.results.escapes = [];
    using _lifted = PROPERTIES[property].keepsLimits ? undefined : liftLimits();
    using _watch = watchProcess(({ text, at }) =>
      late.push({ kind: "escaped", text, at })
    );
    const broken = (error: unknown): Search => ({
      runs: 0,
      counterexample: { fault: faultOf(error), requests: [], replays: false },
    });
    const found = await test(property, { sender, operation }).catch(broken);
    // Most properties only look at responses, and some errors have been reported already.
    const escaped = late[0] ??
      escapes.find(({ text }) => !this.#seen.has(text));
    if (found === undefined && escaped === undefined) return undefined;
    if (found?.isOutOfTime) this.isLate(property, operation);
    const expected = "no error during or after a response";
    const escape = escaped && {
      fault: { expected, ...seenError(escaped) },
      requests: sender.history.slice(-1),
      replays: false,
    };
    const counterexample = found?.counterexample ?? escape;
    return {
      property,
      operation: operation.name,
      runs: found?.runs ?? 0,
      note: found?.note && withoutSecrets(sender.subject, found.note),
      failure: counterexample &&
        this.#report({ property, operation, counterexample }),
    };
  }

  /** Reports a failure, unless one with the same cause has been reported already. */
  #report(failure: Failure): ContractFailure {
    const { results, subject } = this.sender;
    const { operation, counterexample: { fault } } = failure;
    const { name } = operation;
    results.failed.add(name);
    this.#seen.add(fault.seen);
    if (fault.kind === "timeout" || fault.kind === "missing") {
      results.silent.set(operation, undefined);
    }
    const report = this.reports.getOrInsertComputed(
      causeOf(failure),
      () => ({ ...failureIn(subject, failure), operations: [] }),
    );
    // The late errors of a run may concern an operation again.
    if (!report.operations.includes(name)) report.operations.push(name);
    return report;
  }
}
