import type {
  DeclaredBody,
  DeclaredResponses,
  JsonMediaType,
  JsonOf,
  SchemaOutput,
  StandardTypes,
} from "../http/validation/response_types.ts";
import type { ProblemDocument } from "../openapi/problem_schema.ts";
import type { KnownStatus } from "./status.ts";

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
