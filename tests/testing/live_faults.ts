/** Faults of streams and sockets that only other requests or messages show. */
import { Framework } from "@bough/framework";
import {
  checkContracts,
  type CheckOptions,
  type ContractFailure,
  type ContractReport,
} from "@bough/framework/testing";
import { assertEquals, assertMatch } from "@std/assert";
import { TestFolder } from "../support/application.ts";
import { passes } from "./run_test_text.ts";

/** The changes of orders, which a stream follows after a revision. */
const STORE = `
export const orders = new Map();
export const history = [];
export const members = new Set();
export function reset() {
  orders.clear();
  history.length = 0;
}
const changes = new EventTarget();
export function change(event, order) {
  history.push({ id: history.length + 1, event, data: { ...order } });
  changes.dispatchEvent(new Event("change"));
}
export async function* follow(seen, signal) {
  let wake = () => {};
  changes.addEventListener("change", () => wake(), { signal });
  signal.addEventListener("abort", () => wake());
  while (!signal.aborted) {
    const next = history[seen];
    if (next === undefined) await new Promise((resolve) => wake = resolve);
    else { yield next; seen++; }
  }
}`;

const ORDERS = `import { z } from "zod";
import { change, members, orders } from "./store.js";
export const schema = { post: { body: z.object({ item: z.string().min(1).max(20) }), response: { 201: z.unknown() } } };
export const POST = ({ validated: { body } }) => {
  const order = { id: orders.size + 1, ...body, status: "new" };
  orders.set(order.id, order);
  change("created", order);
  return Response.json(order, { status: 201 });
};`;

const ORDER = `import { z } from "zod";
import { Problem } from "@bough/framework/openapi";
import { HttpError } from "@bough/framework";
import { change, orders } from "../store.js";
export const schema = { patch: {
  params: z.object({ id: z.coerce.number().int().min(1) }),
  body: z.object({ status: z.enum(["paid", "sent"]) }),
  response: { 200: z.unknown(), 404: Problem },
} };
export const PATCH = ({ validated: { params, body } }) => {
  const order = orders.get(params.id);
  if (order === undefined) throw new HttpError(404);
  Object.assign(order, body);
  change("changed", order);
  return Response.json(order);
};`;

const EVENTS = `import { z } from "zod";
import { events } from "@bough/framework/live";
import { follow } from "../store.js";
const Order = z.object({ id: z.int(), item: z.string(), status: z.string() });
export const schema = { get: { events: { created: Order, changed: Order } } };
export const GET = (request) => events(request, async function* ({ lastEventId, signal }) {
  const seen = Number(lastEventId) || 0;
  for await (const { id, event, data } of follow(seen, signal)) {
    yield { id, event, data };
  }
});`;

const CHAT = `import { z } from "zod";
import { socket } from "@bough/framework/live";
import { members } from "../store.js";
const Text = z.object({ kind: z.literal("text"), text: z.string().max(50) });
const Add = z.object({ kind: z.literal("add"), a: z.int().min(-100).max(100), b: z.int().min(-100).max(100) });
export const schema = { get: { socket: {
  receive: z.discriminatedUnion("kind", [Text, Add]),
  send: z.union([z.object({ text: z.string() }), z.object({ sum: z.int() }), z.object({ order: z.int() })]),
} } };
export const GET = (request) => socket(request, {
  open: (own) => void members.add(own),
  message(message, own) {
    if (message.kind === "add") return void own.send({ sum: message.a + message.b });
    for (const member of members) if (member !== own) member.send({ text: message.text });
  },
  close: (_code, _reason, own) => void members.delete(own),
});`;

export const FILES: Readonly<Record<string, string>> = {
  "orders/store.js": STORE,
  "orders/route.ts": ORDERS,
  "orders/[id]/route.ts": ORDER,
  "orders/events/route.ts": EVENTS,
  "orders/chat/route.ts": CHAT,
};

export type Change = readonly [file: string, before: string, after: string];

export function changed([file, before, after]: Change): Record<string, string> {
  assertEquals(FILES[file]!.split(before).length, 2, before);
  return { ...FILES, [file]: FILES[file]!.replace(before, () => after) };
}

export const STREAM = "orders/events/route.ts";
export const SOCKET = "orders/chat/route.ts";

