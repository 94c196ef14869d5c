import { type Method, schemaKey } from "../methods.ts";
import type { RouteInfo } from "../options/plugin.ts";
import { RANK, type UrlSegment } from "../routing/pattern.ts";
import {
  type EffectiveSchema,
  effectiveSchema,
} from "../schema/effective_schema.ts";
import {
  content,
  type DeclaredResponse,
  declaredResponses,
  inFormat,
} from "../schema/responses.ts";
import type { SecurityRequirement } from "../types/schema.ts";
import type { Strings } from "./plan.ts";

/** The values of dynamic segments and of a wildcard. */
export interface Captures {
  /** The values of dynamic segments by name. */
  readonly params: Strings;
  readonly wildcard: readonly string[];
}

/** A method of a route, with its contract. */
export interface Operation {
  /** The method and the URL pattern: `GET /api/books/[bookId]`. */
  readonly name: string;
  readonly method: Method;
  readonly route: RouteInfo;
  /** The routes that precede this route for some of its paths. */
  readonly precedingRoutes: readonly RouteInfo[];
  /** Its schema, merged with the contracts of its folders. */
  readonly schema: EffectiveSchema;
  /** The declared responses by status. */
  readonly responses: ReadonlyMap<number, DeclaredResponse>;
  /** The security requirements; a request must meet at least one requirement. */
  readonly security: readonly SecurityRequirement[];
  /** The headers of the option `as`. */
  readonly as: Strings;
}

/** The response of a method that streams events. */
const EVENTS = content("text/event-stream");

/**
 * The operations to test, in the order of their routes. Only the property `methods`
 * tests `OPTIONS`, and `HEAD` if the route has `GET`.
 *
 * @param common The members that all operations share; `security` is the default of
 * routes.
 */
export function operationsOf(
  routes: readonly RouteInfo[],
  common: Pick<Operation, "as" | "security">,
): Operation[] {
  return routes.flatMap((route) => {
    const { path, file, contracts, methods } = route;
    const precedingRoutes = precedingRoutesOf(route, routes);
    return methods.filter((method) =>
      method !== "OPTIONS" && (method !== "HEAD" || !methods.includes("GET"))
    ).map((method): Operation => {
      const own = { schema: route.schema[schemaKey(method)] ?? {}, file };
      const schema = effectiveSchema(contracts, own);
      const declared = [...schema.response]
        .map(([status, { value }]) => [status, value]);
      if (schema.events !== undefined) declared.push([200, EVENTS]);
      return {
        name: `${method} ${path}`,
        method,
        route,
        precedingRoutes,
        schema,
        responses: new Map(
          declaredResponses(Object.fromEntries(declared)).entries()
            .map(([status, each]) => [status, inFormat(each, route.errors)]),
        ),
        security: schema.security?.value ?? common.security,
        as: common.as,
      };
    });
  });
}

/** Whether requests to an operation have a body with a schema. */
export function hasBody({ method, schema }: Operation): boolean {
  return schema.parts.body.length > 0 && method !== "GET" && method !== "HEAD";
}

/** The status of a response to an invalid request. */
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

/** The routes that precede a route if both match a path: `/a` precedes `/[x]`. */
function precedingRoutesOf(
  route: RouteInfo,
  routes: readonly RouteInfo[],
): RouteInfo[] {
  if (route.segments.every(({ kind }) => kind === "static")) return [];
  const rankOf = ({ segments }: RouteInfo) =>
    segments.map(({ kind }) => RANK[kind]).join("");
  return routes.filter((other) => rankOf(other) < rankOf(route));
}

/**
 * Whether a path with these values reaches the route of the operation instead of a
 * preceding route.
 */
export function isReached(
  { route, precedingRoutes }: Operation,
  { params, wildcard }: Captures,
): boolean {
  const path = route.segments.flatMap((segment) =>
    segment.kind === "static"
      ? [segment.text]
      : segment.kind === "dynamic"
      ? [params[segment.name] ?? ""]
      : wildcard
  );
  return !precedingRoutes.some(({ segments }) => matches(segments, path));
}

function matches(
  segments: readonly UrlSegment[],
  path: readonly string[],
): boolean {
  const isOpen = segments.at(-1)?.kind === "wildcard";
  return (isOpen
    ? path.length >= segments.length
    : path.length === segments.length) &&
    segments.every((segment, index) =>
      segment.kind !== "static" || segment.text === path[index]
    );
}
