import { inspectSafely } from "../common/log.ts";
import { isMethod } from "../methods.ts";

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

/** The requests whose routes their spans have. */
const traced = new WeakMap<Span, Request>();

/**
 * Sets the route on the span of the current request, as OpenTelemetry's semantic
 * conventions require. Never records the path itself, which may contain secrets and
 * would make every span name different.
 */
export function traceRoute(
  request: Request,
  pattern: string | undefined,
): void {
  const span = activeSpan();
  if (span === undefined) return;
  // `POST /mcp` sends requests to other routes of the application within its span.
  if ((traced.get(span) ?? request) !== request) return;
  // A client could send a new method with every request.
  const method = isMethod(request.method) ? request.method : "HTTP";
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
export function traceFailure(error: unknown): void {
  const span = activeSpan();
  try {
    span?.recordException(error instanceof Error ? error : String(error));
  } catch {
    // Reading the error throws, so record at least a description.
    span?.recordException(inspectSafely(error));
  }
}

/** Marks the span of the current request, to count who calls deprecated operations. */
export function traceDeprecated(): void {
  activeSpan()?.setAttribute("bough.deprecated", true);
}

function activeSpan(): Span | undefined {
  const { [API]: api } = globalThis as { [API]?: OpenTelemetry };
  return api?.context?.active().getValue(SPAN) as Span | undefined;
}
