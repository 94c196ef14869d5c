import { isObject } from "../../core/common/values.ts";
import type { Captures } from "../../shared/wire.ts";
import {
  type Input,
  inputAt,
  isValid,
  planOf,
  unwrapBody,
} from "../generate/input.ts";
import { type Inputs, inputsOf } from "../generate/inputs.ts";
import {
  ANYWHERE,
  type CapturePlace,
  identifierOf,
  isWithin,
  needsLocation,
  Pool,
  unwrap,
  valueAt,
} from "../generate/pool.ts";
import { REJECTED } from "../identity.ts";
import { type Operation, pathInTree, ruleMembers } from "../operation.ts";
import { isReadOnly } from "../options.ts";
import type { Members } from "../properties/members.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";
import { borrowedInputs, distinct } from "./borrow.ts";
import { Requests } from "./requests.ts";
import { isRefusal } from "./results.ts";
import { createdBy, placeCreatedBy } from "./subject.ts";

/** The number of resources of each kind to create before the tests, and of changes to try. */
const CREATED = 2;

/** The maximum number of inputs to try for these resources. */
const TRIES = 30;

/** The maximum number of parent resources to explore for nested resources. */
const MAX_PARENTS = 2;

/** An input that was sent, and its response. */
interface Tried {
  readonly input: Input;
  readonly exchange: Exchange;
}

/**
 * Lists and creates test data before the tests, whose identifiers the inputs of the tests
 * contain.
 */
export class Sender extends Requests {
  pool: Pool = new Pool();
  /** The operations that read what another operation creates elsewhere. */
  readonly locationReaders: Map<Operation, Operation> = new Map();
  /** The members of accepted resources. */
  #resources: Members[] = [];
  /** The operations to which a user is assigned. */
  readonly #assigned = new Set<Operation>();
  readonly #samples = new Map<Operation, readonly Input[]>();
  /** The operations that accepted none of their sample inputs. */
  readonly #rejecting = new Set<Operation>();
  readonly #inputs = new Map<Operation, { key: string; inputs: Inputs }>();

  /** Resets the application, creates test data, and finds the user of an operation. */
  async prepare(operation?: Operation): Promise<void> {
    await this.reset();
    await this.#explore();
    if (operation === undefined || this.#hasUser(operation)) return;
    // Guards more likely accept the user who created the resource.
    const captures = this.pool.capturesOf(operation.route.segments).at(-1);
    await this.#call(operation, captures ?? ANYWHERE);
    // The request may have deleted the resource.
    await this.prepare();
  }

  #hasUser(operation: Operation): boolean {
    return this.subject.users.length < 2 || this.#assigned.has(operation);
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

  /** Valid inputs, which are generated again only if the known values change. */
  async inputsOf(operation: Operation): Promise<Inputs> {
    const { seed, runs, generators } = this.subject.options;
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
    const created = placeCreatedBy(this.subject, operation)?.segments.at(-1);
    const inputs = await inputsOf(operation, {
      ...{ seed, most, captures, known, given },
      created: created?.kind === "dynamic" ? created.name : undefined,
    });
    this.#inputs.set(operation, { key, inputs });
    return inputs;
  }

  missingOf(operation: Operation): string | undefined {
    const inputs = this.#inputs.get(operation)?.inputs;
    return inputs && "missing" in inputs ? inputs.missing : undefined;
  }

  async #explore(): Promise<void> {
    const { places } = this.subject;
    const pool = this.pool = new Pool();
    this.#resources = [];
    await this.#addUsers();
    const elsewhere = places.findIndex(needsLocation);
    const retries: (() => Promise<void>)[] = [];
    for (const [index, place] of places.entries()) {
      if (index === elsewhere) await this.#createElsewhere();
      const { segments, list, put } = place;
      const parents = pool.capturesOf(segments.slice(0, -1))
        .slice(0, MAX_PARENTS);
      // A `PUT` may create the resources above its own, such as a repository.
      const around = parents.length === 0 && put ? [ANYWHERE] : parents;
      // A `PUT` would change an existing resource.
      const exists = put && await this.#exists(place);
      for (const captures of around) {
        const listed = list && await this.#call(list, captures);
        const items = listed
          ? pool.addList(place, captures, listed.exchange)
          : [];
        this.#resources.push(...items.filter(isObject).slice(0, CREATED));
        const isListed = items.length > 0;
        const create = place.create ?? (exists || isListed ? undefined : put);
        if (create === undefined) continue;
        const isCreated = await this.#create(create, captures, place);
        if (isCreated || this.#rejecting.has(create)) continue;
        retries.push(async () => {
          // A body may need the identifiers of resources that did not exist yet.
          this.#samples.delete(create);
          if (await this.#create(create, captures, place)) return;
          this.#rejecting.add(create);
        });
      }
    }
    for (const retry of retries) await retry();
  }

  /** Adds the ids of users as values of the members that rules of `access` name. */
  async #addUsers(): Promise<void> {
    const { operations, users } = this.subject;
    for (const member of ruleMembers(operations)) {
      for (const user of users) await this.logIn(user);
      this.pool.known.set(member, users.map(({ id }) => id));
    }
  }

  /** Whether a known value leads to a resource, such as a book in `/stock/[bookId]`. */
  async #exists({ segments, read }: CapturePlace): Promise<boolean> {
    const [known] = this.pool.capturesOf(segments);
    if (known === undefined || read === undefined) return known !== undefined;
    const tried = await this.#call(read, known);
    return (tried?.exchange.status ?? 500) < 400;
  }

