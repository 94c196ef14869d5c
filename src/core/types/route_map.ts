import type { Method } from "../methods.ts";

/**
 * The route files of a map by their URL paths, without prefix and groups: the file of
 * `"/stock/[bookId]"` is `"(admin)/stock/[bookId]/route.ts"`.
 *
 * The compiler creates this map once, and reads a file only if its path is used.
 * `keyof Routes` would list all files at each use. With 1,000 files, that is too slow
 * for the types of a single route.
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

/**
 * The URL paths of all routes of a map.
 *
 * @typeParam _Remedy What to do about another path; errors of the compiler show it.
 */
export type RoutePath<Routes, _Remedy = unknown> =
  & keyof FilesByPath<Routes>
  & string;

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
 * The URL path of a folder; `never` for any other string.
 *
 * @typeParam Folders The folders, each followed by a slash.
 */
export type PathOfFolders<Folders extends string> = Folders extends "" ? "/"
  : Folders extends `${infer Path}/` ? WithoutGroups<`/${Path}`>
  : never;

/** The extensions of a route file. */
export type RouteExtension = "ts" | "tsx" | "js" | "jsx";

/**
 * A path without its groups: `"/stock"` for `"/(admin)/stock"`.
 *
 * @typeParam Path The path, in the form of its folders.
 */
export type WithoutGroups<Path extends string> = Path extends
  `${infer Before}/(${infer Rest}`
  ? Rest extends `${string})/${infer After}`
    ? WithoutGroups<`${Before}/${After}`>
  : Rest extends `${string})` ? Before extends "" ? "/" : Before
  : Path
  : Path;

/** The methods that the route file at a path exports. */
export type RouteMethod<Routes, Path extends RoutePath<Routes>> =
  & FilesByPath<Routes>[Path]["names"]
  & Method;

/**
 * The exports of the route file with a path, even if a manifest imports the file at its
 * first request.
 */
export type RouteModule<Routes, Path extends RoutePath<Routes>> =
  FilesByPath<Routes>[Path]["exports"] extends infer Exports ? Loaded<Exports>
    : never;

/**
 * The exports of a file.
 *
 * @typeParam Exports The exports, or a function that imports them.
 */
export type Loaded<Exports> = Exports extends () => Promise<infer Later> ? Later
  : Exports;

/** The schemas of one method of a route file; an empty object if there are none. */
export type SchemaOfMethod<Module, Name extends Method> = "schema" extends
  keyof Module ? MemberOf<Module["schema"], Lowercase<Name>>
  : Record<never, never>;

/** A member of an object; an empty object if it is missing. */
export type MemberOf<Of, Name> = Name extends keyof Of ? Of[Name]
  : Record<never, never>;

/** The contracts that cover a method of a route, outermost first. */
export type RouteContracts<
  Routes,
  Path extends RoutePath<Routes>,
  Name extends Method,
> = "middleware" extends FilesByPath<Routes>[Path]["names"] ? [
    ...FolderContracts<Routes, Path, Name>,
    ...OwnContracts<RouteModule<Routes, Path>, Name>,
  ]
  : FolderContracts<Routes, Path, Name>;

/** The contracts of folders that cover a method of a route, outermost first. */
export type FolderContracts<
  Routes,
  Path extends RoutePath<Routes>,
  Name extends Method,
> = MiddlewareFolder<Routes> extends never ? []
  : ContractsAlong<
    MiddlewareByFolder<Routes>,
    FilesByPath<Routes>[Path]["file"],
    Name extends "HEAD" ? "GET" : Name
  >;

/**
 * The contracts of the middleware that a route file exports.
 *
 * @typeParam Module The exports of the file.
 * @typeParam Name The method that the contracts cover.
 */
export type OwnContracts<Module, Name extends Method> = Module extends
  { readonly middleware: infer Middleware } ? ContractsOfDefault<
    Middleware extends readonly unknown[] ? Middleware
      : MemberOf<
        Middleware,
        Name extends keyof Module ? Name : Name extends "HEAD" ? "GET" : Name
      >,
    Name extends "HEAD" ? "GET" : Name
  >
  : [];

/**
 * The error format of a route: the format of the innermost folder that exports a
 * format.
 *
 * @typeParam Default The format of the application.
 */
export type RouteErrors<Routes, Path extends RoutePath<Routes>, Default> =
  MiddlewareFolder<Routes> extends never ? Default
    : ErrorsAlong<
      MiddlewareByFolder<Routes>,
      FilesByPath<Routes>[Path]["file"],
      Default
    >;

/**
 * The format of the innermost folder on the path to a file.
 *
 * @typeParam Middleware The exports of the middleware files, by their folders.
 * @typeParam File The path of the file below the folder `Above`.
 * @typeParam Outer The format of the folders above.
 * @typeParam Above The path of the outermost folder to search, such as `"(admin)/"`.
 */
