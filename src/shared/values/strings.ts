import { capitalize } from "../../core/common/values.ts";
import type { JsonSchema } from "../../core/schema/json_schema.ts";
import type { Draw } from "./draw.ts";
import { type LeafValues, stringsOf } from "./formats.ts";
import { patternStrings } from "./pattern.ts";

/** Formats that schemas without `format` often express as a pattern. */
const PATTERNED = ["date-time", "date", "time", "email", "uri", "uuid"];

/** Strings by the name of the property, for schemas without a format. */
const BY_NAME: Readonly<Record<string, string>> = {
  city: "London",
  country: "GB",
  currency: "EUR",
  email: "ada@example.com",
  "first name": "Ada",
  key: "key",
  language: "en",
  "last name": "Lovelace",
  password: "correct horse battery staple",
  phone: "+1 555 0100",
  url: "https://example.com/",
  website: "https://example.com/",
};

/** The length of the longest useful string. */
export const MAX_LENGTH = 10_000;

/** Strings that programs often mishandle, most valuable first. */
const TRICKY = [
  ...["🙂", "a\0b", "%25%2F", 'a\r\nb"', "e\u0301", "%", "\u202eשלום", "İ"],
  ...[" a ", "'", "\\", "/", "<b>&", "%zz", "ÿ", "!#$()*+,-.:;=?@[]^`{|}~"],
  ...["a b", "null", "true", "0", "-1", "1e9", "__proto__", "constructor"],
];

/**
 * The strings of a schema. The best one is what a person would write for the name of the
 * property: `ada@example.com` for the format `email`, `Street name` for `streetName`.
 */
export function stringValues(schema: JsonSchema, name = ""): LeafValues {
  const known = stringsOf(schema.format);
  return {
    plain(draw) {
      const fits = checkOf(schema);
      const best = () => bestStrings(schema, name).find(fits);
      return draw.isBest
        ? best()
        : randomStrings(schema, draw).find(fits) ?? best() ?? "";
    },
    get edges() {
      return known?.edges ?? trickyStrings(schema);
    },
    get beyond() {
      const { minLength = 0, maxLength = MAX_LENGTH } = schema;
      const limits = [Number(maxLength) + 1, Number(minLength) - 1];
      return [...known?.beyond ?? [], ...limits.map((each) => filled(each))];
    },
  };
}

/** A string of a length, which has a maximum. */
function filled(length: number, text = "x"): string {
  return text.repeat(Math.min(Math.max(length, 0), MAX_LENGTH + 1));
}

/** Strings at the limits of a schema without a format, and tricky ones. */
export function trickyStrings(
  { minLength = 0, maxLength }: JsonSchema,
): string[] {
  const [least, most] = [Number(minLength), Number(maxLength ?? MAX_LENGTH)];
  const [first, ...others] = TRICKY
    .map((text) => text + filled(least - [...text].length));
  const wide = maxLength === undefined ? 0 : most;
  const edges = [
    ...[first!, filled(most), filled(least), ...others.splice(0, 4)],
    // Characters of several bytes; half as many fit if a library counts UTF-16 units.
    ...[filled(wide, "é"), filled(wide, "🙂"), filled(wide / 2, "🙂")],
    ...others,
  ].filter(({ length }) => length >= least && length <= 2 * most);
  return [...new Set(edges)];
}

/** Yields random strings of the format, of the patterns, or of letters. */
function* randomStrings(schema: JsonSchema, draw: Draw): Generator<string> {
  const { minLength = 1, maxLength = MAX_LENGTH } = schema;
  const most = Math.min(Number(maxLength), MAX_LENGTH);
  const least = Math.min(Math.max(Number(minLength), 1), most);
  const known = stringsOf(schema.format);
  const letters = `[a-z]{${least},${Math.min(most, least + 10)}}`;
  const patterns = patternsOf(schema);
  const whole = known?.pattern ??
    (patterns.length === 0 && known === undefined ? letters : undefined);
  if (whole !== undefined) yield* patternStrings(`^(?:${whole})$`, draw);
  for (const pattern of patterns) yield* patternStrings(pattern, draw);
}

function* bestStrings(schema: JsonSchema, name: string): Generator<string> {
  const { format, contentEncoding, minLength = 0, maxLength } = schema;
  const least = Math.min(Number(minLength), MAX_LENGTH);
  const known = stringsOf(format) ?? stringsOf(contentEncoding);
  const words = wordsOf(name);
  const phrase = words.join(" ");
  if (known === undefined) {
    if (Object.hasOwn(BY_NAME, phrase)) yield BY_NAME[phrase]!;
    const sentence = capitalize(phrase);
    yield* [sentence, phrase, words.join("-"), words.join("_")];
    yield phrase.toUpperCase();
    yield sentence.padEnd(least, " and more")
      .slice(0, Number(maxLength ?? Infinity)).replace(/ $/, ".");
  } else {
    yield* known.plain;
    // An email address with a prefix, and a URL with a suffix, keep their format.
    const best = known.plain[0]!;
    yield* [best.padStart(least, "a"), best.padEnd(least, "a")];
  }
  const patterns = patternsOf(schema);
  if (patterns.length > 0) {
    yield* PATTERNED.flatMap((name) => stringsOf(name)!.plain);
  }
  // `allOf` may combine a start and an end: `^INV-` and `-x$`.
  if (patterns.length > 1) yield* patternStrings(patterns.join(""));
  for (const pattern of patterns) yield* patternStrings(pattern);
}

/** Returns the check of length and patterns; no string fits a malformed pattern. */
function checkOf(schema: JsonSchema): (text: string) => boolean {
  const { minLength = 0, maxLength = Infinity } = schema;
  let expressions: RegExp[];
  try {
    expressions = patternsOf(schema).map((source) => new RegExp(source, "u"));
  } catch {
    return () => false;
  }
  return (text) => {
    const { length } = [...text];
    return length >= Number(minLength) && length <= Number(maxLength) &&
      expressions.every((expression) => expression.test(text));
  };
}

/** Returns the patterns of a schema, which are several if `allOf` combined patterns. */
function patternsOf({ pattern = [] }: JsonSchema): readonly string[] {
  return [pattern].flat().map(String);
}

/** Returns the words of a name in lower case: `street` and `name` for `streetName`. */
function wordsOf(name: string): string[] {
  const words = name.replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  return words.length === 0 ? ["text"] : words;
}
