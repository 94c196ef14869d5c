import type { ErrorFormat, ErrorParts, HttpError } from "../errors.ts";
import type { Method } from "../methods.ts";
import type { ContentType } from "../common/media_type.ts";
import type { OpenConnections } from "./connections.ts";
import type { RoutedPath } from "../routing/pathname.ts";
import type { LocatedContract } from "../types/contract.ts";
import type { EffectiveSchema } from "../types/effective_schema.ts";
import type {
  ErrorHandler,
  FrameworkRequest,
  Handler,
  Middleware,
  MiddlewareRequest,
  NotFoundHandler,
} from "../types/request.ts";
import type { MethodSchema } from "../types/schema.ts";

/**
 * Whether a request came from a page of a trusted origin, or from a client other than a
 * browser.
 */
export type OriginCheck = (request: Request) => boolean;

/** The checked options that requests need. */
export interface Settings {
  /** The hosts that requests may name; all by default. */
  readonly allowedHosts:
    | { readonly allows: (request: Request) => boolean }
    | undefined;
  /** The middleware around all of the application, outermost first. */
  readonly middleware: readonly Required<
    Pick<LocatedMiddleware, "run" | "file">
  >[];
  readonly bodyRules: BodyRules;
  /** The status for a value in the path that violates its schema. */
  readonly invalidParams: 400 | 404;
  /** The open streams and sockets. */
  readonly connections: OpenConnections;
  /** Checks the origin of a request. */
  readonly isTrusted: OriginCheck;
  /**
   * How to report a response that violates its schema: as an error, as a warning or not
   * at all.
   */
  readonly validateResponses: boolean | "warn";
  /** Whether members that no schema declares are sent. */
  readonly sendUndeclared: boolean;
  /** The error handler of the application. */
  readonly onError: ErrorHandler | undefined;
  /** The handler for paths that match no route. */
  readonly onNotFound: NotFoundHandler | undefined;
}

/** The settings and services that all requests of an application share. */
export interface Application extends Settings {
  /** Responds with errors in the format of the option `errors`, if it is set. */
  readonly errors: ErrorResponder | undefined;
  /** Creates response checks, if `validateResponses` is on. */
  readonly checkResponses: ResponseChecks | undefined;
  /** Observes requests; without members if nothing does. */
  readonly observer: Observer;
  /** Reads the path to match, if the option `rewrite` is set. */
  readonly readPath: ((request: Request) => RoutedPath) | undefined;
}

/** Responds with errors in the format that an application or a folder declares. */
export interface ErrorResponder {
  readonly format: ErrorFormat;
  /** The middleware file or the option that declares the format. */
  readonly file: string;
  /** Creates the response; never throws. */
  readonly respond: (
    error: ErrorParts,
    request: Request,
  ) => Response | Promise<Response>;
}

/** A response of `respond()` before members were left out. */
export interface WholeJson {
  /** The JSON to check. */
  readonly json: string;
  /** Logs the first member that is left out, unless the check reports it. */
  readonly report: () => void;
}

/** Checks a handler's response; returns the response to send. */
export type ResponseCheck = (
  response: Response,
  request: FrameworkRequest,
  whole?: WholeJson,
) => Response | Promise<Response>;

/** Creates the check of the responses of a handler. */
export type ResponseChecks = (operation: Operation) => ResponseCheck;

/** The times of a request, in milliseconds since the start of the program. */
export interface Timing {
  readonly start: number;
  /** The steps, in the order in which they began. */
  readonly steps: TimedStep[];
}

/** A measured step of a request. */
export interface TimedStep {
  readonly step: "route" | "middleware" | "validate" | "handler";
  /** The file or option of a middleware. */
  readonly file: string | undefined;
  readonly start: number;
  /** Absent while the step is running. */
  end?: number;
}

/**
 * Observes the requests of an application, for telemetry, `Server-Timing` and a tool of
 * development. Members that none of them needs are absent.
 */
