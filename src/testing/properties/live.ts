import fc from "fast-check";
import { isSafe, METHODS } from "../../core/methods.ts";
import type { ParsedEvent } from "../../shared/event_parser.ts";
import type { StandardSchemaV1 } from "../../../mod.ts";
import { refusesMessage } from "../../live/socket_messages.ts";
import {
  dataFault,
  endIfAsked,
  eventFault,
  failureOf,
  type Fault,
  seenError,
  seenOf,
} from "../checks.ts";
import { type Input, isValid, planOf } from "../generate/input.ts";
import { invalidStatus, isLive, type Operation } from "../operation.ts";
import { RouteFinder } from "../../shared/route_finder.ts";
import { isReadOnly } from "../options.ts";
import type { RequestPlan } from "../plan.ts";
import {
  existing,
  inputsOr,
  type Search,
  search,
  validPlan,
  withInputs,
} from "../search/search.ts";
import type { Sender } from "../search/sender.ts";
import { placeCreatedBy, type Subject } from "../search/subject.ts";
import { eventsOf, type Exchange } from "../send/exchange.ts";
import type { ExchangeError, LiveConnection } from "../send/live.ts";
import { Acceptance } from "./acceptance.ts";
import { isSame } from "./members.ts";
import { createdOf, isSuccess } from "./resource.ts";

/** The number of times to open each stream and socket. */
const RUNS = 6;

/** The maximum number of valid messages to send over a socket. */
const MESSAGES = 150;

/** The methods of changes in order, so that resources are created first and deleted last. */
const CHANGES = METHODS.filter((method) => !isSafe(method));

interface Call {
  readonly operation: Operation;
  readonly input: Input;
}

type Changes = readonly (Call | undefined)[];

/** Valid messages, which schemas validate asynchronously. */
type Messages = readonly (() => Promise<string | undefined>)[];

/** A stream or a socket that a request of an operation has opened. */
interface Opened {
  readonly operation: Operation;
  readonly plan: RequestPlan;
  readonly connection: LiveConnection;
}

/** Tests that events and messages are declared while other operations change data. */
export async function liveProperty(
  sender: Sender,
  operation: Operation,
): Promise<Search | undefined> {
  const { subject } = sender;
  const { schema: { socket } } = operation;
  if (!isLive(operation)) return undefined;
  const missing = socket && missingOf(subject);
  if (missing !== undefined) return { runs: 0, note: `not tested: ${missing}` };
  const acceptance = new Acceptance();
  const found = await withInputs(sender, operation, async (inputs) => {
    const messages = await messagesOf(sender, operation);
    if (typeof messages === "string") {
      return { runs: 0, note: `not tested: messages: ${messages}` };
    }
    const known = existing(sender, operation, inputs);
    const values = fc.tuple(known, await changesOf(sender), messages);
    return await search(sender, values, {
      runs: Math.min(subject.options.runs, RUNS),
      attempt: async ([input, changes, makers]) => {
        const made = await Promise.all(makers.map((make) => make()));
        const sent = made.filter((each) => each !== undefined);
        return await attempt(sender, { operation, input }, {
          ...{ changes, acceptance },
          messages: socket && sent,
        });
      },
    });
  });
  return acceptance.resultOf(sender, operation, found) ?? found;
}

/**
 * Opens a stream or a socket, changes data, and checks what the connection received.
 *
 * @param options `messages` to send over the socket; `undefined` for a stream.
 */
async function attempt(
  sender: Sender,
  call: Call,
  { changes, acceptance, messages }: {
    readonly changes: Changes;
    readonly acceptance: Acceptance;
    readonly messages: readonly string[] | undefined;
  },
): Promise<Fault | undefined> {
  const { operation } = call;
  const plan = await validPlan(operation, call.input);
  const live = { ...plan, live: operation.name, ...messages && { messages } };
  const exchange = await sender.send(live);
  await using connection = exchange.connection!;
  const opened = { operation, plan, connection };
  acceptance.add(operation, exchange.status);
  endIfAsked(exchange);
  const { statuses } = sender.results.of(operation);
  // Other properties check the responses that open no socket.
  if (messages && exchange.status !== 101) {
    statuses.add(exchange.status);
    return failureOf(exchange);
  }
  const { length } = sender.history;
  const failed = await sendChanges(sender, call, changes);
  const count = messages?.length ?? 0;
  if (count > 0 && failed !== undefined) return failed;
  // A stream that no request changes, such as a clock, sends events by itself.
  const isIdle = changes.length > 0 && count === 0 &&
    sender.history.length === length;
  if (!isIdle) await waitFor(opened);
  const found = await connectionFault(opened) ??
    await resumedFault(sender, opened);
  const isTested = operation.schema.socket?.value.receive === undefined ||
    connection.isHandled(count);
  if (isTested) statuses.add(exchange.status);
  // Handlers that run at the end, such as `close`, may fail, too.
  await connection[Symbol.asyncDispose]();
  return found ?? faultIn(ownError(opened));
}

