/**
 * The responses that a method declares, by status; a single schema is for status 200.
 *
 * @typeParam Schema The schemas of the method, such as `typeof schema.get`.
 */
export type DeclaredResponses<Schema> = Schema extends
  { readonly response: infer Declared }
  ? "~standard" extends keyof Declared ? { readonly 200: Declared } : Declared
  : Record<never, never>;

/**
 * The statuses that a method declares: the keys of `response`, or 200 if `response` is
 * a single schema.
 *
 * @typeParam Schema The schemas of the method, such as `typeof schema.post`.
 */
export type ResponseStatus<Schema> = Extract<
  keyof DeclaredResponses<Schema>,
  number
>;

/**
 * The input of a schema, read from `~standard`, since inference from the whole type of
 * the schema would take the compiler far longer.
 */
export type SchemaInput<Schema> = Schema extends StandardTypes
  ? NonNullable<Schema["~standard"]["types"]>["input"]
  : unknown;

/** The output of a schema, which is the type that a response schema describes. */
export type SchemaOutput<Schema> = Schema extends StandardTypes
  ? NonNullable<Schema["~standard"]["types"]>["output"]
  : unknown;

/** The part of a schema that declares its types. */
export interface StandardTypes {
  /** The members of Standard Schema. */
  readonly "~standard": {
    /** The types of input and output, for the type checker only. */
    readonly types?:
      | { readonly input: unknown; readonly output: unknown }
      | undefined;
  };
}

/** An object that becomes a string in JSON, such as a `Date` or a `URL`. */
export interface TextInJson {
  /** Returns the string to send. */
  toJSON(): string;
}

/**
 * The values whose JSON fits a type: the type itself, and a `Date` or a `URL` in place
 * of a string. The compiler reads the items of `Item[]` only if needed. A mapped array
 * would have endless items, for a type such as `type Json = string | Json[]`.
 */
export type Sendable<Value> = unknown extends Value ? Value
  : Value extends string ? string extends Value ? string | TextInJson : Value
  : Value extends number | boolean | null | undefined ? Value
  : Value extends TextInJson ? string | TextInJson
  : Value extends bigint ? never
  : Value extends readonly (infer Item)[]
    ? Item[] extends Value ? readonly Sendable<Item>[]
    : { readonly [Name in keyof Value]: Sendable<Value[Name]> }
  : { readonly [Name in keyof Value]: Sendable<Value[Name]> };

/** The type of a value after JSON: a `Date` becomes a string. */
export type JsonOf<Value> = unknown extends Value ? Value
  : Value extends string | number | boolean | null | undefined ? Value
  : Value extends TextInJson ? string
  : Value extends bigint ? never
  : Value extends readonly (infer Item)[]
    ? Item[] extends Value ? JsonOf<Item>[]
    : { [Name in keyof Value]: JsonOf<Value[Name]> }
  : { [Name in keyof Value]: JsonOf<Value[Name]> };

/** A media type of JSON. */
export type JsonMediaType =
  | "application/json"
  | `application/json;${string}`
  | `${string}/${string}+json`
  | `${string}/${string}+json;${string}`;

/** The body of a declared response; `undefined` if the response has no body. */
export type DeclaredBody<Declared> = "~standard" extends keyof Declared
  ? Declared
  : "mediaType" extends keyof Declared ? Declared
  : Declared extends readonly unknown[] ? Declared
  : Declared extends { readonly body: infer Body } ? Body
  : undefined;

/**
 * The media types that a response declares with `content()`.
 *
 * @typeParam Declared The declared response, a member of `response`.
 */
export type ResponseType<Declared> = DeclaredBody<Declared> extends infer Body
  ? TypeOfContent<Body extends readonly (infer Each)[] ? Each : Body>
  : never;

/** The media type of a body that `content()` declares. */
export type TypeOfContent<Body> = Body extends
  { readonly mediaType: infer Type extends string } ? Type : never;

/**
 * The media type of a response by default: the first declared type.
 *
 * @typeParam Declared The declared response, a member of `response`.
 */
export type DefaultType<Declared> = DeclaredBody<Declared> extends
  readonly [infer First, ...unknown[]] ? TypeOfContent<First>
  : ResponseType<Declared>;

/**
 * The statuses whose bodies `content()` declares, as `negotiate()` requires.
 *
 * @typeParam Schema The schemas of the method, such as `typeof schema.get`.
 */
