import {
  allowOf,
  isMethod,
  type Method,
  METHODS,
  resolveMethod,
  schemaKey,
} from "../methods.ts";
import { type ErrorParts, problem } from "../errors.ts";
import { OWN_ERRORS } from "../own_errors.ts";
import type {
  Application,
  ErrorResponder,
  Operation,
  OperationParts,
} from "../request/application.ts";
import type { RoutePattern } from "../routing/pattern.ts";
import { acceptedTypes } from "../schema/check_request.ts";
import { contractsFor, mergeLevels } from "../schema/declaration.ts";
import type { LocatedContract } from "../types/contract.ts";
import type { EffectiveSchema } from "../types/effective_schema.ts";
import type { Handler } from "../types/request.ts";
import type { MethodSchema, RouteSchema } from "../types/schema.ts";

/** The parts that all operations of a route share. */
export interface RouteParts extends OperationParts {
  /** The URL pattern of the route. */
  readonly pattern: RoutePattern;
  /** The folders that contain the file, from `apiDir` down. */
  readonly folders: readonly string[];
  /** The contracts of the middleware, outermost first. */
  readonly contracts: readonly LocatedContract[];
}

/** The parts of an operation to which no folder and no file adds. */
export function applicationParts(
  application: Application,
  file: string,
): OperationParts {
  const { middleware, errors, bodyRules, invalidParams } = application;
  return { file, middleware, errors, bodyRules, invalidParams, application };
}

/** The exports of a route file that requests need. */
export interface RouteExports {
  /** The handlers by method. */
  readonly handlers: ReadonlyMap<Method, Handler>;
  /** The `schema` export of the file: schemas by lowercase method. */
  readonly schema: RouteSchema;
}

/**
 * Compiles a method of a route: its handler, or the substitute for a method without a
 * handler.
 *
 * @param name The method; a client may send any string.
 */
export function compileOperation(
  parts: RouteParts,
  { handlers, schema }: RouteExports,
  name: string,
): Operation {
  const handled = METHODS.filter((method) => handlers.has(method));
  const { query } = schema;
  const acceptQuery = handlers.has("QUERY") ? acceptQueryOf(query) : undefined;
  const resolution = resolveMethod(handled, name);
  if (!("handler" in resolution)) {
    const allow = allowOf(handled);
    const substitute = resolution.status === 204
      ? prepared(() => optionsResponse(allow, acceptQuery))
      : fixedError(
        resolution.status === 501 ? OWN_ERRORS.NotImplemented : {
          ...OWN_ERRORS.MethodNotAllowed,
          detail: `This resource supports ${allow}`,
          headers: { allow },
        },
        parts.errors,
      );
    return operationOf(parts, name, substitute);
  }
  const own = schema[schemaKey(resolution.handler)] ?? {};
  return {
    ...operationOf(parts, name, handlers.get(resolution.handler)!, own),
    acceptQuery: name === "QUERY" ? acceptQuery : undefined,
    // The handler for `HEAD` may be `GET`, and relies on the checks of `schema.get` even
    // if there is a `schema.head`.
    headSchema: resolution.handler === name ? undefined : schema.head,
  };
}

/**
 * Merges the parts of a route with what a method adds.
 *
 * @param schema The schema of the handler; absent if the handler is Bough's, to which
 * only security and middleware apply.
 */
export function operationOf(
  parts: RouteParts,
  name: string,
  handler: Handler,
  schema?: MethodSchema,
): Operation {
  const method = isMethod(name) ? name : undefined;
  const effective = mergeLevels(
    contractsFor(parts.contracts, method),
    { value: schema ?? {}, file: parts.file },
    parts.errors?.format,
  );
  return {
    ...parts,
    pattern: parts.pattern.text,
    method,
    handler,
    schema,
    effective,
    security: frozen(effective.security?.value),
    deprecation: schema && deprecationOf(effective),
  };
}

/** A copy that no guard can change, since all requests share it. */
function frozen(security: Operation["security"]): Operation["security"] {
  return security && Object.freeze(
    security.map((requirement) =>
      Object.freeze(Object.fromEntries(
        Object.entries(requirement).map((
          [scheme, scopes = []],
        ) => [scheme, Object.freeze([...scopes])]),
      ))
    ),
  );
}

/** The headers of a deprecated method (RFC 9745, RFC 8594). */
function deprecationOf(
  { deprecated }: EffectiveSchema,
): Operation["deprecation"] {
  if (!deprecated?.value) return undefined;
  const { since, sunset, use, why } = Object(deprecated.value);
  const page = /^https?:\/\/[!#-;=?-~]+$/.test(why) ? why : undefined;
  return [
    ["deprecation", since && `@${Math.floor(Date.parse(since) / 1000)}`],
    ["sunset", sunset && new Date(sunset).toUTCString()],
    ["link", use && `<${use}>; rel="successor-version"`],
    ["link", page && `<${page}>; rel="deprecation"`],
  ].filter((header): header is [string, string] => header[1] !== undefined);
}

/**
 * The response to `OPTIONS` if no handler responds.
 *
 * @param acceptQuery The types of the bodies that `QUERY` reads, if it has a handler.
 */
export function optionsResponse(allow: string, acceptQuery?: string): Response {
  const headers = {
    allow,
    ...(acceptQuery && { "accept-query": acceptQuery }),
  };
  return new Response(null, { status: 204, headers });
}

/** The value of `Accept-Query` (RFC 10008, section 3). */
function acceptQueryOf(query: MethodSchema = {}): string {
  return acceptedTypes(query).join(", ") || "*/*";
}

/**
 * Creates a response at the first call, and returns a clone at every call. A clone
 * takes a twentieth of the time of a new response.
 */
export function prepared(make: () => Response): () => Response {
  let response: Response | undefined;
  return () => (response ??= make()).clone();
}

/** Responds with an error that is the same for all requests. */
export function fixedError(
  error: ErrorParts,
  errors: ErrorResponder | undefined,
): (request: Request) => Response | Promise<Response> {
  return errors === undefined
    ? prepared(() => problem(error))
    : (request) => errors.respond(error, request);
}
