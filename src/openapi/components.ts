import {
  definitionName,
  type Direction,
  mapReferences,
} from "./json_schema.ts";
import type { JsonSchema } from "./types.ts";

const PREFIX = "#/components/schemas/";

/**
 * The schemas that a document refers to by name: those with an id, and those that
 * refer to themselves.
 *
 * The input and the output of one schema may differ, say where a field has a
 * default. Then the output keeps the name, `Book`, and the input is called
 * `BookInput`. Whether they differ is known only when all schemas were added.
 * Until then a reference carries its direction, as in `Book?input`.
 */
export class Components {
  readonly #definitions = new Map<string, JsonSchema>();

  /**
   * Adds the definitions of a schema.
   *
   * @param hint The name of the schema, if it needs one.
   * @returns The schema, with references that hold within the document.
   */
  add(json: JsonSchema, direction: Direction, hint: string): JsonSchema {
    const { $schema: _, $defs = {}, ...root } = json;
    const keys = new Map<string, string>();
    const definitions = Object.entries($defs as Record<string, JsonSchema>);
    for (const [name, definition] of definitions) {
      keys.set(name, this.#keyFor(name, direction, definition));
    }
    const refersToItself = JSON.stringify(json).includes('"$ref":"#"');
    const self = refersToItself
      ? this.#keyFor(hint, direction, root)
      : undefined;
    const relink = (schema: JsonSchema): JsonSchema =>
      mapReferences(schema, (reference) => {
        if (reference === "#") return PREFIX + self;
        const name = definitionName(reference);
        return name === undefined ? reference : PREFIX + keys.get(name);
      });
    for (const [name, definition] of definitions) {
      this.#definitions.set(keys.get(name)!, relink(definition));
    }
    if (self === undefined) return relink(root);
    this.#definitions.set(self, relink(root));
    return { $ref: PREFIX + self };
  }

  /** Gives every reference its final name, and returns the named schemas. */
  finish<T>(document: T): { document: T; schemas: Record<string, JsonSchema> } {
    const split = this.#splitIds();
    const nameOf = (key: string): string => {
      const [id, direction] = key.split("?");
      return direction === "input" && split.has(id!) ? `${id}Input` : id!;
    };
    const rename = (reference: string): string =>
      reference.startsWith(PREFIX)
        ? PREFIX + nameOf(reference.slice(PREFIX.length))
        : reference;
    const named = [...this.#definitions].map(([key, schema]) =>
      [nameOf(key), mapReferences(schema, rename)] as const
    );
    named.sort(([a], [b]) => a < b ? -1 : 1);
    return {
      document: mapReferences(document, rename),
      schemas: Object.fromEntries(named),
    };
  }

  /** A key that no different schema has: `Book?input`, or else `Book2?input`. */
  #keyFor(name: string, direction: Direction, schema: JsonSchema): string {
    const id = name.replaceAll(/[^A-Za-z0-9._-]/g, "_");
    const content = comparable(schema);
    for (let count = 1;; count++) {
      const key = `${id}${count === 1 ? "" : count}?${direction}`;
      const known = this.#definitions.get(key);
      if (known === undefined || comparable(known) === content) return key;
    }
  }

  /** The ids whose input and output differ, at the top or further down. */
  #splitIds(): Set<string> {
    const split = new Set<string>();
    for (let size = -1; size !== split.size;) {
      size = split.size;
      for (const [key, schema] of this.#definitions) {
        const id = key.split("?")[0]!;
        const other = this.#definitions.get(`${id}?output`);
        if (!key.endsWith("?input") || other === undefined) continue;
        const leadsToSplit = [...split].some((name) =>
          JSON.stringify(schema).includes(`"${PREFIX}${name}?`)
        );
        if (leadsToSplit || comparable(schema) !== comparable(other)) {
          split.add(id);
        }
      }
    }
    return split;
  }
}

/** A schema as text, with references that show neither count nor direction. */
function comparable(schema: JsonSchema): string {
  return JSON.stringify(
    mapReferences(
      schema,
      (reference) =>
        reference.replace(/^.*\//, "").replace(/\d*(?:\?.*)?$/, ""),
    ),
  );
}
