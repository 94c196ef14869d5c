import { type Method, schemaKey } from "../methods.ts";
import type { LocatedContract } from "../types/contract.ts";
import type {
  EffectiveSchema,
  Located,
  LocatedSchema,
} from "../types/effective_schema.ts";
import type {
  MethodSchema,
  RouteSchema,
  StandardSchemaV1,
} from "../types/schema.ts";
import { byStatus, requestContents } from "./responses.ts";

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
  return mergeLevels(contractsFor(contracts, method), { value: own, file });
}

/**
 * Merges the schema of a method with the contracts that cover it, outermost first.
 *
 * @param own The schema of the method; an empty one if no handler responds.
 */
export function mergeLevels(
  contracts: readonly LocatedContract[],
  own: Located<MethodSchema>,
): EffectiveSchema {
  const levels: (Located<MethodSchema> & Pick<LocatedSchema, "paramNames">)[] =
    [
      ...contracts.map(({ contract: value, ...place }) => ({
        value,
        ...place,
      })),
      own,
    ];
  const located = <Name extends keyof MethodSchema>(name: Name) =>
    levels.flatMap(({ value: { [name]: value }, ...place }) =>
      value === undefined ? [] : [{ value: value!, ...place }]
    );
  // A method with events or a socket responds otherwise only with errors.
  const isLive = (own.value.events ?? own.value.socket) !== undefined;
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
      body: located("body").flatMap(({ value, ...place }) =>
        (requestContents(value) ?? [{ schema: value as StandardSchemaV1 }])
          .map(({ schema: value, ...type }) => ({ value, ...type, ...place }))
      ),
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

/**
 * Selects the contracts that cover a method. `GET` includes `HEAD`. A method that HTTP
 * does not define is covered only by contracts for all methods.
 *
 * @param contracts The contracts around a route, outermost first.
 * @param method The method; a client may send any string. If it is `undefined`, the
 * function treats it as a method that HTTP does not define.
 */
export function contractsFor(
  contracts: readonly LocatedContract[],
  method: string | undefined,
): readonly LocatedContract[] {
  const name = method === "HEAD" ? "GET" : method;
  return contracts.filter((located) =>
    covers(located, method) && covers(located.contract, name)
  );
}

/** Whether a level without `methods`, or with this method, covers a method. */
export function covers(
  { methods }: { readonly methods?: readonly Method[] },
  method: string | undefined,
): boolean {
  return methods?.some((each) => each === method) ?? true;
}
