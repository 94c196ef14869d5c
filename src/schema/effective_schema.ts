import type { LocatedContract } from "../types/contract.ts";
import { byStatus } from "./responses.ts";
import type {
  EventSchemas,
  MethodSchema,
  ResponseSchemas,
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
  /** The groups in the documentation, if any level declares them. */
  readonly tags: Located<readonly string[]> | undefined;
  /** Whether the method is deprecated, if any level declares `deprecated`. */
  readonly deprecated: Located<boolean> | undefined;
}

/**
 * Merges the schema of a method with the contracts around it, for tools that read
 * `app.routes()`. The schemas of each part are listed together, and responses are
 * merged by status. For every other member, the innermost declaration applies.
 *
 * @param contracts The contracts of the folders, outermost first.
 * @param own The schema of the method, and its file.
 * @returns The merged schema; each value names the file that declares it.
 *
 * @example Usage
 * ```ts
 * import { effectiveSchema } from "@bough/framework/openapi";
 * import { assertEquals } from "@std/assert";
 *
 * const contract = { security: [{ bearer: [] }], tags: ["staff"] };
 * const { security, tags } = effectiveSchema(
 *   [{ contract, file: "api/(staff)/middleware.ts", paramNames: [] }],
 *   { schema: { tags: ["stock"] }, file: "api/(staff)/stock/route.ts" },
 * );
 * assertEquals(security?.file, "api/(staff)/middleware.ts");
 * assertEquals(tags?.value, ["stock"]);
 * ```
 */
export function effectiveSchema(
  contracts: readonly LocatedContract[],
  own: { readonly schema: MethodSchema; readonly file: string },
): EffectiveSchema {
  const levels: (Located<MethodSchema> & Pick<LocatedSchema, "paramNames">)[] =
    [
      ...contracts.map(({ contract: value, ...place }) => ({
        value,
        ...place,
      })),
      { value: own.schema, file: own.file },
    ];
  const located = <Name extends keyof MethodSchema>(name: Name) =>
    levels.flatMap(({ value: { [name]: value }, ...place }) =>
      value === undefined ? [] : [{ value: value!, ...place }]
    );
  const isLive = isLiveMethod(own.schema);
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
    tags: located("tags").at(-1),
    deprecated: located("deprecated").at(-1),
  };
}

/** The responses of a method, and of the contracts around it, outermost first. */
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
