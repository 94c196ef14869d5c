import type { Method, RouteInfo, SecurityRequirement } from "../../mod.ts";
import { isSafe } from "../core/methods.ts";
import type {
  DeclaredResponse,
  EffectiveSchema,
  LocatedSchema,
} from "../openapi/mod.ts";
import { fillPath, WILDCARD } from "../shared/fill_path.ts";
import { isJson } from "../core/common/media_type.ts";
import type { AccessRule, SchemaPart } from "../plumbing.ts";
import type { Identity } from "./identity.ts";
import type { RequestPlan } from "./plan.ts";
import type { Captures } from "../shared/wire.ts";
import { RouteFinder } from "../shared/route_finder.ts";
import { Patience } from "./patience.ts";

/** A method of a route, with its contract. */
export interface Operation {
  /** The method and the URL pattern: `GET /api/books/[bookId]`. */
  readonly name: string;
  readonly method: Method;
  /** Whether a request asks for no change. */
  readonly isSafe: boolean;
  /** Whether requests have a body with a schema. */
  readonly hasBody: boolean;
  readonly route: RouteInfo;
  /** Finds the route that a path reaches, such as this route. */
  readonly finder: RouteFinder;
  /** Its schema, merged with the contracts of its folders. */
  readonly schema: EffectiveSchema;
  /** The declared responses by status. */
  readonly responses: ReadonlyMap<number, DeclaredResponse>;
  /** The security requirements; a request must meet at least one requirement. */
  readonly security: readonly SecurityRequirement[];
  /** The parameters that carry credentials, which tests never generate. */
  readonly credentials: CredentialNames;
  /**
   * The identity that sends its requests: the first identity that is not rejected, which
   * the sender finds out.
   */
  as?: Identity | undefined;
  /** How long to wait for its events and messages. */
  readonly patience: Patience;
}

/** The names of the parameters that carry credentials, by part; headers in lowercase. */
export type CredentialNames = Readonly<
  Partial<Record<SchemaPart, readonly string[]>>
>;

/** The parameters with which security schemes (OpenAPI) transport credentials. */
export function credentialsOf(schemes: readonly object[]): CredentialNames {
  const namesIn = (place: string) =>
    (schemes as readonly Record<string, unknown>[])
      .filter((each) => each.type === "apiKey" && each.in === place)
      .map(({ name }) => String(name));
  return {
    query: namesIn("query"),
    cookies: namesIn("cookie"),
    headers: [
      ...["authorization", "proxy-authorization"],
      ...namesIn("cookie").length > 0 ? ["cookie"] : [],
      ...namesIn("header").map((name) => name.toLowerCase()),
    ],
  };
}

/** The turns to wait for an error of an undeclared stream. */
const FAILURE_TURNS = 10;

/** The response of a method that streams events. */
const EVENTS: DeclaredResponse = {
  bodies: [{ mediaType: "text/event-stream", schema: undefined }],
  headers: undefined,
  description: undefined,
};

/**
 * The operations to test, in the order of their routes. Only the property `methods`
 * tests `OPTIONS`, and `HEAD` if the route has `GET`.
 *
 * @param security The default of routes.
 * @param options `isLocal`: whether the application runs in this process.
 */
export function operationsOf(
  routes: readonly RouteInfo[],
  security: Operation["security"],
  { isLocal = true, credentials = credentialsOf([]) }: {
    readonly isLocal?: boolean;
    readonly credentials?: CredentialNames;
  } = {},
): Operation[] {
  const finder = new RouteFinder(routes);
  return routes.flatMap((route) => {
    const { path, methods } = route;
    return methods.filter((method) =>
      method !== "OPTIONS" && (method !== "HEAD" || !methods.includes("GET"))
    ).map((method): Operation => {
      const schema = route.operations.get(method)!;
      const responses = new Map(
        [...schema.response].map(([status, { value }]) => [status, value]),
      );
      if (schema.events !== undefined) responses.set(200, EVENTS);
      return {
        name: `${method} ${path}`,
        method,
        isSafe: isSafe(method),
        hasBody: schema.parts.body.length > 0,
        route,
        finder,
        schema,
        responses,
        security: schema.security?.value ?? security,
        credentials,
        patience: new Patience({
          isLocal,
          most: schema.events ?? schema.socket ? undefined : FAILURE_TURNS,
        }),
      };
    });
  });
}

