/**
 * The params of a path: `{ id: string }` for `"/users/[id]"`. If the path is any
 * `string`, the params may have any name.
 *
 * @typeParam Path The path, such as `"/users/[id]/posts/[postId]"`.
 */
export type PathParams<Path extends string> = string extends Path
  ? Record<string, string>
  : { [Name in ParamNames<Path>]: string };

/**
 * The captures of the wildcard of a path: an array if the path ends in `[...]`,
 * otherwise `undefined`.
 *
 * @typeParam Path The path, such as `"/files/[...]"`.
 */
export type PathWildcard<Path extends string> = string extends Path
  ? string[] | undefined
  : Path extends `${string}[...]` ? string[]
  : undefined;

/**
 * The names of the dynamic segments of a path: `"id" | "postId"` for
 * `"/users/[id]/posts/[postId]"`.
 *
 * @typeParam Path The path, in the form of its folders.
 */
export type ParamNames<Path extends string> = Path extends
  `${infer Segment}/${infer Rest}` ? ParamNames<Segment> | ParamNames<Rest>
  : Path extends "[...]" ? never
  : Path extends `[${infer Name}]` ? Name
  : never;
