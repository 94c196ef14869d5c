import {
  definitionName,
  type Direction,
  mapReferences,
} from "./json_schema.ts";
import type { JsonSchema } from "./types.ts";

const PREFIX = "#/components/schemas/";

/**
 * The schemas that a document refers to by name: those that carry an id, and
 * those that refer to themselves.
 *
 * One id may take and give different things, say where a field has a default.
 * What it gives keeps the name then, and what it takes is called `BookInput`. So
 * names are known only when all schemas are: until then references carry the
 * direction, as `Book?input`.
 */
export class Components {
  readonly #definitions = new Map<string, JsonSchema>();

  /**
   * Takes over the definitions of a schema.
   *
   * @param hint The name of the schema, should it need one.
   * @returns The schema, its references those of a document.
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

  /** Gives every reference of a document its final name, and adds the schemas. */
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

  /** A key that no other schema has. */
  #keyFor(name: string, direction: Direction, schema: JsonSchema): string {
    const id = name.replaceAll(/[^A-Za-z0-9._-]/g, "_");
    const content = comparable(schema);
    for (let count = 1;; count++) {
      const key = `${id}${count === 1 ? "" : count}?${direction}`;
      const known = this.#definitions.get(key);
      if (known === undefined || comparable(known) === content) return key;
    }
  }

  /** The ids that take other things than they give, themselves or further down. */
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

/** A schema as text, whatever its references are called. */
function comparable(schema: JsonSchema): string {
  return JSON.stringify(
    mapReferences(
      schema,
      (reference) =>
        reference.replace(/^.*\//, "").replace(/\d*(?:\?.*)?$/, ""),
    ),
  );
}
