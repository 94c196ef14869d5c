import type { Method } from "../method.ts";
import type { FrameworkRequest } from "./request.ts";
import type { MethodSchema } from "./validation/schema.ts";

/**
 * The route files of a map by their URL paths, without prefix and groups:
 * `"(admin)/stock/[bookId]/route.ts"` is `"/stock/[bookId]"`.
 *
 * The keys are found one by one, and a file is looked at only where its path is
 * used. So a map of 1,000 files costs the compiler next to nothing.
 *
 * @typeParam Routes The map: `Routes` of the file that `bough types` writes, or the
 * `typeof` of a manifest.
 */
export type RoutesByPath<Routes> = {
  [File in keyof Routes as PathOfFile<File>]: Routes[File];
};

/**
 * The URL path of a route file; `never` for another file.
 *
 * @typeParam File The path of the file below `apiDir`.
 */
export type PathOfFile<File> = File extends
  `${infer Folders}route.${RouteExtension}` ? Folders extends "" ? "/"
  : Folders extends `${infer Path}/` ? WithoutGroups<`/${Path}`>
  : never
  : never;

/** The extensions of a route file. */
export type RouteExtension = "ts" | "tsx" | "js" | "jsx";

/**
 * A path without its groups: `"/(admin)/stock"` is `"/stock"`.
 *
 * @typeParam Path The path as the folders spell it.
 */
export type WithoutGroups<Path extends string> = Path extends
  `${infer Before}/(${infer Rest}`
  ? Rest extends `${string})/${infer After}`
    ? WithoutGroups<`${Before}/${After}`>
  : Rest extends `${string})` ? Before extends "" ? "/" : Before
  : Path
  : Path;

/**
 * The exports of the route file with a path, also where a manifest imports it at its
 * first request.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam Path The URL path, such as `"/books/[bookId]"`.
 */
export type RouteModule<Routes, Path extends keyof RoutesByPath<Routes>> =
  RoutesByPath<Routes>[Path] extends infer Exports
    ? Exports extends () => Promise<infer Loaded> ? Loaded : Exports
    : never;

/**
 * The schemas of one method of a route file; an empty object where it has none.
 *
 * @typeParam Module The exports of the route file.
 * @typeParam Name The method, such as `"GET"`.
 */
export type SchemaOfMethod<Module, Name extends Method> = Module extends
  { readonly schema: { readonly [Key in Lowercase<Name>]: infer Schema } }
  ? Schema
  : Record<never, never>;

/**
 * The request of a handler, by the path of its route and its method.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam Path The URL path, such as `"/books/[bookId]"`.
 * @typeParam Name The method, such as `"GET"`.
 */
export type RouteRequest<
  Routes,
  Path extends keyof RoutesByPath<Routes> & string,
  Name extends Method,
> = SchemaOfMethod<RouteModule<Routes, Path>, Name> extends
  infer Schema extends MethodSchema ? FrameworkRequest<Schema, Path>
  : FrameworkRequest<Path>;

/**
 * The paths that the handlers of a route file name in the types of their requests.
 *
 * @typeParam Module The exports of the route file.
 */
export type ToldPaths<Module> = {
  [Name in keyof Module & Method]: Module[Name] extends
    (request: FrameworkRequest<infer _Schema, infer Path>) => unknown
    ? string extends Path ? never : Path
    : never;
}[keyof Module & Method];

/**
 * Holds the paths that handlers name to that of their folder: `deno check` refuses
 * any other.
 *
 * @typeParam Path The path of the folder.
 * @typeParam Told The paths that are told there.
 */
export type TellsPath<Path extends string, Told extends Path> = Told;
