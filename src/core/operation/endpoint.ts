import { mayHaveBody, type Method, METHODS } from "../methods.ts";
import type { RoutePattern } from "../routing/pattern.ts";
import type { RouteSchema } from "../types/schema.ts";
import {
  compileOperation,
  type RouteExports,
  type RouteParts,
} from "./operation.ts";
import { limitBody, requireType } from "../request/body.ts";
import {
  bindRequest,
  recordOf,
  requestPlace,
  type RequestRecord,
} from "../request/record.ts";
import type {
  Observer,
  Operation,
  ResponseCheck,
} from "../request/application.ts";
import {
  assertResponse,
  copyResponse,
  headResponse,
  mutableResponse,
} from "../common/response.ts";
import type { Match } from "../routing/tree.ts";
import { contractsFor, covers } from "../schema/declaration.ts";
import {
  type Check,
  createCheck,
  isStreamedSchema,
} from "../schema/check_request.ts";
import { logOmission, omissionOf } from "../schema/respond.ts";
import type { FrameworkRequest, Handler } from "../types/request.ts";
import { respondToFailure } from "./failure.ts";
import { around, type Run } from "./middleware.ts";
import { openingSocket } from "./upgrade.ts";

/** Responds to the requests of an operation: its steps, composed once. */
export class Endpoint {
  readonly operation: Operation;
  readonly #run: Run;

  constructor(operation: Operation) {
    this.operation = operation;
    this.#run = stepsOf(operation);
  }

  /**
   * Responds to a request. If there is nothing to await, returns a response instead of a
   * promise, which saves a tenth of a request's time
   * (`deno task bench:http --cases=static,param`).
   *
   * @param match The match of the path; `undefined` if no route matches.
   * @param info The connection info from the server; `undefined` if the call comes from
   * this process.
   */
  respond(
    request: Request,
    match: Match | undefined,
    info: unknown,
  ): Response | Promise<Response> {
    const { operation } = this;
    const { deprecation, method = request.method } = operation;
    // The readers of a request without a body need no limit.
    if (mayHaveBody(method)) limitBody(request, operation.bodyRules);
    const record = bindRequest(request, match, { operation, info });
    const run = this.#run;
    let response: unknown;
    try {
      response = run(request as FrameworkRequest);
    } catch (error) {
      response = Promise.reject(error);
    }
    record.isFresh = false;
    if (
      response instanceof Response && method !== "HEAD" &&
      deprecation === undefined
    ) return response;
    return this.#finish(response, request, info);
  }

  /**
   * Awaits what the steps return, and turns an error into a response. Every request
   * passes through here, except one whose response needs no wait.
   */
  async #finish(
    responding: unknown,
    request: Request,
    info: unknown,
  ): Promise<Response> {
    const { application, deprecation, method = request.method } =
      this.operation;
    const record = recordOf(request)!;
    const { connections } = application;
    // A server that shuts down must not cut off the body of a running request, which may
    // have come through the server of another application.
    const isReading = info !== undefined && mayReadBody(record) &&
      record.connections === connections;
    if (isReading) connections.beginReading(record);
    let response: Response;
    try {
      response = assertResponse(await responding);
    } catch (error) {
      response = await respondToFailure(error, request);
      const { acceptQuery } = this.operation;
      if (response.status === 415 && acceptQuery !== undefined) {
        response = mutableResponse(response);
        response.headers.set("accept-query", acceptQuery);
      }
    }
    if (isReading) connections.endReading(record);
    if (deprecation !== undefined) {
      application.observer.deprecated?.();
      response = announce(response, request as FrameworkRequest, deprecation);
    }
    return method === "HEAD"
      ? await headResponse(response, info !== undefined)
      : response;
  }
}

/** Whether a request may still read its body, since the body is arriving. */
function mayReadBody({ body }: RequestRecord): boolean {
  return body !== undefined &&
    (body.content === undefined || body.content instanceof Promise);
}

