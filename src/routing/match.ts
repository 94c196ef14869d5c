import type { Params, RoutePattern } from "./pattern.ts";

/** A value with its pattern. */
export interface Matched {
  readonly pattern: RoutePattern;
}

/** What was found by a path, and what its pattern captured. Each path has its own. */
export interface Match<T = unknown> {
  readonly value: T;
  /** The values of the dynamic segments, by name. */
  readonly params: Params;
  /** The segments that the wildcard captured; `undefined` without one. */
  readonly wildcardParams: string[] | undefined;
}
