import type { RouteInfo } from "../app/plugin.ts";
import { RoutePattern } from "../routing/pattern.ts";

/** A route and its compiled pattern. */
export interface ListedRoute<Info = RouteInfo> {
  /** The route, as the application lists it. */
  readonly info: Info;
  /** Its URL pattern. */
  readonly pattern: RoutePattern;
}

const RANK = { static: 0, dynamic: 1, wildcard: 2 } as const;

/** Routes in the order in which they are tried, segment by segment. */
export function inMatchingOrder<Info extends Pick<RouteInfo, "segments">>(
  routes: readonly Info[],
): ListedRoute<Info>[] {
  return routes.map((info) => ({
    info,
    pattern: new RoutePattern(info.segments),
  })).sort((a, b) => compare(a.pattern, b.pattern));
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