/** Whether an operation opens a stream of events or a socket. */
export function isLive({ schema: { events, socket } }: Operation): boolean {
  return (events ?? socket) !== undefined;
}

/** The declared users of an operation; `undefined` if none are declared. */
export function accessOf({ schema }: Operation): AccessRule[] | undefined {
  return schema.access && [schema.access.value].flat();
}

/** The members of resources that name users, as the rules of `access` read them. */
export function ruleMembers(operations: readonly Operation[]): string[] {
  return operations.flatMap((each) => accessOf(each) ?? [])
    .flatMap((rule) => typeof rule === "object" ? [rule.member] : []);
}

/** The media types that `content()` declares, if the operation reads no others. */
export function declaredTypes({ schema }: Operation): string[] | undefined {
  const types = schema.parts.body.flatMap(({ mediaType }) => mediaType ?? []);
  return types.length === 0 ? undefined : types;
}

/** The schemas that check a part of an input; a body must match that of its type. */
export function schemasFor(
  operation: Operation,
  part: SchemaPart,
  { body, type }: { readonly body?: unknown; readonly type?: string },
): readonly LocatedSchema[] {
  const all = operation.schema.parts[part];
  if (part !== "body" || declaredTypes(operation) === undefined) return all;
  // Only a body has a type.
  const named = body !== undefined &&
    all.find(({ mediaType }) => mediaType === type);
  const json = () => all.find(({ mediaType }) => isJson(mediaType!));
  return [named || json() || all[0]!];
}

export function invalidStatus({ route: { errors } }: Operation): number {
  return errors?.invalid ?? 400;
}

/** The path of a route below the prefix, without its groups: `/books/[bookId]`. */
export function pathInTree({ folders }: RouteInfo): string {
  return "/" + folders.filter((folder) => !/^\(.*\)$/.test(folder)).join("/");
}

/**
 * Whether a name, such as `POST /payments` or `/api/payments`, refers to an operation.
 */
export function isNamed({ method, route }: Operation, name: string): boolean {
  const [first, ...rest] = name.trim().split(/\s+/);
  const [named, path] = rest.length === 0 ? [method, first] : [first, rest[0]];
  return named!.toUpperCase() === method &&
    (path === route.path || path === pathInTree(route));
}

export function pathOf(
  { path }: RouteInfo,
  { params, wildcard }: Captures,
): string {
  const segmentsOf = (name: string) =>
    name === WILDCARD ? wildcard : [params[name] ?? ""];
  return fillPath(path, segmentsOf);
}

/**
 * Whether a path with these values reaches the route of the operation instead of a
 * preceding route.
 */
export function isReached(
  { route, finder }: Operation,
  captures: Captures,
): boolean {
  const match = finder.find(`http://localhost${pathOf(route, captures)}`);
  return match?.value.info.path === route.path;
}

/** The operation that handles a request, if it is one of those given. */
export function operationAt(
  operations: readonly Operation[],
  { method, target }: RequestPlan,
): Operation | undefined {
  return operationsReached(operations, target)
    .find(({ operation }) => operation.method === method)?.operation;
}

/** An operation that a target reaches, and the values of its segments. */
export interface ReachedOperation {
  readonly operation: Operation;
  readonly captures: Captures;
}

/** The operations of all methods that a target reaches, of one application. */
export function operationsReached(
  operations: readonly Operation[],
  target: string,
): ReachedOperation[] {
  const match = operations[0]?.finder.find(`http://localhost${target}`);
  if (match === undefined) return [];
  const { value: { info }, params, wildcardParams: wildcard = [] } = match;
  return operations.filter(({ route }) => route === info)
    .map((operation) => ({ operation, captures: { params, wildcard } }));
}
