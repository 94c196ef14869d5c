/**
 * The observation of requests, loaded only if something needs it: the option
 * `serverTiming`, OpenTelemetry, or a tool of development.
 *
 * @module
 */
import { inspectSafely } from "../common/log.ts";
import { mutableResponse } from "../common/response.ts";
import { isMethod } from "../methods.ts";
import type { Observer, TimedStep, Timing } from "../request/application.ts";
import { ensureRecord, recordOf } from "../request/record.ts";

type BegunRequest = Parameters<NonNullable<Observer["began"]>>[0];

/** Combines what observes the requests of an application. */
export function observerOf(
  { serverTiming, observer: tool }: {
    readonly serverTiming: boolean;
    readonly observer: Observer | undefined;
  },
): Observer {
  const isTraced = API in globalThis;
  const isTimed = serverTiming || tool !== undefined;
  return {
    ...tool,
    ...(isTraced && { logged: traceError, deprecated: traceDeprecated }),
    ...(isTimed && { measure }),
    ...(serverTiming && { addTimes }),
    began(request) {
      if (isTraced) traceRoute(request);
      if (isTimed) timeRoute(request);
    },
  };
}

/** Starts to measure the steps of a request. */
export function startTiming(request: Request): Timing {
  return ensureRecord(request).timing = { start: performance.now(), steps: [] };
}

// A step that need not wait returns at once. With `await`, the inspector reached 0.54 of the
// requests per second of Bough, instead of 0.62
// (`deno task bench:http --servers=bough,inspected --reference=bough --cases="zod body"`).
const measure: NonNullable<Observer["measure"]> =
  (run, step, file) => (...parameters) => {
    const timed: TimedStep = { step, file, start: performance.now() };
    recordOf(parameters[0])?.timing?.steps.push(timed);
    const end = () => {
      timed.end = performance.now();
    };
    try {
      const result = run(...parameters);
      if (result instanceof Promise) return result.finally(end);
      end();
      return result;
    } catch (error) {
      end();
      throw error;
    }
  };

/** Records the time that Bough took to find the route, and to import its file. */
function timeRoute(request: BegunRequest): void {
  const { timing } = recordOf(request) ?? {};
  if (timing === undefined || request.pattern === undefined) return;
  const { start, steps } = timing;
  steps.push({ step: "route", file: undefined, start, end: performance.now() });
}

/**
 * Adds the header `Server-Timing` to each response (W3C Server Timing). The developer
 * tools of browsers show it.
 */
const addTimes: NonNullable<Observer["addTimes"]> =
  (handler) => async (request, info) => {
    const timing = startTiming(request);
    const response = mutableResponse(await handler(request, info));
    response.headers.append("server-timing", headerOf(timing));
    return response;
  };

const TIMES = ["route", "middleware", "validate", "handler", "total"] as const;

/**
 * Formats the header. Middleware runs around other steps, so their time is subtracted
 * from the time of the outermost middleware.
 */
function headerOf({ start, steps }: Timing): string {
  const times: Partial<Record<(typeof TIMES)[number], number>> = {
    total: performance.now() - start,
  };
  for (const { step, start, end } of steps) {
    const isInside = times.middleware !== undefined;
    // A step may outlive its request, such as a handler after a timeout.
    if (end === undefined || (isInside && step === "middleware")) continue;
    times[step] = (times[step] ?? 0) + end - start;
    if (isInside) times.middleware! -= end - start;
  }
  return TIMES.flatMap((name) => {
    const { [name]: ms } = times;
    return ms === undefined ? [] : [`${name};dur=${ms.toFixed(3)}`];
  }).join(", ");
}

/**
 * The global that all copies of OpenTelemetry's API share. With `OTEL_DENO=true`, Deno
 * registers its own telemetry there, so Bough does not import OpenTelemetry. Otherwise,
 * the global is missing.
 */
const API = Symbol.for("opentelemetry.js.api.1");
/** The key of the span in a context. */
const SPAN = Symbol.for("OpenTelemetry Context Key SPAN");

/** The methods of a span that Bough calls. */
interface Span {
  readonly setAttribute: (name: string, value: string | boolean) => void;
  readonly updateName: (name: string) => void;
  readonly recordException: (error: unknown) => void;
}

interface OpenTelemetry {
  readonly context?: {
    readonly active: () => { readonly getValue: (key: symbol) => unknown };
  };
}

function activeSpan(): Span | undefined {
  const { [API]: api } = globalThis as { [API]?: OpenTelemetry };
  return api?.context?.active().getValue(SPAN) as Span | undefined;
}

/** The requests whose routes their spans have. */
const traced = new WeakMap<Span, Request>();

/**
 * Sets the route on the span of the current request, as OpenTelemetry's semantic
 * conventions require. Never records the path itself, which may contain secrets and
 * would make every span name different.
 */
function traceRoute(request: BegunRequest): void {
  const span = activeSpan();
  if (span === undefined) return;
  // `POST /mcp` sends requests to other routes of the application within its span.
  if ((traced.get(span) ?? request) !== request) return;
  // A client could send a new method with every request.
  const method = isMethod(request.method) ? request.method : "HTTP";
  const { pattern } = request;
  if (pattern !== undefined) {
    traced.set(span, request);
    span.setAttribute("http.route", pattern);
  }
  span.updateName(pattern === undefined ? method : `${method} ${pattern}`);
}

/**
 * Records an error on the span of its request. The server marks the span as failed
 * by the status of the response.
 */
function traceError(error: unknown): void {
  const span = activeSpan();
  try {
    span?.recordException(error instanceof Error ? error : String(error));
  } catch {
    // Reading the error throws, so record at least a description.
    span?.recordException(inspectSafely(error));
  }
}

/** Marks the span of the current request, to count who calls deprecated operations. */
function traceDeprecated(): void {
  activeSpan()?.setAttribute("bough.deprecated", true);
}
