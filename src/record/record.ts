import type { HttpError } from "../errors.ts";
import type { Match } from "../routing/tree.ts";
import type {
  ErrorHandler,
  FrameworkRequest,
  MiddlewareRequest,
} from "../types/request.ts";
import type { PlacedContract } from "../types/contract.ts";
import type { MethodSchema } from "../types/schema.ts";
import type { OpenConnections } from "./connections.ts";

/** Whether no page of an origin that is not trusted sent a request. */
export type OriginCheck = (request: Request) => boolean;

/** What all requests of an application share. */
export interface Application {
  /** The streams and sockets that it holds open. */
  readonly connections: OpenConnections;
  /** Whether the page that a request comes from is trusted. */
  readonly isTrusted: OriginCheck;
  /** What to do about a response that violates its schema. */
  readonly validateResponses: boolean | "warn";
  /** Its own error handler. */
  readonly onError: ErrorHandler | undefined;
  /** Creates the checks of responses, if `validateResponses` is on. */
  readonly checkResponses: ResponseChecks | undefined;
  /** Adds to the spans of requests, if OpenTelemetry is on. */
  readonly tracer: Tracer | undefined;
  /** Measures the steps of requests, if `serverTiming` is on. */
  readonly timer: StepTimer | undefined;
}

/** Checks a response of a handler; returns what to send. */
export type ResponseCheck = (
  response: Response,
  request: FrameworkRequest,
  place: Place,
) => Response | Promise<Response>;

/** Creates the check of what a method declares, if it declares anything. */
export type ResponseChecks = (
  contracts: readonly PlacedContract[],
  schema: MethodSchema,
) => ResponseCheck | undefined;

/** Adds what Bough knows to the span of the running request. */
export interface Tracer {
  /** Sets the route; the method is `HTTP` for all unknown ones. */
  readonly traceRoute: (method: string, pattern: string | undefined) => void;
  /** Records an error. */
  readonly traceFailure: (error: unknown) => void;
}

/** Measures the steps of requests. */
export interface StepTimer {
  /** Wraps a function so that each call notes its time as a step of the request. */
  readonly measure: <
    Served extends Request,
    Rest extends readonly unknown[],
    Result,
  >(
    step: Step,
    run: (request: Served, ...rest: Rest) => Result | Promise<Result>,
  ) => (request: Served, ...rest: Rest) => Result | Promise<Result>;
  /** Notes that the route of a request was found. */
  readonly noteRoute: (record: RequestRecord) => void;
  /** Wraps the handler of all requests so that each response has the header. */
  readonly addHeader: (handler: RequestHandler) => RequestHandler;
}

/**
 * Responds to one request. A server passes `info`, such as the address of the
 * client; without it, the call comes from this process.
 */
export type RequestHandler = (
  request: Request,
  info?: unknown,
) => Response | Promise<Response>;

/** A step of a request whose time is measured. */
export type Step = "route" | "import" | "middleware" | "validate" | "handler";

/** Where a request is handled. All requests of an endpoint share it. */
export interface Place {
  /** The URL pattern of the route; `"no route"` if none matches. */
  readonly pattern: string;
  /** The route file, or what takes its place: `"option middleware"`. */
  readonly file: string;
  /** The application of the route. */
  readonly application: Application;
  /** What the method declares of its events or its socket. */
  readonly schema: Pick<MethodSchema, "events" | "socket">;
}

/** A request and where it is handled, for the log: `GET /users (api/users/route.ts)`. */
export function placeText(
  { method }: Request,
  place: Place | undefined,
): string {
  return `${method} ${place?.pattern ?? "no route"} (${
    place?.file ?? "no file"
  })`;
}

/** The rules for reading the whole body of a request. */
export interface BodyRules {
  /** The size of the largest body, in bytes. */
  readonly limit: number;
  /** How long a body may take to arrive, in milliseconds. */
  readonly timeout: number;
  /** Whether the bytes can still be read after the body was read as JSON. */
  readonly raw: boolean;
  /** Returns the error that refuses a body which another site may have sent. */
  readonly refuse: (request: Request) => HttpError | undefined;
}

/** How a body is read whose rules are not known: its route is not imported yet. */
export interface DeferredBody {
  /** Imports the route to find the rules. */
  readonly findRules: () => Promise<BodyRules>;
  /** Whether the server cuts bodies at their `Content-Length`. */
  readonly framed: boolean;
}

