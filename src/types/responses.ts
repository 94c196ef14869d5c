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
 *
 * @typeParam Schema A schema, such as `typeof Book`.
 */
export type SchemaInput<Schema> = Schema extends StandardTypes
  ? NonNullable<Schema["~standard"]["types"]>["input"]
  : unknown;

/**
 * What a schema makes of it, and so what a response schema describes.
 *
 * @typeParam Schema A schema, such as `typeof Book`.
 */
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
 *
 * @typeParam Value What a schema describes.
 */
export type Sendable<Value> = unknown extends Value ? Value
  : Value extends string ? string extends Value ? string | TextInJson : Value
  : Value extends number | boolean | null | undefined ? Value
  : Value extends TextInJson ? string | TextInJson
  : Value extends bigint ? never
  : { readonly [Name in keyof Value]: Sendable<Value[Name]> };

/**
 * What JSON makes of a value: a text of a `Date`, and all else as it is.
 *
 * @typeParam Value What a schema describes.
 */
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
