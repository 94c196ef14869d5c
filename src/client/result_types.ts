import type { ProblemDocument } from "../core/schema/problem.ts";
import type {
  DeclaredBody,
  DeclaredResponses,
  JsonMediaType,
  JsonOf,
  SchemaOutput,
  StandardTypes,
} from "../core/types/responses.ts";

/**
 * The result of a call: a union that the member `status` discriminates. The type
 * includes only registered statuses as undeclared statuses, so that a comparison with a
 * declared status narrows the union to one member.
 *
 * @typeParam Schema The schemas of the method.
 * @typeParam Errors The error format of the route; `undefined` for problem documents.
 */
export type CallResult<Schema, Errors = undefined> = Schema extends
  { readonly response: unknown }
  ? ResultByStatus<DeclaredResponses<Schema>, Errors>
  : OtherResult<never, Errors>;

/**
 * The results of a method: one for each declared status, and the results with
 * undeclared statuses.
 *
 * @typeParam Declared The declared responses, by status.
 * @typeParam Errors The error format of the route.
 */
export type ResultByStatus<Declared, Errors = undefined> =
  | {
    [Status in keyof Declared]: DeclaredResult<
      Status,
      InFormat<ResponseData<Declared[Status]>, Errors>
    >;
  }[keyof Declared]
  | OtherResult<keyof Declared, Errors>;

/**
 * The results with undeclared statuses.
 *
 * @typeParam Declared The declared statuses.
 * @typeParam Errors The error format of the route.
 */
export type OtherResult<Declared, Errors> = Errors extends
  { readonly schema: infer Schema } ?
    | UndeclaredResult<Exclude<SuccessStatus | RedirectionStatus, Declared>>
    | ErrorResult<
      Exclude<ClientErrorStatus | ServerErrorStatus, Declared>,
      JsonOf<SchemaOutput<Schema>>
    >
  : UndeclaredResult<Exclude<KnownStatus, Declared>>;

/**
 * The value of a declared body; for `Problem`, the value of an error in the format of
 * the route.
 *
 * @typeParam Data The declared value.
 * @typeParam Errors The error format of the route.
 */
export type InFormat<Data, Errors> = Errors extends
  { readonly schema: infer Schema }
  ? IsProblem<Data> extends true ? JsonOf<SchemaOutput<Schema>> : Data
  : Data;

/**
 * Whether a type is that of `ProblemDocument` after JSON; `false` for `any`.
 *
 * @typeParam Data The type.
 */
export type IsProblem<Data> = 0 extends 1 & Data ? false
  : [Data] extends [ProblemDocument]
    ? [JsonOf<ProblemDocument>] extends [Data] ? true : false
  : false;

/** The result of a `HEAD` call, which has no body. */
export interface HeadResult extends AnyResult {
  /** The status of the response. */
  readonly status: KnownStatus;
  /** Always `undefined`. */
  readonly data: undefined;
  /** Always `undefined`. */
  readonly problem?: undefined;
}

/** The members of every result. */
export interface AnyResult {
  /** The unparsed body, if the body is JSON or other text; otherwise `""`. */
  readonly text: string;
  /** The response, with its headers. Its body has been read. */
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
  /** The value of the body, if it is a problem document. */
  readonly problem: Data extends ProblemDocument ? Data : undefined;
}

/**
 * A response that the schema does not declare, such as the response of a proxy, or a
 * problem document of Bough.
 *
 * @typeParam Status The status.
 */
export interface UndeclaredResult<Status> extends AnyResult {
  /** The status of the response. */
  readonly status: Status;
  /** The value of the body. */
  readonly data: unknown;
  /** The problem document (RFC 9457), if the response has one. */
  readonly problem?: ProblemDocument | undefined;
}

/**
 * An error that the schema does not declare, in the error format of the route.
 *
 * @typeParam Status The status.
 * @typeParam Data The value of its body.
 */
export interface ErrorResult<Status, Data> extends UndeclaredResult<Status> {
  /** The value of the body. */
  readonly data: Data;
}

/**
 * The value of a body: parsed JSON, a string, an event stream, or a `Blob` for another
 * media type. For several media types, the union of their values.
 *
 * @typeParam Declared The declared response.
 */
export type ResponseData<Declared> = DeclaredBody<Declared> extends infer Body
  ? DataOfBody<Body extends readonly (infer Each)[] ? Each : Body>
  : never;

/**
 * The value of a body of one media type.
 *
 * @typeParam Body The declared body.
 */
export type DataOfBody<Body> = Body extends StandardTypes
  ? JsonOf<SchemaOutput<Body>>
  : Body extends { readonly mediaType: infer Type; readonly schema: infer Of }
    ? Type extends JsonMediaType
      ? Of extends StandardTypes ? JsonOf<SchemaOutput<Of>> : unknown
    : Type extends `text/event-stream${string}` ? ReadableStream<Uint8Array>
    : Type extends `text/${string}`
      ? Of extends StandardTypes ? JsonOf<SchemaOutput<Of>> : string
    : Type extends `${"*" | "application"}/*${string}` ? unknown
    : Blob
  : undefined;

/**
 * The statuses of final responses that IANA has registered. Statuses from 100 to 199
 * never reach a caller of `fetch`.
 */
export type KnownStatus =
  | SuccessStatus
  | RedirectionStatus
  | ClientErrorStatus
  | ServerErrorStatus;

/** The registered statuses of successful responses. */
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

/** The registered statuses of redirects. */
export type RedirectionStatus = 300 | 301 | 302 | 303 | 304 | 305 | 307 | 308;

/** The registered statuses of client errors. */
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

/** The registered statuses of server errors. */
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