/** How the body of a request is read, and what was read of it. */
export interface BodyReading {
  rules: BodyRules;
  /**
   * Whether the server cuts bodies at their `Content-Length`. If so, a body that
   * declares an allowed length is read natively. Otherwise the header may lie, and
   * bytes are counted as they arrive.
   */
  framed: boolean;
  /** Its bytes, unless it was read as JSON alone. */
  bytes: Promise<Uint8Array<ArrayBuffer>> | undefined;
  /** Its value, once it was read as JSON. */
  json: Promise<unknown> | undefined;
  /** Whether it was read as JSON, and has no bytes at all. */
  isEmpty: boolean;
}

/** All that Bough knows of one request, in one place. The request carries it. */
export class RequestRecord {
  /** Where it is handled: its route, and before that the middleware of the route. */
  place: Place | undefined;
  /** What it opens ends with the server that it came from. */
  connections: OpenConnections | undefined;
  /** How its body is read, if it may have one. */
  body: BodyReading | undefined;
  /** How its body is read until the rules of its route are known. */
  deferredBody: DeferredBody | undefined;
  /** What violates a contract, until it is known whether that holds for its method. */
  mismatch: { readonly error: unknown } | undefined;
  /** The values that were set on it, by `RequestState`. */
  values: Map<object, unknown> | undefined;
  /** Whether nothing was awaited since it arrived. */
  isFresh = true;
  /** Ends the socket of an upgrade that is not sent. */
  onBrokenUpgrade: (() => void) | undefined;
  /** The times of its steps, for the header `Server-Timing`. */
  timing: Timing | undefined;
}

/** The times of a request, in milliseconds. */
export interface Timing {
  readonly start: number;
  readonly steps: Partial<Record<Step, number>>;
}

const RECORD = Symbol("bough request");

type RecordedRequest = Request & { [RECORD]?: RequestRecord };

/** What is known of a request; nothing before Bough or `RequestState` has seen it. */
export function recordOf(request: Request): RequestRecord | undefined {
  return (request as RecordedRequest)[RECORD];
}

/** What is known of a request, from now on. */
export function ensureRecord(request: Request): RequestRecord {
  return (request as RecordedRequest)[RECORD] ??= new RequestRecord();
}

const NOTHING_VALIDATED = Object.freeze({});

/**
 * The `info` of a request that no server passed on. Its address is the unspecified
 * one (RFC 1122, 3.2.1.3), which no client has: a guard that lets in `127.0.0.1`
 * must not open where `Deno.serve((request) => app.fetch(request))` drops `info`.
 */
export const NO_CONNECTION: Deno.ServeHandlerInfo<Deno.Addr> = Object.freeze({
  remoteAddr: Object.freeze({ transport: "tcp", hostname: "0.0.0.0", port: 0 }),
  completed: Promise.resolve(),
});

/** A request whose members are being set. */
type Binding<Bound> = { -readonly [Name in keyof Bound]: Bound[Name] };

/**
 * Makes a request a {@linkcode FrameworkRequest}. It sets the members on the
 * request itself: a wrapper would cost a copy, and break
 * `Deno.upgradeWebSocket(request)`.
 *
 * A handler may pass its request to another application. What is known of it stays, but
 * the routes there must not see what the first route captured.
 *
 * @param match What the path captured; `undefined` if no route matches.
 * @param options Where it is handled, and what the server passed along with it.
 */
export function bindRequest(
  request: Request,
  match: Pick<Match, "params" | "wildcardParams"> | undefined,
  { place, info }: { readonly place: Place; readonly info: unknown },
): RequestRecord {
  const bound = request as Binding<MiddlewareRequest>;
  bound.params = match === undefined ? Object.create(null) : match.params;
  bound.validated = NOTHING_VALIDATED as FrameworkRequest["validated"];
  bound.pattern = match === undefined ? undefined : place.pattern;
  bound.info = (info as MiddlewareRequest["info"] | undefined) ?? bound.info ??
    NO_CONNECTION;
  const wildcardParams = match?.wildcardParams;
  if (wildcardParams !== undefined) bound.wildcardParams = wildcardParams;
  else if (bound.wildcardParams !== undefined) {
    delete (bound as Partial<typeof bound>).wildcardParams;
  }
  const record = ensureRecord(request);
  record.place = place;
  record.connections ??= place.application.connections;
  // A program may send the same request again, with other headers.
  record.mismatch = undefined;
  return record;
}
