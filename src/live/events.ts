import { LONGEST_DELAY } from "../common/deadline.ts";
import {
  checkEachOption,
  HEADERS,
  type OptionTable,
} from "../common/option_table.ts";
import { HttpError } from "../errors.ts";
import { liveRouteOf } from "./live_route.ts";
import type { FrameworkRequest } from "../types/request.ts";
import type { MethodSchema } from "../types/schema.ts";
import { EventStream } from "./event_stream.ts";
import { type EventOf, isEventId, isRetry, retryText } from "./event_text.ts";

/** What the generator of {@linkcode events} gets. */
export interface EventsContext {
  /**
   * The id of the last event that the client has seen, where it reconnects;
   * `undefined` where it begins. The client chooses it, so it may be any printable
   * ASCII.
   */
  readonly lastEventId: string | undefined;
  /**
   * Aborts when the stream ends: the client leaves, the server stops listening, or
   * the time of `endOn()` comes. Pass it to whatever the generator waits for.
   */
  readonly signal: AbortSignal;
}

/** Options of {@linkcode events}. */
export interface EventsOptions {
  /**
   * The time between heartbeats, in milliseconds: comments by which proxies see that
   * the stream is in use, and the server that a client has vanished. `0` and
   * `Infinity` send none.
   *
   * @default 15_000
   */
  readonly heartbeat?: number;
  /**
   * How long the client waits before it reconnects, in milliseconds.
   *
   * @default what the client does by itself; browsers wait for some seconds
   */
  readonly retry?: number;
  /**
   * Further headers of the response. They replace `cache-control: no-store,
   * no-transform` and `x-accel-buffering: no`; the content type stays.
   */
  readonly headers?: HeadersInit;
}

/**
 * Responds with server-sent events (HTML, 9.2), which browsers read with
 * `EventSource`. The generator starts when the response is read, and goes on only as
 * fast as it is read. When the stream ends, `signal` aborts, and the generator
 * returns at its next `yield`. A `HEAD` request gets the headers, and no generator
 * starts.
 *
 * The data of each event are sent as JSON, texts included. Where the method declares
 * `events`, the type checker refuses other events, and `validateResponses` checks
 * them: one that does not fit ends the stream, and is logged. So does an error of
 * the generator. The status is 200 by then, so throw an `HttpError` before.
 *
 * @typeParam Schema The schemas of the method, as the type of the request has them.
 * @typeParam Path The path of the route.
 * @typeParam Sent What the generator makes.
 * @param request The request of the handler.
 * @param generate Makes the events, most often an `async function*`.
 * @param options Heartbeats, the time to wait before reconnecting, and headers.
 * @returns The response.
 * @throws {HttpError} 400 if `Last-Event-ID` is not printable ASCII.
 * @throws {TypeError} If an option is unknown or invalid.
 *
 * @example Usage
 * ```ts
 * import type { FrameworkRequest, RouteSchema } from "@bough/framework";
 * import { events } from "@bough/framework/live";
 * import { z } from "zod";
 *
 * export const schema = {
 *   get: { events: { progress: z.object({ percent: z.int() }), done: z.null() } },
 * } satisfies RouteSchema;
 *
 * export function GET(request: FrameworkRequest<typeof schema.get>): Response {
 *   return events(request, async function* ({ lastEventId }) {
 *     for (let percent = Number(lastEventId ?? 0); percent < 100;) {
 *       percent = await nextStep(percent);
 *       yield { event: "progress", id: percent, data: { percent } };
 *     }
 *     yield { event: "done", data: null };
 *   });
 * }
 *
 * async function nextStep(percent: number): Promise<number> {
 *   return await Promise.resolve(percent + 10);
 * }
 * ```
 */
export function events<
  Schema extends MethodSchema | string,
  Path extends string,
  // Without "const", the compiler would widen the names of events to "string".
  const Sent extends EventOf<Schema>,
>(
  request: FrameworkRequest<Schema, Path>,
  generate: (context: EventsContext) => AsyncIterable<Sent>,
  options: EventsOptions = {},
): Response {
  const lastEventId = lastEventIdOf(request);
  checkEachOption("send events", options, OPTIONS);
  const { heartbeat = 15_000, retry } = options;
  const first = retry === undefined ? undefined : `${retryText(retry)}\n`;
  const headers = new Headers(options.headers);
  headers.set("content-type", "text/event-stream");
  for (const [name, value] of Object.entries(DEFAULTS)) {
    if (!headers.has(name)) headers.set(name, value);
  }
  if (request.method === "HEAD") return new Response(null, { headers });
  const source = new EventStream({
    request,
    route: liveRouteOf(request),
    generate: (signal) => generate({ lastEventId, signal }),
    first,
    heartbeat: heartbeat === 0 || heartbeat === Infinity
      ? Infinity
      : Math.min(heartbeat, LONGEST_DELAY),
  });
  // Nothing is made ahead of what is read.
  const body = new ReadableStream(source, { highWaterMark: 0 });
  return new Response(body, { headers });
}

const OPTIONS: OptionTable<keyof EventsOptions> = {
  heartbeat: {
    accepts: (value) => typeof value === "number" && value >= 0,
    expected: "must be a number of milliseconds, or 0 for none",
    shown: true,
  },
  retry: {
    accepts: isRetry,
    expected: "must be a whole number of milliseconds above 0",
    shown: true,
  },
  headers: HEADERS,
};

/** Nothing on the way may keep the events, compress them, or hold them back. */
const DEFAULTS = {
  "cache-control": "no-store, no-transform",
  // For nginx, which buffers responses.
  "x-accel-buffering": "no",
};

/**
 * The id of the last event that a client has seen, if it has seen any.
 *
 * @throws {HttpError} 400 if the header has what no event may have as its id.
 */
function lastEventIdOf({ headers }: Request): string | undefined {
  const id = headers.get("last-event-id") ?? "";
  if (id === "") return undefined;
  if (isEventId(id)) return id;
  throw new HttpError(400, 'The header "Last-Event-ID" is no id of an event');
}
