import type { Method } from "../methods.ts";
import type { SchemaOutput, StandardTypes } from "./responses.ts";

/**
 * The interface that validation libraries such as zod, Valibot and ArkType share:
 * <https://standardschema.dev>, version 1. Bough uses only this interface, so every
 * library that implements it works.
 */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  /** The members of Standard Schema. */
  readonly "~standard": {
    /** The version of the interface. */
    readonly version: 1;
    /** The library that made the schema, such as `"zod"`. */
    readonly vendor: string;
    /** Checks a value; the result contains the output or the issues. */
    readonly validate: (
      value: unknown,
    ) =>
      | StandardSchemaResult<Output>
      | Promise<StandardSchemaResult<Output>>;
    /** The types of input and output, for the type checker only. */
    readonly types?:
      | { readonly input: Input; readonly output: Output }
      | undefined;
  };
}

/** The result of a validation: an output, or the issues. */
export type StandardSchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardSchemaIssue[] };

/** One reason why a value violates its schema. */
export interface StandardSchemaIssue {
  /** The explanation of the issue. */
  readonly message: string;
  /** The path of the invalid value, from the outermost key inwards. */
  readonly path?:
    | readonly (PropertyKey | { readonly key: PropertyKey })[]
    | undefined;
}

/**
 * The schemas of one method, which check the parts of its requests and describe its
 * responses. Other members document the operation.
 */
export interface MethodSchema {
  /** Checks the values of the dynamic segments, an object of strings. */
  readonly params?: StandardSchemaV1;
  /**
   * Checks the query: an object of decoded strings by name. The values of a
   * repeated name are an array of strings.
   */
  readonly query?: StandardSchemaV1;
  /**
   * Checks the headers: an object of strings by lowercase name. The values of a
   * repeated header are one string, joined with commas (RFC 9110, section 5.3).
   */
  readonly headers?: StandardSchemaV1;
  /**
   * Checks the cookies: an object of decoded strings by name. Cookies with credentials,
   * such as a session, belong to the guard and to `security`.
   */
  readonly cookies?: StandardSchemaV1;
  /**
   * Checks the body: JSON or a form, by its content type. `content()` accepts only its own
   * type of JSON, form or text, or a range of types; a list of `content()` accepts several
   * types.
   */
  readonly body?: StandardSchemaV1 | RequestContent | RequestContents;
  /**
   * Describes the responses: a single schema for the body of status 200, or schemas by
   * status. The option `validateResponses` checks responses against them.
   */
  readonly response?: StandardSchemaV1 | ResponseSchemas;
  /**
   * Describes the events that `events()` streams: the schema of the data, by the name
   * of the event. Replaces `response`.
   */
  readonly events?: EventSchemas;
  /**
   * Describes the messages of a socket that `socket()` opens. Replaces `response`, and
   * is allowed only for `get`.
   */
  readonly socket?: SocketSchemas;
  /** A short summary of the operation. */
  readonly summary?: string;
  /** The description of the operation, in Markdown. */
  readonly description?: string;
  /** The groups of the operation in the documentation. */
  readonly tags?: readonly string[];
  /** The name of the operation for generated clients, unique in its API. */
  readonly operationId?: string;
  /** Whether clients should stop calling the operation; an object adds headers. */
  readonly deprecated?: boolean | Deprecation;
  /**
   * The alternative security requirements, each by the names of its schemes. `[]`
   * allows anonymous requests. The requirements of a method override the requirements
   * of its folders. Guards read them as `request.security`.
   */
  readonly security?: readonly SecurityRequirement[];
  /**
   * Declares the users who may reach the operation. Guards nothing: guards and handlers
   * reject requests. The declaration is for the document and for contract tests:
   * `"owner"`, the user who created the resource; `"shared"`, every user that the guard
   * accepts; `"public"`, everyone; or a rule, such as `{ member: "technicianId" }`. A
   * role is always in a list: `["owner", "admin"]`. Overrides the access of folders.
   */
  readonly access?: AccessRule | readonly AccessRule[];
  /**
   * Whether members that the schemas do not declare are sent. With `false`, the method
   * leaves them out on purpose, without a warning. Overrides the option.
   */
  readonly sendUndeclared?: boolean;
  /** Whether `mcp()` offers the method to agents as a tool. Overrides contracts. */
  readonly mcp?: boolean | ToolDescription;
}

