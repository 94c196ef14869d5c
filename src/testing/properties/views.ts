import {
  declarationFault,
  failureOf,
  type Fault,
  statusFault,
} from "../checks.ts";
import { planOf } from "../generate/input.ts";
import {
  identifierOf,
  isWithin,
  itemsOf,
  keyOf,
  operationOn,
  type Path,
} from "../generate/pool.ts";
import { isLive, type Operation } from "../operation.ts";
import {
  inputOf,
  type Judgement,
  type Life,
  type Part,
  type Step,
} from "../search/life.ts";
import type { Sender } from "../search/sender.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";
import { isSame, sourceOf } from "./members.ts";
import { isSuccess, type Resource } from "./resource.ts";

/** The number of times to read another view whose responses do not change. */
const IDLE = 3;

/** Milliseconds to wait for a list that shows changes late. */
const LIST_TIME = 500;

/**
 * The operations that list or show what a `POST` creates: its list, each `GET` below a
 * created resource, and each other `GET` whose responses change.
 */
export class Views {
  readonly #sender: Sender;
  readonly #read: Operation;
  #views: readonly Operation[];
  readonly #list: Operation | undefined;
  /** The operations below a resource, such as `GET /orders/[id]/pdf`. */
  readonly #below: readonly Operation[];
  /** The operations whose responses have a fault whatever is created. */
  readonly #faulty = new Set<Operation>();
  /** The latest response of each view. */
  readonly #shown = new Map<Operation, Exchange>();
  /** The latest body of each view, and the number of equal bodies in succession. */
  readonly #idle = new Map<Operation, { body: string; count: number }>();

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
    const sender = this.#sender;
    for (const view of [this.#read, ...this.#views]) {
      const [captures] = sender.pool.capturesOf(view.route.segments);
      const input = captures &&
        await inputOf(sender, viewing(view, { of: { captures } }));
      if (input === undefined) continue;
      const exchange = await sender.send(planOf(view, input));
      if (await faultOf(view, exchange)) this.#faulty.add(view);
      // Such a view would end each life.
      const isBusy = exchange.status === 429 || exchange.status === 503;
      if (isBusy) this.#views = this.#views.filter((each) => each !== view);
    }
  }

  /** Checks that the latest response does not show a failure of the application. */
  async faultIn(
    { now: { step, exchange } }: Life,
    view: Operation = step.operation,
  ): Promise<Fault | undefined> {
    if (this.#faulty.has(view)) return undefined;
    const fault = await faultOf(view, exchange);
    return fault && { ...fault, seen: `${fault.seen}, from ${view.name}` };
  }

  /** Reads everything that may list or show a new or changed resource. */
  *readings(of: Resource): Part {
    for (const view of this.#views) {
      const { body: before, count = 0 } = this.#idle.get(view) ?? {};
      const isOwn = view === this.#list || this.#below.includes(view);
      if (!isOwn && count >= IDLE) continue;
      const judge: Judgement = async (life) => {
        const fault = await this.faultIn(life);
        const body = String(life.now.exchange.body);
        // Smaller values are tried with the same view.
        const next = fault ? -Infinity : before === body ? count + 1 : 0;
        this.#idle.set(view, { body, count: next });
        return fault;
      };
      const shown = yield viewing(view, { of, holds: [judge] });
      if (shown !== undefined) this.#shown.set(view, shown);
    }
  }

  /** Adds an item to the first list below the resource that accepts one. */
  *addition(of: Resource): Part<Item | undefined> {
    const { operations } = this.#sender.subject;
    for (const list of this.#below) {
      const create = operationOn(operations, list.route, "POST");
      const before = this.#shown.get(list);
      if (create === undefined || before === undefined) continue;
      const added = yield { does: "add", operation: create, of };
      const path = this.#itemPath(list);
      const id = added && identifierOf(path, jsonOf(added));
      if (added && isSuccess(added) && id !== undefined) {
        return { list, path, id, count: itemsOf(before).items.length };
      }
    }
    return undefined;
  }

  /** The path of the items of a list, or a path as if a segment identified them. */
  #itemPath({ route: { segments } }: Operation): Path {
    const key = keyOf(segments);
    return this.#sender.subject.places
      .find((place) => keyOf(place.segments.slice(0, -1)) === key) ??
      { segments: [...segments, { kind: "dynamic", name: "id" }] };
  }

