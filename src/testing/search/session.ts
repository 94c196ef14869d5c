import { type Input, isValid, planOf } from "../generate/input.ts";
import type { Captures } from "../../shared/wire.ts";
import { type Inputs, inputsOf } from "../generate/inputs.ts";
import {
  type CapturePlace,
  capturePlaces,
  identifierOf,
  keyOf,
  locationOf,
  needsLocation,
  Pool,
} from "../generate/pool.ts";
import { mediaType } from "../../core/common/media_type.ts";
import {
  isNamed,
  type Lead,
  leadsOf,
  type Operation,
  operationAt,
  pathInTree,
} from "../operation.ts";
import { EXPIRED, Identity } from "../identity.ts";
import { isReadOnly, type ResolvedTestOptions } from "../options.ts";
import type { RequestPlan, Strings } from "../plan.ts";
import type { ContractFailure, PropertyName } from "../checks.ts";
import { returnedBy } from "./links.ts";
import { type Exchange, jsonOf, type Target } from "../send/exchange.ts";
import type { Patience } from "../patience.ts";

/** The number of resources of each kind to create before the tests. */
const CREATED = 2;

/** The number of inputs with which to try to create them. */
const TRIES = 30;

/** The statuses with which a guard rejects a user. */
export const REJECTED: readonly number[] = [401, 403];

/** The maximum number of parent resources to explore for nested resources. */
const MAX_PARENTS = 2;

export interface Used {
  /** Media types with the status, or after `body`: `200 text/csv`, `body text/csv`. */
  readonly types: Set<string>;
  readonly inputs: Input[];
}

type Passed = Map<PropertyName, number>;

/**
 * The state of a run, with the history of requests since the last reset. The history
 * includes the requests that list and create test data before each property.
 */
export class Session {
  readonly target: Target;
  readonly options: ResolvedTestOptions;
  /** The operations of the application, including those of the option `skip`. */
  readonly all: readonly Operation[];
  /** The operations that are tested. */
  readonly operations: readonly Operation[];
  /** The operations whose requests may change data on another machine. */
  readonly leftOut: readonly Operation[];
  readonly identities: ReadonlyMap<string, Identity>;
  /** The identities without the expired one. */
  readonly users: readonly Identity[];
  readonly places: readonly CapturePlace[];
  /** The operations that read what another operation creates elsewhere. */
  readonly leads: Map<Operation, Operation> = new Map();
  pool: Pool = new Pool();
  /**
   * Operations that did not respond in time, which later tests skip. The map keeps each
   * exchange until the property `failure` reports it.
   */
  readonly silent: Map<Operation, Exchange | undefined> = new Map();
  /** The statuses of the responses to valid requests. */
  readonly statuses: Map<Operation, Set<number | undefined>> = new Map();
  readonly #used = new Map<Operation | undefined, Used>();
  /** The reports of failures, by cause. */
  readonly reports: Map<string, ContractFailure & { operations: string[] }> =
    new Map();
  /** The errors of the current property's exchanges that would have ended the process. */
  escapes: string[] = [];
  /** Valid inputs that handlers refused. */
  readonly refused: Map<Operation, Input[]> = new Map();
  /** The first property for which an operation had no time. */
  readonly late: Map<Operation, PropertyName> = new Map();
  readonly end: number;
  /** Every request since the last reset. */
  history: RequestPlan[] = [];
  /** The identifiers of recreated resources, by their old identifiers. */
  renamed: Map<string, string> = new Map();
  /** The operations whose user is known. */
  readonly #settled = new Set<Operation>();
  readonly #samples = new Map<Operation, readonly Input[]>();
  /** The operations that accepted none of their sample inputs. */
  readonly #rejecting = new Set<Operation>();
  readonly #inputs = new Map<Operation, { key: string; inputs: Inputs }>();
  readonly #passed = new Map<Operation, Map<object, Passed>>();

