import { getOrCompute } from "../common/values.ts";
import type { SchemaPart, StandardSchemaV1 } from "../types/schema.ts";
import {
  acceptsType,
  fitsForm,
  isQueryList,
  type JsonSchema,
  lenientForm,
  type ObjectForm,
  objectForms,
} from "./json_schema.ts";
import { memberOf, runSchema, type SchemaResult } from "./run_schema.ts";

/** The values of a query or a form, by name; a repeated name has an array. */
type Values = Record<string, unknown>;

/** The members of a query or a form that are lists, even if a name occurs once. */
export interface Lists {
  /** Whether a member is always a list, or only if the schema rejects its value. */
  readonly kindOf: (name: string) => "list" | "either" | undefined;
  /** The required names that may be absent: the schema then gets `[]`. */
  readonly needed: readonly string[];
  /** Whether an issue of the whole object may concern any member. */
  readonly isUnion: boolean;
}

/** Without a JSON Schema, only the schema itself knows its lists. */
const UNKNOWN: Lists = { kindOf: () => "either", needed: [], isUnion: false };

/** A cache, since one contract may cover many routes. */
const known = new WeakMap<StandardSchemaV1, Lists>();

/** The lists of a query or a form, compiled once from the JSON Schema of its schema. */
export function listsOf(schema: StandardSchemaV1): Lists {
  return getOrCompute(known, schema, () => {
    const root = formOfStrings(schema);
    return root === undefined ? UNKNOWN : describedLists(root);
  });
}

/** The JSON Schema of strings by name, if the library of the schema provides it. */
function formOfStrings(schema: StandardSchemaV1): JsonSchema | undefined {
  return lenientForm(schema, "input", { override: describeStrings });
}

interface ZodDefinition {
  readonly type: string;
  readonly coerce?: boolean;
  readonly in?: { readonly _zod: { readonly def: ZodDefinition } };
}

/**
 * Describes inputs of `z.coerce` and `z.preprocess()` as any value, since an input may be
 * a string. Zod itself describes only the result.
 */
function describeStrings({ zodSchema, jsonSchema }: {
  readonly zodSchema: { readonly _zod: { readonly def: ZodDefinition } };
  readonly jsonSchema: Record<string, unknown>;
}): void {
  const { coerce, in: input } = zodSchema._zod.def;
  if (!coerce && input?._zod.def.type !== "transform") return;
  for (const keyword in jsonSchema) delete jsonSchema[keyword];
}

function describedLists(root: JsonSchema): Lists {
  const ways = objectForms(root, root);
  const kindIn = (
    forms: readonly (JsonSchema | false | undefined)[],
  ): ReturnType<Lists["kindOf"]> => {
    const anyOf = forms.filter((form) => form !== undefined);
    if (isQueryList({ anyOf }, root)) return "list";
    return acceptsType("array", { anyOf }, root) ? "either" : undefined;
  };
  const kinds = new Map(
    namesOf(ways).map((name) => [
      name,
      kindIn(ways.map(({ named, others }) => named.get(name) ?? others)),
    ]),
  );
  const others = kindIn(ways.map(({ others }) => others));
  // In zod, a list with `.catch()` is required, but has a default.
  const needed = [...kinds.keys()].filter((name) =>
    kinds.get(name) === "list" &&
    ways.every(({ named, required }) =>
      required.has(name) && named.get(name)?.default === undefined &&
      fitsForm(named.get(name), [], root)
    )
  );
  const kindOf = (name: string) => kinds.has(name) ? kinds.get(name) : others;
  return { kindOf, needed, isUnion: ways.length > 1 };
}

function namesOf(ways: readonly ObjectForm[]): string[] {
  return [...new Set(ways.flatMap(({ named }) => [...named.keys()]))];
}

/** Makes the sent values of all members that are always lists into lists. */
export function withLists(schema: StandardSchemaV1, values: Values): Values {
  const { kindOf, needed } = listsOf(schema);
  for (const name in values) {
    if (!Array.isArray(values[name]) && kindOf(name) === "list") {
      values[name] = [values[name]];
    }
  }
  for (const name of needed) values[name] ??= [];
  return values;
}

/**
 * Checks the values of a query or a form, in which one value may be a list. If the
 * schema rejects a single value, asks the schema once more, with a list of this value.
 *
 * @param read Reads the sent values. Called again, since a schema may modify its input.
 */
export function runWithLists(
  schema: StandardSchemaV1,
  read: () => Values,
  part: SchemaPart,
): SchemaResult | Promise<SchemaResult> {
  const result = runSchema(schema, withLists(schema, read()), part);
  const orLists = (first: SchemaResult) =>
    first.issues === undefined
      ? first
      : askAgain(schema, first, { read, part });
  return result instanceof Promise ? result.then(orLists) : orLists(result);
}

async function askAgain(
  schema: StandardSchemaV1,
  first: SchemaResult,
  { read, part }: { readonly read: () => Values; readonly part: SchemaPart },
): Promise<SchemaResult> {
  const { kindOf, isUnion } = listsOf(schema);
  const rejectedBy = ({ issues = [] }: SchemaResult) => {
    const steps = new Set(issues.map(memberOf));
    return (name: string) => steps.has(name) || isUnion && steps.has(undefined);
  };
  const values = withLists(schema, read());
  const names = Object.keys(values).filter((name) =>
    !Array.isArray(values[name]) && kindOf(name) === "either"
  ).filter(rejectedBy(first));
  if (names.length === 0) return first;
  for (const name of names) values[name] = [values[name]];
  try {
    const second = await runSchema(schema, values, part);
    return names.some(rejectedBy(second)) ? first : second;
  } catch {
    // A function in the schema expects no list here.
    return first;
  }
}

/**
 * The members that no request can send, since their schemas accept no string, which
 * includes files, and no list of strings.
 *
 * @param isRepeated Whether a name may be repeated, and so may be a list.
 */
export function unsentMembers(
  schema: StandardSchemaV1,
  isRepeated: boolean,
): string[] {
  const root = formOfStrings(schema) ?? {};
  const ways = objectForms(root, root);
  const isSent = (form: unknown) =>
    acceptsType("string", form, root) ||
    isRepeated && acceptsType("strings", form, root);
  return namesOf(ways).filter((name) =>
    !ways.some(({ named, others }) => isSent(named.get(name) ?? others))
  );
}