export type ErrorsAlong<Middleware, File, Outer, Above extends string = ""> =
  ErrorsIn<Middleware, Above, Outer> extends infer Errors
    ? File extends `${infer Folder}/${infer Inner}`
      ? ErrorsAlong<Middleware, Inner, Errors, `${Above}${Folder}/`>
    : Errors
    : never;

/**
 * The format of one folder, or otherwise the format of the folders above it.
 *
 * @typeParam Middleware The exports of the middleware files, by their folders.
 * @typeParam Folder The folder, followed by a slash.
 * @typeParam Outer The format of the folders above.
 */
export type ErrorsIn<Middleware, Folder extends string, Outer> =
  Middleware extends
    { readonly [Name in Folder]: { readonly errors: infer Errors } } ? Errors
    : Outer;

/**
 * The exports of the middleware files of a map, by their folders: the folder of
 * `"(admin)/middleware.ts"` is `"(admin)/"`.
 */
export type MiddlewareByFolder<Routes> = {
  [
    File in keyof Routes as File extends
      `${infer Folders}middleware.${RouteExtension}` ? Folders : never
  ]: Loaded<Routes[File]>;
};

/**
 * The folders with a middleware file, such as `"(admin)/"`. The type is conditional,
 * since the compiler caches conditional types.
 */
export type MiddlewareFolder<Routes> = Routes extends unknown
  ? keyof MiddlewareByFolder<Routes>
  : never;

/**
 * The contracts of the folders on the path to a file, outermost first.
 *
 * @typeParam Middleware The exports of the middleware files, by their folders.
 * @typeParam File The path of the file below the folder `Above`.
 * @typeParam Name The method that the contracts cover, except `HEAD`.
 * @typeParam Above The path of the outermost folder to search, such as `"(admin)/"`.
 */
export type ContractsAlong<
  Middleware,
  File,
  Name extends Method,
  Above extends string = "",
> = [
  ...ContractsIn<Middleware, Above, Name>,
  ...(File extends `${infer Folder}/${infer Inner}`
    ? ContractsAlong<Middleware, Inner, Name, `${Above}${Folder}/`>
    : []),
];

/**
 * The contracts of the middleware file in a folder: its export `contract`, and the
 * contracts of its functions.
 *
 * @typeParam Middleware The exports of the middleware files, by their folders.
 * @typeParam Folder The folder, followed by a slash.
 * @typeParam Name The method that the contracts cover, except `HEAD`.
 */
export type ContractsIn<
  Middleware,
  Folder extends string,
  Name extends Method,
> = Middleware extends { readonly [In in Folder]: infer Exports } ? [
    ...(Exports extends { readonly contract: infer Contract }
      ? Covering<[Contract], Name>
      : []),
    ...(Exports extends { readonly default: infer Default }
      ? ContractsOfDefault<Default, Name>
      : []),
  ]
  : [];

/**
 * The contracts of a default export. A list of several functions needs `as const`: in
 * the type of `[authenticate, limit]`, TypeScript keeps only what all functions have in
 * common.
 *
 * @typeParam Default A middleware function, or a list of functions.
 * @typeParam Name The method that the contracts cover, except `HEAD`.
 */
export type ContractsOfDefault<Default, Name extends Method> = Default extends
  readonly [infer First, ...infer Others]
  ? [...ContractsOfDefault<First, Name>, ...ContractsOfDefault<Others, Name>]
  : Default extends { readonly contracts: infer Contracts }
    ? Covering<Contracts, Name>
  : Default extends readonly [] ? []
  : Default extends readonly (infer Each)[] ? ContractsOfAll<Each, Name>
  : [];

/**
 * The contracts of functions in a list without `as const`, if all have the same type.
 *
 * @typeParam Each The type of the functions.
 * @typeParam Name The method that the contracts cover, except `HEAD`.
 * @typeParam All The same type, to detect a union.
 */
export type ContractsOfAll<Each, Name extends Method, All = Each> = Each extends
  { readonly contracts: infer Contracts }
  ? [All] extends [Each] ? Covering<Contracts, Name> : []
  : [];

/**
 * The contracts of a list that cover a method.
 *
 * @typeParam Contracts The contracts, outermost first.
 * @typeParam Name The method, except `HEAD`.
 */
export type Covering<Contracts, Name extends Method> = Contracts extends
  readonly [infer First, ...infer Others] ? [
    ...(First extends { readonly methods: readonly (infer Covered)[] }
      ? Name extends Covered ? [First] : []
      : [First]),
    ...Covering<Others, Name>,
  ]
  : [];
