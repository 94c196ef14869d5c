import {
  declarationFault,
  failureOf,
  type Fault,
  statusFault,
} from "../checks.ts";
import { isValid, planOf } from "../generate/input.ts";
import {
  identifierOf,
  isWithin,
  itemsOf,
  operationOn,
  type Path,
} from "../generate/pool.ts";
import { isLive, type Operation } from "../operation.ts";
import type { Sender } from "../search/sender.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";
import { isSame, sourceOf } from "./members.ts";
import {
  isSuccess,
  plainInput,
  type Resource,
  sendTo,
  targetOf,
} from "./resource.ts";

/** The number of times to read another view whose responses do not change. */
const IDLE = 3;

/** Milliseconds to wait for a list that shows changes late. */
const LIST_TIME = 500;

/** An item that was added to a list below a resource. */
export interface Child {
  readonly list: Operation;
  readonly id: unknown;
  /** The number of items before. */
  readonly count: number;
}

/**
 * The operations that list or show what a `POST` creates: its list, each `GET` below a
 * created resource, and each other `GET` whose responses change.
 */
export class Views {
  readonly #sender: Sender;
  readonly #read: Operation;
  readonly #views: readonly Operation[];
  readonly #list: Operation | undefined;
  /** The operations below a resource, such as `GET /orders/[id]/pdf`. */
  readonly #below: readonly Operation[];
  /** The operations whose responses have a fault whatever is created. */
  readonly #faulty = new Set<Operation>();
  readonly #latest = new Map<Operation, Exchange>();
  /** The number of equal responses in succession. */
  readonly #idle = new Map<Operation, number>();

