import type { Method } from "../methods.ts";
import type { ProblemDocument } from "../openapi/document/problem_schema.ts";
import type { ParamNames } from "../types/path.ts";
import type {
  DeclaredBody,
  DeclaredResponses,
  JsonMediaType,
  JsonOf,
  SchemaInput,
  SchemaOutput,
  StandardTypes,
} from "../types/responses.ts";
import type {
  RouteContracts,
  RouteModule,
  RoutePath,
  SchemaOfMethod,
} from "../types/route_map.ts";

/** A value that is written as a text, in a path, a query or a header. */
export type Primitive = string | number | boolean;

/**
 * The second argument of a call. What the schema of the method demands is required,
 * and what it does not declare is refused; headers may have other names beside
 * those that are declared. Where a method has no schema at all, anything may be
 * sent.
 *
 * @typeParam Path The URL path, such as `"/books/[bookId]"`.
 * @typeParam Schema The schemas of the method, below those of its folders.
 * @typeParam Own The schemas of the method itself.
 */
export type CallOptions<Path extends string, Schema, Own = Schema> =
  & ParamsOption<PathInput<Path, Schema>>
  & QueryOption<Schema, Own>
  & HeadersOption<Schema>
  & BodyOption<Own>
  & SignalOption;

/** The option that every call has. */
export interface SignalOption {
  /** Ends the call when it aborts. */
  readonly signal?: AbortSignal;
}

/**
 * The option `params`, which is there where the path has names or a wildcard.
 *
 * @typeParam Input The values of the path.
 */
export type ParamsOption<Input> = keyof Input extends never
  ? Record<never, never>
  : {
    /** The values in the path, by the names of its folders. */
    readonly params: Input;
  };

/**
 * The values in a path: those that a schema takes, or texts. A wildcard is an array
 * of segments by the name `"[...]"`.
 *
 * @typeParam Path The URL path.
 * @typeParam Schema The schemas of the method.
 */
export type PathInput<Path extends string, Schema> =
  & {
    readonly [Name in ParamNames<Path>]: Schema extends
      { readonly params: infer Params }
      ? Name extends keyof SchemaInput<Params>
        ? AsPrimitive<SchemaInput<Params>[Name]>
      : string
      : string;
  }
  & (Path extends `${string}[...]` ? { readonly "[...]": readonly string[] }
    : unknown);

/**
 * The option `query`, where the method declares one or has no schema.
 *
 * @typeParam Schema The schemas of the method, below those of its folders.
 * @typeParam Own The schemas of the method itself.
 */
export type QueryOption<Schema, Own> = Schema extends
  { readonly query: infer Query }
  ? Optional<"query", AsPrimitives<SchemaInput<Query>>>
  : keyof Own extends never ? {
      /** The query by name; the values of a repeated name are an array. */
      readonly query?: {
        readonly [name: string]: Primitive | readonly Primitive[] | undefined;
      };
    }
  : Record<never, never>;

/**
 * The option `headers`: those that the method declares, and any others.
 *
 * @typeParam Schema The schemas of the method.
 */
export type HeadersOption<Schema> = Schema extends
  { readonly headers: infer Headers }
  ? Optional<"headers", AsPrimitives<SchemaInput<Headers>> & OtherHeaders>
  : {
    /** The headers, by name. */
    readonly headers?: OtherHeaders;
  };

/** Headers by name. One that is `undefined` is not sent. */
export interface OtherHeaders {
  /** The value of the header. */
  readonly [name: string]: Primitive | undefined;
}

/**
 * The option `body`, where the method declares one or has no schema.
 *
 * @typeParam Schema The schemas of the method.
 */
export type BodyOption<Schema> = Schema extends { readonly body: infer Body }
  ? Optional<"body", SchemaInput<Body>>
  : keyof Schema extends never ? {
      /** The body: JSON, or a form, where it holds a `Blob`. */
      readonly body?: unknown;
    }
  : Record<never, never>;

/**
 * A member that is required, unless an empty object or nothing fits it.
 *
 * @typeParam Name The name of the member.
 * @typeParam Value Its type.
 */
export type Optional<Name extends string, Value> = unknown extends Value
  ? { readonly [Key in Name]?: Value }
  : Record<never, never> extends Value ? { readonly [Key in Name]?: Value }
  : undefined extends Value ? { readonly [Key in Name]?: Value }
  : { readonly [Key in Name]: Value };

/**
 * What a schema takes of texts by name. A schema that coerces takes anything: that
 * is what has a text.
 *
 * @typeParam Input What the schema takes.
 */
export type AsPrimitives<Input> = {
  readonly [Name in keyof Input]: AsPrimitive<Input[Name]>;
};

