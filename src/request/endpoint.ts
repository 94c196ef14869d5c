import { limitBody } from "../body/readers.ts";
import type { Method } from "../methods.ts";
import { assertUsable } from "../response.ts";
import type { RoutePattern } from "../routing/pattern.ts";
import type { Match } from "../routing/tree.ts";
import {
  type Check,
  contractsFor,
  createCheck,
  folderSecurity,
  inOrder,
  isStreamedSchema,
} from "../schema/validate.ts";
import type { LocatedContract } from "../types/contract.ts";
import type { FrameworkRequest, Handler } from "../types/request.ts";
import type { MethodSchema, MethodSecurity } from "../types/schema.ts";
import { respondToFailure } from "./failure.ts";
import {
  type Chain,
  type Invoke,
  type Level,
  type LocatedMiddleware,
  runChain,
} from "./middleware.ts";
import {
  type Application,
  bindRequest,
  type BodyRules,
  type Place,
  recordOf,
  type RequestRecord,
  type ResponseCheck,
  type StepTimer,
} from "../record/record.ts";
import { openingSocket } from "./upgrade.ts";

/** The parts that all endpoints of a route share. */
export interface RouteParts {
  /** The URL pattern of the route. */
  readonly pattern: RoutePattern;
  /** The route file, for the log. */
  readonly file: string;
  /** The folders that contain the file, from `apiDir` down. */
  readonly folders: readonly string[];
  readonly bodyRules: BodyRules;
  /** The middleware around the route, outermost first. */
  readonly middleware: readonly LocatedMiddleware[];
  /** The contracts of this middleware, outermost first. */
  readonly contracts: readonly LocatedContract[];
  /**
   * The security that guards can read before a lazy import; `undefined` if the file is
   * imported at startup.
   */
  readonly knownSecurity?: MethodSecurity | undefined;
  /** The parts that all routes share. */
  readonly application: Application;
}

/** The parts of an endpoint that belong to one method. */
export interface EndpointParts {
  /** The handler of the route file, or its substitute. */
  readonly handler: Handler;
  /**
   * The method; absent for methods that HTTP does not define. Only the contracts that
   * cover the method apply. GET and HEAD requests have no body, so their body readers
   * need no limit.
   */
  readonly method?: Method;
  /**
   * The schemas that requests must match, in this order, before the handler of a route
   * file runs. The last schema also describes the responses. Absent for other handlers.
   */
  readonly schemas?: readonly MethodSchema[];
  /** The security of the method; by default, the security of its contracts. */
  readonly security?: MethodSchema["security"];
  /** The headers of a deprecated operation, for `DeprecatedEndpoint`. */
  readonly deprecation?: Place["deprecation"];
  /**
   * Wraps the checks of contracts. Without this member, an endpoint with schemas checks
   * contracts; other endpoints, such as Bough's own response to `OPTIONS`, do not.
   */
  readonly wrapCheck?: (check: Check) => Check;
  /** Sets the body readers of a request; by default, readers that apply `bodyRules`. */
  readonly prepareBody?: PrepareBody;
}

/** @param framed Whether the server limits bodies to their `Content-Length`. */
type PrepareBody = (
  request: Request,
  record: RequestRecord,
  framed: boolean,
) => void;

/** Responds to one method of a route. All requests share the endpoint. */
export class Endpoint {
  /**
   * The place of requests in middleware. Its `schema` is empty, since the schemas of
   * the method do not apply to a stream that middleware opens.
   */
  readonly #outside: Place;
  /** The place of requests in the handler. */
  readonly inside: Place;
  readonly #prepareBody: PrepareBody | undefined;
  /** Runs the middleware around `invoke`; absent if there is no middleware. */
  readonly #runMiddleware: Invoke | undefined;
  /** Checks a request against the schemas of the method. */
  readonly #check: Check | undefined;
  /**
   * Checks a request against the contracts of folders, then against the schemas of the
   * method.
   */
  readonly #checkAll: Check | undefined;
  readonly #handler: Handler;
  readonly #checkResponse: ResponseCheck | undefined;
  readonly #noteRoute: StepTimer["noteRoute"] | undefined;