/**
 * The users who may reach an operation: a word, a role, or a rule about the resource that
 * the path names.
 *
 * - `{ member: "technicianId" }` allows the user whose `id` the member is or contains.
 *   With `of: "parent"`, the member belongs to the resource one collection above: to the
 *   order of `/orders/[id]/lines/[lineId]`, and of `/orders/[id]/lines`.
 * - A function allows the users for whom it returns `true`. It runs only in contract
 *   tests. `identity` has the name and the `id` of the option `as`; `resource` is the
 *   JSON with which `GET` responds to the creator of the resource.
 */
export type AccessRule =
  | string
  | { readonly member: string; readonly of?: "parent" | undefined }
  | ((
    identity: { readonly name: string; readonly id: string | number },
    resource: never,
  ) => boolean | Promise<boolean>);

/** The words with which a tool describes a method to agents. */
export interface ToolDescription {
  /** The unique name, of `A-Z a-z 0-9 _ . -`; by default, the `operationId`. */
  readonly name?: string;
  /** The name for people; by default, the `summary`. */
  readonly title?: string;
  /** When to call the tool; by default, the `description` or the `summary`. */
  readonly description?: string;
}

/**
 * The end of an operation. A date is `"2026-12-31"`, which stands for 00:00 UTC, or a
 * date and time with an offset, such as `"2026-12-31T12:00Z"`.
 */
export interface Deprecation {
  /** The date on which the operation became deprecated, for the header `Deprecation`. */
  readonly since?: string;
  /** The date from which the operation may be gone, for the header `Sunset`. */
  readonly sunset?: string;
  /** The path or the URL of the replacement; `[id]` stands for that path parameter. */
  readonly use?: string;
  /** The reason: a sentence, or the URL of a page. */
  readonly why?: string;
}

/**
 * A method's responses by status, 200 to 599.
 *
 * Each response is a schema for JSON or text, `content()` for another media type, a
 * description with headers, or `{}` for a response without a body. A list of several
 * `content()` declares several media types, the default first.
 *
 * @example Usage
 * ```ts
 * import { content, type ResponseSchemas } from "@bough/framework";
 * import { z } from "zod";
 *
 * const Book = z.object({ id: z.int(), title: z.string() });
 *
 * export const response = {
 *   200: Book,
 *   201: { body: Book, headers: z.object({ location: z.string() }) },
 *   203: content("application/pdf"),
 *   206: [content("application/json", Book), content("text/csv")],
 *   204: {},
 * } satisfies ResponseSchemas;
 * ```
 */
export interface ResponseSchemas {
  /** Describes a response with this status. */
  readonly [status: number]: ResponseBody | ResponseDescription;
}

/** The body of a response: JSON or text, another media type, or several media types. */
export type ResponseBody = StandardSchemaV1 | AnyContent | ContentList;

/** A body of any media type, created by `content()`. */
export type AnyContent = Content<string, StandardSchemaV1 | undefined>;

/**
 * The bodies of a response with several media types; the first is the default. The tuple
 * keeps the order of a literal in its type.
 */
export type ContentList =
  | readonly [AnyContent, ...AnyContent[]]
  | readonly AnyContent[];

/** A response with its headers. If `body` is missing, the response has no body. */
export interface ResponseDescription {
  /** Describes the JSON or text to send, or the media types of other bodies. */
  readonly body?: ResponseBody;
  /** Describes the headers to send: an object of strings by lowercase name. */
  readonly headers?: StandardSchemaV1;
  /**
   * The condition under which the response is sent, in Markdown; by default, the status
   * text, such as "OK".
   */
  readonly description?: string;
}

/**
 * A body of a media type, created by `content()`.
 *
 * @typeParam MediaType The media type, such as `"text/csv"`.
 * @typeParam Schema The schema of the body, if it has one.
 */
export interface Content<
  MediaType extends string = string,
  Schema extends StandardSchemaV1 | undefined = undefined,