/** The reason why no socket can be opened; `undefined` if it can be opened. */
export function missingOf({ options }: Subject): string | undefined {
  if (isReadOnly(options)) {
    return 'not sent to a running server; allow messages with "unsafe"';
  }
  const net = { name: "net", host: "127.0.0.1" } as const;
  return options.url !== undefined ||
      Deno.permissions.querySync(net).state === "granted"
    ? undefined
    : "a socket requires --allow-net=127.0.0.1";
}

/**
 * Whether a request reaches a stream or a socket. A handler may also reject a user by
 * closing the socket at once.
 */
export async function isOpened(
  sender: Sender,
  { name, patience, schema: { socket } }: Operation,
  exchange: Exchange,
): Promise<boolean> {
  if (socket === undefined) return isSuccess(exchange);
  // The handler rejected the request, or no socket can be opened.
  if (exchange.status !== 426 || missingOf(sender.subject)) return false;
  const plan = { ...exchange.plan, live: name, messages: [] };
  await using connection = (await sender.send(plan)).connection!;
  const { status, closings } = connection;
  // Two clients open the socket.
  const isClosed = () => closings.length > 1;
  await patience.wait(() => isClosed() ? Infinity : 0);
  return status === 101 && !isClosed();
}

/** The messages to send over a socket, or the reason why there are none. */
async function messagesOf(
  sender: Sender,
  operation: Operation,
): Promise<fc.Arbitrary<Messages> | string> {
  const { route, schema } = operation;
  const receive = schema.socket?.value.receive;
  if (receive === undefined) return fc.constant([]);
  // An operation whose body is a message.
  const body = [{ value: receive, file: route.file }];
  const reader: Operation = {
    ...operation,
    method: "POST",
    hasBody: true,
    finder: new RouteFinder([route]),
    as: undefined,
    schema: {
      ...schema,
      parts: { params: [], query: [], headers: [], cookies: [], body },
    },
  };
  const found = await sender.inputsOf(reader);
  if ("missing" in found) return found.missing;
  const message = found.arbitrary.map(({ type: _, ...input }) => async () => {
    // Messages are always JSON, which carries no files.
    const text = JSON.stringify(input.body) as string | undefined;
    const sent = { ...input, body: text && JSON.parse(text) };
    return await isValid(reader, sent) ? text : undefined;
  });
  // Otherwise, fast-check begins with short lists.
  return fc.noBias(fc.array(message, { maxLength: MESSAGES, size: "max" }));
}

/** Two calls of each operation that changes data. */
async function changesOf(sender: Sender): Promise<fc.Arbitrary<Changes>> {
  const changes: fc.Arbitrary<Call | undefined>[] = [];
  let deletions = 0;
  for (const method of CHANGES) {
    deletions = changes.length;
    for (const operation of sender.subject.operations) {
      // `DELETE /session` would end what the next connections need.
      const isLogOut = method === "DELETE" &&
        operation.route.segments.every(({ kind }) => kind === "static");
      if (
        operation.method !== method || isLogOut ||
        sender.results.silent.has(operation)
      ) continue;
      const calls = (await inputsOr(sender, operation))
        .map((input) => input && { operation, input });
      const call = fc.option(calls, { nil: undefined, freq: 20 });
      changes.push(call, call);
    }
  }
  // Other changes may prevent the deletion of what the connection has used.
  const last = changes.slice(deletions);
  return fc.oneof(fc.tuple(...changes), fc.tuple(...last));
}

/**
 * Changes the resource of the connection, or otherwise the first new resource. Returns
 * the first failure that no property has found without a connection.
 */
async function sendChanges(
  sender: Sender,
  opened: Call,
  changes: Changes,
): Promise<Fault | undefined> {
  let fault: Fault | undefined;
  const { failed } = sender.results;
  const listOf = ({ route }: Operation, name: string) =>
    route.path.split(`[${name}]`)[0]!;
  const ids = new Map(
    Object.entries(opened.input.params)
      .map(([name, id]) => [listOf(opened.operation, name), id]),
  );
  for (const call of changes) {
    if (call === undefined) continue;
    const { operation } = call;
    const params = Object.entries(call.input.params)
      .map(([name, id]) => [name, ids.get(listOf(operation, name)) ?? id]);
    const input = { ...call.input, params: Object.fromEntries(params) };
    if (!await isValid(operation, input)) continue;
    const exchange = await sender.send(planOf(operation, input));
    if (exchange.status === undefined) endIfAsked(exchange);
    const place = placeCreatedBy(sender.subject, operation);
    const made = place && createdOf(sender.subject, place, exchange, input);
    if (made?.id) ids.getOrInsert(`${operation.route.path}/`, made.id);
    const isKnown = failed.has(operation.name);
    if (exchange.status === 500 && !isKnown) fault ??= failureOf(exchange);
  }
  return fault;
}

