import { createHash } from "node:crypto";
import { isObject } from "../core/common/values.ts";
import {
  componentsIn,
  DATA,
  MAPS,
  reachableNames,
} from "../shared/document/json_schema.ts";

/** The kind of the members of an object: keywords, named schemas, or data. */
type Kind = "schema" | "map" | "data";

const texts = new WeakMap<object, string>();

/** Keywords that describe a schema to readers. */
const DESCRIPTIVE = new Set(["title", "description", "examples", "example"])
  .add("$comment");

/** Lists whose order has no meaning. */
const SETS = new Set(["required", "enum", "type", "anyOf", "oneOf", "allOf"]);

/** The JSON of a schema, without descriptions, and independent of order. */
export function canonical(value: unknown): string {
  return isObject(value)
    ? texts.getOrInsertComputed(value, () => textOf(value, "schema"))
    : textOf(value, "schema");
}

/** The JSON of data, independent of the order of members. */
export function canonicalData(value: unknown): string {
  return textOf(value, "data");
}

function textOf(value: unknown, kind: Kind): string {
  const inner = (each: unknown) =>
    kind === "data" ? canonicalData(each) : canonical(each);
  if (Array.isArray(value)) return `[${value.map(inner).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "undefined";
  const members = Object.entries(value).flatMap(([name, each]) => {
    const json = kind === "schema" ? keywordText(name, each) : inner(each);
    return each === undefined || json === undefined
      ? []
      : [`${JSON.stringify(name)}:${json}`];
  });
  return `{${members.sort().join()}}`;
}

/** The JSON of the value of a keyword; a member may be named `title`. */
function keywordText(keyword: string, value: unknown): string | undefined {
  if (DESCRIPTIVE.has(keyword) && !isObject(value)) return undefined;
  const text = DATA.has(keyword) ? canonicalData : canonical;
  if (SETS.has(keyword) && Array.isArray(value)) {
    return `[${value.map(text).sort().join()}]`;
  }
  return MAPS.has(keyword) ? textOf(value, "map") : text(value);
}

/** The canonical text of a schema, and of all components to which it leads. */
export function withComponents(
  schema: unknown,
  components: Readonly<Record<string, unknown>>,
): string {
  const text = canonical(schema);
  const component = (name: string) => canonical(components[name]);
  const inside = (name: string) => componentsIn(component(name));
  const names = [...reachableNames(componentsIn(text), inside)].sort();
  return [text, ...names.map(component)].join("\n");
}

/** Identifies a text that is too long for a message. */
export function digestOf(text: string): string {
  const digest = createHash("sha256").update(text).digest("hex");
  return `sha256 ${digest.slice(0, 16)}`;
}
