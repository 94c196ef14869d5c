import fc from "fast-check";
import { createExample } from "../../openapi/examples/example.ts";
import { patternTexts } from "../../openapi/examples/pattern.ts";
import type { JsonSchema } from "../../openapi/types.ts";
import { fileOf } from "../send/body.ts";

/** The longest text that is made. */
const MAX_LENGTH = 10_000;

/** Texts that programs stumble over. */
const AWKWARD = [
  "%",
  "%zz",
  "'",
  '"',
  "\\",
  "/",
  "<b>",
  "null",
  "true",
  "false",
  "0",
  "1",
  "-1",
  "1e9",
  "__proto__",
  "constructor",
  "a b",
  "ÿ",
  "İ",
  "🙂",
  "e\u0301",
];

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,7}$/);

const two = (value: number) => String(value).padStart(2, "0");

const time = fc.tuple(
  fc.integer({ min: 0, max: 23 }),
  fc.integer({ min: 0, max: 59 }),
  fc.integer({ min: 0, max: 59 }),
).map((parts) => parts.map(two).join(":"));

const date = fc.date({
  min: new Date("1970-01-01"),
  max: new Date("2100-01-01"),
  noInvalidDate: true,
});

/** The texts of the formats that JSON Schema has. */
const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  "date-time": date.map((value) => value.toISOString()),
  date: date.map((value) => value.toISOString().slice(0, 10)),
  time,
  email: fc.tuple(word, word, fc.constantFrom("com", "org", "museum"))
    .map(([name, host, top]) => `${name}@${host}.${top}`),
  hostname: fc.tuple(word, word).map((labels) => labels.join(".")),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
  uri: fc.tuple(word, word).map(([host, path]) =>
    `https://${host}.org/${path}`
  ),
  url: fc.tuple(word, word).map(([host, path]) =>
    `https://${host}.org/${path}`
  ),
  uuid: fc.uuid({ version: 4 }),
};

/** Small files. */
const file = word.map((text) => fileOf(text, "text/plain"));

/** Texts of a format or pattern, or of any characters within their lengths. */
export function stringArbitrary(schema: JsonSchema): fc.Arbitrary<unknown> {
  const { format, minLength = 0, maxLength = MAX_LENGTH } = schema;
  if (format === "binary") return file;
  if (typeof format === "string" && Object.hasOwn(FORMATS, format)) {
    return FORMATS[format]!;
  }
  const patterns = [schema.pattern ?? []].flat().map(String);
  if (patterns.length > 0) return patternArbitrary(schema, patterns[0]!);
  const least = Math.min(Number(minLength), MAX_LENGTH);
  const most = Math.max(least, Math.min(Number(maxLength), MAX_LENGTH));
  const short = { minLength: least, maxLength: Math.min(most, least + 10) };
  const awkward = AWKWARD.filter(({ length }) =>
    length >= least && length <= most
  );
  return fc.oneof(
    // What fails with an awkward text may fail with a plain one, too.
    { withCrossShrink: true },
    { arbitrary: fc.string(short), weight: 3 },
    {
      // Only the number of UTF-16 units is bounded.
      arbitrary: fc.string({ ...short, unit: "grapheme" }),
      weight: 1,
    },
    ...(awkward.length === 0
      ? []
      : [{ arbitrary: fc.constantFrom(...awkward), weight: 2 }]),
    {
      arbitrary: fc.constantFrom("x".repeat(least), "x".repeat(most)),
      weight: 1,
    },
  );
}

/** Texts that match a pattern; a simple reader helps where fast-check has none. */
function patternArbitrary(
  schema: JsonSchema,
  pattern: string,
): fc.Arbitrary<unknown> {
  const simple = [...patternTexts(pattern).take(20)];
  const example = createExample(schema);
  if (typeof example === "string") simple.push(example);
  const fallback = fc.constantFrom(...(simple.length > 0 ? simple : [""]));
  try {
    // A "u" pattern may have classes that the plain form does not know.
    const matching = fc.stringMatching(new RegExp(pattern, "u"), {
      maxLength: 200,
    });
    fc.sample(matching, { numRuns: 1, seed: 1 });
    return fc.oneof({ arbitrary: matching, weight: 3 }, fallback);
  } catch {
    return fallback;
  }
}
