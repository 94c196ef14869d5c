import { documentOf } from "../openapi/plugin.ts";
import { RouteError } from "../routes/route_error.ts";
import {
  type ContractFailure,
  PROPERTIES,
  type PropertyName,
  TITLES,
} from "./fault.ts";
import {
  isGuarded,
  isNamed,
  type Operation,
  operationsOf,
} from "./operation.ts";
import { isReadOnly, type ResolvedTestOptions } from "./options.ts";
import { curlOf } from "./plan.ts";
import { TESTS } from "./properties.ts";
import type { Finding } from "./search.ts";
import { Session } from "./session.ts";
import { type MakeApplication, Target } from "./target.ts";
import { testText } from "./test_text.ts";

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

/** A test of the contracts of an application. */
export class ContractRun {
  /** The operations that are tested. */
  readonly operations: readonly Operation[];
  readonly #session: Session;

  private constructor(session: Session) {
    this.#session = session;
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
    const operations = all.filter((operation) =>
      !skip.some((name) => isNamed(operation, name)) &&
      (operation.method === "GET" || !isReadOnly(options))
    );
    return new ContractRun(new Session(target, operations, options));
  }

  /** Whether a property concerns an operation at all, as far as is known before. */
  concerns(property: PropertyName, operation: Operation): boolean {
    return property !== "security" || isGuarded(operation);
  }

  /** Tests a property with an operation; `undefined` if it does not concern it. */
  async test(
    property: PropertyName,
    operation: Operation,
  ): Promise<OperationResult | undefined> {
    if (!this.concerns(property, operation)) return undefined;
    const session = this.#session;
    const isKnown = property !== PROPERTIES[0] && session.silent.has(operation);
    const found = isKnown
      ? { runs: 0, finding: undefined, note: "not tested: it does not respond" }
      : await TESTS[property](session, operation);
    if (found === undefined) return undefined;
    const { runs, finding, note } = found;
    if (finding?.fault.seen.startsWith("no response")) {
      session.silent.add(operation);
    }
    return {
      property,
      operation: operation.name,
      runs,
      note,
      failure: finding && this.#failureOf(property, operation, finding),
    };
  }

  #failureOf(
    property: PropertyName,
    { name, route: { file } }: Operation,
    { fault: { assertion, expected, seen }, requests, replays }: Finding,
  ): ContractFailure {
    const { target, options: { seed } } = this.#session;
    return {
      property,
      operation: name,
      file,
      expected,
      seen,
      requests,
      replays,
      curl: requests.map((plan) => curlOf(plan, target.origin)),
      test: testText(`${name}: ${TITLES[property]}`, requests, assertion),
      seed,
    };
  }
}