> {
  /** The media type, such as `"text/csv"`, or a range, such as `"text/*"`. */
  readonly mediaType: MediaType;
  /** Describes the JSON or text of this media type. */
  readonly schema: Schema;
}

/** A body of a request of one media type, created by `content()` with a schema. */
export type RequestContent = Content<string, StandardSchemaV1>;

/** The bodies of a request of several media types, each with its own schema. */
export type RequestContents = readonly [RequestContent, ...RequestContent[]];

/**
 * The schema of a part of a request; for a body that `content()` declares, the schemas
 * of all its media types.
 *
 * @typeParam Of The part, such as `typeof schema.post.body`.
 */
export type PartSchema<Of> = Of extends StandardTypes ? Of
  : Of extends readonly (infer Item)[] ? PartSchema<Item>
  : Of extends { readonly schema: infer Schema } ? Schema
  : Of;

/**
 * The events of a stream: the schema of the data, by the name of the event. The name
 * `message` stands for events without a name.
 */
export interface EventSchemas {
  /** Describes the JSON or text of an event. */
  readonly [name: string]: StandardSchemaV1;
}

/** The messages of a socket, JSON or text. A missing schema allows any message. */
export interface SocketSchemas {
  /** Checks each message from the client. */
  readonly receive?: StandardSchemaV1;
  /** Describes each message to the client. */
  readonly send?: StandardSchemaV1;
}

/** Security schemes that a request needs together, each with its scopes. */
export interface SecurityRequirement {
  /**
   * The scopes that the scheme of this name requires. The type includes `undefined`
   * only because TypeScript adds it to the `{}` of `[{ bearer: [] }, {}]`; do not write
   * `undefined`.
   */
  readonly [scheme: string]: readonly string[] | undefined;
}

/**
 * The `schema` export of a route file: schemas by lowercase method.
 *
 * @example Usage
 * ```ts
 * import type { RouteSchema } from "@bough/framework";
 * import { z } from "zod";
 *
 * export const schema = {
 *   post: { body: z.object({ title: z.string().min(1) }) },
 * } satisfies RouteSchema;
 * ```
 */
export type RouteSchema = {
  readonly [Name in Lowercase<Method>]?: MethodSchema;
};

/**
 * The type of `request.validated`: the output of each declared schema. For a body of
 * several media types, or of a range, `bodyType` is the declared type that matched, and
 * narrows the union of their outputs.
 *
 * @typeParam Schema The schemas of the method, such as `typeof schema.post`.
 *
 * @example Usage
 * ```ts
 * import type { Validated } from "@bough/framework";
 * import { z } from "zod";
 *
 * const schema = { post: { body: z.object({ title: z.string() }) } };
 *
 * function addBook({ body }: Validated<typeof schema.post>): string {
 *   return body.title;
 * }
 * ```
 */
export type Validated<Schema extends MethodSchema> = Schema extends
  { readonly body: infer Body extends NamedContents }
  ? ValidatedContent<Schema, Body extends RequestContents ? Body[number] : Body>
  : ValidatedParts<Schema>;

/** The outputs of the schemas of a method, by part. */
export type ValidatedParts<Schema> = {
  readonly [Part in keyof Schema as Extract<Part, SchemaPart>]: SchemaOutput<
    PartSchema<Schema[Part]>
  >;
};

/** The bodies whose declared media type `validated.bodyType` names. */
export type NamedContents =
  | RequestContents
  | Content<`${string}*${string}`, StandardSchemaV1>;

/**
 * The outputs of the schemas of a method, if its body is one of several contents.
 *
 * @typeParam Declared The content, or the union of several.
 */
export type ValidatedContent<Schema, Declared> = Declared extends RequestContent
  ?
    & Omit<ValidatedParts<Schema>, "body">
    & {
      /** The declared media type or range that the type of the body matches. */
      readonly bodyType: Declared["mediaType"];
      /** The output of the schema of this media type. */
      readonly body: SchemaOutput<Declared["schema"]>;
    }
  : never;

/** One part of a request that a schema may check. */
export type SchemaPart = "params" | "query" | "headers" | "cookies" | "body";