/**
 * What a schema takes of a text, by {@linkcode AsPrimitives}.
 *
 * @typeParam Value What the schema takes.
 */
export type AsPrimitive<Value> = unknown extends Value ? Primitive
  : Value extends readonly (infer Item)[]
    ? unknown extends Item ? readonly Primitive[] : Value
  : Value;

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

/**
 * What a call resolves with: a union that the member `status` tells apart. A status
 * that is not declared is one of those that are registered, so that a comparison
 * with a declared one leaves that alone.
 *
 * @typeParam Schema The schemas of the method.
 */
export type CallResult<Schema> = Schema extends { readonly response: unknown }
  ? ResultByStatus<DeclaredResponses<Schema>>
  : UndeclaredResult<KnownStatus>;

/**
 * The results of a method by status.
 *
 * @typeParam Declared The responses that are declared, by status.
 */
export type ResultByStatus<Declared> =
  | {
    [Status in keyof Declared]: DeclaredResult<
      Status,
      ResponseData<Declared[Status]>
    >;
  }[keyof Declared]
  | UndeclaredResult<Exclude<KnownStatus, keyof Declared>>;

/** What a call of `HEAD` resolves with: there is no body. */
export interface HeadResult extends AnyResult {
  /** The status of the response. */
  readonly status: KnownStatus;
  /** Nothing. */
  readonly data: undefined;
  /** Nothing. */
  readonly problem?: undefined;
}

/** What the results of all calls have. */
export interface AnyResult {
  /** The body as it was sent, where it is JSON or another text; else `""`. */
  readonly text: string;
  /** The response, with its headers. Its body is read. */
  readonly response: Response;
}

/**
 * A response that the schema declares.
 *
 * @typeParam Status The status.
 * @typeParam Data The value of its body.
 */
export interface DeclaredResult<Status, Data> extends AnyResult {
  /** The status of the response. */
  readonly status: Status;
  /** The value of the body. */
  readonly data: Data;
  /** The same, where it is a problem document. */
  readonly problem: Data extends ProblemDocument ? Data : undefined;
}

/**
 * A response that the schema does not declare, of a proxy, say, or one of Bough's
 * own problems.
 *
 * @typeParam Status The status.
 */
export interface UndeclaredResult<Status> extends AnyResult {
  /** The status of the response. */
  readonly status: Status;
  /** The value of the body. */
  readonly data: unknown;
  /** The problem document, if the response is one (RFC 9457). */
  readonly problem?: ProblemDocument | undefined;
}

/**
 * The value of a body: what JSON makes of what the schema describes, a text, a
 * `Blob` of another media type, or a stream of events.
 *
 * @typeParam Declared The response that is declared.
 */
export type ResponseData<Declared> = DeclaredBody<Declared> extends infer Body
  ? Body extends StandardTypes ? JsonOf<SchemaOutput<Body>>
  : Body extends { readonly mediaType: infer Type; readonly schema: infer Of }
    ? Type extends JsonMediaType
      ? Of extends StandardTypes ? JsonOf<SchemaOutput<Of>> : unknown
    : Type extends `text/event-stream${string}` ? ReadableStream<Uint8Array>
    : Type extends `text/${string}`
      ? Of extends StandardTypes ? JsonOf<SchemaOutput<Of>> : string
    : Type extends `${"*" | "application"}/*${string}` ? unknown
    : Blob
  : undefined
  : never;

/**
 * The statuses that a final response may have, as IANA registers them: those of
 * 100 to 199 never reach a caller of `fetch`.
 */
export type KnownStatus =
  | SuccessStatus
  | RedirectionStatus
  | ClientErrorStatus
  | ServerErrorStatus;

/** The statuses of success that are registered. */
export type SuccessStatus =
  | 200
  | 201
  | 202
  | 203
  | 204
  | 205
  | 206
  | 207
  | 208
  | 226;

/** The statuses of redirection that are registered. */
export type RedirectionStatus = 300 | 301 | 302 | 303 | 304 | 305 | 307 | 308;

/** The statuses of a client's errors that are registered. */
export type ClientErrorStatus =
  | 400
  | 401
  | 402
  | 403
  | 404
  | 405
  | 406
  | 407
  | 408
  | 409
  | 410
  | 411
  | 412
  | 413
  | 414
  | 415
  | 416
  | 417
  | 421
  | 422
  | 423
  | 424
  | 425
  | 426
  | 428
  | 429
  | 431
  | 451;

/** The statuses of a server's errors that are registered. */
export type ServerErrorStatus =
  | 500
  | 501
  | 502
  | 503
  | 504
  | 505
  | 506
  | 507
  | 508
  | 510
  | 511;