/** Adds the headers of a deprecated operation to its response, even to an error. */
function announce(
  sent: Response,
  { params, wildcardParams }: FrameworkRequest,
  deprecation: NonNullable<Operation["deprecation"]>,
): Response {
  if (sent.status === 101) return sent;
  const response = mutableResponse(sent);
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

/**
 * Composes the steps of an operation from the inside out: the handler, the check of its
 * schemas, and each middleware, with the checks of its contracts before it. Contracts
 * and schemas do not apply to the substitute for a handler, such as the automatic
 * response to `OPTIONS`.
 */
function stepsOf(operation: Operation): Run {
  const { middleware, method, schema, headSchema, invalidParams } = operation;
  const { began, measure = unmeasured } = operation.application.observer;
  const after = (check: Check | undefined, run: Run) =>
    check === undefined ? run : checked(measure(check, "validate"), run);
  const layers = middleware.filter((level) => covers(level, method))
    .flatMap((level) => [
      ...schema === undefined
        ? []
        : contractsFor(level.contracts ?? [], method),
      level,
    ]);
  const contractsBefore = (index: number) =>
    layers.slice(0, index)
      .flatMap((layer) => "contract" in layer ? layer.contract : []);
  const handle = handling(operation, measure);
  let run = after(
    createCheck([headSchema ?? {}, schema ?? {}], {
      invalidParams,
      outer: contractsBefore(layers.length),
    }),
    operation.acceptQuery === undefined ? handle : checked(requireType, handle),
  );
  for (const [index, layer] of [...layers.entries()].reverse()) {
    if ("contract" in layer) {
      const { contract, paramNames } = layer;
      const outer = contractsBefore(index);
      const options = { invalidParams, paramNames, outer };
      run = after(createCheck([contract], options), run);
    } else if (layer.run !== undefined) {
      const { file } = layer;
      run = around(run, measure(layer.run, "middleware", file), file);
    }
  }
  if (began === undefined) return run;
  return (request) => {
    began(request);
    return run(request);
  };
}

/** A step that validates a request before the steps inside it. */
function checked(check: Check, run: Run): Run {
  return (request) => {
    const checking = check(request);
    return checking === undefined
      ? run(request)
      : checking.then(() => run(request));
  };
}

/** The innermost step, which calls the handler, and checks its response. */
function handling(
  operation: Operation,
  measure: NonNullable<Observer["measure"]>,
): Run {
  const handler = operation.schema === undefined
    ? operation.handler
    : measure(wrapped(operation), "handler");
  const run: Run = (request) => {
    recordOf(request)!.isHandled = true;
    // Inside a route, the request has the route's pattern.
    return handler(request as FrameworkRequest);
  };
  const settle = settlement(operation);
  if (settle === undefined) return run;
  return (request) => {
    const response = run(request);
    const settled = (response: unknown) =>
      settle(assertResponse(response), request as FrameworkRequest);
    // Waits only if needed, as `around` does.
    return response instanceof Response
      ? settled(response)
      : Promise.resolve(response).then(settled);
  };
}

/**
 * Creates the function that checks the responses of a handler, and that sends or logs what
 * `respond()` left out of them; `undefined` if there is nothing to do.
 */
function settlement(operation: Operation): ResponseCheck | undefined {
  const { schema, middleware, application, effective } = operation;
  const check = schema && application.checkResponses?.(operation);
  // Only a response with a schema other than `Problem` can lack members.
  const mayLackMembers = [...effective.response.values()]
    .some(({ value: { bodies } }) =>
      bodies.some(({ schema, isProblem }) => schema !== undefined && !isProblem)
    );
  if (!mayLackMembers) return check;
  const contracts = middleware.flatMap(({ contracts = [] }) => contracts);
  const schemas = new Set<object | undefined>(
    [schema, ...contracts.map(({ contract }) => contract)],
  );
  return (response, request) => {
    const omission = omissionOf(response);
    // The handler may have passed the request to another application.
    if (omission === undefined || !schemas.has(omission.schema)) {
      return check?.(response, request) ?? response;
    }
    const { json, member } = omission;
    if (application.sendUndeclared) {
      const whole = copyResponse(response, json);
      return check?.(whole, request) ?? whole;
    }
    const place = requestPlace(request, operation);
    const what = `the response with status ${response.status}`;
    const report = () => logOmission(member, { operation, place, what });
    if (check !== undefined) return check(response, request, { json, report });
    report();
    return response;
  };
}

/** The handler, within the reader of a streamed body or the checks of a socket. */
function wrapped({ handler, schema }: Operation): Handler {
  const { body, socket } = schema ?? {};
  if (isStreamedSchema(body)) return body.streamBody(handler);
  return socket === undefined ? handler : openingSocket(handler);
}

const unmeasured: NonNullable<Observer["measure"]> = (run) => run;

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
  /** The endpoints in the order of `METHODS`, after the one of all other methods. */
  #endpoints: (Endpoint | undefined)[] | undefined;

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
    // Each request has a new string, and a `Map` would have to hash it: 45 ns instead of
    // 4.
    const place = METHODS.indexOf(method as Method) + 1;
    return this.#endpoints?.[place] ?? this.#create(method, place);
  }

  load(): LoadedRoute {
    return this;
  }

  #create(name: string, place: number): Endpoint {
    this.#endpoints ??= [];
    return this.#endpoints[place] = new Endpoint(
      compileOperation(this.parts, this, name),
    );
  }
}
