import type { LocatedContract } from "../types/contract.ts";
import { type Method, schemaKey } from "../methods.ts";
import { contractsFor } from "./validate.ts";
import { byStatus } from "./responses.ts";
import type {
  Deprecation,
  EventSchemas,
  MethodSchema,
  ResponseSchemas,
  RouteSchema,
  SchemaPart,
  SocketSchemas,
  StandardSchemaV1,
} from "../types/schema.ts";

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
}

/** The schema of a method, merged with the contracts of its folders. */
export interface EffectiveSchema {
  /** The schemas of each part, outermost first; a request must match all of them. */
  readonly parts: {
    readonly [Part in SchemaPart]: readonly LocatedSchema[];
  };
  /** The responses by status. */
  readonly response: ReadonlyMap<number, Located<ResponseSchemas[number]>>;
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
  /** Whether the method is deprecated, if any level declares `deprecated`. */
  readonly deprecated: Located<boolean | Deprecation> | undefined;
  /** Whether the method is a tool for agents, if any level declares `mcp`. */
  readonly mcp: Located<NonNullable<MethodSchema["mcp"]>> | undefined;
}

/**
 * Merges the schema of a method with the contracts that cover the method, for tools
 * that read `app.routes()`. The schemas of each part are listed together, and responses
 * are merged by status. For every other member, the innermost declaration applies.
 *
 * @param route The route, such as an item of `app.routes()`.
 * @param method The method, in uppercase.
 * @returns The merged schema; each value names the file that declares it.
 *
 * @example Usage
 * ```ts
 * import { effectiveSchema } from "@bough/framework/openapi";
 * import { assertEquals } from "@std/assert";
 *
 * const contract = { security: [{ bearer: [] }], tags: ["staff"] };
 * const { security, tags } = effectiveSchema({
 *   contracts: [{ contract, file: "api/(staff)/middleware.ts", paramNames: [] }],
 *   schema: { get: { tags: ["stock"] } },
 *   file: "api/(staff)/stock/route.ts",
 * }, "GET");
 * assertEquals(security?.file, "api/(staff)/middleware.ts");
 * assertEquals(tags?.value, ["stock"]);
 * ```
 */
export function effectiveSchema(
  { contracts, schema, file }: {
    readonly contracts: readonly LocatedContract[];
    readonly schema: RouteSchema;
    readonly file: string;
  },
  method: Method,
): EffectiveSchema {
  const { [schemaKey(method)]: own = {} } = schema;
  const levels: (Located<MethodSchema> & Pick<LocatedSchema, "paramNames">)[] =
    [
      ...contractsFor(contracts, method)
        .map(({ contract: value, ...place }) => ({ value, ...place })),
      { value: own, file },
    ];
  const located = <Name extends keyof MethodSchema>(name: Name) =>
    levels.flatMap(({ value: { [name]: value }, ...place }) =>
      value === undefined ? [] : [{ value: value!, ...place }]
    );
  const isLive = isLiveMethod(own);
  const response = new Map(
    located("response").flatMap(({ value, file }) =>
      Object.entries(byStatus(value)).flatMap(([status, value]) =>
        isLive && Number(status) < 400
          ? []
          : [[Number(status), { value, file }] as const]
      )
    ),
  );
  return {
    parts: {
      params: located("params"),
      query: located("query"),
      headers: located("headers"),
      body: located("body"),
    },
    response,
    events: located("events").at(-1),
    socket: located("socket").at(-1),
    security: located("security").at(-1),
    access: located("access").at(-1),
    tags: located("tags").at(-1),
    deprecated: located("deprecated").at(-1),
    mcp: located("mcp").at(-1),
  };
}

/** The responses of a method, and of the contracts that cover it, outermost first. */
export function mergeResponses(
  contracts: readonly LocatedContract[],
  own: MethodSchema = {},
): MethodSchema["response"] {
  const declared = [...contracts.map(({ contract }) => contract), own]
    .map(({ response }) => response)
    .filter((each) => each !== undefined);
  if (!isLiveMethod(own) && declared.length < 2) return declared[0];
  const all: ResponseSchemas = Object.assign({}, ...declared.map(byStatus));
  if (!isLiveMethod(own)) return all;
  return Object.fromEntries(
    Object.entries(all).filter(([status]) => Number(status) >= 400),
  );
}

/** Whether a method responds with events or a socket; other responses are errors. */
function isLiveMethod({ events, socket }: MethodSchema): boolean {
  return events !== undefined || socket !== undefined;
}
