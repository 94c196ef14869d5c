import type { Method } from "../core/methods.ts";
import type { ParamNames } from "../core/types/path.ts";
import type {
  DeclaredResponses,
  SchemaInput,
  StandardTypes,
} from "../core/types/responses.ts";
import type {
  RouteContracts,
  RouteModule,
  RoutePath,
  SchemaOfMethod,
} from "../core/types/route_map.ts";

/** A value that the client writes as a string in a path, a query or a header. */
export type Primitive = string | number | boolean;

/**
 * The second argument of a call. A member is required if the schema of the method
 * requires the member. The type rejects undeclared members, except further headers. For
 * a method without a schema, the type allows all members.
 *
 * @typeParam Path The URL path, such as `"/books/[bookId]"`.
 * @typeParam Schema The schemas of the method, merged with the contracts of its folders.
 * @typeParam Own The schemas of the method itself.
 */
export type CallOptions<Path extends string, Schema, Own = Schema> =
  & ParamsOption<PathInput<Path, Schema>>
  & QueryOption<Schema, Own>
  & HeadersOption<Schema>
  & BodyOption<Own>
  & SignalOption;

/** The option of every call. */
export interface SignalOption {
  /** A signal that ends the call. */
  readonly signal?: AbortSignal;
}

/** The option of every call, except `events` and `socket`. */
export interface RetryOption {
  /**
   * The longest time to wait in total, in milliseconds, if the server asks to wait: if it
   * responds with 409, 429 or 503 and `Retry-After`. The client then sends the request
   * again. After a 503, a `POST` or `PATCH` is sent again only if it has an
   * `Idempotency-Key`. If a wait would exceed the rest of this time, the call returns the
   * response.
   *
   * @default {0}
   */
  readonly retryFor?: number;
}

/**
 * The option `params`, for a path with parameters or a wildcard.
 *
 * @typeParam Input The values of the path.
 */
export type ParamsOption<Input> = keyof Input extends never
  ? Record<never, never>
  : {
    /** The values in the path, by the names of its parameters. */
    readonly params: Input;
  };

/**
 * The values in a path: the input of a schema, or strings if there is no schema. The
 * name of a wildcard is `"[...]"`, and its value is an array of segments.
 *
 * @typeParam Path The URL path.
 * @typeParam Schema The schemas of the method.
 */
export type PathInput<Path extends string, Schema> =
  & {
    readonly [Name in ParamNames<Path>]: Schema extends
      { readonly params: infer Params }
      ? Name extends keyof SentInput<Params>
        ? AsPrimitive<SentInput<Params>[Name]>
      : string
      : string;
  }
  & (Path extends `${string}[...]` ? { readonly "[...]": readonly string[] }
    : unknown);

/**
 * The option `query`, if the method declares a query or has no schema.
 *
 * @typeParam Schema The schemas of the method, merged with the contracts of its folders.
 * @typeParam Own The schemas of the method itself.
 */
export type QueryOption<Schema, Own> = Schema extends
  { readonly query: infer Query }
  ? Optional<"query", AsPrimitives<QueryInput<SentInput<Query>>>>
  : keyof Own extends never ? {
      /** The values of the query by name; an array repeats the name in the query. */
      readonly query?: {
        readonly [name: string]: Primitive | readonly Primitive[] | undefined;
      };
    }
  : Record<never, never>;

/**
 * The option `headers`: the headers that the method declares, and any other headers.
 *
 * @typeParam Schema The schemas of the method.
 */
export type HeadersOption<Schema> = Schema extends
  { readonly headers: infer Headers }
  ? Optional<"headers", AsHeaders<SentInput<Headers>> & OtherHeaders>
  : {
    /** The headers, by name. */
    readonly headers?: OtherHeaders;
  };

/** Headers by name; headers that are `undefined` are omitted. */
export interface OtherHeaders {
  /** The value of the header. */
  readonly [name: string]: Primitive | undefined;
}

/**
 * The option `body`, if the method declares a body or has no schema. A body that
 * `content()` declares also has the option `type`.
 *
 * @typeParam Schema The schemas of the method.
 */
export type BodyOption<Schema> = Schema extends { readonly body: infer Body }
  ? Body extends StandardTypes ? Optional<"body", FormInput<SentInput<Body>>>
  : Body extends readonly (infer Declared)[] ? ContentOption<Declared>
  : ContentOption<Body>
  : keyof Schema extends never ? {
      /**
       * The body, which is sent as JSON, or as a form if the body contains a `Blob`.
       */
      readonly body?: unknown;
    }
  : Record<never, never>;

/**
 * The options `body` and `type` for one of the media types that `content()` declares.
 * Only JSON of the type `application/json` needs no `type`.
 *
 * @typeParam Declared The declared content, or the union of several.
 */
export type ContentOption<Declared> = Declared extends
  { readonly mediaType: infer Type; readonly schema: infer Schema }
  ? Optional<"body", FormInput<SentInput<Schema>>> & TypeOption<Type>
  : never;

/**
 * The option `type`.
 *
 * @typeParam Type The media type, such as `"text/csv"`.
 */
export type TypeOption<Type> = "application/json" extends Type ? {
    /** The media type of the body. */
    readonly type?: Type;
  }
  : {
    /** The media type of the body, which selects its schema. */
    readonly type: TypeInRange<Type>;
  };

/**
 * A media type, or the media types of a range: `text/${string}` for `text/*`.
 *
 * @typeParam Type The declared type or range.
 */
