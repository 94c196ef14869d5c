import type {
  DeclaredBody,
  JsonMediaType,
  SchemaOutput,
  Sendable,
  StandardTypes,
} from "./responses.ts";

/** The schemas of a method, as far as `respond` reads them. */
export interface RespondSchema {
  /** Describes the responses; any `MethodSchema` has this form. */
  readonly response?: unknown;
}

/**
 * What `respond` takes after the status: a value whose JSON fits the schema, or the
 * headers of a response without a body.
 *
 * @typeParam Declared The response that is declared, a member of `response`.
 */
export type RespondValue<Declared> = Declared extends StandardTypes
  ? Sendable<SchemaOutput<Declared>>
  : DeclaredBody<Declared> extends infer Body
    ? Body extends undefined ? RespondInit<Declared>
    : SendableBody<Body>
  : never;

/**
 * The values that may be sent as a body that is declared: for `content()` without a
 * schema, what a `Response` takes.
 *
 * @typeParam Body The body that is declared.
 */
export type SendableBody<Body> = Body extends StandardTypes
  ? Sendable<SchemaOutput<Body>>
  : Body extends { readonly mediaType: infer Type; readonly schema: infer Of }
    ? Of extends StandardTypes
      ? Type extends JsonMediaType ? Sendable<SchemaOutput<Of>>
      : SchemaOutput<Of> extends string ? SchemaOutput<Of>
      : BodyInit
    : BodyInit
  : never;

/**
 * The headers that are declared. For a range such as `content("image/*")`, the
 * content type is one of them.
 *
 * @typeParam Declared The response that is declared.
 */
export type RespondHeaders<Declared> =
  & (Declared extends { readonly headers: infer Schema } ? SchemaOutput<Schema>
    : unknown)
  & (DeclaredBody<Declared> extends
    { readonly mediaType: `${string}*${string}` }
    ? { readonly "content-type": string }
    : unknown);

/**
 * The headers of `respond`, required where one of them is. Beside those that are
 * declared, it takes any other header.
 *
 * @typeParam Declared The response that is declared.
 */
export type RespondInit<Declared> = Declared extends StandardTypes
  ? { readonly headers?: Headers | OtherHeaders }
  : RespondHeaders<Declared> extends infer Names
    ? Record<never, never> extends Names
      ? { readonly headers?: Headers | Names & OtherHeaders }
    : { readonly headers: Names & OtherHeaders }
  : never;

/** Headers that no schema declares. */
export interface OtherHeaders {
  /** The value of the header of this name. */
  readonly [name: string]: string | number | undefined;
}

/**
 * What a call of `respond` has too much or too little, which the compiler names in
 * its message; `unknown` where nothing is wrong. A schema alone is the usual response,
 * so it comes first: it costs the compiler least.
 *
 * @typeParam Declared The response that is declared.
 * @typeParam Given What the call has after the status.
 */
export type RespondFault<
  Declared,
  Given extends "nothing" | "value" | "value and headers",
> = Declared extends StandardTypes
  ? Given extends "nothing" ? MissingValue : unknown
  : DeclaredBody<Declared> extends undefined
    ? Given extends "nothing" ? HeadersFault<Declared>
    : Given extends "value" ? unknown
    : TakesNoValue
  : Given extends "nothing" ? MissingValue
  : Given extends "value" ? HeadersFault<Declared>
  : unknown;

/**
 * The headers that a call without headers lacks; `unknown` where none is required.
 *
 * @typeParam Declared The response that is declared.
 */
export type HeadersFault<Declared> = Record<never, never> extends
  RespondHeaders<Declared> ? unknown
  : MissingHeaders<RequiredNames<RespondHeaders<Declared>>>;

/**
 * The names of the members that are required.
 *
 * @typeParam Names The members.
 */
export type RequiredNames<Names> = {
  [Name in keyof Names]-?: Record<never, never> extends Pick<Names, Name>
    ? never
    : Name;
}[keyof Names];

/**
 * No status is this: the call lacks headers.
 *
 * @typeParam Names The names of the headers.
 */
export interface MissingHeaders<Names> {
  /** The headers that the fourth argument must have. */
  readonly missing: Names;
}

/** No status is this: the call lacks the value that is sent. */
export interface MissingValue {
  /** What is missing. */
  readonly missing: "value";
}

/** No status is this: the response has no body, and the call has a value. */
export interface TakesNoValue {
  /** What is too much. */
  readonly extra: "value";
}
