import { checkOptions, HEADERS, type Members } from "../core/common/forms.ts";
import { InvalidRequest } from "../core/errors.ts";
import { liveRouteOf } from "./live_route.ts";
import type { FrameworkRequest } from "../core/types/request.ts";
import type { MethodSchema } from "../core/types/schema.ts";
import { EventStream } from "./event_stream.ts";
import { type EventOf, isEventId, isRetry, retryText } from "./event_text.ts";

/** The argument of the generator of {@linkcode events}. */
export interface EventsContext {
  /**
   * The id of the last event that the client received, if the client reconnects. A
   * client may send any printable ASCII as the id.
   */
  readonly lastEventId: string | undefined;
  /**
   * Aborts when the stream ends, for example because the client disconnects, the server
   * stops listening, or an expiry of `endOn()` is reached. Pass the signal to the calls
   * that the generator awaits.
   */
  readonly signal: AbortSignal;
}

/** Options of {@linkcode events}. */
export interface EventsOptions {
  /**
   * The time between heartbeats, in milliseconds. Heartbeats are comments that prevent
   * proxies from closing the stream. With heartbeats, the server also detects an
   * unreachable client. `0` and `Infinity` disable heartbeats.
   *
   * @default 15_000
   */
  readonly heartbeat?: number;
  /**
   * The time that the client waits before it reconnects, in milliseconds.
   *
   * @default the time of the client; browsers wait for some seconds
   */
  readonly retry?: number;
  /**
   * Further headers of the response. These headers may replace
   * `cache-control: no-store, no-transform` and `x-accel-buffering: no`, but not the
   * content type.
   */
  readonly headers?: HeadersInit;
}

/**
 * Responds with server-sent events (HTML, 9.2), which browsers read with `EventSource`.
 * The generator starts when the client reads the response, and runs only as fast as the
 * client reads. When the stream ends, `signal` aborts, and the generator returns at its
 * next `yield`. A client that sends `HEAD` receives only the headers.
 *
 * Bough sends the data of each event as JSON, even strings. If the method declares
 * `events`, the type checker rejects other events, and `validateResponses` checks each
 * event. If an event is invalid or the generator throws, Bough logs the error and ends
 * the stream. To respond with an error status, throw an `HttpError` before you call
 * `events()`, since the stream has status 200.
 *
 * @typeParam Schema The schemas of the method, from the type of the request.
 * @typeParam Path The path of the route.
 * @typeParam Sent The events of the generator.
 * @param request The request of the handler.
 * @param generate A function that creates the events, usually an `async function*`.
 * @param options The heartbeats, the time before reconnecting, and the headers.
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
  checkOptions("send events", options, OPTIONS);
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
    heartbeat: heartbeat || Infinity,
  });
  // With a high-water mark of 0, the generator runs only when the client reads.
  const body = new ReadableStream(source, { highWaterMark: 0 });
  return new Response(body, { headers });
}

const OPTIONS: Members<keyof EventsOptions> = {
  heartbeat: {
    accepts: (value) => typeof value === "number" && value >= 0,
    expected: "must be a number of milliseconds, or 0 to disable heartbeats",
  },
  retry: {
    accepts: isRetry,
    expected: "must be a whole number of milliseconds above 0",
  },
  headers: HEADERS,
};

/** Headers that prevent proxies from storing, compressing or delaying the events. */
const DEFAULTS = {
  "cache-control": "no-store, no-transform",
  // Without this header, nginx buffers responses.
  "x-accel-buffering": "no",
};

/**
 * Reads the id of the last event that the client received, if any.
 *
 * @throws {HttpError} 400 if the header is not a valid id.
 */
function lastEventIdOf({ headers }: Request): string | undefined {
  const id = headers.get("last-event-id") ?? "";
  if (id === "") return undefined;
  if (isEventId(id)) return id;
  throw new InvalidRequest(
    'The header "Last-Event-ID" is not a valid event id',
  );
}