  constructor(
    target: Target,
    operations: readonly Operation[],
    options: ResolvedTestOptions,
  ) {
    this.target = target;
    this.options = options;
    this.end = performance.now() + options.timeLimit;
    this.all = operations;
    const wanted = operations.filter((operation) =>
      !options.skip.some((name) => isNamed(operation, name))
    );
    const isSent = ({ method }: Operation) =>
      /^(?:GET|HEAD)$/.test(method) || !isReadOnly(options);
    this.operations = wanted.filter(isSent);
    this.leftOut = wanted.filter((operation) => !isSent(operation));
    this.places = capturePlaces(this.operations);
    const identities = Object.entries(options.as)
      .map(([name, credentials]) => new Identity(name, credentials));
    this.identities = new Map(identities.map((each) => [each.name, each]));
    this.users = identities.filter(({ name }) => name !== EXPIRED);
    for (const operation of wanted) operation.as = this.users[0];
  }

  /** Resets the application, creates test data, and finds the user of an operation. */
  async prepare(operation?: Operation): Promise<void> {
    await this.reset();
    await this.#explore();
    if (operation === undefined || this.#hasUser(operation)) return;
    // Guards more likely accept the user who created the resource.
    const captures = this.pool.capturesOf(operation.route.segments).at(-1);
    await this.#call(operation, captures ?? {});
    // The request may have deleted the resource.
    await this.prepare();
  }

  #hasUser(operation: Operation): boolean {
    return this.users.length < 2 || this.#settled.has(operation);
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
    for (const [index, text] of before.entries()) {
      if (text !== now[index]) this.renamed.set(text, now[index]!);
    }
  }

  async reset(renamed?: ReadonlyMap<string, string>): Promise<void> {
    if (await this.target.reset()) {
      for (const identity of this.identities.values()) identity.logOut();
    }
    this.history = [];
    this.renamed = new Map(renamed);
  }

  /** Logs in all identities, so that a failure ends the run early. */
  async logIn(): Promise<void> {
    for (const name of this.identities.keys()) await this.headersOf(name);
  }

  /** The secrets of all identities, which reports must not contain. */
  get secrets(): string[] {
    return [...this.identities.values()].flatMap(({ secrets }) => [...secrets]);
  }

  /** The headers of an identity, which logs in if necessary. */
  async headersOf(name: string | undefined): Promise<Strings> {
    const identity = this.identities.get(name!);
    if (identity === undefined) return {};
    await identity.logIn(this.target);
    return identity.headers;
  }

  /** Sends a request with the headers of its identity; see {@linkcode Target.send}. */
  async send(given: RequestPlan, patience?: Patience): Promise<Exchange> {
    const renamed = this.renamed.size === 0 ? given : this.#rename(given);
    const as = await this.headersOf(given.as);
    // A schema of headers may generate credentials as well.
    const own = Object.entries(renamed.headers).filter(([name]) =>
      as[name] === undefined || name === "content-type"
    );
    const plan = { ...renamed, headers: Object.fromEntries(own) };
    const { history } = this;
    const index = history.push(plan) - 1;
    const headers = { ...as, ...plan.headers };
    const exchange = await this.target.send({ ...plan, headers }, patience);
    const escapes = exchange.errors.filter(({ kind }) => kind === "escaped");
    this.escapes.push(...escapes.map(({ text }) => text));
    const returned = returnedBy(exchange, this.target.origin);
    history[index] = { ...plan, returned };
    for (const [pointer, text] of Object.entries(plan.returned ?? {})) {
      const [id, now] = [text, returned[pointer] ?? text].map((each) =>
        pointer === "" ? each.split("?")[0]!.split("/").at(-1)! : each
      ) as [string, string];
      if (now === id) continue;
      for (const [old, name] of [...this.renamed, [id, id] as const]) {
        if (name === id) this.renamed.set(old, now);
      }
    }
    const used = this.usedOf(operationAt(this.operations, plan));
    const type = mediaType(exchange.headers.get("content-type"));
    const sent = mediaType(plan.headers["content-type"] ?? null);
    used.types.add(`${exchange.status} ${type}`).add(`body ${sent}`);
    return { ...exchange, plan };
  }

