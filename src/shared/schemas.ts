import type { StandardSchemaV1 } from "../../mod.ts";
import { isObject } from "../core/common/values.ts";
import {
  isStreamedSchema,
  type StreamedSchema,
} from "../core/schema/check_request.ts";
import {
  IssueReport,
  memberOf,
  resultAtOnce,
  runSchema,
  runWithLists,
  type SchemaResult,
  withLists,
} from "../core/schema/run_schema.ts";
import {
  describedShape,
  namedMembers,
  type ObjectShape,
} from "../core/schema/shape.ts";
import type {
  EffectiveSchema,
  LocatedSchema,
} from "../core/types/effective_schema.ts";
import type { SchemaPart } from "../plumbing.ts";
import type { JsonSchema } from "../core/schema/json_schema.ts";
import { isFormBody, seenBody } from "./wire.ts";

/** The schema of a body that streams to the handler, if a method has one. */
export function streamedBody(
  { schema: { parts } }: { readonly schema: EffectiveSchema },
): StreamedSchema | undefined {
  const body = parts.body.at(-1)?.value;
  return isStreamedSchema(body) ? body : undefined;
}

/** The values of the parts of a request. */
type Values = Readonly<Partial<Record<SchemaPart, unknown>>> & {
  /** The media type of the body; JSON by default. */
  readonly type?: string;
};

/** Checks one part of an input; the result is `undefined` if the schema throws. */
export async function checkPart(
  part: SchemaPart,
  { value: schema, paramNames }: LocatedSchema,
  input: Values,
): Promise<SchemaResult | undefined> {
  const value = input[part];
  // The contract of a folder receives only the values of its own path.
  const seen = part === "params" && paramNames !== undefined
    ? Object.fromEntries(paramNames.map((name) => [name, Object(value)[name]]))
    : part === "body"
    ? seenBody(value, input.type)
    : value;
  const isNamed = part === "query" ||
    part === "body" && isObject(seen) && isFormBody(value, input.type);
  try {
    return await (isNamed
      ? runWithLists(schema, () => ({ ...Object(seen) }), part)
      : runSchema(schema, seen, part));
  } catch {
    return undefined;
  }
}

/**
 * The places in one part of an input that its schemas reject, such as `body#/title`;
 * `undefined` if the only error is a schema that throws.
 */
export async function refusedIn(
  part: SchemaPart,
  schemas: readonly LocatedSchema[],
  input: Values,
): Promise<string[] | undefined> {
  const report = new IssueReport();
  let isThrown = false;
  for (const each of schemas) {
    const result = await checkPart(part, each, input);
    isThrown ||= result === undefined;
    if (result?.issues !== undefined) report.add(part, result.issues);
  }
  const places = report.listed.map(({ pointer }) => part + pointer);
  return isThrown && places.length === 0 ? undefined : places;
}

/** The members that a schema rejects; `undefined` if it waits or throws. */
export function refusedMembers(
  schema: StandardSchemaV1,
  value: object,
): (string | undefined)[] | undefined {
  const result = resultAtOnce(schema, value);
  return result && (result.issues ?? []).map(memberOf);
}

/** The query that a schema receives: a member that is always a list is a list. */
export function seenQuery(
  schema: StandardSchemaV1,
  query: object,
): Readonly<Record<string, unknown>> {
  return withLists(schema, { ...query });
}

/** Whether a schema rejects members that it does not name. */
export function isStrict(schema: StandardSchemaV1): boolean {
  return namedMembers(schema).isStrict;
}

/**
 * The objects that a schema describes, or that it describes in an envelope; none if it
 * describes any other members.
 */
export function objectsIn(
  schema: StandardSchemaV1,
  envelope: string | undefined,
): readonly ObjectShape[] {
  const all = describedShape(schema)?.objects ?? [];
  const objects = envelope === undefined
    ? all
    : all.flatMap((each) => each.member(envelope)?.objects ?? []);
  return objects.some(({ checksOthers }) => checksOthers) ? [] : objects;
}

/** The JSON Schemas of a member of an object, or of its envelope. */
export function formsOf(schema: StandardSchemaV1, name: string): JsonSchema[] {
  const outer = describedShape(schema)?.objects ?? [];
  const inner = outer.flatMap(({ shapes }) =>
    shapes.flatMap(({ objects }) => objects)
  );
  return [...outer, ...inner].flatMap((each) => each.formsOf(name));
}
