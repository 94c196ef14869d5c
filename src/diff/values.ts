import { createExample } from "../shared/values/example.ts";
import { stringsOf } from "../shared/values/formats.ts";
import {
  MAX_LENGTH,
  plainStrings,
  trickyStrings,
} from "../shared/values/strings.ts";
import { flatten } from "../shared/flat_schema.ts";
import { KEYWORDS, type Shape } from "./shapes.ts";

/** The limits that exclude each other. */
const RANGES = [
  ["minLength", "maxLength"],
  ["minItems", "maxItems"],
  ["minProperties", "maxProperties"],
  ["minimum", "maximum"],
  ["minimum", "exclusiveMaximum"],
  ["exclusiveMinimum", "maximum"],
  ["exclusiveMinimum", "exclusiveMaximum"],
] as const;

/** The shape of the values that a limit may exclude; `undefined` if there are none. */
export function outside(
  keyword: string,
  { type, keywords: wide, root }: Shape,
  { keywords: narrow }: Shape,
): Shape | undefined {
  if (narrow[keyword] === undefined) return undefined;
  const rule = KEYWORDS[type]?.[keyword];
  const limits = rule?.(Number(narrow[keyword]), wide, narrow);
  if (limits === undefined) return undefined;
  const { required = [], prefixItems = [], items } = wide;
  const implied = {
    ...{ minLength: 0, minItems: 0 },
    minProperties: (required as unknown[]).length,
    ...(items === false && { maxItems: (prefixItems as unknown[]).length }),
  };
  const all = { allOf: [implied, wide, limits] };
  const { schema: keywords = {} } = flatten(all, root) ?? {};
  const isEmpty = RANGES.some(([least, most]) => {
    const range = Number(keywords[most]) - Number(keywords[least]);
    return range < 0 || range === 0 && (least + most).includes("exclusive");
  });
  return isEmpty ? undefined : { type, keywords, root };
}

/** The maximum number of members to add to an example. */
const MAX_MEMBERS = 1_000;

const examples = new WeakMap<Shape, readonly unknown[]>();

/** Example values: with as few members as possible, and with all members. */
export function examplesOf(shape: Shape): readonly unknown[] {
  return examples.getOrInsertComputed(shape, createExamples);
}

function createExamples({ type, keywords, root }: Shape): unknown[] {
  const { required = [], properties = {}, minProperties = 0 } = keywords;
  const needed = required as string[];
  const least = Math.min(Number(minProperties), MAX_MEMBERS);
  const size = Math.max(needed.length, least);
  const others = Array.from({ length: size }, (_, index) => `key${index}`);
  const all = [...needed, ...Object.keys(properties as object), ...others];
  const names = [...new Set(all)].slice(0, size);
  const few = Object.entries(properties as object)
    .filter(([name]) => names.includes(name));
  return [{ properties: Object.fromEntries(few) }, {}]
    .map((each) => ({ type, ...keywords, ...each, required: names }))
    .map((each) => createExample(each, { root }))
    .filter((each) => each !== undefined);
}

/** Strings that seldom match a pattern, a format or an enumeration. */
const STRINGS = trickyStrings({ maxLength: 50 });

/** Strings, most of which violate a format. */
export function valuesOutside(format: string): string[] {
  const { plain = [], edges = [] } = stringsOf(format) ?? {};
  const near = [...plain, ...edges].flatMap((text) => [
    ...[text.slice(1), text.slice(0, -1), `!${text}`, `${text}!`],
    ...[`${text}\n`, ` ${text}`, text + text],
  ]);
  return [...STRINGS, ...near];
}

/** Values of a shape that another shape may refuse. */
export function valuesNear(wide: Shape, narrow: Shape): unknown[] {
  const near = [
    ...Object.keys(narrow.keywords)
      .flatMap((keyword) => outside(keyword, wide, narrow) ?? []),
    wide,
  ].flatMap(examplesOf);
  const { multipleOf = 0.5, format } = wide.keywords;
  if (wide.type === "number") {
    return near.flatMap((value) =>
      [0, 1, 2, 3, 5, 7, -1, -2].map((count) =>
        Number(value) + count * Number(multipleOf)
      )
    );
  }
  if (wide.type !== "string") return near;
  // An email address with a prefix, and a URL with a suffix, keep their format.
  const { maxLength = 0 } = narrow.keywords;
  const length = Math.min(Number(maxLength) + 1, MAX_LENGTH);
  const long = examplesOf(wide).map(String).flatMap((text) => [
    text.padStart(length, "a"),
    text.padEnd(length, "a"),
  ]);
  const edges = stringsOf(format)?.edges ?? [];
  const plain = plainStrings(wide.keywords);
  return [...near, ...long, ...edges, ...STRINGS, ...plain];
}
