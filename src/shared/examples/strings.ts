import { capitalize } from "../../core/common/values.ts";
import type { JsonSchema } from "../types.ts";
import { stringsOf } from "./formats.ts";
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

/** The length of the longest useful example. */
const MAX_LENGTH = 10_000;

/**
 * Returns a string that a person would write for a schema and the name of its property:
 * `ada@example.com` for the format `email`, `Street name` for `streetName`. Returns
 * `undefined` for files, or if no string fits the schema.
 */
export function exampleString(
  schema: JsonSchema,
  name: string,
): string | undefined {
  if (schema.format === "binary") return undefined;
  const fits = checkOf(schema);
  return fits === undefined ? undefined : candidates(schema, name).find(fits);
}

function* candidates(schema: JsonSchema, name: string): Generator<string> {
  const { format, contentEncoding } = schema;
  const known = stringsOf(format) ?? stringsOf(contentEncoding);
  if (known !== undefined) yield* known.plain;
  const words = wordsOf(name);
  const phrase = words.join(" ");
  if (known === undefined) {
    if (Object.hasOwn(BY_NAME, phrase)) yield BY_NAME[phrase]!;
    const sentence = capitalize(phrase);
    yield* [sentence, phrase, words.join("-"), words.join("_")];
    yield phrase.toUpperCase();
    yield* ofLength(sentence, schema);
  }
  const patterns = patternsOf(schema);
  if (patterns.length > 0) {
    yield* PATTERNED.flatMap((name) => stringsOf(name)!.plain);
  }
  for (const pattern of patterns) yield* patternStrings(pattern);
  // `allOf` may combine a start and an end: `^INV-` and `-x$`.
  if (patterns.length > 1) yield* patternStrings(patterns.join(""));
}

/** Extends or cuts a string to a valid length. */
function* ofLength(
  text: string,
  { minLength = 0, maxLength = Infinity }: JsonSchema,
): Generator<string> {
  const least = Number(minLength);
  if (least > MAX_LENGTH) return;
  const more = " and more";
  const long = text + more.repeat(Math.ceil(least / more.length));
  const length = Math.min(Math.max(least, text.length), Number(maxLength));
  yield long.slice(0, length).replace(/ $/, ".");
}

/** Returns the check of length and patterns; `undefined` if a pattern is malformed. */
function checkOf(schema: JsonSchema): ((text: string) => boolean) | undefined {
  const { minLength = 0, maxLength = Infinity } = schema;
  let expressions: RegExp[];
  try {
    expressions = patternsOf(schema).map((source) => new RegExp(source, "u"));
  } catch {
    return undefined;
  }
  return (text) => {
    const { length } = [...text];
    return length >= Number(minLength) && length <= Number(maxLength) &&
      expressions.every((expression) => expression.test(text));
  };
}

/** Returns the patterns of a schema, which are several if `allOf` combined patterns. */
function patternsOf({ pattern }: JsonSchema): readonly string[] {
  if (pattern === undefined) return [];
  return Array.isArray(pattern) ? pattern : [String(pattern)];
}

/** Returns the words of a name in lower case: `street` and `name` for `streetName`. */
function wordsOf(name: string): string[] {
  const words = name.replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  return words.length === 0 ? ["text"] : words;
}
