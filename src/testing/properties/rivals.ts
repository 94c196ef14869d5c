import type { RouteInfo } from "../../options/plugin.ts";
import { RANK, type UrlSegment } from "../../routing/pattern.ts";
import type { Captures } from "../send/wire.ts";

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
