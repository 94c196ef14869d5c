import { createExample } from "../shared/examples/example.ts";
import { patternStrings } from "../shared/examples/pattern.ts";
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
    const room = Number(keywords[most]) - Number(keywords[least]);
    return room < 0 || room === 0 && (least + most).includes("exclusive");
  });
  return isEmpty ? undefined : { type, keywords, root };
}

/** The maximum number of members to add to an example. */
const MAX_MEMBERS = 1_000;

/** Example values: with as few members as possible, and with all members. */
export function examplesOf({ type, keywords, root }: Shape): unknown[] {
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

/** The largest length of a string. */
const MAX_LENGTH = 10_000;

/** Strings that seldom match a pattern, a format or an enumeration. */
const STRINGS = ["", "x", "X", "0", "a b", "é", "🌳", "x".repeat(50), "-1"];

/** Strings of a format that differ from each other as much as possible. */
const OF_FORMAT: Readonly<Record<string, readonly string[]>> = {
  date: ["1970-01-01", "1999-12-31", "2000-02-29", "2026-07-15", "0987-06-05"],
  "date-time": ["1970-01-01T00:00:00Z", "1999-12-31T23:59:59.999+05:30"]
    .concat("2026-07-15T09:08:07-11:00", "2099-10-08T12:34:56.7Z"),
  duration: ["P1D", "PT15M", "P1Y2M3DT4H5M6S", "P4W"],
  email: ["a@b.co", "ada@example.com", "Ada.Lovelace+x@mail.example.org"]
    .concat("o'neil_7@a-b.museum", "42@42.example", `${"x".repeat(64)}@x.net`),
  hostname: ["a", "example.com", "x-1.y-2.example.org", "7.example"],
  ipv4: ["0.0.0.0", "10.1.2.3", "127.0.0.1", "192.0.2.1", "255.255.255.255"],
  ipv6: ["::", "::1", "2001:db8::8a2e:370:7334", "FE80::1", "1:2:3:4:5:6:7:8"],
  time: ["00:00:00Z", "09:08:07.6Z", "12:34:56+05:30", "23:59:59-11:00"],
  uri: ["https://example.com/", "http://a.b:8080/c?d=e#f", "urn:isbn:1234"]
    .concat("mailto:a@b.example", "ftp://x/"),
  uuid: [
    "00000000-0000-0000-0000-000000000000",
    "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "0198C0F2-6F5A-7B1C-9D3E-2F4A6B8C0D1E",
    "c232ab00-9414-11ec-b3c8-9f6bdeced846",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
  ],
};

/** Strings, most of which violate a format. */
export function valuesOutside(format: string): string[] {
  const near = (OF_FORMAT[format] ?? []).flatMap((text) => [
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
  const { pattern = [], multipleOf = 0.5, format } = wide.keywords;
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
  const patterns = [pattern].flat()
    .flatMap((each) => [...patternStrings(String(each)).take(100)]);
  const others = OF_FORMAT[String(format)] ?? [];
  return [...near, ...long, ...others, ...STRINGS, ...patterns];
}
