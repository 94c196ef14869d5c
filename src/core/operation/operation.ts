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
  BodyRules,
  ErrorResponder,
  LocatedMiddleware,
  Operation,
} from "../request/application.ts";
import type { RoutePattern } from "../routing/pattern.ts";
import { contractsFor, mergeLevels } from "../schema/effective_schema.ts";
import type { LocatedContract } from "../types/contract.ts";
import type { EffectiveSchema } from "../types/effective_schema.ts";
import type { Handler } from "../types/request.ts";
import type { MethodSchema, RouteSchema } from "../types/schema.ts";

/** The parts that all operations of a route share. */
export interface RouteParts {
  /** The URL pattern of the route. */
  readonly pattern: RoutePattern;
  /** The route file, for the log. */
  readonly file: string;
  /** The folders that contain the file, from `apiDir` down. */
  readonly folders: readonly string[];
  readonly bodyRules: BodyRules;
  readonly invalidParams: Operation["invalidParams"];
  /** The middleware around the route, outermost first. */
  readonly middleware: readonly LocatedMiddleware[];
  /** The contracts of this middleware, outermost first. */
  readonly contracts: readonly LocatedContract[];
  /** Responds with errors in the format of the innermost folder that declares one. */
  readonly errors: ErrorResponder | undefined;
  /** The parts that all routes share. */
  readonly application: Application;
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
  const resolution = resolveMethod(handled, name);
  if (!("handler" in resolution)) {
    const allow = allowOf(handled);
    return substitute(
      parts,
      name,
      resolution.status === 204
        ? prepared(() => optionsResponse(allow))
        : fixedError(
          resolution.status === 501 ? OWN_ERRORS.NotImplemented : {
            ...OWN_ERRORS.MethodNotAllowed,
            detail: `This resource supports ${allow}`,
            headers: { allow },
          },
          parts.errors,
        ),
    );
  }
  // The handler for `HEAD` may be `GET`, and relies on the checks of `schema.get` even
  // if there is a `schema.head`.
  const value = schema[schemaKey(resolution.handler)] ?? {};
  const isHead = resolution.handler !== name;
  const common = commonParts(parts, name, value);
  return {
    ...common,
    handler: handlers.get(resolution.handler)!,
    schema: value,
    headSchema: isHead ? schema.head : undefined,
    deprecation: deprecationOf(common.effective),
  };
}

/** An operation whose handler is Bough's: only security and middleware apply. */
export function substitute(
  parts: RouteParts,
  name: string,
  handler: Handler,
): Operation {
  return { ...commonParts(parts, name, {}), handler };
}

/** @param value The schema of the method in the route file. */
function commonParts(
  parts: RouteParts,
  name: string,
  value: MethodSchema,
): Omit<Operation, "handler"> {
  const method = isMethod(name) ? name : undefined;
  const contracts = contractsFor(parts.contracts, method);
  const effective = mergeLevels(contracts, { value, file: parts.file });
  return {
    ...parts,
    pattern: parts.pattern.text,
    method,
    effective,
    security: frozen(effective.security?.value),
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

/** The response to `OPTIONS` if no handler responds. */
export function optionsResponse(allow: string): Response {
  return new Response(null, { status: 204, headers: { allow } });
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
