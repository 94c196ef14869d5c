/** Orders with a stream of changes and a chat, and faults that only changes and messages show. */
import { HttpError } from "@bough/framework";
import { endOn, type LiveSocket } from "@bough/framework/live";
import { Problem } from "@bough/framework/openapi";
import {
  checkContracts,
  type CheckOptions,
  type ContractFailure,
  type ContractReport,
} from "@bough/framework/testing";
import { assertEquals, assertMatch } from "@std/assert";
import { z } from "zod";
import { TestApplication } from "../support/application.ts";
import { delay } from "../support/until.ts";
import { FastTime } from "./fast_time.ts";
import { passes } from "./run_test_text.ts";
import { looseEvents, looseSocket, type Modules } from "./support.ts";

interface Order {
  readonly id: number;
  readonly item: string;
  status: string;
}

interface Change {
  readonly id: number;
  readonly event: string;
  readonly data: Order;
}

type Member = LiveSocket<unknown>;

/** The orders with their changes, and the members of the chat. */
export class Orders {
  readonly all = new Map<number, Order>();
  readonly members = new Set<Pick<Member, "send" | "close">>();
  readonly #history: Change[] = [];
  readonly #changes = new EventTarget();

  readonly reset = (): void => {
    this.all.clear();
    this.#history.length = 0;
  };

  change(event: string, order: object): void {
    const id = this.#history.length + 1;
    this.#history.push({ id, event, data: { ...order } as Order });
    this.#changes.dispatchEvent(new Event("change"));
  }

  /** The changes after those that a client has seen. */
  async *follow(seen: number, signal: AbortSignal): AsyncGenerator<Change> {
    let wake = () => {};
    this.#changes.addEventListener("change", () => wake(), { signal });
    signal.addEventListener("abort", () => wake());
    while (!signal.aborted) {
      const next = this.#history[seen];
      if (next === undefined) await new Promise<void>((go) => wake = go);
      else {
        yield next;
        seen++;
      }
    }
  }

  send(message: unknown, sender?: Member): void {
    for (const member of this.members) {
      if (member !== sender) member.send(message);
    }
  }
}

const each = (eventOf: (change: Change) => unknown) =>
  async function* (changes: AsyncIterable<Change>): AsyncGenerator {
    for await (const change of changes) yield eventOf(change);
  };

/** The parts of the application, which a test replaces to plant a fault. */
const PARTS = {
  created: (orders: Orders, order: Order): void =>
    orders.change("created", order),
  updated: (orders: Orders, order: Order): void =>
    orders.change("changed", order),
  /** The number of changes that a client has seen. */
  seen: (lastEventId: string | undefined): number => Number(lastEventId) || 0,
  events: each((change) => change),
  open: ({ members }: Orders, own: Member): unknown => members.add(own),
  close: ({ members }: Orders, own: Member): unknown => members.delete(own),
  add: (a: number, b: number): unknown => ({ sum: a + b }),
  text: (text: string): unknown => ({ text }),
  /** Handles a message; `respond` is the way without a fault. */
  message: (_kind: string, _own: Member, respond: () => void): unknown =>
    respond(),
  /** Responds to a request for the socket. */
  socket: (
    _request: Request,
    _orders: Orders,
    open: () => Response,
  ): Response => open(),
};

export type Parts = Partial<typeof PARTS>;

export type Live = "events" | "chat";

const Order = z.object({ id: z.int(), item: z.string(), status: z.string() });
const operand = z.int().min(-100).max(100);

