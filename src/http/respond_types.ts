import type {
  DeclaredBody,
  JsonMediaType,
  SchemaOutput,
  Sendable,
  StandardTypes,
} from "./validation/response_types.ts";

/** The schemas of a method, as far as `respond` reads them. */
export interface RespondSchema {
  /** Describes the responses; any `MethodSchema` has this form. */
  readonly response?: unknown;
}

/**
 * What `respond` takes after the status: a value whose JSON fits the schema, and
 * headers. A response without a body takes no value.
 *
 * @typeParam Declared The response that is declared, a member of `response`.
 */
export type RespondArguments<Declared> = DeclaredBody<Declared> extends
  infer Body ? Body extends undefined ? RespondInit<RespondHeaders<Declared>>
  : [
    value: SendableBody<Body>,
    ...rest: RespondInit<RespondHeaders<Declared>>,
  ]
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
 * The last argument of `respond`, which is required where a header is. Beside those
 * that are declared, it takes any other header.
 *
 * @typeParam Names The headers that are declared.
 */
export type RespondInit<Names> = Record<never, never> extends Names ? [
    init?: {
      readonly headers?:
        | Headers
        | Names & { readonly [name: string]: string | number | undefined };
    },
  ]
  : [
    init: {
      readonly headers:
        & Names
        & { readonly [name: string]: string | number | undefined };
    },
  ];

/**
 * What is wrong with a call of `respond` that has too few arguments, or a value for a
 * status without a body. The compiler names it in its message.
 *
 * @typeParam Declared The response that is declared.
 * @typeParam HasValue Whether the call has a value.
 */
export type RespondFault<Declared, HasValue extends boolean> =
  DeclaredBody<Declared> extends undefined
    ? HasValue extends true ? TakesNoValue
    : MissingHeaders<RequiredNames<RespondHeaders<Declared>>>
    : HasValue extends true
      ? MissingHeaders<RequiredNames<RespondHeaders<Declared>>>
    : MissingValue;

/**
 * What is between the value and the end of a call that is wrong: as many arguments as
 * make the compiler pass over calls that are right.
 *
 * @typeParam Declared The response that is declared.
 */
export type AfterFault<Declared> = DeclaredBody<Declared> extends undefined
  ? [init: unknown]
  : Record<never, never> extends RespondHeaders<Declared>
    ? [init: never, more: never, most: never]
  : [];

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
