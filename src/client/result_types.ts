import type { ProblemDocument } from "../openapi/document/problem_schema.ts";
import type {
  DeclaredBody,
  DeclaredResponses,
  JsonMediaType,
  JsonOf,
  SchemaOutput,
  StandardTypes,
} from "../types/responses.ts";

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
