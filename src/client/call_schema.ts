import type {
  RouteContracts,
  RouteModule,
  RoutePath,
  SchemaOfMethod,
} from "../http/route_map_types.ts";
import type {
  DeclaredResponses,
  SchemaInput,
} from "../http/validation/response_types.ts";
import type { Method } from "../method.ts";

/**
 * The schemas that a route file has for a method. `HEAD` has those of `GET`, unless the
 * file handles it.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam Path The URL path, such as `"/books/[bookId]"`.
 * @typeParam Name The method, such as `"GET"`.
 */
export type OwnSchema<
  Routes,
  Path extends RoutePath<Routes>,
  Name extends Method,
> = SchemaOfMethod<
  RouteModule<Routes, Path>,
  Name extends "HEAD"
    ? "HEAD" extends keyof RouteModule<Routes, Path> ? "HEAD" : "GET"
    : Name
>;

/**
 * The schemas of a call: those of the method, and the contracts of the folders around
 * its route.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam Path The URL path, such as `"/books/[bookId]"`.
 * @typeParam Name The method, such as `"GET"`.
 */
export type CallSchema<
  Routes,
  Path extends RoutePath<Routes>,
  Name extends Method,
> = CoveredSchema<RouteContracts<Routes, Path>, OwnSchema<Routes, Path, Name>>;

/**
 * Schemas below contracts.
 *
 * @typeParam Contracts The contracts, the outermost first.
 * @typeParam Schema The schemas of the method.
 */
export type CoveredSchema<Contracts, Schema> = Contracts extends
  [infer Outermost, ...infer Others]
  ? BelowContract<Outermost, CoveredSchema<Others, Schema>>
  : Schema;

/**
 * Schemas below one contract: a request has to fit both, and the nearest says what a
 * response with a status is.
 *
 * @typeParam Outer The contract.
 * @typeParam Inner What lies inside.
 */
export type BelowContract<Outer, Inner> =
  & Omit<Inner, "params" | "query" | "headers" | "response">
  & {
    readonly [
      Part in (keyof Outer | keyof Inner) & ("params" | "query" | "headers")
    ]: {
      readonly "~standard": {
        readonly types?: {
          readonly input: InputOf<Outer, Part> & InputOf<Inner, Part>;
          readonly output: unknown;
        };
      };
    };
  }
  & ("response" extends keyof Outer | keyof Inner ? {
      readonly response:
        & Omit<DeclaredResponses<Outer>, keyof DeclaredResponses<Inner>>
        & DeclaredResponses<Inner>;
    }
    : unknown);

/**
 * What one part of schemas takes.
 *
 * @typeParam Schema The schemas.
 * @typeParam Part The part, such as `"query"`.
 */
export type InputOf<Schema, Part extends string> = Schema extends
  { readonly [Key in Part]: infer Of } ? SchemaInput<Of> : unknown;
