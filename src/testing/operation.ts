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
} from "../schema/responses.ts";
import type { SecurityRequirement } from "../types/schema.ts";
import type { Strings } from "./plan.ts";

/** The values of the segments that are not static. */
export interface Captures {
  /** Those of the dynamic segments, by name. */
  readonly params: Strings;
  readonly wildcard: readonly string[];
}

/** A method of a route, and all that its contract says. */
export interface Operation {
  /** Its method and its URL pattern: `GET /api/books/[bookId]`. */
  readonly name: string;
  readonly method: Method;
  readonly route: RouteInfo;
  /** The routes that take some of its paths before it. */
  readonly rivals: readonly RouteInfo[];
  /** Its own schema, and those of the folders around it. */
  readonly schema: EffectiveSchema;
  /** The responses that it declares, by status. */
  readonly responses: ReadonlyMap<number, DeclaredResponse>;
  /** The ways to be authorised: one of them must be met. */
  readonly security: readonly SecurityRequirement[];
  /** Headers that every request has: those of the option `as`. */
  readonly as: Strings;
}

/** What a method responds with that streams events. */
const EVENTS = content("text/event-stream");

/**
 * The operations of an application that have inputs, in the order of their routes.
 * `OPTIONS` is compared with them, as `HEAD` with `GET`.
 *
 * @param common What they share; `security` holds where neither a route nor a folder
 * says something.
 */
export function operationsOf(
  routes: readonly RouteInfo[],
  common: Pick<Operation, "as" | "security">,
): Operation[] {
  return routes.flatMap((route) => {
    const { path, file, contracts, methods } = route;
    const rivals = rivalsOf(route, routes);
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
        rivals,
        schema,
        responses: declaredResponses(Object.fromEntries(declared)),
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

/** The path of a route below the prefix, without its groups: `/books/[bookId]`. */
export function pathInTree({ folders }: RouteInfo): string {
  return "/" + folders.filter((folder) => !/^\(.*\)$/.test(folder)).join("/");
}

/** Whether a name means an operation: `POST /payments`, `/api/payments`. */
export function isNamed({ method, route }: Operation, name: string): boolean {
  const [first, ...rest] = name.trim().split(/\s+/);
  const [named, path] = rest.length === 0 ? [method, first] : [first, rest[0]];
  return named!.toUpperCase() === method &&
    (path === route.path || path === pathInTree(route));
}

/** The routes that take a path before a route, where both match: `/a` before `/[x]`. */
function rivalsOf(route: RouteInfo, routes: readonly RouteInfo[]): RouteInfo[] {
  if (route.segments.every(({ kind }) => kind === "static")) return [];
  const rankOf = ({ segments }: RouteInfo) =>
    segments.map(({ kind }) => RANK[kind]).join("");
  return routes.filter((other) => rankOf(other) < rankOf(route));
}

/** Whether the values of its segments lead to a route, and to none of its rivals. */
export function isReached(
  { route, rivals }: Operation,
  { params, wildcard }: Captures,
): boolean {
  const path = route.segments.flatMap((segment) =>
    segment.kind === "static"
      ? [segment.text]
      : segment.kind === "dynamic"
      ? [params[segment.name] ?? ""]
      : wildcard
  );
  return !rivals.some(({ segments }) => matches(segments, path));
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
