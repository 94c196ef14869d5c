import { tell } from "../common/log_error.ts";

/**
 * Where OpenTelemetry's API keeps itself, for all its copies and users. Deno puts
 * its own telemetry there where `OTEL_DENO=true` is set, so that nothing has to
 * be imported, and without it nothing is there.
 */
const API = Symbol.for("opentelemetry.js.api.1");
/** Under which the API keeps the span in a context. */
const SPAN = Symbol.for("OpenTelemetry Context Key SPAN");

/** The part of a span that is used. */
interface Span {
  readonly setAttribute: (name: string, value: string) => void;
  readonly updateName: (name: string) => void;
  readonly recordException: (error: unknown) => void;
}

interface OpenTelemetry {
  readonly context?: {
    readonly active: () => { readonly getValue: (key: symbol) => unknown };
  };
}

/** Whether requests are traced; it does not change while a program runs. */
export function isTraced(): boolean {
  return api() !== undefined;
}

/**
 * Tells the span of the running request which route it is for, by the names of
 * OpenTelemetry's semantic conventions. The path itself is never told: it may be
 * anything, and hold anything.
 */
export function traceRoute(method: string, pattern: string | undefined): void {
  const span = activeSpan();
  if (span === undefined) return;
  if (pattern !== undefined) span.setAttribute("http.route", pattern);
  span.updateName(pattern === undefined ? method : `${method} ${pattern}`);
}

/**
 * Records an error on the span of its request. That the span has failed is for the
 * server to say, by the status of its answer.
 */
export function traceFailure(error: unknown): void {
  const span = activeSpan();
  try {
    span?.recordException(error instanceof Error ? error : String(error));
  } catch {
    // Looking at it throws, which must not hide that there was an error.
    span?.recordException(tell(error));
  }
}

function activeSpan(): Span | undefined {
  return api()?.context?.active().getValue(SPAN) as Span | undefined;
}

function api(): OpenTelemetry | undefined {
  return (globalThis as { [API]?: OpenTelemetry })[API];
}
