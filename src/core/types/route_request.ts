import type { Method } from "../methods.ts";
import type { FolderContract, WithContracts } from "./contract.ts";
import type { FrameworkRequest } from "./request.ts";
import type {
  RouteContracts,
  RouteMethod,
  RouteModule,
  RoutePath,
  SchemaOfMethod,
} from "./route_map.ts";
import type { MethodSchema } from "./schema.ts";

/**
 * The request of a handler, by the path and the method of the route. Its types come
 * from the schemas, the path and the contracts of the folders.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam Path The URL path, such as `"/users/[id]"`.
 * @typeParam Name A method that the route file exports.
 */
export type RouteRequest<
  Routes,
  Path extends RoutePath<Routes>,
  Name extends RouteMethod<Routes, Path>,
> = UnderContracts<
  RouteContracts<Routes, Path, Name>,
  SchemaOfMethod<RouteModule<Routes, Path>, Name>
> extends infer Schema extends MethodSchema ? FrameworkRequest<Schema, Path>
  : FrameworkRequest<Path>;

/** The schemas of a method below any number of contracts. */
export type UnderContracts<Contracts, Schema> = Contracts extends [] ? Schema
  : Contracts extends readonly FolderContract[]
    ? Schema extends MethodSchema ? WithContracts<Contracts, Schema>
    : WithContracts<Contracts>
  : never;

/** A route file: `deno check` rejects a handler that may return no `Response`. */
export interface RouteHandlers extends
  Readonly<
    Partial<
      Record<Method, (request: never) => Response | PromiseLike<Response>>
    >
  > {}

/** The paths that the handlers of a route file name in the types of their requests. */
export type NamedPaths<Module extends RouteHandlers> = {
  [Name in keyof Module & Method]: Module[Name] extends
    (request: FrameworkRequest<infer _Schema, infer Path>) => unknown
    ? string extends Path ? never : Path
    : never;
}[keyof Module & Method];

/**
 * Checks that handlers name the path of their folder: `deno check` rejects any other
 * path.
 */
export type CheckPath<Path extends string, Named extends Path> = Named;
