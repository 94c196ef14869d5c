import type { Method } from "../methods.ts";

/**
 * The route files of a map by their URL paths, without prefix and groups: that of
 * `"/stock/[bookId]"` is `"(admin)/stock/[bookId]/route.ts"`.
 *
 * The compiler makes this map once, and looks at a file only where its path is used.
 * `keyof Routes` would list all files anew wherever it stands: with 1,000 of them, it
 * has no place in the types of a single route.
 *
 * @typeParam Routes The map: `Routes` of the file that `bough types` writes, or the
 * `typeof` of a manifest.
 */
export type FilesByPath<Routes> = {
  [File in keyof Routes as PathOfFile<File>]: {
    readonly file: File;
    readonly exports: Routes[File];
    readonly names: keyof Loaded<Routes[File]>;
  };
};

/** The URL paths of all routes of a map. */
export type RoutePath<Routes> = keyof FilesByPath<Routes> & string;

/**
 * The URL path of a route file; `never` for another file.
 *
 * @typeParam File The path of the file below `apiDir`.
 */
export type PathOfFile<File> = File extends `${infer Folders}route.ts`
  ? PathOfFolders<Folders>
  : File extends `${infer Folders}route.${Exclude<RouteExtension, "ts">}`
    ? PathOfFolders<Folders>
  : never;

/**
 * The URL path of a folder; `never` where the text is none.
 *
 * @typeParam Folders The folders, each with a slash behind it.
 */
export type PathOfFolders<Folders extends string> = Folders extends "" ? "/"
  : Folders extends `${infer Path}/` ? WithoutGroups<`/${Path}`>
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
 */
export type RouteModule<Routes, Path extends RoutePath<Routes>> =
  FilesByPath<Routes>[Path]["exports"] extends infer Exports ? Loaded<Exports>
    : never;

/**
 * The exports of a file.
 *
 * @typeParam Exports The same, or a function that imports them.
 */
export type Loaded<Exports> = Exports extends () => Promise<infer Later> ? Later
  : Exports;

/** The schemas of one method of a route file; an empty object where it has none. */
export type SchemaOfMethod<Module, Name extends Method> = "schema" extends
  keyof Module ? MemberOf<Module["schema"], Lowercase<Name>>
  : Record<never, never>;

/** A member of an object; an empty object where it has none. */
export type MemberOf<Of, Name> = Name extends keyof Of ? Of[Name]
  : Record<never, never>;

/** The contracts of the folders around a route, the outermost first. */
export type RouteContracts<Routes, Path extends RoutePath<Routes>> =
  MiddlewareFolder<Routes> extends never ? []
    : ContractsAlong<
      MiddlewareByFolder<Routes>,
      FilesByPath<Routes>[Path]["file"]
    >;

/**
 * The exports of the middleware files of a map, by their folders: that of
 * `"(admin)/middleware.ts"` is `"(admin)/"`.
 */
export type MiddlewareByFolder<Routes> = {
  [
    File in keyof Routes as File extends
      `${infer Folders}middleware.${RouteExtension}` ? Folders : never
  ]: Loaded<Routes[File]>;
};

/**
 * The folders with a middleware file, such as `"(admin)/"`. It is a conditional type,
 * since the compiler remembers what those are.
 */
export type MiddlewareFolder<Routes> = Routes extends unknown
  ? keyof MiddlewareByFolder<Routes>
  : never;

/**
 * The contracts of the folders on the way to a file, the outermost first.
 *
 * @typeParam Middleware The exports of the middleware files, by their folders.
 * @typeParam File What is left of the way.
 * @typeParam Above The folders that are behind.
 */
export type ContractsAlong<Middleware, File, Above extends string = ""> = [
  ...ContractIn<Middleware, Above>,
  ...(File extends `${infer Folder}/${infer Inner}`
    ? ContractsAlong<Middleware, Inner, `${Above}${Folder}/`>
    : []),
];

/**
 * The contract of the middleware file in a folder, if it is there and has one.
 *
 * @typeParam Middleware The exports of the middleware files, by their folders.
 * @typeParam Folder The folder, with a slash behind it.
 */
export type ContractIn<Middleware, Folder extends string> = Middleware extends
  { readonly [Name in Folder]: { readonly contract: infer Contract } }
  ? [Contract]
  : [];
