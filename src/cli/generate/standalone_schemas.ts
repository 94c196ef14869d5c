import { Components } from "../../openapi/document/components.ts";
import { toJsonSchema } from "../../openapi/document/json_schema.ts";
import { Problem } from "../../openapi/document/problem_schema.ts";
import { mapKeywords } from "../../openapi/document/schema_walk.ts";
import type { JsonSchema } from "../../openapi/types.ts";
import type { Direction } from "../../schema/json_schema.ts";
import type { StandardSchemaV1 } from "../../types/schema.ts";

/** A text that no schema has, for a type that JSON Schema does not know. */
const FILE = "bough:file";

/**
 * The schemas that standalone types are made of. One with an id, say `Book`, is a
 * type of that name. Where its input differs from its output, the input is
 * `BookInput`; any other schema of that id is `Book2`.
 */
export class StandaloneSchemas {
  readonly #components = new Components();
  readonly #added: { readonly wanted: string; readonly schema: JsonSchema }[] =
    [];

  /**
   * Adds a schema of texts by name, as in a query, and returns the type that stands for
   * it. A number there is one that the schema makes of a text.
   */
  addTexts(schema: StandardSchemaV1, name: string): string {
    return this.#add(schema, { name, direction: "input", map: asTexts });
  }

  /** Adds a schema, and returns the type that stands for it. */
  add(schema: StandardSchemaV1, name: string, direction: Direction): string {
    return this.#add(schema, { name, direction, map: (schema) => schema });
  }

  #add(
    schema: StandardSchemaV1,
    { name, direction, map }: {
      readonly name: string;
      readonly direction: Direction;
      readonly map: (schema: JsonSchema) => JsonSchema;
    },
  ): string {
    if (schema["~standard"].vendor === Problem["~standard"].vendor) {
      return "Schema<ProblemDocument>";
    }
    let form: JsonSchema;
    try {
      form = mapKeywords(
        toJsonSchema(schema, { direction, name }),
        (schema) => asTyped(map(schema)),
      );
    } catch {
      // It has no JSON form, which is a finding of `bough check`.
      return "Schema<unknown>";
    }
    this.#added.push({
      wanted: name,
      schema: this.#components.add(form, direction),
    });
    // Its name depends on schemas that are yet to be added.
    return `Schema<components["schemas"]["?${this.#added.length - 1}"]>`;
  }

  /** The text that was made with the types of schemas, and all of these types. */
  async finish(text: string): Promise<string> {
    const { document: added, schemas } = this.#components.finish(this.#added);
    const names = added.map(({ wanted, schema }) =>
      nameOf(schema) ?? keep(schema, wanted, schemas)
    );
    const named = text.replaceAll(
      /\["schemas"\]\["\?(\d+)"\]/g,
      (_, index) => `["schemas"][${JSON.stringify(names[index])}]`,
    );
    const { default: openapiTypescript, astToString, stringToAST } =
      await import("openapi-typescript");
    const tree = await openapiTypescript({
      openapi: "3.1.0",
      info: { title: "Types", version: "0.0.0" },
      paths: {},
      components: { schemas: schemas as never },
    }, {
      defaultNonNullable: false,
      emptyObjectsUnknown: true,
      silent: true,
    });
    // A member of an interface cannot be a union or a tuple of itself; an alias can.
    const recursive = recursiveNames(schemas);
    const aliases: string[] = [];
    for (const member of schemasIn(tree as readonly Node[])) {
      const name = member.name!.text;
      if (!recursive.has(name)) continue;
      const text = astToString(member.type as never).trimEnd().replaceAll(
        /components\["schemas"\]\["([^"]+)"\]/g,
        (all, other) => recursive.has(other) ? aliasOf(other) : all,
      );
      aliases.push(`type ${aliasOf(name)} = ${text};\n`);
      const [alias] = stringToAST(`type _ = ${aliasOf(name)}`) as [Node];
      member.type = alias.type!;
    }
    return named + (aliases.join("") + astToString(tree))
      .replaceAll(JSON.stringify(FILE), "File");
  }
}

/** An interface, or a member of one, in the tree of its text. */
interface Node {
  readonly name?: { readonly text: string };
  readonly members?: readonly Node[];
  type?: Node;
}

/** The members of `components["schemas"]`. */
function schemasIn(tree: readonly Node[]): readonly Node[] {
  const find = (nodes: readonly Node[] = [], wanted: string) =>
    nodes.find(({ name }) => name?.text === wanted);
  const schemas = find(find(tree, "components")?.members, "schemas");
  return schemas?.type?.members ?? [];
}

/** A reference to a schema, which has its name. */
const REFERENCE = /^#\/components\/schemas\/([^/]+)$/;

/** The names of schemas that refer to themselves, by way of others, too. */
function recursiveNames(
  schemas: Readonly<Record<string, JsonSchema>>,
): ReadonlySet<string> {
  const references = new Map(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]+)"/g)]
        .map(([, reference]) => REFERENCE.exec(reference!)?.[1]),
    ]),
  );
  const below = (name: string, found: Set<string>): Set<string> => {
    for (const next of references.get(name) ?? []) {
      if (next !== undefined && !found.has(next)) below(next, found.add(next));
    }
    return found;
  };
  return new Set(
    [...references.keys()].filter((name) => below(name, new Set()).has(name)),
  );
}

/** The name of the alias of a schema; that of a schema may have a dot or a dash. */
function aliasOf(name: string): string {
  return `Recursive${
    name.replaceAll(/\W/g, (character) => `$${character.charCodeAt(0)}`)
  }`;
}

/** The name of a schema that only refers to a named one. */
function nameOf(schema: JsonSchema): string | undefined {
  return Object.keys(schema).length === 1 && typeof schema.$ref === "string"
    ? REFERENCE.exec(schema.$ref)?.[1]
    : undefined;
}

/** Keeps a schema by the wanted name, unless another one has it, and returns its name. */
function keep(
  schema: JsonSchema,
  wanted: string,
  schemas: Record<string, JsonSchema>,
): string {
  const text = JSON.stringify(schema);
  let name = wanted;
  for (let count = 2; Object.hasOwn(schemas, name); count++) {
    if (JSON.stringify(schemas[name]) === text) return name;
    name = `${wanted}${count}`;
  }
  schemas[name] = schema;
  return name;
}

/**
 * A schema by what matters to its type. What zod returns is closed to further members
 * where what it takes is open, which types do not tell.
 */
function asTyped({ additionalProperties, ...schema }: JsonSchema): JsonSchema {
  if (schema.format === "binary") return { const: FILE };
  return additionalProperties === undefined || additionalProperties === false
    ? schema
    : { ...schema, additionalProperties };
}

function asTexts(schema: JsonSchema): JsonSchema {
  return /^(?:number|integer|boolean)$/.test(String(schema.type))
    ? { type: ["string", "number", "boolean"] }
    : schema;
}