export type TypeInRange<Type> = Type extends `${infer Start}*${infer End}`
  ? `${Start}${string}${TypeInRange<End>}`
  : Type;

/**
 * A member that is optional if its value may be an empty object or `undefined`.
 *
 * @typeParam Name The name of the member.
 * @typeParam Value The type of the member.
 */
export type Optional<Name extends string, Value> = Record<never, never> extends
  Value ? { readonly [Key in Name]?: Value }
  : undefined extends Value ? { readonly [Key in Name]?: Value }
  : { readonly [Key in Name]: Value };

/**
 * The values that a schema accepts. The type of a `z.preprocess()` schema accepts any
 * value. Its inner schema therefore determines the members, as in the OpenAPI document.
 *
 * @typeParam Schema The schema.
 */
export type SentInput<Schema> = unknown extends SchemaInput<Schema>
  ? Schema extends Preprocessed<infer Inner> ? SentInput<Inner>
  : SchemaInput<Schema>
  : SchemaInput<Schema>;

/** The internal structure of a `z.preprocess()` schema, from `zod` or `zod/mini`. */
export interface Preprocessed<Inner> {
  /** The internals of a schema of zod. */
  readonly _zod: {
    readonly def: {
      readonly in: {
        readonly _zod: { readonly def: { readonly type: "transform" } };
      };
      readonly out: Inner;
    };
  };
}

/**
 * The input of a schema that describes strings by name, such as a query. For a schema
 * that coerces any input, the values are {@linkcode Primitive}.
 *
 * @typeParam Input The input of the schema.
 */
export type AsPrimitives<Input> = {
  readonly [Name in keyof Input]: AsPrimitive<Input[Name]>;
};

/**
 * The input of the schema of a query, in which required lists may be absent: the schema
 * then gets `[]`.
 *
 * @typeParam Input The input of the schema.
 * @typeParam Lists The names of the lists.
 */
export type QueryInput<Input, Lists = ListNames<Input>> = [Lists] extends
  [never] ? Input
  : Input extends unknown ?
      & {
        [Name in keyof Input as Name extends Lists ? never : Name]: Input[Name];
      }
      & {
        [Name in keyof Input as Name extends Lists ? Name : never]?:
          Input[Name];
      }
  : never;

/**
 * The names of the lists of an object; of a union, the names that are lists in all of
 * its branches.
 */
export type ListNames<Input> = keyof {
  [
    Name in keyof Input as unknown extends Input[Name] ? never
      : Input[Name] extends readonly unknown[] ? Name
      : never
  ]: unknown;
};

/**
 * One value of {@linkcode AsPrimitives}. A query has strings and lists of strings, so no
 * object fits.
 *
 * @typeParam Value The input of the schema.
 */
export type AsPrimitive<Value> = unknown extends Value ? Primitive
  : Value extends readonly (infer Item)[]
    ? unknown extends Item ? readonly Primitive[] : Value
  : Value extends object ? never
  : Value;

/**
 * The values of headers, which are strings, so no list or object fits.
 *
 * @typeParam Input The input of the schema.
 */
export type AsHeaders<Input> = {
  readonly [Name in keyof Input]: AsPrimitive<Exclude<Input[Name], object>>;
};

/**
 * The input of a body. A body with a file is a form: next to a file, strings, files and
 * lists of them fit, and objects do not.
 *
 * @typeParam Input The input of the schema.
 */
export type FormInput<Input> = Input extends Blob | readonly unknown[] ? Input
  : [Extract<Input[keyof Input], Blob | readonly Blob[]>] extends [never]
    ? Input
  : { readonly [Name in keyof Input]: FormValue<Input[Name]> };

/**
 * One value of {@linkcode FormInput}.
 *
 * @typeParam Value The input of the schema.
 */
export type FormValue<Value> = Value extends Blob ? Value
  : Value extends readonly (infer Item)[] ? readonly FormValue<Item>[]
  : Value extends object ? never
  : Value;

/**
 * The schemas of a method in its route file. `HEAD` uses the schemas of `GET`, unless
 * the file exports `HEAD`.
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
 * The schemas of a call: the schemas of the method, and the contracts of the folders
 * around its route.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam Path The URL path, such as `"/books/[bookId]"`.
 * @typeParam Name The method, such as `"GET"`.
 */
export type CallSchema<
  Routes,
  Path extends RoutePath<Routes>,
  Name extends Method,
> = CoveredSchema<
  RouteContracts<Routes, Path, Name>,
  OwnSchema<Routes, Path, Name>
>;

/**
 * The schemas of a method, merged with the contracts of its folders.
 *
 * @typeParam Contracts The contracts, the outermost first.
 * @typeParam Schema The schemas of the method.
 */
export type CoveredSchema<Contracts, Schema> = Contracts extends
  [infer Outermost, ...infer Others]
  ? BelowContract<Outermost, CoveredSchema<Others, Schema>>
  : Schema;

/**
 * The schemas of a level, merged with one contract. A request must match both. For each
 * status, the innermost level that declares the status describes the response.
 *
 * @typeParam Outer The contract.
 * @typeParam Inner The schemas below the contract.
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
 * The input of one part of the schemas of a method.
 *
 * @typeParam Schema The schemas.
 * @typeParam Part The part, such as `"query"`.
 */
export type InputOf<Schema, Part extends string> = Schema extends
  { readonly [Key in Part]: infer Of } ? SentInput<Of> : unknown;
