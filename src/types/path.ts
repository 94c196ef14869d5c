/**
 * The params of a path: for `"/users/[id]"` they are `{ id: string }`. Where the
 * path is any `string`, they may have any name.
 *
 * @typeParam Path The path, such as `"/users/[id]/posts/[postId]"`.
 *
 * @example Usage
 * ```ts
 * import type { PathParams } from "@bough/framework/types";
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
 * What the wildcard of a path captures: an array if the path ends in `[...]`,
 * otherwise `undefined`.
 *
 * @typeParam Path The path, such as `"/files/[...]"`.
 *
 * @example Usage
 * ```ts
 * import type { PathWildcard } from "@bough/framework/types";
 *
 * const rest: PathWildcard<"/files/[...]"> = ["classics", "emma.txt"];
 * ```
 */
export type PathWildcard<Path extends string> = string extends Path
  ? string[] | undefined
  : Path extends `${string}[...]` ? string[]
  : undefined;

/**
 * The names of the dynamic segments of a path: for
 * `"/users/[id]/posts/[postId]"` they are `"id" | "postId"`.
 *
 * @typeParam Path The path, spelled as its folders are.
 *
 * @example Usage
 * ```ts
 * import type { ParamNames } from "@bough/framework/types";
 *
 * const name: ParamNames<"/users/[id]/posts/[postId]"> = "postId";
 * ```
 */
export type ParamNames<Path extends string> = Path extends
  `${infer Segment}/${infer Rest}` ? ParamNames<Segment> | ParamNames<Rest>
  : Path extends "[...]" ? never
  : Path extends `[${infer Name}]` ? Name
  : never;