/** The application, with other parts, and with some of its live routes. */
export function ordersWith(
  orders: Orders,
  parts: Parts = {},
  live: readonly Live[] = ["events", "chat"],
): Modules {
  const part = { ...PARTS, ...parts };
  const routes: Modules = {
    events: {
      schema: { get: { events: { created: Order, changed: Order } } },
      GET: (request) =>
        looseEvents(
          request,
          ({ lastEventId, signal }) =>
            part.events(orders.follow(part.seen(lastEventId), signal)),
        ),
    },
    chat: {
      schema: {
        get: {
          socket: {
            receive: z.discriminatedUnion("kind", [
              z.object({ kind: z.literal("text"), text: z.string().max(50) }),
              z.object({ kind: z.literal("add"), a: operand, b: operand }),
            ]),
            send: z.union([
              z.object({ text: z.string() }),
              z.object({ sum: z.int() }),
              z.object({ order: z.int() }),
            ]),
          },
        },
      },
      GET: (request) =>
        part.socket(request, orders, () =>
          looseSocket(request, {
            open: (own) => void part.open(orders, own),
            message: ({ kind, text, a, b }, own) =>
              part.message(kind, own, () => {
                if (kind === "add") own.send(part.add(a, b));
                else orders.send(part.text(text), own);
              }),
            close: (_code, _reason, own) => void part.close(orders, own),
          })),
    },
  };
  return {
    "orders/route.ts": {
      schema: {
        post: {
          body: z.object({ item: z.string().min(1).max(20) }),
          response: { 201: z.unknown() },
        },
      },
      POST: ({ validated: { body } }) => {
        const order = { id: orders.all.size + 1, ...body, status: "new" };
        orders.all.set(order.id, order);
        part.created(orders, order);
        return Response.json(order, { status: 201 });
      },
    },
    "orders/[id]/route.ts": {
      schema: {
        patch: {
          params: z.object({ id: z.coerce.number().int().min(1) }),
          body: z.object({ status: z.enum(["paid", "sent"]) }),
          response: { 200: z.unknown(), 404: Problem },
        },
      },
      PATCH: ({ validated: { params, body } }) => {
        const order = orders.all.get(params.id);
        if (order === undefined) throw new HttpError(404);
        Object.assign(order, body);
        part.updated(orders, order);
        return Response.json(order);
      },
    },
    ...Object.fromEntries(
      live.map((name) => [`orders/${name}/route.ts`, routes[name]!]),
    ),
  };
}

type Fault = readonly [Live, Parts, RegExp];

/** One fault each: its route, its parts, and what is seen. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  "a member that is wrong after a change": ["events", {
    events: each((change) =>
      change.event === "changed"
        ? { ...change, data: { ...change.data, status: 1 } }
        : change
    ),
  }, /an event "changed" that does not fit its schema: at "#\/status"/],
  "a member that no schema names after a change": ["events", {
    updated: (orders, order) =>
      orders.change("changed", { ...order, secret: "x" }),
  }, /an event "changed" that does not fit its schema.*secret/],
  "a name that is not declared": ["events", {
    updated: (orders, order) => orders.change("change", order),
  }, /an event "change" that is not declared/],
  "an id that is missing": ["events", {
    events: each(({ id, ...event }) => id % 3 === 0 ? event : { id, ...event }),
  }, /an event "\w+" without its own id/],
  "an event that is repeated": ["events", {
    seen: (lastEventId = "0") => Math.max(0, Number(lastEventId) - 1),
  }, /the event "\w+" with its id again/],
  "an event of another name that is repeated": ["events", {
    events: each(({ id, event, data }) => ({
      id: event === "created" ? `c${id}` : id,
      ...{ event, data },
    })),
  }, /the event "\w+" with its id again/],
  "an id that is refused": ["events", {
    seen: (lastEventId = "") => {
      if (lastEventId.length > 0) throw new Error("no such id");
      return 0;
    },
  }, /no such id/],
  "a stream that dies after the first change": ["events", {
    events: async function* (changes) {
      for await (const change of changes) {
        yield change;
        if (change.event === "changed") throw new TypeError("no length");
      }
    },
  }, /the stream of events failed/],
  "a stream that an order kills": ["events", {
    events: each((change) =>
      change.event === "changed" ? { ...change, data: 1n } : change
    ),
  }, /the stream of events failed/],
  "the wrong shape for one kind of message": ["chat", {
    add: (a, b) => ({ sum: String(a + b) }),
  }, /a message that does not fit its schema/],
  "the wrong shape at one boundary": ["chat", {
    add: (a, b) => ({ sum: a === 100 ? null : a + b }),
  }, /a message that does not fit its schema/],
  "the wrong shape to the others": ["chat", {
    text: (message) => ({ message }),
  }, /a message that does not fit its schema/],
  "the wrong shape after an order": ["chat", {
    created: (orders, order) => {
      orders.change("created", order);
      orders.send({ order: order.item });
    },
  }, /a message that does not fit its schema/],
  "a message that is empty": ["chat", {
    text: (text) => {
      if (text === "") throw new RangeError("empty");
      return { text };
    },
  }, /"message" of the socket failed/],
  "an emoji": ["chat", {
    text: (text) => (btoa(text.replaceAll(/[^🙂]/gu, "")), { text }),
  }, /"message" of the socket failed/],
  "a socket that fails when it opens": ["chat", {
    open: () => {
      throw new Error("no room");
    },
  }, /"open" of the socket failed/],
  "a socket that fails when it closes": ["chat", {
    close: ({ members }, own) => {
      members.delete(own);
      throw new Error("no chair");
    },
  }, /"close" of the socket failed/],
  "an error of a handler that is not awaited": ["chat", {
    message: (kind, _own, respond) => {
      if (kind === "add") void Promise.reject(new Error("late"));
      respond();
    },
  }, /late/],
};

/** Behaviour that is unusual, but legal. */
export const UNUSUAL: Readonly<Record<string, readonly [Live, Parts]>> = {
  "a message that ends the socket": ["chat", {
    message: (kind, own, respond) =>
      kind === "text" ? own.close(4000, "bye") : respond(),
  }],
  "a socket that closes at once": ["chat", {
    open: (_orders, own) => own.close(4003),
  }],
  "one client at a time": ["chat", {
    open: ({ members }, own) => {
      for (const member of members) member.close(4001);
      members.add(own);
    },
  }],
  "a session that a change ends": ["chat", {
    created: (orders, order) => {
      orders.change("created", order);
      orders.send({ order: 1 });
    },
    socket: (request, { members }, open) => {
      const ending = new AbortController();
      endOn(request, ending.signal, { closeReason: "Signed out" });
      members.add({ send: () => (ending.abort(), true), close: () => {} });
      return open();
    },
  }],
  "a handler that takes its time": ["chat", {
    message: (_kind, _own, respond) => delay(30).then(respond),
  }],
  "a stream that ends": ["events", {
    events: async function* (changes) {
      for await (const change of changes) return yield change;
    },
  }],
  "a stream whose ids mark the ends of pairs": ["events", {
    events: async function* (changes) {
      for await (const { id, ...event } of changes) {
        yield id % 2 === 0 ? { id, ...event } : event;
      }
    },
  }],
  "a stream that never pauses": ["events", {
    events: async function* (changes) {
      for await (const { event, data } of changes) {
        for (;;) yield { event, data };
      }
    },
  }],
};

