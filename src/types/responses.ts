/**
 * The responses that a method declares, by status; a single schema is for a 200.
 *
 * @typeParam Schema The schemas of the method, such as `typeof schema.get`.
 */
export type DeclaredResponses<Schema> = Schema extends
  { readonly response: infer Declared }
  ? "~standard" extends keyof Declared ? { readonly 200: Declared } : Declared
  : Record<never, never>;

/**
 * The statuses that a method declares: the keys of `response`, or 200 where that is
 * a single schema.
 *
 * @typeParam Schema The schemas of the method, such as `typeof schema.post`.
 */
export type ResponseStatus<Schema> = Extract<
  keyof DeclaredResponses<Schema>,
  number
>;

/**
 * What a schema takes. It is read from `~standard`, which costs the compiler far
 * less than an inference from the whole type of a schema.
 */
export type SchemaInput<Schema> = Schema extends StandardTypes
  ? NonNullable<Schema["~standard"]["types"]>["input"]
  : unknown;

/** What a schema makes of it, and so what a response schema describes. */
export type SchemaOutput<Schema> = Schema extends StandardTypes
  ? NonNullable<Schema["~standard"]["types"]>["output"]
  : unknown;

/** The part of a schema that tells its types. */
export interface StandardTypes {
  /** The members of Standard Schema. */
  readonly "~standard": {
    /** The types of input and output, for the type checker only. */
    readonly types?:
      | { readonly input: unknown; readonly output: unknown }
      | undefined;
  };
}

/** What JSON makes a text of, such as a `Date` or a `URL`. */
export interface TextInJson {
  /** Returns the text that is sent. */
  toJSON(): string;
}

/**
 * The values whose JSON fits a type: that type, and a `Date` or a `URL` where it
 * has a text.
 */
export type Sendable<Value> = unknown extends Value ? Value
  : Value extends string ? string extends Value ? string | TextInJson : Value
  : Value extends number | boolean | null | undefined ? Value
  : Value extends TextInJson ? string | TextInJson
  : Value extends bigint ? never
  : { readonly [Name in keyof Value]: Sendable<Value[Name]> };

/** What JSON makes of a value: a text of a `Date`, and all else as it is. */
export type JsonOf<Value> = unknown extends Value ? Value
  : Value extends string | number | boolean | null | undefined ? Value
  : Value extends TextInJson ? string
  : Value extends bigint ? never
  : { [Name in keyof Value]: JsonOf<Value[Name]> };

/** A media type of JSON. */
export type JsonMediaType =
  | "application/json"
  | `application/json;${string}`
  | `${string}/${string}+json`
  | `${string}/${string}+json;${string}`;

/** What a declared response has as its body; `undefined` where it has none. */
export type DeclaredBody<Declared> = "~standard" extends keyof Declared
  ? Declared
  : "mediaType" extends keyof Declared ? Declared
  : Declared extends { readonly body: infer Body } ? Body
  : undefined;

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

/** The headers that a call without headers lacks; `unknown` where none is required. */
export type HeadersFault<Declared> = Record<never, never> extends
  RespondHeaders<Declared> ? unknown
  : MissingHeaders<RequiredNames<RespondHeaders<Declared>>>;

/** The names of the members that are required. */
export type RequiredNames<Names> = {
  [Name in keyof Names]-?: Record<never, never> extends Pick<Names, Name>
    ? never
    : Name;
}[keyof Names];

/** No status is this: the call lacks headers. */
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
