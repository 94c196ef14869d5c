import type {
  Deprecation,
  EventSchemas,
  MethodSchema,
  SchemaPart,
  SocketSchemas,
  StandardSchemaV1,
} from "./schema.ts";

/**
 * A value of a schema or a contract, and the file that declares it.
 *
 * @typeParam Value The value, such as a response or a list of tags.
 */
export interface Located<Value> {
  /** The declared value. */
  readonly value: Value;
  /** The route file or middleware file. */
  readonly file: string;
}

/** A schema of one part of requests, and the file that declares it. */
export interface LocatedSchema extends Located<StandardSchemaV1> {
  /** The names of the params that the schema receives; all by default. */
  readonly paramNames?: readonly string[];
  /** The media type of the bodies that the schema checks, if `content()` declares it. */
  readonly mediaType?: string;
}

/** The body of a declared response, in one media type. */
export interface DeclaredContent {
  /** The media type; `undefined` if the schema has no JSON Schema. */
  readonly mediaType: string | undefined;
  /** The schema of the JSON or text; `undefined` if `content()` has none. */
  readonly schema: StandardSchemaV1 | undefined;
  /** Whether the body is `Problem`, or has the error format of the route instead. */
  readonly isProblem?: boolean;
}

/** A response that a method or a contract declares. */
export interface DeclaredResponse {
  /** The body by media type, the default first; empty if the response has no body. */
  readonly bodies: readonly DeclaredContent[];
  /** The schema of the headers. */
  readonly headers: StandardSchemaV1 | undefined;
  /** The condition under which the response is sent. */
  readonly description: string | undefined;
}

/** The schema of a method, merged with the contracts of its folders. */
export interface EffectiveSchema {
  /**
   * The schemas of each part, outermost first; a request must match all of them. A body
   * of several media types must match the schema of its type.
   */
  readonly parts: {
    readonly [Part in SchemaPart]: readonly LocatedSchema[];
  };
  /** The responses by status, in the error format of the route. */
  readonly response: ReadonlyMap<number, Located<DeclaredResponse>>;
  /** The events that the method streams instead of a response. */
  readonly events: Located<EventSchemas> | undefined;
  /** The messages of the socket that the method opens instead of a response. */
  readonly socket: Located<SocketSchemas> | undefined;
  /** The security requirements, if any level declares them. */
  readonly security: Located<NonNullable<MethodSchema["security"]>> | undefined;
  /** The users who may reach the method, if any level declares them. */
  readonly access: Located<NonNullable<MethodSchema["access"]>> | undefined;
  /** The groups in the documentation, if any level declares them. */
  readonly tags: Located<readonly string[]> | undefined;
  /** Whether the method is deprecated: `false` of a route hides the `true` of a folder. */
  readonly deprecated: Located<boolean | Deprecation> | undefined;
  /** Whether the method is a tool for agents, if any level declares `mcp`. */
  readonly mcp: Located<NonNullable<MethodSchema["mcp"]>> | undefined;
}
