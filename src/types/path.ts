/**
 * The params of a path: for `"/users/[id]"` they are `{ id: string }`. Where the
 * path is any `string`, they may have any name.
 *
 * @typeParam Path The path, such as `"/users/[id]/posts/[postId]"`.
 */
export type PathParams<Path extends string> = string extends Path
  ? Record<string, string>
  : { [Name in ParamNames<Path>]: string };

/**
 * What the wildcard of a path captures: an array if the path ends in `[...]`,
 * otherwise `undefined`.
 *
 * @typeParam Path The path, such as `"/files/[...]"`.
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
 */
export type ParamNames<Path extends string> = Path extends
  `${infer Segment}/${infer Rest}` ? ParamNames<Segment> | ParamNames<Rest>
  : Path extends "[...]" ? never
  : Path extends `[${infer Name}]` ? Name
  : never;