  /** Creates resources with each `POST` below which no resource is, such as `/checkout`. */
  async #createElsewhere(): Promise<void> {
    for (const operation of this.subject.operations) {
      const { method, responses, route: { segments } } = operation;
      const isCreator = method === "POST" &&
        [...responses.keys()].some((each) => each > 200 && each < 304) &&
        placeCreatedBy(this.subject, operation) === undefined;
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
    if (isReadOnly(this.subject.options)) return true;
    const samples = await this.samplesOf(create);
    const tries = this.#rejecting.has(create) ? CREATED : TRIES;
    const isPut = create === place?.put;
    const tried = await this.#try(create, samples.slice(0, tries), captures);
    const accepted = tried.filter(isAccepted);
    for (const { input, exchange } of accepted) {
      // A second request for the same resource may get 409.
      this.results.of(create).statuses.add(exchange.status);
      this.#resources.push({
        ...unwrapBody(input.body).members,
        ...unwrap(create.route, jsonOf(exchange)).members,
      });
      const found = createdBy(this.subject, create, exchange);
      if (found !== undefined) {
        this.locationReaders.set(create, found.operation);
      }
      const at = found?.operation.route ?? place;
      const id = found?.id ??
        (isPut
          ? valueAt(place!, input)
          : place && identifierOf(place, jsonOf(exchange)));
      if (id !== undefined) this.pool.add(at!, found?.captures ?? input, id);
      if (isPut) this.#addParents(place!, input);
    }
    const inputs = accepted.map(({ input }) => input);
    if (inputs.length > 0) this.#samples.set(create, inputs);
    return inputs.length > 0;
  }

  /** Sends inputs to a path until some are accepted. */
  async #try(
    operation: Operation,
    inputs: readonly Input[],
    path: Captures,
  ): Promise<Tried[]> {
    const tried: Tried[] = [];
    for (const each of inputs) {
      const next = await this.#call(operation, path, each);
      if (next !== undefined) tried.push(next);
      if (tried.filter(isAccepted).length === CREATED) break;
    }
    return tried;
  }

  /**
   * Sends a change until some inputs are accepted, and returns these. If a rule of the
   * handler refuses the samples, the bodies get members of accepted resources.
   */
  async acceptedOf(operation: Operation): Promise<Input[]> {
    const samples = await this.samplesOf(operation);
    const path = this.pool.capturesOf(operation.route.segments).at(-1);
    if (samples.length === 0 || path === undefined) return [];
    const tried = await this.#try(operation, samples, path);
    const isRule = tried.length === samples.length &&
      tried.every((each) =>
        isAccepted(each) || isRefusal(operation, each.exchange.status)
      );
    if (isRule) {
      const inputs = await borrowedInputs(operation, samples, this.#resources);
      tried.push(...await this.#try(operation, inputs, path));
    }
    return tried.filter(isAccepted).map(({ input }) => input);
  }

  /** Adds the resources above the one that a `PUT` created, if none are known. */
  #addParents(created: CapturePlace, path: Captures): void {
    for (const place of this.subject.places) {
      const isAbove = place !== created && isWithin(created, place) &&
        this.pool.capturesOf(place.segments).length === 0;
      if (isAbove) this.pool.add(place, path, valueAt(place, path));
    }
  }

  /**
   * Sends an input, by default a sample, to a path; if necessary as each user in turn,
   * until one is accepted.
   */
  async #call(
    operation: Operation,
    path: Captures,
    given?: Input,
  ): Promise<Tried | undefined> {
    const { results, subject } = this;
    if (results.silent.has(operation)) return undefined;
    const sample = given ?? (await this.samplesOf(operation))[0];
    if (sample === undefined) return undefined;
    const input = inputAt(sample, path);
    // With a random filter, such as `?author=x`, the list would be empty.
    const all = { ...input, query: {} };
    const isAll = operation.method === "GET" && await isValid(operation, all);
    const users = this.#hasUser(operation) ? [operation.as] : subject.users;
    this.#assigned.add(operation);
    let exchange: Exchange | undefined;
    for (const user of users) {
      operation.as = user;
      const next = await this.send(planOf(operation, isAll ? all : input));
      // A handler may reject a user, too, or find nothing for a user.
      if (!exchange || distance(next) < distance(exchange)) exchange = next;
      if (distance(exchange) === 0) break;
    }
    operation.as = subject.identities.get(exchange!.plan.as!);
    if (exchange!.status === undefined) results.silent.set(operation, exchange);
    return { input, exchange: exchange! };
  }

  /** Valid inputs of an operation; only the accepted inputs if there are any. */
  async samplesOf(operation: Operation): Promise<readonly Input[]> {
    if (!this.#samples.has(operation)) {
      const inputs = await this.inputsOf(operation);
      const planned = "missing" in inputs ? [] : inputs.arbitrary.planned;
      const some = planned.slice(0, TRIES);
      this.#samples.set(operation, [...new Set([...distinct(some), ...some])]);
    }
    return this.#samples.get(operation)!;
  }
}

function isAccepted({ exchange }: Tried): boolean {
  return exchange.status !== undefined && exchange.status <= 303;
}

/** How far a request came: 0 if it found its resource, 2 if its user was rejected. */
function distance({ status }: Exchange): number {
  return status === 404 ? 1 : REJECTED.includes(status!) ? 2 : 0;
}