  /** Requests that reach no tested operation share an entry. */
  usedOf(operation: Operation | undefined): Used {
    return this.#used.getOrInsertComputed(
      operation,
      () => ({ types: new Set(), inputs: [] }),
    );
  }

  /** Sends requests at once. Their exchanges share the errors that are logged. */
  sendTogether(plans: readonly RequestPlan[]): Promise<Exchange[]> {
    return Promise.all(plans.map((plan) => this.send(plan)));
  }

  /** Valid inputs, which are generated again only if the known values change. */
  async inputsOf(operation: Operation): Promise<Inputs> {
    const { seed, runs, generators } = this.options;
    const { name, method, route } = operation;
    const { known } = this.pool;
    const captures = this.pool.capturesOf(route.segments);
    const key = JSON.stringify([captures, ...known]);
    const made = this.#inputs.get(operation);
    if (made?.key === key) return made.inputs;
    const given = generators[name] ??
      generators[`${method} ${pathInTree(route)}`] ?? {};
    // Random inputs combine values that planned inputs change one by one.
    const most = Math.ceil(runs * 3 / 4);
    const context = { seed, most, captures, known, given };
    const inputs = await inputsOf(operation, context);
    this.#inputs.set(operation, { key, inputs });
    return inputs;
  }

  missingOf(operation: Operation): string | undefined {
    const inputs = this.#inputs.get(operation)?.inputs;
    return inputs && "missing" in inputs ? inputs.missing : undefined;
  }

  /** The properties that hold for all requests of a kind, with their number. */
  passed(operation: Operation, kind: object): Passed {
    return this.#passed.getOrInsertComputed(operation, () => new Map())
      .getOrInsertComputed(kind, () => new Map());
  }

  async #explore(): Promise<void> {
    const pool = this.pool = new Pool();
    let hasCreated = false;
    const again: (() => Promise<void>)[] = [];
    for (const place of this.places) {
      if (needsLocation(place) && !hasCreated) {
        hasCreated = true;
        await this.#createElsewhere();
      }
      const around = pool.capturesOf(place.segments.slice(0, -1))
        .slice(0, MAX_PARENTS);
      for (const captures of around) {
        const { list, create } = place;
        if (list !== undefined) {
          const exchange = await this.#call(list, captures);
          if (exchange !== undefined) pool.addList(place, captures, exchange);
        }
        if (create === undefined) continue;
        const isCreated = await this.#create(create, captures, place);
        if (isCreated || this.#rejecting.has(create)) continue;
        again.push(async () => {
          // A body may need the identifiers of resources that did not exist yet.
          this.#samples.delete(create);
          if (await this.#create(create, captures, place)) return;
          this.#rejecting.add(create);
        });
      }
    }
    for (const create of again) await create();
  }

  /** Creates resources with each `POST` below which no resource is, such as `/checkout`. */
  async #createElsewhere(): Promise<void> {
    for (const operation of this.operations) {
      const { method, responses, route: { segments } } = operation;
      const isCreator = method === "POST" &&
        [...responses.keys()].some((each) => each > 200 && each < 304) &&
        !this.places.some(({ create }) => create === operation);
      const [captures] = isCreator ? this.pool.capturesOf(segments) : [];
      if (captures !== undefined) await this.#create(operation, captures);
    }
  }

  /** Creates resources, and returns whether an input was accepted. */
  async #create(
    create: Operation,
    captures: Captures,
    place?: CapturePlace,
  ): Promise<boolean> {
    const accepted: Input[] = [];
    if (isReadOnly(this.options)) return true;
    const samples = await this.samplesOf(create);
    const tries = this.#rejecting.has(create) ? CREATED : TRIES;
    for (const sample of samples.slice(0, tries)) {
      if (accepted.length === CREATED) break;
      const exchange = await this.#call(create, captures, sample);
      if ((exchange?.status ?? 500) > 303) continue;
      accepted.push(sample);
      const found = this.createdBy(create, exchange!);
      if (found !== undefined) this.leads.set(create, found.operation);
      const at = found?.operation.route ?? place;
      const id = found?.id ?? (place && identifierOf(place, jsonOf(exchange!)));
      if (id !== undefined) this.pool.add(at!, found?.captures ?? captures, id);
    }
    if (accepted.length > 0) this.#samples.set(create, accepted);
    return accepted.length > 0;
  }

  leadOf(exchange: Exchange): Lead | undefined {
    const location = locationOf(exchange, this.target.origin);
    if (location === undefined) return undefined;
    const found = leadsOf(this.all, location);
    return found.find(({ operation: { method } }) => method === "GET") ??
      found[0];
  }

  /** The created resource that a `Location` identifies. */
  createdBy(
    { route }: Operation,
    exchange: Exchange,
  ): Lead & { readonly id: unknown } | undefined {
    // A 409 may name the resource that exists.
    const isRefused = (exchange.status ?? 500) > 303;
    const lead = isRefused ? undefined : this.leadOf(exchange);
    if (lead === undefined) return undefined;
    const { segments } = lead.operation.route;
    const segment = segments.at(-1)!;
    // A path above its own path existed before: `POST /tasks/[id]/run`.
    const isAbove = `${keyOf(route.segments)}/`
      .startsWith(`${keyOf(segments)}/`);
    if (isAbove || segment.kind === "static") return undefined;
    const id = segment.kind === "dynamic"
      ? lead.captures.params[segment.name]
      : lead.captures.wildcard.join("/");
    return { ...lead, id };
  }

  /** Sends a sample input, if necessary as each user in turn, until a guard accepts it. */
  async #call(
    operation: Operation,
    captures: Captures | Record<never, never>,
    given?: Input,
  ): Promise<Exchange | undefined> {
    if (this.silent.has(operation)) return undefined;
    const sample = given ?? (await this.samplesOf(operation))[0];
    if (sample === undefined) return undefined;
    const input = { ...sample, ...captures };
    // With a random filter, such as `?author=x`, the list would be empty.
    const all = { ...input, query: {} };
    const isAll = operation.method === "GET" && await isValid(operation, all);
    const users = this.#hasUser(operation) ? [operation.as] : this.users;
    this.#settled.add(operation);
    const send = (as: Identity | undefined) => {
      operation.as = as;
      return this.send(planOf(operation, isAll ? all : input));
    };
    let exchange = await send(users[0]);
    for (const user of users.slice(1)) {
      if (!REJECTED.includes(exchange.status!)) break;
      exchange = await send(user);
    }
    if (REJECTED.includes(exchange.status!)) operation.as = users[0];
    if (exchange.status === undefined) this.silent.set(operation, exchange);
    return exchange;
  }

  /** Valid inputs of an operation, those that were accepted if there are any. */
  async samplesOf(operation: Operation): Promise<readonly Input[]> {
    if (!this.#samples.has(operation)) {
      const inputs = await this.inputsOf(operation);
      const planned = "missing" in inputs ? [] : inputs.arbitrary.planned;
      this.#samples.set(operation, planned.slice(0, TRIES));
    }
    return this.#samples.get(operation)!;
  }

  #rename(plan: RequestPlan): RequestPlan {
    const [path, ...search] = plan.target.split("?");
    const segments = path!.split("/").map((segment) => {
      const name = this.renamed.get(decodeURIComponent(segment));
      return name === undefined ? segment : encodeURIComponent(name);
    });
    const target = [segments.join("/"), ...search].join("?");
    if (plan.body === undefined) return { ...plan, target };
    let { body } = plan;
    for (const [old, name] of this.renamed) {
      body = body.replaceAll(JSON.stringify(old), JSON.stringify(name));
    }
    return { ...plan, target, body };
  }
}
