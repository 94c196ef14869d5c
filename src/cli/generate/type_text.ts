import { printable } from "../../core/common/log.ts";
import { capitalize, isObject } from "../../core/common/values.ts";
import { freeName } from "../../shared/document/json_schema.ts";
import type { JsonSchema } from "../../core/schema/json_schema.ts";
import { literal } from "./modules.ts";

/** The types of the values that JSON Schemas describe, as code. */
export class TypePrinter {
  /** The names of the types by the names of the schemas. */
  readonly #names: ReadonlyMap<string, string>;

  /**
   * @param names The names of all schemas to which a reference may lead.
   * @param taken The names of other types.
   */
  constructor(names: readonly string[], taken: readonly string[]) {
    const all = new Set(taken);
    this.#names = new Map(names.map((name) => {
      const wanted = name.replaceAll(/[^A-Za-z0-9]/g, "_");
      return [name, freeName(capitalize(wanted.replace(/^\d|^$/, "_$&")), all)];
    }));
  }

  /** The declaration of the type of a named schema, after an empty line. */
  declaration(name: string, schema: JsonSchema): string {
    const type = `export type ${this.#names.get(name)} = ${this.type(schema)};`;
    return `\n${commentOn(schema)}${type}\n`;
  }

  /** The type of the values that satisfy all keywords of a schema. */
  type(schema: unknown): string {
    if (schema === false) return "never";
    if (!isObject(schema)) return "unknown";
    const { $ref, allOf = [], anyOf, oneOf, not } = schema;
    const all = [
      ...(typeof $ref === "string" ? [this.#names.get($ref) ?? "unknown"] : []),
      this.#ownType(schema),
      ...[anyOf, oneOf].filter(Array.isArray).map((each) => this.#union(each)),
      ...(allOf as unknown[]).map((each) => this.type(each)),
      ...(isObject(not) ? [typeWithout(not)] : []),
    ];
    const types = new Set(all.filter((type) => type !== "unknown"));
    if (types.size <= 1) return [...types][0] ?? "unknown";
    return [...types].map((type) => `(${type})`).join(" & ");
  }

  #union(schemas: readonly unknown[]): string {
    return unionOf(schemas.map((each) => this.type(each)));
  }

  /** The type of a schema without the keywords that combine schemas. */
  #ownType(schema: JsonSchema): string {
    if ("const" in schema) return literal(schema.const);
    const { enum: values, required, properties, type } = schema;
    if (Array.isArray(values)) return unionOf(values.map(literal));
    const types = type ?? (required || properties ? "object" : "any");
    return unionOf([types].flat().map((each) => this.#typeOf(each, schema)));
  }

  #typeOf(type: unknown, schema: JsonSchema): string {
    switch (type) {
      case "boolean":
      case "null":
      case "number":
        return type;
      case "integer":
        return "number";
      case "string":
        return schema.format === "binary" ? "File" : "string";
      case "array":
        return this.#arrayType(schema);
      case "object":
        return this.#objectType(schema);
      default:
        return "unknown";
    }
  }

  #arrayType({ prefixItems, items, minItems = Infinity }: JsonSchema): string {
    if (!Array.isArray(prefixItems)) return `Array<${this.type(items)}>`;
    const types = prefixItems.map((each, index) =>
      index < Number(minItems) ? this.type(each) : `(${this.type(each)})?`
    );
    if (items) types.push(`...Array<${this.type(items)}>`);
    return `[${types.join(", ")}]`;
  }

  #objectType(schema: JsonSchema): string {
    const { properties = {}, required = [], additionalProperties } = schema;
    const needed = new Set(required as string[]);
    const known = new Map(Object.entries(properties as object));
    // A required member may be described elsewhere.
    for (const name of needed) if (!known.has(name)) known.set(name, {});
    const members = [...known].map(([name, each]) =>
      `${commentOn(each)}${keyOf(name)}${needed.has(name) ? "" : "?"}: ${
        this.type(each)
      };`
    );
    const others = [
      additionalProperties,
      ...Object.values(Object(schema.patternProperties)),
    ].filter((each) => each !== undefined && each !== false);
    const index = `{ [name: string]: ${this.#union(others)} }`;
    if (members.length === 0) {
      return others.length > 0 ? index : "Record<string, unknown>";
    }
    return others.length > 0 ? `${block(members)} & ${index}` : block(members);
  }
}

/** The type of the values that have one of several types. */
function unionOf(types: readonly string[]): string {
  return types.includes("unknown")
    ? "unknown"
    : [...new Set(types)].join(" | ") || "never";
}

/**
 * The type of the values that `not` leaves: none for `{}`. `preconditions()`
 * excludes requests without all of some headers, so one of them must be present.
 */
function typeWithout(not: JsonSchema): string {
  const absent = Object.entries(not.properties ?? {});
  const isKnown = Object.keys(not).every((key) => key === "properties") &&
    absent.every(([, each]) => each === false);
  if (!isKnown) return "unknown";
  return absent.map(([name]) => `{ ${keyOf(name)}: unknown }`).join(" | ") ||
    "never";
}

/** An object type or an interface, with its members in lines. */
export function block(members: readonly string[]): string {
  if (members.length === 0) return "{}";
  return `{\n${members.join("\n").replaceAll(/^/gm, "  ")}\n}`;
}

/** The name of a member, in quotes if it needs them. */
export function keyOf(name: string): string {
  return /^[A-Za-z_]\w*$|^[1-9]\d{0,8}$/.test(name) ? name : literal(name);
}

/** The comment about a schema, which editors show, and a line break. */
function commentOn(schema: unknown): string {
  const { description = "", deprecated } = Object(schema);
  const text = `${description} ${deprecated ? "@deprecated" : ""}`.trim();
  if (text === "") return "";
  const safe = text.replaceAll("*/", "*\\/").replaceAll(/\s+/g, " ");
  return `/** ${printable(safe)} */\n`;
}