/** One fault each: its place, and what is seen. */
export const FAULTS: Readonly<Record<string, readonly [...Change, RegExp]>> = {
  "a member that is wrong after a change": [
    STREAM,
    "yield { id, event, data }",
    'yield { id, event, data: event === "changed" ? { ...data, status: 1 } : data }',
    /an event "changed" that does not fit its schema: at "#\/status"/,
  ],
  "a member that no schema names after a change": [
    "orders/[id]/route.ts",
    'change("changed", order)',
    'change("changed", { ...order, secret: "x" })',
    /an event "changed" that does not fit its schema.*secret/,
  ],
  "a name that is not declared": [
    "orders/[id]/route.ts",
    'change("changed", order)',
    'change("change", order)',
    /an event "change" that is not declared/,
  ],
  "an id that is missing": [
    STREAM,
    "yield { id, event, data }",
    "yield id % 3 === 0 ? { event, data } : { id, event, data }",
    /an event "\w+" without its own id/,
  ],
  "an event that is repeated": [
    STREAM,
    "Number(lastEventId) || 0",
    "Math.max(0, Number(lastEventId ?? 0) - 1)",
    /the event "\w+" with its id again/,
  ],
  "an event of another name that is repeated": [
    STREAM,
    "yield { id, event, data }",
    'yield { id: event === "created" ? "c" + id : id, event, data }',
    /the event "\w+" with its id again/,
  ],
  "an id that is refused": [
    STREAM,
    "const seen = ",
    'if (lastEventId?.length > 0) throw new Error("no such id");\n  const seen = ',
    /no such id/,
  ],
  "a stream that dies after the first change": [
    STREAM,
    "yield { id, event, data };",
    'yield { id, event, data };\n    if (event === "changed") data.item.missing.length;',
    /the stream of events failed/,
  ],
  "a stream that an order kills": [
    STREAM,
    "yield { id, event, data };",
    "yield { id, event, data: event === 'changed' ? 1n : data };",
    /the stream of events failed/,
  ],
  "the wrong shape for one kind of message": [
    SOCKET,
    "sum: message.a + message.b",
    "sum: `${message.a + message.b}`",
    /a message that does not fit its schema/,
  ],
  "the wrong shape at one boundary": [
    SOCKET,
    "sum: message.a + message.b",
    "sum: message.a === 100 ? null : message.a + message.b",
    /a message that does not fit its schema/,
  ],
  "the wrong shape to the others": [
    SOCKET,
    "member.send({ text: message.text })",
    "member.send({ message: message.text })",
    /a message that does not fit its schema/,
  ],
  "the wrong shape after an order": [
    "orders/route.ts",
    'change("created", order);',
    'change("created", order);\n  for (const member of members) member.send({ order: order.item });',
    /a message that does not fit its schema/,
  ],
  "a message that is empty": [
    SOCKET,
    "for (const member of members)",
    'if (message.text === "") message.text[0].length;\n    for (const member of members)',
    /"message" of the socket failed/,
  ],
  "an emoji": [
    SOCKET,
    "for (const member of members)",
    "btoa(message.text.replaceAll(/[^🙂]/gu, ''));\n    for (const member of members)",
    /"message" of the socket failed/,
  ],
  "a socket that fails when it opens": [
    SOCKET,
    "open: (own) => void members.add(own)",
    'open() { throw new Error("no room"); }',
    /"open" of the socket failed/,
  ],
  "an error of a handler that is not awaited": [
    SOCKET,
    "message(message, own) {",
    'message(message, own) {\n    if (message.kind === "add") void Promise.reject(new Error("late"));',
    /late/,
  ],
};

/** Tests an application whose data are reset, and runs the tests of its reports. */
export async function checkFiles(
  files: Readonly<Record<string, string>>,
  options: CheckOptions,
): Promise<ContractReport & { readonly passed: readonly boolean[] }> {
  await using folder = await TestFolder.create(files);
  const { reset } = await import(`file://${folder.path}/orders/store.js`);
  const make = () => new Framework({ apiDir: folder.path });
  const report = await checkContracts(make, { reset, ...options });
  const passed: boolean[] = [];
  for (const { test } of report.failures) {
    reset();
    passed.push(await passes(test, make()));
  }
  return { ...report, passed };
}

export const PROPERTIES = ["live"] as const;

/** Finds a fault with a seed, and replays the test of its report. */
export async function findFault(name: string, seed: number): Promise<void> {
  const [file, before, after, seen] = FAULTS[name]!;
  const options = { seed, properties: PROPERTIES };
  const { failures, passed } = await checkFiles(
    changed([file, before, after]),
    options,
  );
  assertEquals(failures.length, 1, `${seed}: ${failures[0]?.seen}`);
  const [{ seen: found, replays, test }] = failures as [ContractFailure];
  assertMatch(found, seen);
  assertEquals([replays, passed], [true, [false]], test);
  await using healthy = await TestFolder.create(FILES);
  const app = new Framework({ apiDir: healthy.path });
  assertEquals(await passes(test, app), true, test);
}
