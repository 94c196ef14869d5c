import type { JsonSchema } from "../core/schema/json_schema.ts";
import type { Deprecation, SecurityRequirement } from "../core/types/schema.ts";

/** The title, version and description of an API, for its OpenAPI document. */
export interface ApiInfo {
  /** The name of the API. */
  readonly title: string;
  /** The version of the API, not of OpenAPI. */
  readonly version: string;
  /** A short summary. */
  readonly summary?: string;
  /** A description, in Markdown. */
  readonly description?: string;
  /** The URL of the terms of service. */
  readonly termsOfService?: string;
  /** The contact for the API. */
  readonly contact?: { name?: string; url?: string; email?: string };
  /** The licence of the API. */
  readonly license?: { name: string; identifier?: string; url?: string };
}

/** A server of the API. */
export interface ApiServer {
  /** The URL, which may be relative to the URL of the document. */
  readonly url: string;
  /** The purpose of the server, in Markdown. */
  readonly description?: string;
}

/** A group of operations. */
export interface ApiTag {
  /** The name in the `tags` of operations. */
  readonly name: string;
  /** The purpose of the group, in Markdown. */
  readonly description?: string;
}

/** A version of OpenAPI. */
export type OpenApiVersion = "3.1" | "3.2";

/** The members of an OpenAPI document that do not come from routes. */
export interface DocumentOptions {
  /** The title, version and description of the API. */
  readonly info: ApiInfo;
  /** The servers of the API; by default the server of the document. */
  readonly servers?: readonly ApiServer[];
  /** The security requirements of every operation. */
  readonly security?: readonly SecurityRequirement[];
  /** The security schemes by name, such as `{ bearer: { type: "http", scheme: "bearer" } }`. */
  readonly securitySchemes?: Readonly<Record<string, object>>;
  /** Descriptions of tags, in the order in which the page shows the tags. */
  readonly tags?: readonly ApiTag[];
  /**
   * The OpenAPI version of the document. In 3.2, `itemSchema` describes the events of a
   * stream. In 3.1, the `contentSchema` of a string describes these events, and `QUERY` is
   * in an extension.
   *
   * @default {"3.1"}
   */
  readonly openapiVersion?: OpenApiVersion;
}

/** A part that an OpenAPI document omits, or cannot describe as intended. */
export interface DocumentWarning {
  /** The route file. */
  readonly path: string;
  /** The member, the error and the advice. */
  readonly message: string;
}

/** An OpenAPI document. */
export interface OpenApiDocument {
  /** The version of OpenAPI. */
  readonly openapi: `${OpenApiVersion}.0`;
  /** The title, version and description of the API. */
  readonly info: ApiInfo;
  /** The servers of the API. */
  readonly servers?: readonly ApiServer[];
  /** The security requirements of every operation. */
  readonly security?: readonly SecurityRequirement[];
  /** The groups of operations. */
  readonly tags?: readonly ApiTag[];
  /**
   * The operations by path and lowercase method. OpenAPI 3.1 does not know `query`, so its
   * member `x-oai-additionalOperations` has the operation as its member `QUERY`.
   */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** The schemas, responses and security schemes to which operations refer. */
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, DocumentedResponse>>;
    readonly securitySchemes?: Readonly<Record<string, object>>;
  };
}

/** One method of one path. */
export interface Operation {
  /** The name of the operation for generated clients. */
  readonly operationId: string;
  /** A summary in a few words. */
  readonly summary?: string;
  /** A description, in Markdown. */
  readonly description?: string;
  /** The groups of the operation. */
  readonly tags?: readonly string[];
  /** Whether clients should stop calling the operation. */
  readonly deprecated?: boolean;
  /** The security requirements. */
  readonly security?: readonly SecurityRequirement[];
  /**
   * The users who may reach the operation: `owner`, `shared`, `public`, roles, `member
   * customerId of parent`, or `function`. OpenAPI cannot describe them.
   */
  readonly "x-access"?: readonly string[];
  /** Path, query and header parameters. */
  readonly parameters?: readonly Parameter[];
  /** The body of the request. */
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: MediaTypes;
    /** Whether the route reads only these types, since `content()` declares them. */
    readonly "x-declared-types"?: true;
  };
  /** The responses by status; `default` only if the operation opens a socket. */
  readonly responses: Readonly<Record<string, DocumentedResponse | Reference>>;
  /** The messages of the WebSocket, which OpenAPI cannot describe. */
  readonly "x-socket"?: SocketMessages;
  /** The date after which the operation may be removed. */
  readonly "x-sunset"?: string;
  /** The members without JSON Schema, such as `body`, which OpenAPI cannot describe. */
  readonly "x-undescribed"?: readonly string[];
  /** The date of the deprecation, the replacement and the reason. */
  readonly "x-deprecated"?: Omit<Deprecation, "sunset">;
}

/**
 * The messages of a WebSocket: JSON in text frames. A direction without a schema carries
 * raw strings and bytes.
 */
export interface SocketMessages {
  /** Messages from the client. */
  readonly receive?: JsonSchema;
  /** Messages to the client. */
  readonly send?: JsonSchema;
}

/** A path, query or header parameter of an operation. */
export interface Parameter {
  /** The name. */
  readonly name: string;
  /** The part of the request. */
  readonly in: "path" | "query" | "header" | "cookie";
  /** Whether the client must send the parameter. */
  readonly required: boolean;
  /** The purpose of the parameter. */
  readonly description?: string;
  /** Whether clients should stop sending the parameter. */
  readonly deprecated?: boolean;
  /** The JSON Schema of its value. */
  readonly schema: JsonSchema;
  /** The serialization of a value with several parts. */
  readonly style?: string;
  /** Whether the client sends each part as a separate parameter. */
  readonly explode?: boolean;
  /** Whether the parameter is a wildcard, whose slashes are not escaped. */
  readonly "x-wildcard"?: true;
}

/** Bodies by media type. */
export interface MediaTypes {
  /** A body of this media type. */
  readonly [type: string]: {
    /** The JSON Schema of the body; a stream of OpenAPI 3.2 has `itemSchema` instead. */
    readonly schema?: JsonSchema;
    /** The JSON Schema of each event of a stream, since OpenAPI 3.2. */
    readonly itemSchema?: JsonSchema;
    /** An example of the body. */
    readonly example?: unknown;
    /** The media types of the files in a form, by field. */
    readonly encoding?: Readonly<
      Record<string, { readonly contentType: string }>
    >;
  };
}

/** One response of an operation. */
export interface DocumentedResponse {
  /** The reason for the response, in Markdown. */
  readonly description: string;
  /** The headers by lowercase name. */
  readonly headers?: Readonly<Record<string, ResponseHeader>>;
  /** The declared body, if there is one. */
  readonly content?: MediaTypes;
}

/** One header of a response. */
export interface ResponseHeader {
  /** The purpose of the header. */
  readonly description?: string;
  /** Whether the server always sends the header. */
  readonly required: boolean;
  /** Whether clients should stop reading the header. */
  readonly deprecated?: boolean;
  /** The JSON Schema of its value. */
  readonly schema: JsonSchema;
}

/** A reference to a component that several operations share. */
export interface Reference {
  /** The location of the component, such as `#/components/responses/BadRequest`. */
  readonly $ref: string;
}
