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

/** The values of the segments that are not static. */
export interface Captures {
  /** Those of the dynamic segments, by name. */
  readonly params: Readonly<Record<string, string>>;
  /** Those of the wildcard. */
  readonly wildcard: readonly string[];
}

/** A method of a route, and all that its contract says. */
export interface Operation {
  /** Its method and its URL pattern: `GET /api/books/[bookId]`. */
  readonly name: string;
  /** Its method. */
  readonly method: Method;
  /** Its route. */
  readonly route: RouteInfo;
  /** The routes that take some of its paths before it. */
  readonly rivals: readonly RouteInfo[];
  /** Its own schema, and those of the folders around it. */
  readonly schema: EffectiveSchema;
  /** The responses that it declares, by status. */
  readonly responses: ReadonlyMap<number, DeclaredResponse>;
  /** The ways to be authorised: one of them must be met. */
  readonly security: readonly SecurityRequirement[];
}

/** What a method responds with that streams events. */
const EVENTS = content("text/event-stream");

/** The methods that have inputs. `OPTIONS` is compared with them, as `HEAD` with `GET`. */
const METHODS: ReadonlySet<Method> = new Set(
  ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
);

/**
 * The operations of an application, in the order of their routes.
 *
 * @param security What holds where neither a route nor a folder says something: that
 * of the document.
 */
export function operationsOf(
  routes: readonly RouteInfo[],
  security: readonly SecurityRequirement[],
): Operation[] {
  return routes.flatMap((route) => {
    const rivals = rivalsOf(route, routes);
    return route.methods.filter((method) =>
      METHODS.has(method) &&
      (method !== "HEAD" || !route.methods.includes("GET"))
    ).map((method) => operationOf(route, method, { rivals, security }));
  });
}

/** A method of a route as an operation. */
function operationOf(
  route: RouteInfo,
  method: Method,
  { rivals, security }: Pick<Operation, "rivals" | "security">,
): Operation {
  const own = route.schema[schemaKey(method)] ?? {};
  const schema = effectiveSchema(route.contracts, {
    schema: own,
    file: route.file,
  });
  const declared = [...schema.response].map(([status, { value }]) =>
    [status, value] as const
  );
  return {
    name: `${method} ${route.path}`,
    method,
    route,
    rivals,
    schema,
    responses: declaredResponses(Object.fromEntries([
      ...declared,
      ...(schema.events === undefined ? [] : [[200, EVENTS] as const]),
    ])),
    security: schema.security?.value ?? security,
  };
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

function rankOf({ segments }: RouteInfo): string {
  return segments.map(({ kind }) => RANK[kind]).join("");
}

/** The routes that take a path before a route, where both match: `/a` before `/[x]`. */
export function rivalsOf(
  route: RouteInfo,
  routes: readonly RouteInfo[],
): RouteInfo[] {
  if (route.segments.every(({ kind }) => kind === "static")) return [];
  return routes.filter((other) => rankOf(other) < rankOf(route));
}

/** Whether the values of its segments lead to a route, and to none of its rivals. */
export function isReached(
  { route, rivals }: {
    readonly route: RouteInfo;
    readonly rivals: readonly RouteInfo[];
  },
  { params, wildcard }: Captures,
): boolean {
  if (rivals.length === 0) return true;
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
  if (
    isOpen ? path.length < segments.length : path.length !== segments.length
  ) return false;
  return segments.every((segment, index) =>
    segment.kind !== "static" || segment.text === path[index]
  );
}
