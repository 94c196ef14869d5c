/**
 * The params of a path, as its folders spell it: for `"/users/[id]"` they are
 * `{ id: string }`, and for a path that is any string they may have any name.
 *
 * @typeParam Path The path, such as `"/users/[id]/posts/[postId]"`.
 */
export type PathParams<Path extends string> = string extends Path
  ? Record<string, string>
  : { [Name in ParamNames<Path>]: string };

/**
 * What a path's wildcard captures: an array where it ends in `[...]`, and
 * `undefined` where it does not.
 *
 * @typeParam Path The path, such as `"/files/[...]"`.
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
 */
export type ParamNames<Path extends string> = Path extends
  `${infer Segment}/${infer Rest}` ? ParamNames<Segment> | ParamNames<Rest>
  : Path extends "[...]" ? never
  : Path extends `[${infer Name}]` ? Name
  : never;