export interface Observer {
  /** Called when the route of a request is known, or that it has none. */
  readonly began?: (
    request: Request & Partial<Pick<MiddlewareRequest, "pattern">>,
  ) => void;
  /** Wraps a function to record the time of each call as a step of the request. */
  readonly measure?: <
    Parameters extends readonly [Request, ...unknown[]],
    Result,
  >(
    run: (...parameters: Parameters) => Result | Promise<Result>,
    step: TimedStep["step"],
    file?: string,
  ) => (...parameters: Parameters) => Result | Promise<Result>;
  /** Called with each thrown value, even with an `HttpError`. */
  readonly failed?: (request: Request, thrown: unknown) => void;
  /** Called with each error of a request that Bough logs. */
  readonly logged?: (error: unknown) => void;
  /** Called with each request to a deprecated operation. */
  readonly deprecated?: () => void;
  /** Wraps the handler of all requests to add the header `Server-Timing`. */
  readonly addTimes?: (handler: RequestHandler) => RequestHandler;
  /** Wraps the handler of a server that `app.serve()` is about to open. */
  readonly around?: (handler: RequestHandler) => Promise<ObservedServer>;
  /** Called with each message of a socket that `socket()` opened. */
  readonly socketMessage?: (
    request: Request,
    from: "client" | "server",
    data: string | ArrayBuffer | ArrayBufferView,
  ) => void;
  /** Called when a socket has ended. */
  readonly socketEnded?: (request: Request, end: SocketEnd) => void;
}

/** A server whose requests are observed. */
export interface ObservedServer {
  readonly handle: RequestHandler;
  /** Called when the server listens, with its origin, such as `http://127.0.0.1:8000`. */
  readonly listens: (origin: string) => void;
}

/** Who ended a socket, with its code and its reason. */
export interface SocketEnd {
  readonly by: "client" | "server";
  readonly code: number;
  readonly reason: string;
}

/**
 * Responds to one request. A server passes `info`, such as the address of the client;
 * if `info` is missing, the call comes from this process.
 */
export type RequestHandler = (
  request: Request,
  info?: unknown,
) => Response | Promise<Response>;

/** The parts that all operations of a route share, or all requests without a route. */
export interface OperationParts {
  /** The route file or its substitute, such as `"option middleware"`. */
  readonly file: string;
  /** The middleware around the handler, outermost first. */
  readonly middleware: readonly LocatedMiddleware[];
  /** Responds with errors in the format of the innermost folder that declares one. */
  readonly errors: ErrorResponder | undefined;
  readonly bodyRules: BodyRules;
  readonly invalidParams: Settings["invalidParams"];
  readonly application: Application;
}

/**
 * A method of a route, or the substitute that responds to requests without a route. All
 * of its requests share this object, which never changes.
 */
export interface Operation extends OperationParts {
  /** The URL pattern of the route; `"no route"` if none matches. */
  readonly pattern: string;
  /** The method; absent without a route, and for methods that HTTP does not define. */
  readonly method?: Method | undefined;
  /** The handler of the route file, or its substitute. */
  readonly handler: Handler;
  /** The schema of the handler in the route file; absent if the substitute responds. */
  readonly schema?: MethodSchema | undefined;
  /** The schema of `HEAD`, which also checks requests, if `GET` handles `HEAD`. */
  readonly headSchema?: MethodSchema | undefined;
  /** The schemas merged with the contracts that cover the method. */
  readonly effective: EffectiveSchema;
  /** The security that guards and handlers read. */
  readonly security: MethodSchema["security"];
  /** The headers of a deprecated operation; absent for any other operation. */
  readonly deprecation?: readonly (readonly [string, string])[] | undefined;
  /** The types of the bodies of a `QUERY`, for `Accept-Query`. */
  readonly acceptQuery?: string | undefined;
}

/** A middleware with its contracts and its location. */
export interface LocatedMiddleware {
  /** The middleware; absent if the file declares only a contract. */
  readonly run?: Middleware;
  /** The contracts, outermost first. */
  readonly contracts?: readonly LocatedContract[];
  /** The methods for whose requests it runs; all by default. */
  readonly methods?: readonly Method[];
  /** The file or option of the middleware, for messages. */
  readonly file: string;
}

/** The rules for reading the whole body of a request. */
export interface BodyRules {
  /** The size of the largest body, in bytes. */
  readonly limit: number;
  /** The time limit for the arrival of a body, in milliseconds. */
  readonly timeout: number;
  /** Returns an error for a body that another site may have sent. */
  readonly refuse: (
    request: Request,
    type: ContentType,
  ) => HttpError | undefined;
}
