import type { Method } from "../method.ts";

/**
 * The route files of a map by their URL paths, without prefix and groups: that of
 * `"/stock/[bookId]"` is `"(admin)/stock/[bookId]/route.ts"`.
 *
 * The keys are found one by one, and a file is looked at only where its path is
 * used. So a map of 1,000 files costs the compiler next to nothing.
 *
 * @typeParam Routes The map: `Routes` of the file that `bough types` writes, or the
 * `typeof` of a manifest.
 */
export type FilesByPath<Routes> = {
  [File in keyof Routes as PathOfFile<File>]: File;
};

/**
 * The URL paths of all routes of a map.
 *
 * @typeParam Routes The map of the routes.
 */
export type RoutePath<Routes> = keyof FilesByPath<Routes> & string;

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
export type RouteModule<Routes, Path extends RoutePath<Routes>> = Loaded<
  Routes[FilesByPath<Routes>[Path] & keyof Routes]
>;

/**
 * The exports of a file.
 *
 * @typeParam Exports The same, or a function that imports them.
 */
export type Loaded<Exports> = Exports extends () => Promise<infer Later> ? Later
  : Exports;

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
 * The contracts of the folders around a route, the outermost first.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam Path The URL path, such as `"/books/[bookId]"`.
 */
export type RouteContracts<Routes, Path extends RoutePath<Routes>> =
  ContractsAlong<Routes, FilesByPath<Routes>[Path]>;

/**
 * The contracts of the folders on the way to a file, the outermost first.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam File What is left of the way.
 * @typeParam Above The folders that are behind.
 */
export type ContractsAlong<Routes, File, Above extends string = ""> = [
  ...ContractIn<Routes, `${Above}middleware.${RouteExtension}`>,
  ...(File extends `${infer Folder}/${infer Inner}`
    ? ContractsAlong<Routes, Inner, `${Above}${Folder}/`>
    : []),
];

/**
 * The contract of a middleware file, if it is there and has one.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam File The file, with any extension.
 */
export type ContractIn<Routes, File> = [File & keyof Routes] extends [never]
  ? []
  : Loaded<Routes[File & keyof Routes]> extends
    { readonly contract: infer Contract } ? [Contract]
  : [];
