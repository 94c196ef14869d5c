import { createHash } from "node:crypto";
import { isObject } from "../core/common/values.ts";
import {
  componentsIn,
  DATA,
  MAPS,
  reachableNames,
} from "../shared/document/json_schema.ts";

const texts = new WeakMap<object, string>();

/** Keywords that describe a schema to readers. */
const DESCRIPTIVE = new Set(["title", "description", "examples", "example"])
  .add("$comment");

/** Lists whose order has no meaning. */
const SETS = new Set(["required", "enum", "type", "anyOf", "oneOf", "allOf"]);

/** The JSON of a schema, without descriptions, and independent of order. */
export function canonical(value: unknown): string {
  return isObject(value)
    ? texts.getOrInsertComputed(value, () => textOf(value, canonical, false))
    : textOf(value, canonical, false);
}

/** The JSON of data, independent of the order of members. */
export function canonicalData(value: unknown): string {
  return textOf(value, canonicalData, true);
}

function canonicalMap(value: unknown): string {
  return textOf(value, canonical, true);
}

/** `areNames`: whether the keys of an object are names instead of keywords. */
function textOf(
  value: unknown,
  inner: typeof canonical,
  areNames: boolean,
): string {
  if (Array.isArray(value)) return `[${value.map(inner).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "undefined";
  const members = Object.entries(value).flatMap(([name, each]) => {
    const isText = !areNames && DESCRIPTIVE.has(name) && !isObject(each);
    if (isText || each === undefined) return [];
    const text = areNames ? inner : textFor(name);
    const json = !areNames && SETS.has(name) && Array.isArray(each)
      ? `[${each.map(text).sort().join()}]`
      : text(each);
    return [`${JSON.stringify(name)}:${json}`];
  });
  return `{${members.sort().join()}}`;
}

/** The function for the value of a keyword; a member may be named `title`. */
function textFor(keyword: string): typeof canonical {
  if (DATA.has(keyword)) return canonicalData;
  return MAPS.has(keyword) ? canonicalMap : canonical;
}

/** The canonical text of a schema, and of all components to which it leads. */
export function withComponents(
  schema: unknown,
  components: Readonly<Record<string, unknown>>,
): string {
  const text = canonical(schema);
  const names = reachableNames(
    componentsIn(text),
    (name) => componentsIn(canonical(components[name])),
  );
  return [text, ...[...names].sort().map((name) => canonical(components[name]))]
    .join("\n");
}

/** Identifies a text that is too long for a message. */
export function digestOf(text: string): string {
  return `sha256 ${
    createHash("sha256").update(text).digest("hex").slice(0, 16)
  }`;
}
