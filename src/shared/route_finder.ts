import type { RouteInfo } from "../core/types/plugin.ts";
import {
  BadPathError,
  PathReader,
  RoutedPath,
} from "../core/routing/pathname.ts";
import { RoutePattern } from "../core/routing/pattern.ts";
import { type Match, RouteTree } from "../core/routing/tree.ts";

/** A route of an application, and its compiled pattern. */
export interface ListedRoute<Info = RouteInfo> {
  readonly info: Info;
  readonly pattern: RoutePattern;
}

/** Compiles the patterns of routes. */
export function withPatterns<Info extends Pick<RouteInfo, "segments">>(
  routes: readonly Info[],
): ListedRoute<Info>[] {
  return routes.map((info) => ({
    info,
    pattern: new RoutePattern(info.segments),
  }));
}

/** Finds routes as the application does. */
export class RouteFinder {
  readonly #tree: RouteTree<ListedRoute>;
  readonly #reader = new PathReader();

  constructor(routes: readonly RouteInfo[]) {
    this.#tree = new RouteTree(withPatterns(routes));
  }

  /** Finds the route that a URL reaches; a malformed path reaches no route. */
  find(url: string): Match<ListedRoute> | undefined {
    try {
      return this.#tree.find(this.#reader.read(url));
    } catch (error) {
      if (error instanceof BadPathError) return undefined;
      throw error;
    }
  }
}

/**
 * Finds routes by the texts of the segments of a path, which are not decoded. Of several
 * routes with the same pattern, finds the first.
 */
export function segmentFinder<Info extends Pick<RouteInfo, "segments">>(
  routes: readonly Info[],
): (texts: readonly string[]) => Info | undefined {
  const tree = new RouteTree(withPatterns(routes), () => {});
  return (texts) =>
    tree.find(new RoutedPath(texts.map((each) => `/${each}`).join("")))?.value
      .info;
}
