import { isPlain } from "../common/values.ts";
import type { StandardSchemaIssue, StandardSchemaV1 } from "../types/schema.ts";
import {
  itemForms,
  type JsonSchema,
  lenientForm,
  type ObjectForm,
  objectForms,
} from "./json_schema.ts";
import { runSchema } from "./run_schema.ts";

/** The maximum number of members to find. */
const MAX_MEMBERS = 100;

/**
 * The libraries whose schemas drop unnamed members by default. If a schema of these
 * libraries keeps such members, its author allows them. Examples are `v.looseObject()`
 * of Valibot, whose JSON Schema does not show this, and `Problem`, with its extension
 * members.
 */
const DROPPING: ReadonlySet<string> = new Set(["bough", "valibot", "zod"]);

/**
 * A cache of JSON Schemas, since an event stream checks many values with the same
 * schema.
 */
const roots = new WeakMap<StandardSchemaV1, JsonSchema | undefined>();

/** A member that may be missing from the schema of its object. */
interface Member {
  readonly holder: Record<string, unknown>;
  readonly key: string;
  readonly path: readonly PropertyKey[];
  /** Whether the finding is uncertain, since no JSON Schema lists the members. */
  readonly isGuess: boolean;
}

/** A value, the schema's output for it, and the JSON Schemas that it may match. */
interface Visited {
  readonly value: unknown;
  readonly output: unknown;
  /** `undefined` if the schema has no JSON Schema. */
  readonly forms: readonly JsonSchema[] | undefined;
  readonly path: readonly PropertyKey[];
}

/**
 * Finds the members of a JSON value that its schema does not name, such as the hash of
 * a password. A schema may drop these members from its output, but the server sends
 * them nevertheless.
 *
 * @param value The sent value, which the schema accepts.
 * @param output The schema's output for the value.
 */
export async function unnamedMembers(
  schema: StandardSchemaV1,
  value: unknown,
  output: unknown,
): Promise<readonly StandardSchemaIssue[] | undefined> {
  if (!roots.has(schema)) roots.set(schema, lenientForm(schema, "input"));
  const root = roots.get(schema);
  const search = new Search(root, DROPPING.has(schema["~standard"].vendor));
  search.visit({ value, output, forms: root && [root], path: [] });
  const issues: StandardSchemaIssue[] = [];
  for (const member of search.found.values()) {
    if (member.isGuess && !await isIgnored(schema, value, member)) continue;
    const message = "is undeclared; declare it, or do not send it";
    issues.push({ message, path: member.path });
  }
  return issues.length === 0 ? undefined : issues;
}

/** Searches a value and all values inside it. */
class Search {
  /** The found members; the items of an array share one entry. */
  readonly found = new Map<string, Member>();
  readonly #root: JsonSchema;
  readonly #drops: boolean;
  readonly #ways = new Map<JsonSchema, readonly ObjectForm[]>();

  constructor(root: JsonSchema | undefined, drops: boolean) {
    this.#root = root ?? {};
    this.#drops = drops;
  }

  visit({ value, output, forms, path }: Visited): void {
    if (typeof value !== "object") return;
    // `{}` allows all members. Without a JSON Schema, an unchanged output shows that the
    // schema allows them.
    const isOpen = forms === undefined
      ? output === value
      : forms.some((form) => Object.keys(form).length === 0);
    if (isOpen) return;
    if (Array.isArray(value)) {
      for (const [index, each] of value.entries()) {
        this.visit({
          value: each,
          output: Array.isArray(output) ? output[index] : undefined,
          forms: forms?.flatMap((form) => itemForms(form, this.#root, index)),
          path: [...path, index],
        });
      }
    } else if (isPlain(value)) {
      this.#visitObject(value, { output, forms, path });
    }
  }

  #visitObject(
    value: Record<string, unknown>,
    { output, forms, path }: Omit<Visited, "value">,
  ): void {
    const ways = forms && this.#waysOf(value, forms);
    // No object matches the JSON Schema, so the schema converts this object.
    if (ways?.length === 0) return;
    const made = isPlain(output) ? output : undefined;
    for (const key of Object.keys(value)) {
      const place = {
        value: value[key],
        output: made?.[key],
        forms: ways?.map(({ named, others }) => named.get(key) ?? others)
          .filter((form) => form !== undefined && form !== false),
        path: [...path, key],
      };
      const isLost = made !== undefined && !Object.hasOwn(made, key);
      const isGuess = place.forms === undefined;
      const isNamed = isGuess ? !isLost : place.forms?.length !== 0;
      if (isNamed) this.visit(place);
      else if (isLost || !this.#drops) {
        this.#add({ holder: value, key, path: place.path, isGuess });
      }
    }
  }

  #add(member: Member): void {
    if (this.found.size === MAX_MEMBERS) return;
    const steps = member.path.map((step) =>
      typeof step === "number" ? 0 : step
    );
    const kind = JSON.stringify(steps);
    if (!this.found.has(kind)) this.found.set(kind, member);
  }

  /**
   * The ways in which an object may match, except ways with a constant that the object
   * contradicts, such as `kind: "a"`.
   */
  #waysOf(
    value: Readonly<Record<string, unknown>>,
    forms: readonly JsonSchema[],
  ): ObjectForm[] {
    return forms.flatMap((form) => {
      let ways = this.#ways.get(form);
      if (ways === undefined) {
        this.#ways.set(form, ways = objectForms(form, this.#root));
      }
      return ways;
    }).filter(({ named }) =>
      [...named].every(([name, { const: constant }]) =>
        constant === undefined || !Object.hasOwn(value, name) ||
        constant === value[name]
      )
    );
  }
}

/**
 * Whether a schema ignores a member. If so, the schema accepts even a value that JSON
 * cannot represent.
 */
async function isIgnored(
  schema: StandardSchemaV1,
  value: unknown,
  { holder, key }: Member,
): Promise<boolean> {
  const sent = holder[key];
  try {
    holder[key] = Symbol("a value that no schema accepts");
    return (await runSchema(schema, value, "response")).issues === undefined;
  } catch {
    return false;
  } finally {
    holder[key] = sent;
  }
}
