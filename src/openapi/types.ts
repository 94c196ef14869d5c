import type { SecurityRequirement } from "../types/schema.ts";

/** A JSON Schema of draft 2020-12, as OpenAPI 3.1 embeds them. */
export interface JsonSchema {
  /** A keyword of JSON Schema. */
  readonly [keyword: string]: unknown;
}

/** The title, version and description of an API, for its OpenAPI document. */
export interface ApiInfo {
  /** The name of the API. */
  readonly title: string;
  /** The version of the API, not that of OpenAPI. */
  readonly version: string;
  /** A short summary. */
  readonly summary?: string;
  /** A description, in Markdown. */
  readonly description?: string;
  /** The URL of the terms of service. */
  readonly termsOfService?: string;
  /** Whom to contact. */
  readonly contact?: { name?: string; url?: string; email?: string };
  /** The licence of the API. */
  readonly license?: { name: string; identifier?: string; url?: string };
}

/** A server that the API is served from. */
export interface ApiServer {
  /** Its URL, which may be relative to where the document is served. */
  readonly url: string;
  /** What it is for, in Markdown. */
  readonly description?: string;
}

/** A group of operations. */
export interface ApiTag {
  /** The name, as operations list it. */
  readonly name: string;
  /** What the group is for, in Markdown. */
  readonly description?: string;
}

/** A version of OpenAPI. */
export type OpenApiVersion = "3.1" | "3.2";

/** What an OpenAPI document says beyond the routes. */
export interface DocumentOptions {
  /** What the API is. */
  readonly info: ApiInfo;
  /** Where it is served; by default where its document is. */
  readonly servers?: readonly ApiServer[];
  /** The security requirements of every operation. */
  readonly security?: readonly SecurityRequirement[];
  /** The security schemes by name, such as `{ bearer: { type: "http", scheme: "bearer" } }`. */
  readonly securitySchemes?: Readonly<Record<string, object>>;
  /** Descriptions of tags, in the order in which they are shown. */
  readonly tags?: readonly ApiTag[];
  /**
   * The version of OpenAPI that the document is written in. 3.2 has `itemSchema` for
   * the events of a stream; in 3.1 they are the `contentSchema` of a text.
   *
   * @default {"3.1"}
   */
  readonly openapiVersion?: OpenApiVersion;
}

/** Something that an OpenAPI document leaves out, or could not state as intended. */
export interface DocumentWarning {
  /** The route file concerned. */
  readonly path: string;
  /** What is wrong with which member, and what to do. */
  readonly message: string;
}

/** An OpenAPI document. */
export interface OpenApiDocument {
  /** The version of OpenAPI. */
  readonly openapi: `${OpenApiVersion}.0`;
  /** What the API is. */
  readonly info: ApiInfo;
  /** Where it is served. */
  readonly servers?: readonly ApiServer[];
  /** The security requirements of every operation. */
  readonly security?: readonly SecurityRequirement[];
  /** The groups of operations. */
  readonly tags?: readonly ApiTag[];
  /** The operations by path and lowercase method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** What the operations refer to. */
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
  /** What the operation does, in a few words. */
  readonly summary?: string;
  /** What the operation does, in Markdown. */
  readonly description?: string;
  /** The groups it belongs to. */
  readonly tags?: readonly string[];
  /** Whether it should no longer be used. */
  readonly deprecated?: boolean;
  /** Its security requirements. */
  readonly security?: readonly SecurityRequirement[];
  /** What it takes from path, query and headers. */
  readonly parameters?: readonly Parameter[];
  /** What it takes as its body. */
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: MediaTypes;
  };
  /** Its responses by status, `default` only where it opens a socket. */
  readonly responses: Readonly<Record<string, DocumentedResponse | Reference>>;
  /** The messages of the WebSocket that it opens, which OpenAPI has no way to say. */
  readonly "x-socket"?: SocketMessages;
}

/**
 * The messages of a WebSocket: JSON in frames of text. A direction without a schema has
 * texts and bytes as they are.
 */
export interface SocketMessages {
  /** What the client sends. */
  readonly receive?: JsonSchema;
  /** What the client is sent. */
  readonly send?: JsonSchema;
}

/** One value that an operation takes from path, query or headers. */
export interface Parameter {
  /** Its name. */
  readonly name: string;
  /** The part of the request that holds it. */
  readonly in: "path" | "query" | "header";
  /** Whether it must be given. */
  readonly required: boolean;
  /** What it is for. */
  readonly description?: string;
  /** Whether it should no longer be used. */
  readonly deprecated?: boolean;
  /** What values it may have. */
  readonly schema: JsonSchema;
  /** How a value with several parts is written. */
  readonly style?: string;
  /** Whether each part is a parameter of its own. */
  readonly explode?: boolean;
  /** Whether it is a wildcard, whose slashes are sent as they are. */
  readonly "x-wildcard"?: true;
}

/** What is sent, by its media type. */
export interface MediaTypes {
  /** A body of this media type. */
  readonly [type: string]: {
    /** What values it may have; a stream of OpenAPI 3.2 has an `itemSchema` instead. */
    readonly schema?: JsonSchema;
    /** What each event of a stream may be, from OpenAPI 3.2 on. */
    readonly itemSchema?: JsonSchema;
    /** A value as it may be sent. */
    readonly example?: unknown;
  };
}

/** One response of an operation. */
export interface DocumentedResponse {
  /** When it is sent, in Markdown. */
  readonly description: string;
  /** Its headers, by lowercase name. */
  readonly headers?: Readonly<Record<string, ResponseHeader>>;
  /** Its body; without it, it has none, or none that is known. */
  readonly content?: MediaTypes;
}

/** One header of a response. */
export interface ResponseHeader {
  /** What it is for. */
  readonly description?: string;
  /** Whether it is always sent. */
  readonly required: boolean;
  /** Whether it should no longer be used. */
  readonly deprecated?: boolean;
  /** What values it may have. */
  readonly schema: JsonSchema;
}

/** A reference to something that several operations have in common. */
export interface Reference {
  /** Where it stands in the document. */
  readonly $ref: string;
}
