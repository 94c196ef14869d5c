import type { PlacedContract } from "../types/contract.ts";
import { SCHEMA_PARTS } from "./validate.ts";
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
export interface Placed<Value> {
  /** The value as it is declared. */
  readonly value: Value;
  /** The route file or middleware file. */
  readonly file: string;
}

/** A schema of a part of requests, and the file that it stands in. */
export interface PlacedSchema extends Placed<StandardSchemaV1> {
  /** The names of params that it sees; all by default. */
  readonly paramNames?: readonly string[];
}

/** The schema of a method, merged with the contracts of its folders. */
export interface EffectiveSchema {
  /** The schemas of each part, outermost first; a request must fit all of them. */
  readonly parts: {
    readonly [Part in SchemaPart]: readonly PlacedSchema[];
  };
  /** The responses by status. */
  readonly response: ReadonlyMap<number, Placed<ResponseSchemas[number]>>;
  /** The events that it streams in place of a response. */
  readonly events: Placed<EventSchemas> | undefined;
  /** The messages of the socket that it opens in place of a response. */
  readonly socket: Placed<SocketSchemas> | undefined;
  /** The ways to be authorised, if any level says something. */
  readonly security: Placed<NonNullable<MethodSchema["security"]>> | undefined;
  /** The groups in the documentation, if any level says something. */
  readonly tags: Placed<readonly string[]> | undefined;
  /** Whether it should no longer be used, if any level says something. */
  readonly deprecated: Placed<boolean> | undefined;
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
  contracts: readonly PlacedContract[],
  own: { readonly schema: MethodSchema; readonly file: string },
): EffectiveSchema {
  const levels: readonly Level[] = [
    ...contracts.map(({ contract, ...place }) => ({
      value: contract,
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
    parts: Object.fromEntries(
      SCHEMA_PARTS.map((part) => [part, placed(part)]),
    ) as unknown as EffectiveSchema["parts"],
    response,
    events: placed("events").at(-1),
    socket: placed("socket").at(-1),
    security: placed("security").at(-1),
    tags: placed("tags").at(-1),
    deprecated: placed("deprecated").at(-1),
  };
}

/** What a route says, or a contract around it. */
interface Level extends Placed<MethodSchema> {
  readonly paramNames?: readonly string[];
}

/**
 * The responses of a method: those of the contracts around it, outermost first, and its
 * own.
 */
export function mergeResponses(
  contracts: readonly PlacedContract[],
  own: MethodSchema = {},
): MethodSchema["response"] {
  const declared = [...contracts.map(({ contract }) => contract), own]
    .map(({ response }) => response)
    .filter((each) => each !== undefined);
  if (!isLiveMethod(own) && declared.length < 2) return declared[0];
  const all: ResponseSchemas = Object.assign({}, ...declared.map(byStatus));
  return isLiveMethod(own) ? refusals(all) : all;
}

function refusals(all: ResponseSchemas): ResponseSchemas {
  const entries = Object.entries(all).map(([status, each]) =>
    [Number(status), each] as const
  );
  return Object.fromEntries(entries.filter(([status]) => status >= 400));
}

/** Whether a method responds with events or a socket, and else only refuses. */
function isLiveMethod({ events, socket }: MethodSchema): boolean {
  return events !== undefined || socket !== undefined;
}

/** A single schema is that of a 200. */
function byStatus(
  response: NonNullable<MethodSchema["response"]>,
): ResponseSchemas {
  return "~standard" in response
    ? { 200: response as StandardSchemaV1 }
    : response;
}
