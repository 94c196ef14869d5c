import { resultWithin } from "../common/deadline.ts";
import { needsCredentials } from "../exports/middleware_module.ts";
import { RouteError } from "../faults.ts";
import { documentOf } from "../openapi/plugin.ts";
import { isNamed, type Operation, operationsOf } from "./operation.ts";
import { isReadOnly, type ResolvedTestOptions } from "./options.ts";
import { curlOf, masked, withoutIdentity } from "./plan.ts";
import { watchProcess } from "./process_watch.ts";
import {
  type ContractFailure,
  PROPERTIES,
  type PropertyName,
  TITLES,
} from "./checks.ts";
import { TESTS } from "./properties/properties.ts";
import {
  type Coverage,
  coverageOf,
  type OperationResult,
} from "./report/report.ts";
import { testText } from "./report/test_text.ts";
import { faultOf, type Finding, type Search } from "./search/search.ts";
import { Session } from "./search/session.ts";
import { type MakeApplication, Target } from "./send/target.ts";

/** How long errors are waited for in the end, in milliseconds. */
const SETTLE_TIME = 100;

/** A test of the contracts of an application. */
export class ContractRun {
  /** The operations that are tested. */
  readonly operations: readonly Operation[];
  readonly #session: Session;
  readonly #leftOut: readonly Operation[];

  private constructor(session: Session, leftOut: readonly Operation[]) {
    this.#session = session;
    this.#leftOut = leftOut;
    this.operations = session.operations;
  }

  /**
   * Makes the application, and finds its operations.
   *
   * @throws {RouteError} If it cannot start.
   * @throws {TypeError} If an option names an operation that there is not.
   */
  static async create(
    make: MakeApplication,
    options: ResolvedTestOptions,
  ): Promise<ContractRun> {
    const target = await Target.create(make, options);
    const { faults, routes, plugins } = await target.application.inspect();
    if (faults.length > 0) throw new RouteError(faults);
    const document = documentOf(plugins, routes, {})?.document;
    const all = operationsOf(routes, document?.security ?? []);
    const { skip, generators } = options;
    for (const name of [...skip, ...Object.keys(generators)]) {
      if (all.some((operation) => isNamed(operation, name))) continue;
      throw new TypeError(
        `Cannot test the application: there is no operation "${name}"; there are ${
          all.map(({ name }) => `"${name}"`).join(", ")
        }`,
      );
    }
    const wanted = all.filter((operation) =>
      !skip.some((name) => isNamed(operation, name))
    );
    const isSent = ({ method }: Operation) =>
      /^(?:GET|HEAD)$/.test(method) || !isReadOnly(options);
    return new ContractRun(
      new Session(target, wanted.filter(isSent), options),
      wanted.filter((operation) => !isSent(operation)),
    );
  }

  /** What was not tested, once all properties were. */
  get coverage(): Coverage {
    return coverageOf(this.#session, this.#leftOut);
  }

  /** Whether a property concerns an operation at all, as far as is known before. */
  concerns(property: PropertyName, operation: Operation): boolean {
    return property !== "security" || needsCredentials(operation.security);
  }

  /** Tests a property with an operation; `undefined` if it does not concern it. */
  async test(
    property: PropertyName,
    operation: Operation,
  ): Promise<OperationResult | undefined> {
    return this.concerns(property, operation)
      ? await this.#resultOf(
        property,
        operation,
        () => this.#search(property, operation),
      )
      : undefined;
  }

  /** Waits a little for errors that the last requests left behind. */
  async settle(): Promise<OperationResult | undefined> {
    const last = this.operations.at(-1);
    const wait = () =>
      resultWithin(new Promise<undefined>(() => {}), SETTLE_TIME);
    return last && await this.#resultOf(PROPERTIES[0]!, last, wait);
  }

  async #resultOf(
    property: PropertyName,
    operation: Operation,
    run: () => Promise<Search | undefined>,
  ): Promise<OperationResult | undefined> {
    const session = this.#session;
    const late: string[] = [];
    using _ = watchProcess(({ text }) => late.push(text));
    const found = await run();
    const [seen] = late;
    if (found === undefined && seen === undefined) return undefined;
    const { runs, note, finding = lateFinding(session, seen) } = found ??
      { runs: 0, note: undefined };
    if (finding?.fault.seen.startsWith("no response")) {
      session.silent.add(operation);
    }
    return {
      property,
      operation: operation.name,
      runs,
      note: note && masked(note, session.options.as),
      failure: finding && this.#failureOf(property, operation, finding),
    };
  }

  async #search(
    property: PropertyName,
    operation: Operation,
  ): Promise<Search | undefined> {
    const session = this.#session;
    if (property !== PROPERTIES[0] && session.silent.has(operation)) {
      const note = "not tested: it does not respond";
      return { runs: 0, finding: undefined, note };
    }
    try {
      return await TESTS[property](session, operation);
    } catch (error) {
      const fault = faultOf(error);
      const finding = { fault, requests: [], replays: false };
      return { runs: 0, finding, note: undefined };
    }
  }

  #failureOf(
    property: PropertyName,
    { name, route: { file } }: Operation,
    { fault, requests: sent, replays }: Finding,
  ): ContractFailure {
    const { target, options: { seed, as } } = this.#session;
    const requests = sent.map((plan) => withoutIdentity(plan, as));
    const { assertion, expected, seen } = fault;
    return {
      property,
      operation: name,
      file,
      expected: masked(expected, as),
      seen: masked(seen, as),
      requests,
      replays,
      curl: requests.map((plan) => curlOf(plan, target.origin)),
      test: testText(
        `${name}: ${TITLES[property]}`,
        requests,
        assertion && masked(assertion, as),
      ),
      seed,
    };
  }
}

/** An error that came between two requests, which nothing awaited. */
function lateFinding(
  { history }: Session,
  seen: string | undefined,
): Finding | undefined {
  if (seen === undefined) return undefined;
  const expected = "no error after a response";
  const fault = { expected, seen, assertion: undefined };
  return { fault, requests: history.slice(-1), replays: false };
}