  /** Finds what still shows a deleted resource. */
  *vanishing(of: Resource): Part {
    for (const view of this.#below) {
      const holds: Judgement[] = [keptFault, (life) => this.faultIn(life)];
      yield viewing(view, { of, holds });
    }
    const list = this.#list;
    const { route } = this.#read;
    const shown = list && this.#shown.get(list);
    const before = itemIn(shown, route, of.id);
    if (list === undefined || before === undefined) return;
    // An item that has changed shows that the resource was deleted.
    const isSameItem = (latest: Exchange | undefined) =>
      isSame(before, itemIn(latest, route, of.id));
    if (!isSameItem(yield viewing(list, { of }))) return;
    const holds: Judgement[] = [
      (life) =>
        isSameItem(life.now.exchange) ? listedFault(life, of) : undefined,
    ];
    yield viewing(list, { of, waits: LIST_TIME, holds });
  }
}

/** A step that reads a view. */
export function viewing(
  view: Operation,
  further: Partial<Step> = {},
): Step {
  return { does: "view", operation: view, ...further };
}

/** An item that was added to a list below a resource. */
export interface Item {
  readonly list: Operation;
  /** The path of the item. */
  readonly path: Path;
  readonly id: unknown;
  /** The number of items before. */
  readonly count: number;
}

async function faultOf(
  view: Operation,
  exchange: Exchange,
): Promise<Fault | undefined> {
  const { status = 500 } = exchange;
  // Other properties check 4xx. A busy server responds with 503.
  const isOther = status >= 400 && status < 500 || status === 503;
  return isOther
    ? undefined
    : failureOf(exchange) ?? await declarationFault(view, exchange);
}

/** Why something must be gone. */
function reasonIn(life: Life): string {
  return `since "${life.last("read")!.plan.target}" was deleted`;
}

function keptFault(life: Life): Fault | undefined {
  const { step: { operation }, exchange } = life.now;
  const { items, path } = itemsOf(exchange);
  // A list may be empty if the resource does not exist.
  const isKept = path ? items.length > 0 : operation.responses.has(404);
  if (!isSuccess(exchange) || !isKept) return undefined;
  const seen = `a ${exchange.status}, from ${operation.name}`;
  return statusFault(404, { expected: `a 404, ${reasonIn(life)}`, seen });
}

function listedFault(life: Life, { id }: Resource): Fault {
  const { step: { operation }, exchange } = life.now;
  return {
    expected: `no item "${id}", ${reasonIn(life)}`,
    seen: `the item, from ${operation.name}`,
    assertion: lengthText(exchange, itemsOf(exchange).items.length - 1),
  };
}

/** Finds that a change removed the item below its resource. */
export function lostFault(
  life: Life,
  { list, id, count }: Item,
): Fault | undefined {
  const { exchange } = life.now;
  const { items, path } = itemsOf(exchange);
  // A page may omit the item.
  const isLost = isSuccess(exchange) && path !== undefined &&
    items.length === 0;
  return !isLost ? undefined : {
    expected: `the item "${id}" below "${
      life.last("read")!.plan.target
    }", since a repeated change must not remove it`,
    seen: `no item, from ${list.name}`,
    assertion: lengthText(exchange, count + 1),
  };
}

/** Finds the item of the resource below its sibling. */
export function sharedFault(
  { now: { exchange } }: Life,
  { list, path, id, count }: Item,
): Fault | undefined {
  const item = isSuccess(exchange) ? itemIn(exchange, path, id) : undefined;
  return item === undefined ? undefined : {
    expected: `no item of another resource at "${exchange.plan.target}"`,
    seen: `${JSON.stringify(item).slice(0, 200)}, from ${list.name}`,
    assertion: lengthText(exchange, count),
  };
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
