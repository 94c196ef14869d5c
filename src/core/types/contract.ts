import type { Method } from "../methods.ts";
import type {
  MethodSchema,
  ResponseSchemas,
  SchemaPart,
  StandardSchemaV1,
  ValidatedParts,
} from "./schema.ts";

/**
 * The requirements of a folder's middleware for requests, and its possible responses:
 * the export `contract` of a `middleware.ts`, or an item of the member `contracts` of a
 * middleware function. The contract covers every route below the folder.
 *
 * Bough checks `params`, `query` and `headers` just before the middleware runs. Each
 * contract, and the schema of the method, receives the values that the client sent. The
 * other members are documentation.
 *
 * @example Usage
 * ```ts
 * import type { FolderContract, Middleware } from "@bough/framework";
 * import { z } from "zod";
 *
 * export const contract = {
 *   headers: z.object({ "x-tenant": z.uuid() }),
 *   tags: ["tenants"],
 * } satisfies FolderContract;
 *
 * const logTenant: Middleware<typeof contract> = (request, next) => {
 *   console.log(request.validated.headers?.["x-tenant"]);
 *   return next();
 * };
 *
 * export default logTenant;
 * ```
 */
export interface FolderContract extends
  Pick<
    MethodSchema,
    | "query"
    | "headers"
    | "cookies"
    | "security"
    | "access"
    | "tags"
    | "deprecated"
  > {
  /**
   * The methods that the contract covers, such as `["POST"]`. `"GET"` includes `HEAD`,
   * which the list cannot contain.
   *
   * @default all methods
   */
  readonly methods?: readonly Exclude<Method, "HEAD">[];
  /** Checks the values of the dynamic segments in the path of the folder. */
  readonly params?: StandardSchemaV1;
  /** Describes the responses of the middleware, and of all routes, by status. */
  readonly response?: ResponseSchemas;
  /** Whether the plugin `mcp()` offers all methods below the folder as tools. */
  readonly mcp?: boolean;
}

/** A contract, and the file that declares it. */
export interface LocatedContract {
  /** The contract. */
  readonly contract: FolderContract;
  /**
   * The middleware file, such as `api/(staff)/middleware.ts`, the route file, or
   * `option middleware[0]`.
   */
  readonly file: string;
  /** The param names in the path of the folder, which its `params` schema receives. */
  readonly paramNames: readonly string[];
  /** The methods of a route file that declares middleware by method. */
  readonly methods?: readonly Method[];
}

/**
 * The schemas of a method below folders with contracts, for {@linkcode
 * FrameworkRequest} and {@linkcode Handler}. `request.validated` also contains the
 * outputs of the contracts. Within one part, the innermost level that names a member
 * wins.
 *
 * @typeParam Contracts The contract of the folder, or the contracts of several folders,
 * outermost first.
 * @typeParam Schema The schemas of the method itself, such as `typeof schema.get`.
 *
 * @example Usage
 * ```ts
 * import type {
 *   FolderContract,
 *   FrameworkRequest,
 *   WithContracts,
 * } from "@bough/framework";
 * import { z } from "zod";
 *
 * // api/(tenants)/middleware.ts
 * const contract = {
 *   headers: z.object({ "x-tenant": z.uuid() }),
 * } satisfies FolderContract;
 *
 * // api/(tenants)/books/route.ts
 * const schema = { get: { query: z.object({ q: z.string() }) } };
 *
 * function GET(
 *   request: FrameworkRequest<WithContracts<typeof contract, typeof schema.get>>,
 * ) {
 *   const { headers, query } = request.validated;
 *   return Response.json({ tenant: headers["x-tenant"], q: query.q });
 * }
 * ```
 */
export type WithContracts<
  Contracts extends FolderContract | readonly FolderContract[],
  Schema extends MethodSchema = Record<never, never>,
> = Contracts extends readonly [
  ...infer Others extends readonly FolderContract[],
  infer Innermost extends FolderContract,
]
  ? WithContracts<Innermost, Schema> extends infer Inner extends MethodSchema
    ? WithContracts<Others, Inner>
  : never
  : Contracts extends FolderContract ?
      & Omit<Schema, Exclude<SchemaPart, "body">>
      & {
        readonly [
          Part in Exclude<(keyof Contracts | keyof Schema) & SchemaPart, "body">
        ]: StandardSchemaV1<
          unknown,
          Part extends keyof ValidatedParts<Contracts>
            ? Part extends keyof ValidatedParts<Schema> ? MergedPart<
                ValidatedParts<Contracts>[Part],
                ValidatedParts<Schema>[Part]
              >
            : ValidatedParts<Contracts>[Part]
            : ValidatedParts<Schema>[Part & keyof ValidatedParts<Schema>]
        >;
      }
  : Schema;

/**
 * The output of several levels for one part. The inner level provides the members that
 * it names. For a member that only the index signature of the inner level covers, the
 * outer value replaces an unchanged inner value.
 *
 * @typeParam Outer The output of the outer levels.
 * @typeParam Inner The output of the inner level.
 */
export type MergedPart<Outer, Inner> = Inner extends unknown ?
    & {
      [
        Name in keyof Outer as Name extends NamesOf<Inner> ? never : Name
      ]: string extends Name ? Outer[Name] | Inner[keyof Inner]
        : string extends keyof Inner
          ? unknown extends Inner[keyof Inner & string] ? Outer[Name]
          : Outer[Name] | Inner[keyof Inner & string]
        : Outer[Name];
    }
    & (string extends keyof Inner ? {
        [Name in keyof Inner]: string extends Name
          ? Inner[Name] | Outer[keyof Outer]
          : Inner[Name];
      }
      : Inner)
  : never;

/** The names of a type, except names that only an index signature covers. */
export type NamesOf<Type> = keyof {
  [
    Name in keyof Type as string extends Name ? never
      : number extends Name ? never
      : Name
  ]: true;
};

/**
 * The schemas of requests to a middleware with a contract. If no handler responds, for
 * example to `OPTIONS`, Bough skips the contract. Each part is then `undefined`.
 *
 * @typeParam Contract The contract in the middleware file.
 */
export type Unchecked<Contract extends FolderContract> = {
  readonly [Part in keyof Contract as Extract<Part, SchemaPart>]:
    StandardSchemaV1<
      unknown,
      | ValidatedParts<Contract>[Part & keyof ValidatedParts<Contract>]
      | undefined
    >;
};
