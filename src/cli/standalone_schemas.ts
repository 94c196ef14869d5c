import type { Direction } from "../http/validation/json_form.ts";
import type { StandardSchemaV1 } from "../http/validation/schema.ts";
import { toJsonSchema } from "../openapi/json_schema.ts";
import { Problem } from "../openapi/problem_schema.ts";
import { mapKeywords, mapReferences } from "../openapi/schema_walk.ts";
import type { JsonSchema } from "../openapi/types.ts";

/** A text that no schema has, for a type that JSON Schema does not know. */
const FILE = "bough:file";

/** The schemas that standalone types are made of. */
export class StandaloneSchemas {
  readonly #components: Record<string, JsonSchema> = {};
  readonly #names = new Map<string, string>();

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
      form = mapKeywords(toJsonSchema(schema, { direction, name }), map);
    } catch {
      // It has no JSON form, which is a finding of `bough check`.
      return "Schema<unknown>";
    }
    return `Schema<components["schemas"]["${this.#keep(form, name)}"]>`;
  }

  /** The types of all schemas that were added. */
  async text(): Promise<string> {
    const { default: openapiTypescript, astToString } = await import(
      "openapi-typescript"
    );
    const tree = await openapiTypescript({
      openapi: "3.1.0",
      info: { title: "Types", version: "0.0.0" },
      paths: {},
      components: { schemas: this.#components as never },
    }, { defaultNonNullable: false, silent: true });
    return astToString(tree).replaceAll(JSON.stringify(FILE), "File");
  }

  /** Keeps a schema and its definitions, and returns the name that it gets. */
  #keep({ $defs = {}, ...root }: JsonSchema, wanted: string): string {
    const definitions = Object.entries($defs as Record<string, JsonSchema>);
    const names = new Map<string, string>();
    // A definition may refer to others, so all of them have names before any is kept.
    for (const [key, definition] of definitions) {
      names.set(key, this.#nameFor(key, JSON.stringify([definition, $defs])));
    }
    const relink = (schema: JsonSchema): JsonSchema =>
      mapKeywords(
        mapReferences(schema, (reference) => {
          const key = /^#\/\$defs\/(.+)$/.exec(reference)?.[1];
          return `#/components/schemas/${names.get(key ?? "") ?? wanted}`;
        }),
        withoutBinary,
      );
    for (const [key, definition] of definitions) {
      this.#components[names.get(key)!] ??= relink(definition);
    }
    const name = this.#nameFor(wanted, JSON.stringify([root, $defs]));
    this.#components[name] ??= relink(root);
    return name;
  }

  /** The name of a schema, which is the wanted one unless another schema has it. */
  #nameFor(wanted: string, text: string): string {
    const known = this.#names.get(`${wanted} ${text}`);
    if (known !== undefined) return known;
    let name = wanted;
    const taken = new Set(this.#names.values());
    for (let count = 2; taken.has(name); count++) name = `${wanted}${count}`;
    this.#names.set(`${wanted} ${text}`, name);
    return name;
  }
}

function withoutBinary(schema: JsonSchema): JsonSchema {
  return schema.format === "binary" ? { const: FILE } : schema;
}

function asTexts(schema: JsonSchema): JsonSchema {
  return /^(?:number|integer|boolean)$/.test(String(schema.type))
    ? { type: ["string", "number", "boolean"] }
    : schema;
}
