/**
 * The params of a path, as its folders spell it: for `"/users/[id]"` they are
 * `{ id: string }`, and for a path that is any string they may have any name.
 *
 * @typeParam Path The path, such as `"/users/[id]/posts/[postId]"`.
 *
 * @example Usage
 * ```ts
 * import type { PathParams } from "@bough/framework";
 *
 * const params: PathParams<"/users/[id]/posts/[postId]"> = {
 *   id: "42",
 *   postId: "7",
 * };
 * ```
 */
export type PathParams<Path extends string> = string extends Path
  ? Record<string, string>
  : { [Name in ParamNames<Path>]: string };

/**
 * What a path's wildcard captures: an array where it ends in `[...]`, and
 * `undefined` where it does not.
 *
 * @typeParam Path The path, such as `"/files/[...]"`.
 *
 * @example Usage
 * ```ts
 * import type { PathWildcard } from "@bough/framework";
 *
 * const rest: PathWildcard<"/files/[...]"> = ["classics", "emma.txt"];
 * ```
 */
export type PathWildcard<Path extends string> = string extends Path
  ? string[] | undefined
  : Path extends `${string}[...]` ? string[]
  : undefined;

/**
 * The names of a path's dynamic segments: for `"/users/[id]/posts/[postId]"`
 * they are `"id" | "postId"`.
 *
 * @typeParam Path The path as its folders spell it.
 *
 * @example Usage
 * ```ts
 * import type { ParamNames } from "@bough/framework";
 *
 * const name: ParamNames<"/users/[id]/posts/[postId]"> = "postId";
 * ```
 */
export type ParamNames<Path extends string> = Path extends
  `${infer Segment}/${infer Rest}` ? ParamNames<Segment> | ParamNames<Rest>
  : Path extends "[...]" ? never
  : Path extends `[${infer Name}]` ? Name
  : never;
