import { getOrCompute } from "../common/values.ts";
import { isMethod, type Method, METHODS } from "../methods.ts";
import type { RoutePattern } from "../routing/pattern.ts";
import type { RouteSchema } from "../types/schema.ts";
import {
  compileOperation,
  type RouteExports,
  type RouteParts,
} from "./operation.ts";
import { limitBody } from "../request/readers.ts";
import { bindRequest, recordOf } from "../request/record.ts";
import type {
  Operation,
  ResponseCheck,
  StepTimer,
} from "../request/application.ts";
import { assertUsable, mutableResponse } from "../common/response.ts";
import type { Match } from "../routing/tree.ts";
import { contractsFor, covers } from "../schema/effective_schema.ts";
import {
  type Check,
  createCheck,
  inOrder,
  isStreamedSchema,
} from "../schema/check_request.ts";
import type {
  FrameworkRequest,
  Handler,
  MiddlewareRequest,
} from "../types/request.ts";
import { respondToFailure } from "./failure.ts";
import { type Chain, type Level, runChain } from "./middleware.ts";
import { openingSocket } from "./upgrade.ts";

/** Responds to the requests of an operation: its steps, composed once. */
export class Endpoint implements Chain {
  readonly operation: Operation;
  /** GET and HEAD requests have no body, so their readers need no limit. */
  readonly #mayHaveBody: boolean;
  /** The middleware, outermost first. */
  readonly levels: readonly Level[];
  /** Checks a request just before the handler runs. */
  readonly #check: Check | undefined;
  readonly #handler: Handler;
  readonly #checkResponse: ResponseCheck | undefined;
  readonly #noteRoute: StepTimer["noteRoute"] | undefined;

  constructor(operation: Operation) {
    const { method, handler, schema, application } = operation;
    const { timer, checkResponses } = application;
    const measure = timer?.measure ?? unmeasured;
    this.operation = operation;
    this.#mayHaveBody = method !== "GET" && method !== "HEAD";
    this.#noteRoute = timer?.noteRoute;
    const { levels, check } = stepsOf(operation, measure);
    this.#check = check;
    this.#checkResponse = schema && checkResponses?.(operation);
    this.#handler = schema === undefined
      ? handler
      : measure("handler", wrapped(operation));
    this.levels = levels;
  }

  /**
   * Responds to a request.
   *
   * @param match The match of the path; `undefined` if no route matches.
   * @param info The connection info from the server, which limits bodies to their
   * `Content-Length`. If `info` is `undefined`, the call comes from this process, and
   * the body may be longer.
   */
  respond(
    request: Request,
    match: Match | undefined,
    info: unknown,
  ): Response | Promise<Response> {
    const { operation } = this;
    const record = bindRequest(request, match, { operation, info });
    this.#noteRoute?.(record);
    if (this.#mayHaveBody) {
      const { bodyRules: rules } = operation;
      limitBody(request, record, { rules, framed: info !== undefined });
    }
    const bound = request as FrameworkRequest;
    let response: Response | Promise<Response>;
    try {
      response = this.levels.length === 0
        ? this.invoke(bound)
        : runChain(this, bound);
      if (!(response instanceof Response)) response = settle(response, request);
    } catch (error) {
      response = respondToFailure(error, request);
    }
    record.isFresh = false;
    return operation.deprecation === undefined
      ? response
      : announce(operation, bound, response);
  }

  /**
   * Validates a request, calls the handler and checks the response; may throw. If there
   * is nothing to await, returns a response instead of a promise, which saves a tenth of
   * a request's time (`deno task bench:http --cases=static,param`).
   */
  invoke(given: MiddlewareRequest): Response | Promise<Response> {
    // Inside a route, the request has the route's pattern.
    const request = given as FrameworkRequest;
    recordOf(request)!.isHandled = true;
    // A method call would pass the endpoint to the handler as `this`.
    const handler = this.#handler;
    const checking = this.#check?.(request);
    const response: unknown = checking === undefined
      ? handler(request)
      : checking.then(() => handler(request));
    return response instanceof Response && this.#checkResponse === undefined
      ? assertUsable(response)
      : this.#usable(response, request);
  }

  /** Awaits and checks a response; throws if it cannot be sent. */
  async #usable(value: unknown, request: FrameworkRequest): Promise<Response> {
    const response = assertUsable(await value);
    return await this.#checkResponse?.(response, request) ?? response;
  }
}

