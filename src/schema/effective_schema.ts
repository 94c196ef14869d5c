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
  /** The value as it is declared. */
  readonly value: Value;
  /** The route file or middleware file. */
  readonly file: string;
}

/** A schema of a part of requests, and the file that it stands in. */
export interface LocatedSchema extends Located<StandardSchemaV1> {
  /** The names of params that it sees; all by default. */
  readonly paramNames?: readonly string[];
}

/** The schema of a method, merged with the contracts of its folders. */
export interface EffectiveSchema {
  /** The schemas of each part, outermost first; a request must fit all of them. */
  readonly parts: {
    readonly [Part in SchemaPart]: readonly LocatedSchema[];
  };
  /** The responses by status. */
  readonly response: ReadonlyMap<number, Located<ResponseSchemas[number]>>;
  /** The events that it streams in place of a response. */
  readonly events: Located<EventSchemas> | undefined;
  /** The messages of the socket that it opens in place of a response. */
  readonly socket: Located<SocketSchemas> | undefined;
  /** The ways to be authorised, if any level says something. */
  readonly security: Located<NonNullable<MethodSchema["security"]>> | undefined;
  /** The groups in the documentation, if any level says something. */
  readonly tags: Located<readonly string[]> | undefined;
  /** Whether it should no longer be used, if any level says something. */
  readonly deprecated: Located<boolean> | undefined;
}

/**
 * Merges the schema of a method with the contracts around it, for tools that read
 * `app.routes()`. Parts add up, and so do responses by status; of everything else, the
 * nearest level that says anything counts.
 *
 * @param contracts The contracts of the folders, outermost first.
 * @param own The schema of the method, and its file.
 * @returns The merged schema, each value with the file that declares it.
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
  const placed = <Name extends keyof MethodSchema>(name: Name) =>
    levels.flatMap(({ value: { [name]: value }, ...place }) =>
      value === undefined ? [] : [{ value: value!, ...place }]
    );
  const isLive = isLiveMethod(own.schema);
  const response = new Map(
    placed("response").flatMap(({ value, file }) =>
      Object.entries(byStatus(value)).flatMap(([status, value]) =>
        isLive && Number(status) < 400
          ? []
          : [[Number(status), { value, file }] as const]
      )
    ),
  );
  return {
    parts: {
      params: placed("params"),
      query: placed("query"),
      headers: placed("headers"),
      body: placed("body"),
    },
    response,
    events: placed("events").at(-1),
    socket: placed("socket").at(-1),
    security: placed("security").at(-1),
    tags: placed("tags").at(-1),
    deprecated: placed("deprecated").at(-1),
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

/** Whether a method responds with events or a socket, and else only refuses. */
function isLiveMethod({ events, socket }: MethodSchema): boolean {
  return events !== undefined || socket !== undefined;
}
