import { inspectSafely } from "../common/log.ts";

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
  readonly setAttribute: (name: string, value: string) => void;
  readonly updateName: (name: string) => void;
  readonly recordException: (error: unknown) => void;
}

interface OpenTelemetry {
  readonly context?: {
    readonly active: () => { readonly getValue: (key: symbol) => unknown };
  };
}

/**
 * Sets the route on the span of the current request, as OpenTelemetry's semantic
 * conventions require. Never records the path itself, which may contain secrets and
 * would make every span name different.
 */
export function traceRoute(method: string, pattern: string | undefined): void {
  const span = activeSpan();
  if (span === undefined) return;
  if (pattern !== undefined) span.setAttribute("http.route", pattern);
  span.updateName(pattern === undefined ? method : `${method} ${pattern}`);
}

/**
 * Records an error on the span of its request. The server marks the span as failed
 * by the status of the response.
 */
export function traceFailure(error: unknown): void {
  const span = activeSpan();
  try {
    span?.recordException(error instanceof Error ? error : String(error));
  } catch {
    // Reading the error throws, so record at least a description.
    span?.recordException(inspectSafely(error));
  }
}

function activeSpan(): Span | undefined {
  return api()?.context?.active().getValue(SPAN) as Span | undefined;
}

function api(): OpenTelemetry | undefined {
  return (globalThis as { [API]?: OpenTelemetry })[API];
}