export type NegotiableStatus<Schema> = {
  [Status in ResponseStatus<Schema>]:
    ResponseType<DeclaredResponses<Schema>[Status]> extends never ? never
      : Status;
}[ResponseStatus<Schema>];

/** The part of a method's schemas that `respond` reads. */
export interface RespondSchema {
  /** Describes the responses; any `MethodSchema` has this form. */
  readonly response?: unknown;
}

/**
 * The argument of `respond` after the status: a value whose JSON fits the schema, or the
 * headers of a response without a body.
 *
 * @typeParam Declared The declared response, a member of `response`.
 * @typeParam Type The media type; the value fits each type of a union.
 */
export type RespondValue<Declared, Type = DefaultType<Declared>> =
  Declared extends StandardTypes ? Sendable<SchemaOutput<Declared>>
    : DeclaredBody<Declared> extends infer Body
      ? Body extends undefined ? RespondInit<Declared>
      : Body extends readonly (infer Each)[] ? SendableOfAll<Each, Type>
      : SendableBody<Body>
    : never;

/**
 * The values that may be sent in each of several media types.
 *
 * @typeParam Body The declared bodies.
 * @typeParam Type The media types.
 */
export type SendableOfAll<Body, Type> = (
  Type extends unknown ? (
      value: SendableBody<Extract<Body, { readonly mediaType: Type }>>,
    ) => void
    : never
) extends (value: infer Value) => void ? Value : never;

/**
 * The values that may be sent as a declared body: for `content()` without a schema,
 * every body that `Response` accepts.
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
 * The declared headers. For a range such as `content("image/*")`, the content type is
 * one of them.
 */
export type RespondHeaders<Declared> =
  & (Declared extends { readonly headers: infer Schema } ? SchemaOutput<Schema>
    : unknown)
  & (DeclaredBody<Declared> extends
    { readonly mediaType: `${string}*${string}` }
    ? { readonly "content-type": string }
    : unknown);

/**
 * The argument of `respond` with the headers, which is required if any declared header
 * is required. Undeclared headers are allowed, too.
 */
export type RespondInit<Declared> = Declared extends StandardTypes
  ? { readonly headers?: Headers | OtherHeaders }
  : RespondHeaders<Declared> extends infer Names
    ? Record<never, never> extends Names
      ? { readonly headers?: Headers | Names & OtherHeaders }
    : { readonly headers: Names & OtherHeaders }
  : never;

/** Undeclared headers. */
export interface OtherHeaders {
  /** The value of the header of this name. */
  readonly [name: string]: string | number | undefined;
}

/**
 * The missing or extra arguments of a call of `respond`, which the compiler names in
 * its message; `unknown` if the call is correct. The usual response, a plain schema,
 * comes first, so that the compiler needs the least time for it.
 *
 * @typeParam Given The arguments after the status.
 */
export type RespondFault<
  Declared,
  Given extends "nothing" | "value" | "value and headers",
> = Declared extends StandardTypes
  ? Given extends "nothing" ? MissingValue : unknown
  : DeclaredBody<Declared> extends undefined
    ? Given extends "nothing" ? HeadersFault<Declared>
    : Given extends "value" ? unknown
    : TakesNoValue<"write respond(schema, status, { headers })">
  : Given extends "nothing" ? MissingValue
  : Given extends "value" ? HeadersFault<Declared>
  : unknown;

/**
 * The required headers that a call without headers lacks; `unknown` if all headers are
 * optional.
 */
export type HeadersFault<Declared> = Record<never, never> extends
  RespondHeaders<Declared> ? unknown
  : MissingHeaders<RequiredNames<RespondHeaders<Declared>>>;

/** The names of the required members. */
export type RequiredNames<Names> = {
  [Name in keyof Names]-?: Record<never, never> extends Pick<Names, Name>
    ? never
    : Name;
}[keyof Names];

/** Shown in a compile error when headers are missing. */
export interface MissingHeaders<Names> {
  /** The headers that the last argument must have. */
  readonly missing: Names;
}

/** Shown in a compile error when the value to send is missing. */
export interface MissingValue {
  /** The missing argument. */
  readonly missing: "value";
}

/**
 * Shown in a compile error when a response without a body has a value.
 *
 * @typeParam Remedy The call to write.
 */
export interface TakesNoValue<Remedy> {
  /** The call to write. */
  readonly remedy: Remedy;
}
