import { capitalize } from "../../core/common/values.ts";
import type { JsonSchema } from "../types.ts";
import { patternStrings } from "./pattern.ts";

/** Strings by format (JSON Schema Validation, 7.3, and zod), best first. */
const BY_FORMAT: Readonly<Record<string, readonly string[]>> = {
  date: ["2026-03-14"],
  "date-time": [
    "2026-03-14T09:30:00Z",
    "2026-03-14T09:30:00",
    "2026-03-14T09:30",
  ],
  time: ["09:30:00Z", "09:30:00", "09:30"],
  duration: ["PT30M"],
  email: ["ada@example.com"],
  "idn-email": ["ada@example.com"],
  hostname: ["example.com"],
  "idn-hostname": ["example.com"],
  ipv4: ["192.0.2.1"],
  ipv6: ["2001:db8::1"],
  cidrv4: ["192.0.2.0/24"],
  cidrv6: ["2001:db8::/32"],
  uri: ["https://example.com/"],
  iri: ["https://example.com/"],
  url: ["https://example.com/"],
  "uri-reference": ["/path"],
  "iri-reference": ["/path"],
  "uri-template": ["/books/{id}"],
  "json-pointer": ["/title"],
  "relative-json-pointer": ["1/title"],
  regex: ["^[a-z]+$"],
  uuid: [
    "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "0198c0f2-6f5a-7b1c-9d3e-2f4a6b8c0d1e",
  ],
  guid: ["7c9e6679-7425-40de-944b-e07fc1f90ae7"],
  byte: ["Qm91Z2g="],
  base64: ["Qm91Z2g="],
  base64url: ["Qm91Z2g"],
  e164: ["+15550100"],
  emoji: ["🌳"],
  jwt: ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl"],
};

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
  const known = ownValue(BY_FORMAT, format) ??
    ownValue(BY_FORMAT, contentEncoding);
  if (known !== undefined) yield* known;
  const words = wordsOf(name);
  const phrase = words.join(" ");
  if (known === undefined) {
    const hint = ownValue(BY_NAME, phrase);
    if (hint !== undefined) yield hint;
    const sentence = capitalize(phrase);
    yield* [sentence, phrase, words.join("-"), words.join("_")];
    yield phrase.toUpperCase();
    yield* ofLength(sentence, schema);
  }
  const patterns = patternsOf(schema);
  if (patterns.length > 0) yield* PATTERNED.flatMap((name) => BY_FORMAT[name]!);
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

function ownValue<T>(
  table: Readonly<Record<string, T>>,
  key: unknown,
): T | undefined {
  return typeof key === "string" && Object.hasOwn(table, key)
    ? table[key]
    : undefined;
}
