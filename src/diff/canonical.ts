import { isObject } from "../common/values.ts";

const texts = new WeakMap<object, string>();

/** Keywords that describe a schema to readers. */
const DESCRIPTIVE = new Set(["title", "description", "examples", "example"])
  .add("$comment");

/** Keywords whose value is data: `{ title: "Dune" }` has no descriptions. */
const DATA = new Set(["const", "default", "enum"]);

/** Lists whose order has no meaning. */
const SETS = new Set(["required", "enum", "type", "anyOf", "oneOf", "allOf"]);

/** The JSON of a schema, without descriptions, and independent of order. */
export function canonical(value: unknown): string {
  return isObject(value)
    ? texts.getOrInsertComputed(value, () => textOf(value, false))
    : textOf(value, false);
}

/** The JSON of data, independent of the order of members. */
export function canonicalData(value: unknown): string {
  return textOf(value, true);
}

function textOf(value: unknown, isData: boolean): string {
  const inner = isData ? canonicalData : canonical;
  if (Array.isArray(value)) return `[${value.map(inner).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "undefined";
  const members = Object.entries(value).flatMap(([name, each]) => {
    const isText = !isData && DESCRIPTIVE.has(name) && !isObject(each);
    if (isText || each === undefined) return [];
    const text = DATA.has(name) ? canonicalData : inner;
    const json = !isData && SETS.has(name) && Array.isArray(each)
      ? `[${each.map(text).sort().join()}]`
      : text(each);
    return [`${JSON.stringify(name)}:${json}`];
  });
  return `{${members.sort().join()}}`;
}
