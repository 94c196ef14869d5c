import { flatten } from "../shared/flat_schema.ts";
import { stringsOf } from "../shared/values/formats.ts";
import { trickyStrings } from "../shared/values/strings.ts";
import {
  bestOf,
  severalOf,
  type Values,
  valuesOf,
} from "../shared/values/values.ts";
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

const examples = new WeakMap<Shape, readonly unknown[]>();

/** Example values: with as few members as possible, and with all members. */
export function examplesOf(shape: Shape): readonly unknown[] {
  return examples.getOrInsertComputed(shape, () => bestOf(makerOf(shape)));
}

/** Values of a shape that another shape may refuse. */
export function valuesNear(wide: Shape, narrow: Shape): unknown[] {
  const beyond = Object.keys(narrow.keywords)
    .flatMap((keyword) => outside(keyword, wide, narrow) ?? []);
  return [...beyond.flatMap(examplesOf), ...severalOf(makerOf(wide))];
}

function makerOf({ type, keywords, root }: Shape): Values {
  return valuesOf({ type, ...keywords }, { root });
}

/** Strings, most of which violate a format. */
export function valuesOutside(format: string): string[] {
  const { plain = [], edges = [] } = stringsOf(format) ?? {};
  const near = [...plain, ...edges].flatMap((text) => [
    ...[text.slice(1), text.slice(0, -1), `!${text}`, `${text}!`],
    ...[`${text}\n`, ` ${text}`, text + text],
  ]);
  return [...trickyStrings({ maxLength: 50 }), ...near];
}