  constructor(sender: Sender, read: Operation) {
    this.#sender = sender;
    this.#read = read;
    const { route } = read;
    const parent = { segments: route.segments.slice(0, -1) };
    this.#views = sender.subject.operations.filter((each) =>
      each.method === "GET" && each.route !== route && !isLive(each) &&
      // The path of a view contains no other identifiers.
      each.route.segments.every(({ kind }, index, segments) =>
        kind === "static" ||
        isWithin(route, { segments: segments.slice(0, index + 1) })
      )
    );
    this.#list = operationOn(this.#views, parent);
    this.#below = this.#views.filter((each) => isWithin(each.route, route));
  }

  /** Reads the views of existing resources, to exclude those with a fault. */
  async prepare(): Promise<void> {
    const { pool } = this.#sender;
    for (const view of [this.#read, ...this.#views]) {
      const [captures] = pool.capturesOf(view.route.segments);
      const exchange = captures && await this.#readResource(view, { captures });
      if (exchange && await this.faultIn(view, exchange)) {
        this.#faulty.add(view);
      }
    }
  }

  /** Checks that a response does not show a failure of the application. */
  async faultIn(
    view: Operation,
    exchange: Exchange,
  ): Promise<Fault | undefined> {
    const { status = 500 } = exchange;
    // Other properties check 4xx. A busy server responds with 503.
    const isOther = status >= 400 && status < 500 || status === 503;
    if (isOther || this.#faulty.has(view)) return undefined;
    const fault = failureOf(exchange) ?? await declarationFault(view, exchange);
    return fault && { ...fault, seen: `${fault.seen}, from ${view.name}` };
  }

  /** Reads everything that may list or show a new or changed resource. */
  async faultAfter(resource: Resource): Promise<Fault | undefined> {
    for (const view of this.#views) {
      const idle = this.#idle.get(view) ?? 0;
      const isOwn = view === this.#list || this.#below.includes(view);
      if (!isOwn && idle >= IDLE) continue;
      const before = this.#latest.get(view);
      const exchange = await this.#readResource(view, resource);
      if (exchange === undefined) continue;
      const fault = await this.faultIn(view, exchange);
      const isIdle = String(before?.body) === String(exchange.body);
      // Smaller values are tried with the same view.
      this.#idle.set(view, fault ? -Infinity : isIdle ? idle + 1 : 0);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  /** Finds what still shows a deleted resource. */
  async faultAfterDeletion(resource: Resource): Promise<Fault | undefined> {
    const reason = `since "${targetOf(this.#read, resource)}" was deleted`;
    for (const view of this.#below) {
      const exchange = await this.#readResource(view, resource);
      if (exchange === undefined || !isSuccess(exchange)) continue;
      const { items, path } = itemsOf(exchange);
      // A list may be empty if the resource does not exist.
      const isKept = path ? items.length > 0 : view.responses.has(404);
      if (!isKept) continue;
      const seen = `a ${exchange.status}, from ${view.name}`;
      return statusFault(404, { expected: `a 404, ${reason}`, seen });
    }
    const list = this.#list;
    let latest = list && this.#latest.get(list);
    const before = itemIn(latest, this.#read.route, resource.id);
    if (before === undefined) return undefined;
    for (const wait of [0, LIST_TIME]) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      latest = await this.#readResource(list!, resource);
      // An item that has changed shows that the resource was deleted.
      if (!isSame(before, itemIn(latest, this.#read.route, resource.id))) {
        return undefined;
      }
    }
    return {
      expected: `no item "${resource.id}", ${reason}`,
      seen: `the item, from ${list!.name}`,
      assertion: lengthText(latest!, itemsOf(latest!).items.length - 1),
    };
  }

  /** Adds an item to a list below a resource. */
  async addChild(resource: Resource): Promise<Child | undefined> {
    for (const list of this.#below) {
      const { operations } = this.#sender.subject;
      const create = operationOn(operations, list.route, "POST");
      const before = this.#latest.get(list);
      if (create === undefined || before === undefined) continue;
      const added = await sendTo(this.#sender, create, resource);
      if (added === undefined) continue;
      const id = identifierOf(itemPath(list), jsonOf(added));
      const count = itemsOf(before).items.length;
      if (isSuccess(added) && id !== undefined) return { list, id, count };
    }
    return undefined;
  }

  /** Finds that a change removed an item below its resource. */
  async lostFault(
    { list, id, count }: Child,
    resource: Resource,
  ): Promise<Fault | undefined> {
    const exchange = await this.#readResource(list, resource);
    if (exchange === undefined || !isSuccess(exchange)) return undefined;
    const { items, path } = itemsOf(exchange);
    const target = targetOf(this.#read, resource);
    // A page may omit the item.
    return path === undefined || items.length > 0 ? undefined : {
      expected:
        `the item "${id}" below "${target}", since a repeated change must not remove it`,
      seen: `no item, from ${list.name}`,
      assertion: lengthText(exchange, count + 1),
    };
  }

  /** Finds an item of one resource below another one. */
  async sharedFault(
    { list, id, count }: Child,
    other: Resource,
  ): Promise<Fault | undefined> {
    const exchange = await this.#readResource(list, other);
    if (exchange === undefined || !isSuccess(exchange)) return undefined;
    const item = itemIn(exchange, itemPath(list), id);
    const target = targetOf(this.#read, other);
    return item === undefined ? undefined : {
      expected: `no item of another resource below "${target}"`,
      seen: `${JSON.stringify(item).slice(0, 200)}, from ${list.name}`,
      assertion: lengthText(exchange, count),
    };
  }

  async #readResource(
    view: Operation,
    { captures }: Resource,
  ): Promise<Exchange | undefined> {
    if (this.#sender.results.silent.has(view)) return undefined;
    const input = await plainInput(this.#sender, view, captures);
    if (!await isValid(view, input)) return undefined;
    const exchange = await this.#sender.send(planOf(view, input));
    this.#latest.set(view, exchange);
    return exchange;
  }
}

/** The path of the items of a list, as if a segment identified them. */
function itemPath({ route: { segments } }: Operation): Path {
  return { segments: [...segments, { kind: "dynamic", name: "id" }] };
}

/** The item of a list that has an identifier. */
function itemIn(
  list: Exchange | undefined,
  path: Path,
  id: unknown,
): unknown {
  return list && itemsOf(list).items
    .find((item) => String(identifierOf(path, item)) === String(id));
}

/** The source text that checks the number of items of a list. */
export function lengthText(list: Exchange, length: number): string {
  const { path = [] } = itemsOf(list);
  return `assertEquals(${sourceOf(path)}.length, ${length});`;
}