  constructor(
    { handler, method, schemas, prepareBody, ...parts }: EndpointParts,
    { pattern, file, bodyRules, contracts, application, ...route }: RouteParts,
  ) {
    const { timer, checkResponses } = application;
    const measure = timer?.measure ?? unmeasured;
    const schema = schemas?.at(-1) ?? {};
    const { wrapCheck = schemas && ((check) => check), deprecation } = parts;
    const security = frozen(
      parts.security ?? folderSecurity(contracts, method),
    );
    this.#outside = {
      pattern: pattern.text,
      file,
      application,
      security,
      deprecation,
      schema: {},
    };
    this.inside = { ...this.#outside, schema };
    if (method !== "GET" && method !== "HEAD") {
      this.#prepareBody = prepareBody ??
        ((request, record, framed) =>
          limitBody(request, record, { rules: bodyRules, framed }));
    }

    const middleware = route.middleware.map((
      { contracts = [], ...level },
    ): Level => {
      const check = wrapCheck && inOrder(
        contractsFor(contracts, method).map(({ contract, paramNames }) =>
          createCheck([contract], paramNames)
        ),
      );
      return { ...level, check: check && wrapCheck?.(check) };
    });
    this.#checkResponse = schemas &&
      checkResponses?.(contractsFor(contracts, method), schema);
    const own = createCheck(schemas ?? []);
    const all = inOrder([...middleware.map(({ check }) => check), own]);
    this.#check = own && measure("validate", own);
    this.#checkAll = all && measure("validate", all);
    this.#handler = schemas === undefined ? handler : measure(
      "handler",
      isStreamedSchema(schema.body)
        ? schema.body.streamBody(handler)
        : schema.socket === undefined
        ? handler
        : openingSocket(handler),
    );
    if (middleware.some(({ run }) => run !== undefined)) {
      const chain: Chain = {
        middleware,
        // Inside a route, the request has the route's pattern.
        inner: (request) => this.invoke(request as FrameworkRequest),
      };
      this.#runMiddleware = measure(
        "middleware",
        (request) => runChain(chain, request),
      );
    }
    this.#noteRoute = timer?.noteRoute;
  }

  /**
   * Responds to a request whose path matches the route.
   *
   * @param info The connection info from the server, which limits bodies to their
   * `Content-Length`. If `info` is `undefined`, the call comes from this process, and
   * the body may be longer.
   */
  respond(
    request: Request,
    match: Match,
    info: unknown,
  ): Response | Promise<Response> {
    const run = this.#runMiddleware;
    const place = run === undefined ? this.inside : this.#outside;
    const record = bindRequest(request, match, { place, info });
    const bound = request as FrameworkRequest;
    this.#noteRoute?.(record);
    this.#prepareBody?.(request, record, info !== undefined);
    const response = run === undefined
      ? this.#respondAtOnce(bound)
      : this.#respondInOrder(bound, run);
    record.isFresh = false;
    return response;
  }

  /** Runs the middleware around `invoke`. */
  async #respondInOrder(
    request: FrameworkRequest,
    run: Invoke,
  ): Promise<Response> {
    try {
      return await run(request);
    } catch (error) {
      return await respondToFailure(error, request, this.#outside);
    }
  }

  /** Validates a request, calls the handler and checks the response; may throw. */
  invoke(request: FrameworkRequest): Response | Promise<Response> {
    recordOf(request)!.place = this.inside;
    return this.#call(request, this.#check);
  }

  /**
   * Checks a request, and calls the handler. If there is nothing to await, returns a
   * response instead of a promise, which saves a tenth of a request's time
   * (`deno task bench:http --cases=static,param`).
   */
  #call(
    request: FrameworkRequest,
    check: Check | undefined,
  ): Response | Promise<Response> {
    // A method call would pass the endpoint to the handler as `this`.
    const handler = this.#handler;
    const checking = check?.(request);
    const response: unknown = checking === undefined
      ? handler(request)
      : checking.then(() => handler(request));
    return response instanceof Response && this.#checkResponse === undefined
      ? assertUsable(response)
      : this.#usable(response, request);
  }

  /** Awaits and checks a response; throws if it cannot be sent. */
  async #usable(
    value: unknown,
    request: FrameworkRequest,
  ): Promise<Response> {
    const response = assertUsable(await value);
    return this.#checkResponse === undefined
      ? response
      : await this.#checkResponse(response, request, this.inside);
  }

  /** Responds if no middleware runs, and checks contracts itself. */
  #respondAtOnce(request: FrameworkRequest): Response | Promise<Response> {
    try {
      const response = this.#call(request, this.#checkAll);
      return response instanceof Response
        ? response
        : this.#settle(response, request);
    } catch (error) {
      return respondToFailure(error, request, this.inside);
    }
  }

  async #settle(
    response: Promise<Response>,
    request: FrameworkRequest,
  ): Promise<Response> {
    try {
      return await response;
    } catch (error) {
      return await respondToFailure(error, request, this.inside);
    }
  }
}

/** A copy that no guard can change, since all requests share it. */
function frozen(security: MethodSchema["security"]): MethodSchema["security"] {
  return security && Object.freeze(
    security.map((requirement) =>
      Object.freeze(Object.fromEntries(
        Object.entries(requirement)
          .map((
            [scheme, scopes],
          ) => [scheme, Object.freeze([...scopes ?? []])]),
      ))
    ),
  );
}

const unmeasured: StepTimer["measure"] = (_step, run) => run;
