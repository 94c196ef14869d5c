import { printable } from "../core/common/log.ts";
import { isNear } from "../core/common/forms.ts";
import { isMethod, type Method, resolveMethod } from "../core/methods.ts";
import type { RouteInfo } from "../core/types/plugin.ts";
import {
  BadPathError,
  PathReader,
  type RoutedPath,
} from "../core/routing/pathname.ts";
import {
  formatSegment,
  RANK,
  type RoutePattern,
  type UrlSegment,
} from "../core/routing/pattern.ts";
import { type Match, RouteTree } from "../core/routing/tree.ts";
import { type ListedRoute, withPatterns } from "../shared/route_finder.ts";
import { methodSecurityText } from "./check/operations.ts";
import { FINDINGS, GOOD, print, printJson, UsageError } from "./command.ts";

/** The maximum number of similar routes to list that do not match. */
const MAX_SIMILAR = 5;

export function explain(
  routes: readonly ListedRoute[],
  request: string,
  asJson: boolean,
): number {
  const [, method = "GET", target] =
    /^(?:([!#$%&'*+.^_`|~\w-]+)\s+)?(\/\S*)$/.exec(request.trim()) ?? [];
  if (target === undefined) {
    throw new UsageError(
      `--match must be a method and a path, such as "GET /api/users/42", got "${request}"`,
    );
  }
  const outcome = match(routes, method, target);
  if (asJson) printJson(outcome);
  else print(describe(outcome, `${method} ${target}`));
  return outcome.status === 200 ? GOOD : FINDINGS;
}

export interface Outcome {
  /** 200 if a handler would run; otherwise, the status of Bough's own response. */
  readonly status: number;
  readonly reason?: string;
  readonly route?: string;
  readonly file?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly wildcardParams?: readonly string[] | undefined;
  readonly middleware?: readonly string[];
  readonly security?: string | undefined;
  readonly otherCandidates: readonly {
    readonly route: string;
    readonly why: string;
  }[];
}

/** Finds the route that a request reaches. `routes` are in matching order. */
export function match(
  routes: readonly ListedRoute[],
  method: string,
  target: string,
): Outcome {
  const tree = new RouteTree(routes);
  let path: RoutedPath;
  let found: Match<ListedRoute> | undefined;
  try {
    path = new PathReader().read(`http://localhost${target}`);
    found = tree.find(path);
  } catch (error) {
    if (!(error instanceof BadPathError)) throw error;
    return { status: 400, reason: error.message, otherCandidates: [] };
  }
  const segments = path.text.split("/").slice(1);
  const similar = similarRoutes(routes, segments, found?.value);
  const otherCandidates = similar.map((route) => ({
    route: route.info.path,
    why: reasonOf(route.pattern, segments, found?.value.pattern),
  }));
  if (found === undefined) {
    // `OPTIONS *` arrives as the path `/*`.
    const isAnswered = method === "OPTIONS" && path.text === "/*";
    return isAnswered || !isMethod(method)
      ? { ...statusFor([], method), otherCandidates }
      : { status: 404, reason: "no route matches the path", otherCandidates };
  }
  const { value: { info }, params, wildcardParams } = found;
  const resolution = resolveMethod(info.methods, method);
  const handler = "handler" in resolution ? resolution.handler : undefined;
  return {
    ...statusFor(info.methods, method),
    route: info.path,
    file: info.file,
    params: { ...params },
    wildcardParams,
    middleware: middlewareOf(info, handler),
    security: handler && methodSecurityText(info, handler),
    otherCandidates,
  };
}

/** The middleware that runs around a method; `undefined` if no handler runs. */
export function middlewareOf(
  { middleware, file }: RouteInfo,
  method: Method | undefined,
): string[] {
  return middleware.filter((each) => {
    // Omits middleware of other methods: `api/orders/route.ts (POST, PATCH)`.
    const [, names] = each.split(`${file} (`);
    return names === undefined ||
      method !== undefined && names.slice(0, -1).split(", ").includes(method);
  });
}

function statusFor(
  methods: readonly Method[],
  method: string,
): Pick<Outcome, "status" | "reason"> {
  const resolution = resolveMethod(methods, method);
  if ("handler" in resolution) {
    const { handler } = resolution;
    return handler === method
      ? { status: 200 }
      : { status: 200, reason: `${handler} handles ${method}` };
  }
  const { status } = resolution;
  const reason = {
    204: "Bough responds automatically",
    405: `the route has no handler for ${method}, only for ${
      methods.join(", ")
    }`,
    501: `method "${method}" is not supported`,
  }[status];
  return { status, reason };
}

/** The other matching routes, then the most similar of the remaining routes. */
function similarRoutes(
  routes: readonly ListedRoute[],
  segments: readonly string[],
  winner: ListedRoute | undefined,
): ListedRoute[] {
  const similar = routes.filter((route) => route !== winner)
    .map((route) => ({
      route,
      shared: sharedSegments(route.pattern, segments),
    }))
    // Nearly every route shares the first segment, which is the prefix.
    .filter(({ route, shared }) =>
      shared > 1 ||
      isMisspelled(segments[shared], route.pattern.segments[shared])
    )
    .sort((a, b) => b.shared - a.shared);
  const matching = similar.filter(({ shared }) => shared === Infinity);
  const others = similar.slice(matching.length, matching.length + MAX_SIMILAR);
  return [...matching, ...others].map(({ route }) => route);
}

/** The number of leading segments that match; `Infinity` if all match. */
function sharedSegments(
  { segments }: RoutePattern,
  path: readonly string[],
): number {
  for (const [index, segment] of segments.entries()) {
    const part = path[index];
    const isOther = segment.kind === "static" && segment.text !== part;
    if (part === undefined || isOther) return index;
    if (segment.kind === "wildcard") return Infinity;
  }
  return segments.length === path.length ? Infinity : segments.length;
}

/** Whether a segment of the path is nearly that of the route: `note` and `notes`. */
function isMisspelled(
  part: string | undefined,
  segment: UrlSegment | undefined,
): boolean {
  return part !== undefined && segment?.kind === "static" &&
    isNear(part, segment.text);
}

function reasonOf(
  pattern: RoutePattern,
  path: readonly string[],
  winner: RoutePattern | undefined,
): string {
  const shared = sharedSegments(pattern, path);
  if (shared === Infinity) {
    const at = pattern.segments.findIndex((segment, index) =>
      segment.kind !== winner?.segments[index]?.kind
    );
    const [first, second] = [winner!, pattern]
      .map(({ segments }) => quote(segments[at]!));
    return `also matches, but ${first} precedes ${second} in segment ${at + 1}`;
  }
  const segment = pattern.segments[shared];
  if (segment === undefined) {
    return `ends before segment ${shared + 1}, "${path[shared]}"`;
  }
  const has = path[shared] === undefined
    ? "the path ends there"
    : `the path has "${path[shared]}"`;
  return `expects ${quote(segment)} in segment ${shared + 1}, but ${has}`;
}

function quote(segment: UrlSegment): string {
  return segment.kind === "static"
    ? `"${segment.text}"`
    : formatSegment(segment);
}

function describe(outcome: Outcome, request: string): string {
  const { status, reason, route, file = "", wildcardParams } = outcome;
  const { params = {}, middleware = [], security, otherCandidates } = outcome;
  const text = `${status}: ${reason}`;
  const lines = route === undefined
    ? [`${request} gets ${text}`]
    : [`${request} reaches ${route} (${file})`, ...(reason ? [text] : [])];
  for (const [name, value] of Object.entries(params)) {
    lines.push(`params.${name} = ${JSON.stringify(value)}`);
  }
  if (wildcardParams !== undefined) {
    lines.push(`wildcardParams = ${JSON.stringify(wildcardParams)}`);
  }
  if (middleware.length > 0) lines.push(`through ${middleware.join(" > ")}`);
  if (security !== undefined) lines.push(`security: ${security}`);
  lines.push(...otherCandidates.map(({ route, why }) => `${route} ${why}`));
  return lines.map(printable).join("\n  ");
}

/** Compiles the patterns of routes, and sorts the routes in matching order. */
export function inMatchingOrder<Info extends Pick<RouteInfo, "segments">>(
  routes: readonly Info[],
): ListedRoute<Info>[] {
  return withPatterns(routes).sort((a, b) => compare(a.pattern, b.pattern));
}

function compare(a: RoutePattern, b: RoutePattern): number {
  for (const [index, left] of a.segments.entries()) {
    const right = b.segments[index];
    if (right === undefined) return 1;
    if (left.kind !== right.kind) return RANK[left.kind] - RANK[right.kind];
    if (left.kind === "static" && right.kind === "static") {
      if (left.text !== right.text) return left.text < right.text ? -1 : 1;
    }
  }
  return a.segments.length - b.segments.length;
}
