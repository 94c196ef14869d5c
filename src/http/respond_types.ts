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