/** Waits for the events and messages that the changes cause. */
async function waitFor(opened: Opened): Promise<void> {
  const { operation, connection } = opened;
  const { events, first, received, closings, errors } = connection;
  const count = () =>
    events.length - first + received.length + closings.length + errors.length;
  await operation.patience.wait(
    () => ownError(opened) === undefined ? count() : Infinity,
    connection.handled,
  );
}

/** Checks what an open connection has received. */
async function connectionFault(opened: Opened): Promise<Fault | undefined> {
  const { operation: { schema: { events, socket } }, connection } = opened;
  const later = connection.events.slice(connection.first);
  return faultIn(
    ownError(opened) ??
      (await eventFault(events?.value ?? {}, later))?.text ??
      unnumbered(connection.events) ??
      await messageFault(socket?.value.send, connection.received) ??
      closeFault(connection),
  );
}

function faultIn(found: ExchangeError | string | undefined): Fault | undefined {
  if (found === undefined) return undefined;
  const expected =
    "an open connection with events and messages as declared, and no error";
  const seen = typeof found === "string" ? { seen: found } : seenError(found);
  return { expected, ...seen };
}

/** The first error that is not of another operation, whose properties report it. */
function ownError(
  { operation: { name }, connection: { errors } }: Opened,
): ExchangeError | undefined {
  return errors.find((error) => {
    const place = error.kind === "logged" ? error.place : undefined;
    return typeof place !== "object" || place.pattern === undefined ||
      `${place.method} ${place.pattern}` === name;
  });
}

/** Describes a broken connection, or a close for a failure or a refused message. */
function closeFault({ closings, watched }: LiveConnection): string | undefined {
  // Bough sends a code only when the client is idle.
  const decided = watched.flatMap(({ closing }) => closing ?? []);
  // A policy of the application, such as the end of a session, has another reason.
  const closing = [...closings, ...decided].find(({ code, reason }) =>
    code === 1007 || code === 1011 ||
    code === 1008 && refusesMessage(reason)
  );
  if (closing) return `a close with ${closing.code}: ${closing.reason}`;
  // Deno may cut a connection that the server closes while messages arrive.
  const broken = decided.length === 0 &&
    closings.find(({ wasClean }) => !wasClean);
  return broken
    ? `a connection that broke without a close: ${broken.reason}`
    : undefined;
}

/** Describes the fault of the first message that does not fit its schema. */
async function messageFault(
  schema: StandardSchemaV1 | undefined,
  messages: LiveConnection["received"],
): Promise<string | undefined> {
  for (const message of schema === undefined ? [] : messages) {
    const fault = typeof message === "string"
      ? (await dataFault(schema!, message))?.text
      : "that is not text";
    if (fault !== undefined) return `a message ${fault}`;
  }
  return undefined;
}

/**
 * Describes an event without an id after two events with ids, if its name had an id before.
 * A client that reconnects after this event would get it again, or miss another one.
 */
function unnumbered(events: readonly ParsedEvent[]): string | undefined {
  const hasId = events.map(({ lastEventId }, index) =>
    lastEventId !== (events[index - 1]?.lastEventId ?? "")
  );
  const found = events.find(({ event }, index) =>
    !hasId[index] && hasId[index - 1] && hasId[index - 2] &&
    events.some((other, at) => at < index && hasId[at] && other.event === event)
  );
  return found && `an event "${found.event}" without its own id`;
}

/** Checks that a stream continues after the last event that its client has seen. */
async function resumedFault(
  sender: Sender,
  { operation, plan, connection: { events } }: Opened,
): Promise<Fault | undefined> {
  const lastIndexes = new Map(events.map(({ event }, index) => [event, index]));
  for (const last of lastIndexes.values()) {
    const id = events[last]!.lastEventId;
    if (id === "") continue;
    const headers = { ...plan.headers, "last-event-id": id };
    const resumed = { ...plan, headers };
    const exchange = await sender.send(resumed, operation.patience);
    const again = eventsOf(exchange.stream).find((each) =>
      each.lastEventId !== "" &&
      events.slice(0, last + 1).some((known) => isSame(known, each))
    );
    const [error] = exchange.errors;
    const seen = error
      ? seenError(error)
      : exchange.status === invalidStatus(operation)
      ? seenOf(exchange)
      : again && { seen: `the event "${again.event}" with its id again` };
    const expected = `a stream that continues after "last-event-id: ${id}"`;
    if (seen !== undefined) return { expected, ...seen };
  }
  return undefined;
}
