import { getOrCompute } from "../common/values.ts";
import type { SchemaPart, StandardSchemaV1 } from "../types/schema.ts";
import {
  acceptsStrings,
  acceptsType,
  isQueryList,
  type JsonSchema,
  lenientForm,
  type ObjectForm,
  objectForms,
} from "./json_schema.ts";
import { runSchema, type SchemaResult } from "./run_schema.ts";

/** The values of a query or a form, by name; a repeated name has an array. */
type Values = Record<string, unknown>;

/** The members of a query or a form that are lists, even if a name occurs once. */
interface Lists {
  /** Whether a member is always a list, or only if the schema rejects its value. */
  readonly kindOf: (name: string) => "list" | "either" | "single";
  /** The names for which the schema gets `[]` if they are absent. */
  readonly needed: ReadonlySet<string>;
  /** Whether an issue without a path may concern a member: no branch accepts the object. */
  readonly isUnion: boolean;
}

/** A cache, since one contract may cover many routes. */
const known = new WeakMap<StandardSchemaV1, Lists>();

function listsOf(schema: StandardSchemaV1): Lists {
  return getOrCompute(known, schema, () => {
    const root = formOfStrings(schema);
    return root === undefined ? UNKNOWN : describedLists(root);
  });
}

/** Without a JSON Schema, only the schema itself knows its lists. */
const UNKNOWN: Lists = {
  kindOf: () => "either",
  needed: new Set(),
  isUnion: false,
};

/** A JSON Schema of strings by name, such as a query; `undefined` if there is none. */
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
    formIn: (way: ObjectForm) => JsonSchema | false | undefined,
  ) => {
    const anyOf = ways.map(formIn).filter((form) => form !== undefined);
    if (isQueryList({ anyOf }, root)) return "list";
    return acceptsType("array", { anyOf }, root) ? "either" : "single";
  };
  const others = kindIn(({ others }) => others);
  const kinds = new Map(
    namesOf(ways).map((name) =>
      [name, kindIn(({ named, others }) => named.get(name) ?? others)] as const
    ),
  );
  // In zod, a list with `.catch()` is required, but has a default.
  const needed = [...kinds.keys()].filter((name) =>
    kinds.get(name) === "list" &&
    ways.every(({ named, required }) =>
      required.has(name) && named.get(name)?.default === undefined
    )
  );
  return {
    kindOf: (name) => kinds.get(name) ?? others,
    needed: new Set(needed),
    isUnion: ways.length > 1,
  };
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
    const steps = new Set(
      issues.map(({ path: [step] = [] }) =>
        step === undefined ? step : String(Object(step).key ?? step)
      ),
    );
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
 * The members whose values no request can contain, since they are neither strings nor
 * files, nor lists of these.
 *
 * @param options Whether a name may be repeated, as in a query or a form.
 */
export function unsentMembers(
  schema: StandardSchemaV1,
  options: { readonly hasLists: boolean },
): string[] {
  const root = formOfStrings(schema) ?? {};
  const ways = objectForms(root, root);
  return namesOf(ways).filter((name) =>
    !ways.some(({ named, others }) =>
      acceptsStrings(named.get(name) ?? others, root, options)
    )
  );
}
