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
import type { Life, Step } from "../search/life.ts";
import type { Sender } from "../search/sender.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";
import { isSame, sourceOf } from "./members.ts";
import { isSuccess, plainInput } from "./resource.ts";

/** The number of times to read another view whose responses do not change. */
const IDLE = 3;

/** Milliseconds to wait for a list that shows changes late. */
const LIST_TIME = 500;

/** The name of an item that was added to a list below the resource. */
export const ITEM = "item";

/** The name of another resource with the same values. */
export const SIBLING = "sibling";

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
    const { pool, results: { silent } } = sender;
    for (const view of [this.#read, ...this.#views]) {
      const [captures] = pool.capturesOf(view.route.segments);
      if (captures === undefined || silent.has(view)) continue;
      const input = await plainInput(sender, view, captures);
      if (!await isValid(view, input)) continue;
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
  steps(): Step[] {
    return this.#views.map((view) => ({
      does: nameOf(view),
      operation: view,
      when: () =>
        view === this.#list || this.#below.includes(view) ||
        (this.#idle.get(view)?.count ?? 0) < IDLE,
      holds: [async (life) => {
        const fault = await this.faultIn(life);
        const body = String(life.now.exchange.body);
        const { body: before, count = 0 } = this.#idle.get(view) ?? {};
        // Smaller values are tried with the same view.
        const next = fault ? -Infinity : before === body ? count + 1 : 0;
        this.#idle.set(view, { body, count: next });
        return fault;
      }],
    }));
  }

  /** Adds an item to the first list below the resource that accepts one. */
  additions(): Step[] {
    return this.#lists().map(([list, create]) => ({
      does: "add",
      operation: create,
      when: (life) =>
        !life.resources.has(ITEM) && life.last(nameOf(list)) !== undefined,
      makes: [ITEM, ({ resource: { captures }, now: { exchange } }) => {
        const id = identifierOf(itemPath(list), jsonOf(exchange));
        return isSuccess(exchange) && id !== undefined
          ? { captures, id: String(id) }
          : undefined;
      }],
    }));
  }

  /** Reads the list with the added item, or the same list of another resource. */
  itemReadings(
    further: Pick<Step, "of" | "after" | "holds">,
  ): Step[] {
    return this.#lists().map(([list, create]) => ({
      does: nameOf(list),
      operation: list,
      when: ({ resources, done }) =>
        resources.has(ITEM) &&
        done.findLast(({ step }) => step.does === "add")!.step.operation ===
          create,
      ...further,
    }));
  }

  /** The lists below the resource, with the operations that add items. */
  #lists(): (readonly [Operation, Operation])[] {
    const { operations } = this.#sender.subject;
    return this.#below.flatMap((list) => {
      const create = operationOn(operations, list.route, "POST");
      return create === undefined ? [] : [[list, create] as const];
    });
  }

  /** Finds what still shows the deleted resource. */
  endings(): Step[] {
    const below = this.#below.map((view): Step => ({
      does: nameOf(view),
      operation: view,
      when: isRemoved,
      holds: [keptFault],
    }));
    const list = this.#list;
    if (list === undefined) return below;
    const { route } = this.#read;
    const itemAt = (life: Life, index: number) =>
      itemIn(life.all(nameOf(list)).at(index), route, life.resource.id);
    const first: Step = {
      does: nameOf(list),
      operation: list,
      when: (life) => isRemoved(life) && itemAt(life, -1) !== undefined,
    };
    // An item that has changed shows that the resource was deleted.
    return [...below, first, {
      ...first,
      after: [first.does, isSuccess],
      waits: LIST_TIME,
      when: (life) => isSame(itemAt(life, -2), itemAt(life, -1)),
      holds: [
        (life) =>
          isSame(itemAt(life, -3), itemAt(life, -1))
            ? listedFault(life)
            : undefined,
      ],
    }];
  }
}

/** The name of the steps that read a view. */
function nameOf({ name }: Operation): string {
  return `view ${name}`;
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

/** Whether the resource was deleted; a life ends with a deletion that is refused. */
function isRemoved({ last }: Life): boolean {
  return last("remove") !== undefined;
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

function listedFault(life: Life): Fault {
  const { step: { operation }, exchange } = life.now;
  return {
    expected: `no item "${life.resource.id}", ${reasonIn(life)}`,
    seen: `the item, from ${operation.name}`,
    assertion: lengthText(exchange, itemsOf(exchange).items.length - 1),
  };
}

/** Finds that a change removed the item below its resource. */
export function lostFault(life: Life): Fault | undefined {
  const { step: { does, operation }, exchange } = life.now;
  const { items, path } = itemsOf(exchange);
  // A page may omit the item.
  const isLost = isSuccess(exchange) && path !== undefined &&
    items.length === 0;
  if (!isLost) return undefined;
  const { id } = life.resources.get(ITEM)!;
  const { items: before } = itemsOf(life.all(does)[0]!);
  return {
    expected: `the item "${id}" below "${
      life.last("read")!.plan.target
    }", since a repeated change must not remove it`,
    seen: `no item, from ${operation.name}`,
    assertion: lengthText(exchange, before.length + 1),
  };
}

/** Finds the item of the resource below its sibling. */
export function sharedFault(life: Life): Fault | undefined {
  const { step: { does, operation }, exchange } = life.now;
  const { id } = life.resources.get(ITEM)!;
  const item = isSuccess(exchange)
    ? itemIn(exchange, itemPath(operation), id)
    : undefined;
  if (item === undefined) return undefined;
  const { items: before } = itemsOf(life.all(does)[0]!);
  return {
    expected: `no item of another resource below "${
      life.resources.get(SIBLING)!.id
    }"`,
    seen: `${JSON.stringify(item).slice(0, 200)}, from ${operation.name}`,
    assertion: lengthText(exchange, before.length),
  };
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