async function settle(
  response: Promise<Response>,
  request: Request,
): Promise<Response> {
  try {
    return await response;
  } catch (error) {
    return await respondToFailure(error, request);
  }
}

/**
 * The middleware, each with the checks of the contracts before it, and the check before
 * the handler. Contracts and schemas do not apply to the substitute for a handler, such
 * as the automatic response to `OPTIONS`.
 */
function stepsOf(
  { middleware, method, schema, headSchema, effective, invalidParams }:
    Operation,
  measure: StepTimer["measure"],
): { readonly levels: readonly Level[]; readonly check: Check | undefined } {
  const checkOf = (checks: readonly (Check | undefined)[]) => {
    const check = inOrder(checks);
    return check && measure("validate", check);
  };
  const levels: Level[] = [];
  let checks: (Check | undefined)[] = [];
  for (const level of middleware) {
    if (!covers(level, method)) continue;
    const { run, file, contracts = [] } = level;
    if (schema !== undefined) {
      for (const { contract, paramNames } of contractsFor(contracts, method)) {
        const options = { invalidParams, paramNames, levels: effective.parts };
        checks.push(createCheck([contract], options));
      }
    }
    if (run === undefined) continue;
    const check = checkOf(checks);
    levels.push({ run: measure("middleware", run, file), file, check });
    checks = [];
  }
  const check = createCheck([headSchema ?? {}, schema ?? {}], {
    invalidParams,
    levels: effective.parts,
  });
  return { levels, check: checkOf([...checks, check]) };
}

/** The handler, within the reader of a streamed body or the checks of a socket. */
function wrapped({ handler, schema }: Operation): Handler {
  const { body, socket } = schema ?? {};
  if (isStreamedSchema(body)) return body.streamBody(handler);
  return socket === undefined ? handler : openingSocket(handler);
}

/** Adds the headers of a deprecated operation to its response, even to an error. */
async function announce(
  { deprecation = [], application }: Operation,
  request: FrameworkRequest,
  responding: Response | Promise<Response>,
): Promise<Response> {
  const sent = await responding;
  application.tracer?.traceDeprecated();
  if (sent.status === 101) return sent;
  const response = mutableResponse(sent);
  const { params, wildcardParams } = request;
  for (const [name, value] of deprecation) {
    const filled = value.replaceAll(/\[([^\]]+)\]/g, (all, param) => {
      const values = param === "..." ? wildcardParams : [params[param] ?? all];
      return values?.map(encodeURIComponent).join("/") ?? all;
    });
    if (name !== "link") response.headers.delete(name);
    response.headers.append(name, filled);
  }
  return response;
}

const unmeasured: StepTimer["measure"] = (_step, run) => run;

/** A route of an application, before or after the import of its file. */
export interface Route {
  readonly pattern: RoutePattern;
  /** The parts that the operations of the route share. */
  readonly parts: RouteParts;
  /** The responder to a method; a client may send any string. */
  endpoint(method: string): Pick<Endpoint, "respond">;
  /** Imports the file, unless it was already imported. */
  load(): LoadedRoute | Promise<LoadedRoute>;
}

/**
 * A route whose file was imported. All requests share its endpoints. Each endpoint is
 * created at its first request, since an application may have thousands of routes and
 * start often.
 */
export class LoadedRoute implements Route {
  readonly pattern: RoutePattern;
  readonly parts: RouteParts;
  /** The handlers by method. */
  readonly handlers: ReadonlyMap<Method, Handler>;
  /** The schemas by lowercase method. */
  readonly schema: RouteSchema;
  /** The endpoints by method; methods that HTTP does not define share one. */
  #endpoints: Map<Method | undefined, Endpoint> | undefined;

  constructor(parts: RouteParts, { handlers, schema }: RouteExports) {
    this.pattern = parts.pattern;
    this.parts = parts;
    this.handlers = handlers;
    this.schema = schema;
  }

  /** The methods that the route file exports handlers for. */
  get methods(): readonly Method[] {
    return METHODS.filter((method) => this.handlers.has(method));
  }

  endpoint(method: string): Endpoint {
    return this.#endpoints?.get(method as Method) ?? this.#create(method);
  }

  load(): LoadedRoute {
    return this;
  }

  #create(name: string): Endpoint {
    this.#endpoints ??= new Map();
    return getOrCompute(
      this.#endpoints,
      isMethod(name) ? name : undefined,
      () => new Endpoint(compileOperation(this.parts, this, name)),
    );
  }
}