export const PROPERTIES = ["live"] as const;

/** Tests an application whose data are reset, and runs the tests of its reports. */
export async function checkOrders(
  parts: Parts,
  { live = ["events", "chat"], more = () => ({}), ...options }: CheckOptions & {
    readonly live?: readonly Live[];
    readonly more?: (orders: Orders) => Modules;
  },
): Promise<ContractReport & { readonly passed: readonly boolean[] }> {
  const orders = new Orders();
  const { reset } = orders;
  // Sockets need real time.
  using _ = live.includes("chat") ? undefined : new FastTime();
  const files = { ...ordersWith(orders, parts, live), ...more(orders) };
  // By default, Bough leaves undeclared members out.
  const make = () => TestApplication.of(files, { sendUndeclared: true }).app;
  const report = await checkContracts(make, { reset, ...options });
  const passed: boolean[] = [];
  for (const { test } of report.failures) {
    reset();
    passed.push(await passes(test, make()));
  }
  return { ...report, passed };
}

/** Finds a fault with a seed, and runs the test of its report without the fault. */
export async function findFault(
  name: string,
  { seed, live }: { readonly seed: number; readonly live?: readonly Live[] },
): Promise<void> {
  const [route, parts, wanted] = FAULTS[name]!;
  const options = { seed, live: live ?? [route], properties: PROPERTIES };
  const { failures, passed } = await checkOrders(parts, options);
  assertEquals(failures.length, 1, `${seed}: ${failures[0]?.seen}`);
  const [{ seen, replays, test }] = failures as [ContractFailure];
  assertMatch(seen, wanted);
  assertEquals([replays, passed], [true, [false]], test);
  using _ = options.live.includes("chat") ? undefined : new FastTime();
  const healthy = ordersWith(new Orders(), {}, options.live);
  const { app } = TestApplication.of(healthy);
  assertEquals(await passes(test, app), true, test);
}
