import fc from "fast-check";
import { type Input, isValid, planOf } from "../generate/input.ts";
import { type Inputs, inputsOf } from "../generate/inputs.ts";
import {
  type CapturePlace,
  capturePlaces,
  createdIdentifier,
  Pool,
} from "../generate/pool.ts";
import { type Captures, type Operation, pathInTree } from "../operation.ts";
import { isReadOnly, type ResolvedTestOptions } from "../options.ts";
import type { RequestPlan } from "../plan.ts";
import type { PropertyName } from "../checks.ts";
import type { Exchange } from "../send/exchange.ts";
import type { Target } from "../send/exchange.ts";

/** The number of resources of each kind to create before the tests. */
const CREATED = 2;

/** The maximum number of parent resources to explore for nested resources. */
const MAX_PARENTS = 2;

/**
 * The state of a run, with the history of requests since the last reset. The history
 * includes the requests that list and create test data before each property.
 */
export class Session {
  readonly target: Target;
  readonly options: ResolvedTestOptions;
  /** The operations that are tested. */
  readonly operations: readonly Operation[];
  /** The skipped operations, whose requests may change data on another machine. */
  readonly leftOut: readonly Operation[];
  /** The dynamic segments and wildcards. */
  readonly places: readonly CapturePlace[];
  /** The values of existing resources. */
  pool: Pool = new Pool();
  /**
   * Operations that did not respond in time. Later tests skip these operations. The map
   * keeps each exchange until the property `failure` reports the exchange.
   */
  readonly silent: Map<Operation, Exchange | undefined> = new Map();
  /** The statuses of the responses to valid requests. */
  readonly statuses: Map<Operation, Set<number | undefined>> = new Map();
  /** Every request since the last reset. */
  history: RequestPlan[] = [];
  /** The identifiers of recreated resources, by their old identifiers. */
  #renamed = new Map<string, string>();
  #samples = new Map<Operation, Input[]>();
  #inputs = new Map<Operation, { key: string; inputs: Inputs }>();
  #passed = new Map<Operation, Map<object, Map<PropertyName, number>>>();

  constructor(
    target: Target,
    operations: readonly Operation[],
    options: ResolvedTestOptions,
  ) {
    this.target = target;
    this.options = options;
    const { sent = [], leftOut = [] } = Object.groupBy(
      operations,
      ({ method }) =>
        /^(?:GET|HEAD)$/.test(method) || !isReadOnly(options)
          ? "sent"
          : "leftOut",
    );
    this.operations = sent;
    this.leftOut = leftOut;
    this.places = capturePlaces(sent);
  }

  /** Resets the application, then lists and creates test data. */
  async prepare(): Promise<void> {
    await this.reset();
    await this.#explore();
  }

  /**
   * Like {@linkcode prepare}, but also maps old identifiers to new identifiers, so that
   * requests from before the reset can be sent again.
   */
  async prepareAgain(): Promise<void> {
    await this.reset();
    const before = this.pool.strings;
    await this.#explore();
    const now = this.pool.strings;
    if (before.length !== now.length) return;
    before.forEach((text, index) => {
      if (text !== now[index]) this.#renamed.set(text, now[index]!);
    });
  }

  async reset(): Promise<void> {
    await this.target.reset();
    this.history = [];
    this.#renamed = new Map();
  }

  /** Sends a request; see {@linkcode Target.send}. */
  async send(given: RequestPlan, eventTime?: number): Promise<Exchange> {
    const plan = this.#renamed.size === 0 ? given : this.#rename(given);
    this.history.push(plan);
    return await this.target.send(plan, eventTime);
  }

  /**
   * Valid inputs of an operation. They are generated again only if the known values
   * change.
   */
  async inputsOf(operation: Operation): Promise<Inputs> {
    const { seed, generators } = this.options;
    const { name, method, route } = operation;
    const { known } = this.pool;
    const captures = this.pool.capturesOf(route.segments);
    const key = JSON.stringify([captures, ...known]);
    const made = this.#inputs.get(operation);
    if (made?.key === key) return made.inputs;
    const given = generators[name] ??
      generators[`${method} ${pathInTree(route)}`] ?? {};
    const context = { seed, captures, known, given };
    const inputs = await inputsOf(operation, context);
    this.#inputs.set(operation, { key, inputs });
    return inputs;
  }

  /** The reason why an operation has no inputs. */
  missingOf(operation: Operation): string | undefined {
    const inputs = this.#inputs.get(operation)?.inputs;
    return inputs && "missing" in inputs ? inputs.missing : undefined;
  }

  /**
   * The properties that hold for all requests of a kind to an operation, with the number
   * of requests.
   */
  passed(operation: Operation, kind: object): Map<PropertyName, number> {
    const byKind = this.#passed.getOrInsertComputed(operation, () => new Map());
    return byKind.getOrInsertComputed(kind, () => new Map());
  }

  async #explore(): Promise<void> {
    const pool = this.pool = new Pool();
    for (const place of this.places) {
      const around = pool.capturesOf(place.segments.slice(0, -1))
        .slice(0, MAX_PARENTS);
      for (const captures of around) {
        const { list, create } = place;
        if (list !== undefined) {
          const exchange = await this.#call(list, captures);
          if (exchange !== undefined) pool.addList(place, captures, exchange);
        }
        if (create === undefined || isReadOnly(this.options)) continue;
        for (let count = 0; count < CREATED; count++) {
          const exchange = await this.#call(create, captures, count);
          const value = exchange && (exchange.status ?? 500) < 300
            ? createdIdentifier(place, captures, exchange)
            : undefined;
          if (value !== undefined) pool.add(place, captures, value);
        }
      }
    }
  }

  /** Sends one of the sample inputs of an operation. */
  async #call(
    operation: Operation,
    captures: Captures,
    count = 0,
  ): Promise<Exchange | undefined> {
    if (this.silent.has(operation)) return undefined;
    const inputs = await this.#samplesOf(operation);
    const sample = inputs[count % inputs.length];
    if (sample === undefined) return undefined;
    const input = { ...sample, ...captures };
    // With a random filter, such as `?author=x`, the list would be empty.
    const all = { ...input, query: {} };
    const isAll = operation.method === "GET" && await isValid(operation, all);
    const exchange = await this.send(planOf(operation, isAll ? all : input));
    if (exchange.status === undefined) this.silent.set(operation, exchange);
    return exchange;
  }

  /** A few valid inputs of an operation. Each call returns the same inputs. */
  async #samplesOf(operation: Operation): Promise<readonly Input[]> {
    const known = this.#samples.get(operation);
    if (known !== undefined) return known;
    const inputs = await this.inputsOf(operation);
    const samples: Input[] = [];
    this.#samples.set(operation, samples);
    if ("missing" in inputs) return samples;
    const { seed } = this.options;
    for (const input of fc.sample(inputs.arbitrary, { numRuns: 50, seed })) {
      if (!await isValid(operation, input)) continue;
      if (samples.push(input) === 2 * CREATED) break;
    }
    return samples;
  }

  #rename(plan: RequestPlan): RequestPlan {
    const [path, ...search] = plan.target.split("?");
    const segments = path!.split("/").map((segment) => {
      const name = this.#renamed.get(decodeURIComponent(segment));
      return name === undefined ? segment : encodeURIComponent(name);
    });
    const target = [segments.join("/"), ...search].join("?");
    if (plan.body === undefined) return { ...plan, target };
    let { body } = plan;
    for (const [old, name] of this.#renamed) {
      body = body.replaceAll(JSON.stringify(old), JSON.stringify(name));
    }
    return { ...plan, target, body };
  }
}
