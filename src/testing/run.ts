import { printable } from "../common/log.ts";
import { needsCredentials } from "../exports/middleware_module.ts";
import { RouteError } from "../faults.ts";
import { documentOf } from "../openapi/plugin.ts";
import {
  ContractError,
  type ContractFailure,
  PROPERTIES,
  type PropertyName,
  TITLES,
} from "./checks.ts";
import { isNamed, type Operation, operationsOf } from "./operation.ts";
import {
  type ContractTestOptions,
  type ResolvedTestOptions,
  resolveTestOptions,
  type TestedApplication,
} from "./options.ts";
import { curlOf, masked, withoutIdentity } from "./plan.ts";
import { watchProcess } from "./process_watch.ts";
import { type Property, TESTS } from "./properties/properties.ts";
import {
  type Coverage,
  coverageOf,
  failureText,
  type OperationResult,
} from "./report/report.ts";
import { testText } from "./report/test_text.ts";
import { type Counterexample, faultOf, type Search } from "./search/search.ts";
import { Session } from "./search/session.ts";
import { type MakeApplication, Target } from "./send/exchange.ts";

/** Milliseconds to wait for late errors after the last request. */
const SETTLE_TIME = 100;

/** Options of {@linkcode checkContracts}. */
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
  /** The violated properties. */
  readonly failures: readonly ContractFailure[];
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
  { properties = PROPERTIES, onResult, ...options }: CheckOptions = {},
): Promise<ContractReport> {
  const resolved = resolveTestOptions(options);
  const session = await createSession(app, resolved);
  const results: OperationResult[] = [];
  for (const property of PROPERTIES) {
    if (!properties.includes(property)) continue;
    for (const operation of session.operations) {
      if (!concerns(property, operation)) continue;
      const result = await resultOf(session, operation, property);
      if (result === undefined) continue;
      results.push(result);
      onResult?.(result);
    }
  }
  const last = session.operations.at(-1);
  const late = last && await resultOf(session, last, PROPERTIES[0]!, settle);
  if (late !== undefined) results.push(late);
  // Only properties with valid requests show which operations were tested.
  const { untested, problem } =
    properties.some((each) => /^(?:failure|accepted|declared)$/.test(each))
      ? coverageOf(session)
      : { untested: [], problem: undefined };
  const failures = results.flatMap(({ failure }) => failure ?? []);
  return { seed: resolved.seed, untested, problem, results, failures };
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
  options: ContractTestOptions = {},
): void {
  const resolved = resolveTestOptions(options);
  let session: Promise<Session> | undefined;
  const getSession = () => session ??= createSession(app, resolved);
  for (const property of PROPERTIES) {
    Deno.test(`contract: ${TITLES[property]}`, async (test) => {
      const session = await getSession();
      for (const operation of session.operations) {
        if (!concerns(property, operation)) continue;
        await test.step(operation.name, async () => {
          const result = await resultOf(session, operation, property);
          if (result?.note !== undefined) {
            console.warn(printable(`${operation.name}: ${result.note}`));
          }
          if (result?.failure === undefined) return;
          throw errorOf(failureText(result.failure));
        });
      }
    });
  }
  Deno.test("contract: the operations are tested", async () => {
    const { problem, untested } = coverageOf(await getSession());
    if (problem === undefined) return;
    const lines = untested.map(({ operation, reason }) =>
      `  ${operation}: ${reason}`
    );
    throw errorOf([`${problem}:`, ...lines].map(printable).join("\n"));
  });
}

/** An error without a stack, since the stack would point into Bough. */
function errorOf(text: string): ContractError {
  const error = new ContractError(`\n${text}\n`);
  error.stack = `${error.name}: ${error.message}`;
  return error;
}

/**
 * Creates the application, and finds its operations.
 *
 * @throws {RouteError} If the application cannot start.
 * @throws {TypeError} If an option names an unknown operation.
 */
async function createSession(
  app: TestedApplication | MakeApplication,
  options: ResolvedTestOptions,
): Promise<Session> {
  const make = typeof app === "function" ? app : () => app;
  const target = await Target.create(make, options);
  const { faults, routes, plugins } = await target.application.inspect();
  if (faults.length > 0) throw new RouteError(faults);
  const { as, skip, generators } = options;
  const security = documentOf(plugins, routes, {})?.document.security ?? [];
  const all = operationsOf(routes, { as, security });
  for (const name of [...skip, ...Object.keys(generators)]) {
    if (all.some((operation) => isNamed(operation, name))) continue;
    const names = all.map(({ name }) => `"${name}"`).join(", ");
    throw new TypeError(
      `Cannot test the application: "${name}" is not one of its operations; the operations are ${names}`,
    );
  }
  const wanted = all.filter((operation) =>
    !skip.some((name) => isNamed(operation, name))
  );
  return new Session(target, wanted, options);
}

/** Whether a property applies to an operation, as far as the contracts show. */
function concerns(
  property: PropertyName,
  { security, route: { contracts } }: Operation,
): boolean {
  // An operation below a guard may allow anonymous requests.
  return property !== "security" || needsCredentials(security) ||
    contracts.some(({ contract }) => needsCredentials(contract.security));
}

/** Waits for late errors of the last requests. */
async function settle(): Promise<undefined> {
  await new Promise((resolve) => setTimeout(resolve, SETTLE_TIME));
}

/** Tests a property with an operation; `undefined` if the property does not apply. */
async function resultOf(
  session: Session,
  operation: Operation,
  property: PropertyName,
  test: Property = TESTS[property],
): Promise<OperationResult | undefined> {
  const { silent, options: { as } } = session;
  const late: string[] = [];
  using _ = watchProcess(({ text }) => late.push(text));
  const isSilent = property !== PROPERTIES[0] && silent.has(operation);
  const found: Search | undefined = isSilent
    ? { runs: 0, note: "not tested: no response to earlier requests" }
    : await test(session, operation).catch((error) => {
      const fault = faultOf(error);
      return {
        runs: 0,
        counterexample: { fault, requests: [], replays: false },
      };
    });
  const [seen] = late;
  if (found === undefined && seen === undefined) return undefined;
  const { runs, note, counterexample = lateError(session, seen) }: Search =
    found ??
      { runs: 0 };
  if (counterexample?.fault.seen.startsWith("no response")) {
    silent.set(operation, undefined);
  }
  return {
    property,
    operation: operation.name,
    runs,
    note: note && masked(note, as),
    failure: counterexample &&
      failureOf(session, operation, { property, ...counterexample }),
  };
}

/**
 * The counterexample for an error between two requests, from code that was not awaited.
 */
function lateError(
  { history }: Session,
  seen: string | undefined,
): Counterexample | undefined {
  if (seen === undefined) return undefined;
  const expected = "no error after a response";
  const fault = { expected, seen, assertion: undefined };
  return { fault, requests: history.slice(-1), replays: false };
}

function failureOf(
  { target, options: { seed, as } }: Session,
  { name, route: { file } }: Operation,
  { property, fault, requests: sent, replays }: Counterexample & {
    readonly property: PropertyName;
  },
): ContractFailure {
  const requests = sent.map((plan) => withoutIdentity(plan, as));
  const assertion = fault.assertion && masked(fault.assertion, as);
  return {
    property,
    operation: name,
    file,
    expected: masked(fault.expected, as),
    seen: masked(fault.seen, as),
    requests,
    replays,
    curl: requests.map((plan) => curlOf(plan, target.origin)),
    test: testText(`${name}: ${TITLES[property]}`, requests, assertion),
    seed,
  };
}
