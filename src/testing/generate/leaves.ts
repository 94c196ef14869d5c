import fc from "fast-check";
import { createExample } from "../../shared/examples/example.ts";
import { stringsOf } from "../../shared/examples/formats.ts";
import { patternStrings } from "../../shared/examples/pattern.ts";
import type { JsonSchema } from "../../shared/types.ts";
import { fileOf } from "../../shared/wire.ts";

/** The values of a schema without structure. The schema itself decides which are valid. */
export interface Leaves {
  readonly plain: fc.Arbitrary<unknown>;
  /** The values at the limits, most valuable first. */
  readonly within: readonly unknown[];
  /** The values just beyond the limits. */
  readonly beyond: readonly unknown[];
}

export const MAX_LENGTH = 10_000;

/** The largest file to generate, in bytes. */
const MAX_FILE = 16 * 1024 * 1024;

/** The size of the largest file without a limit: more than a typical buffer. */
const LARGE_FILE = 64 * 1024 + 1;

/** Strings that programs often mishandle, most valuable first. */
const TRICKY = [
  ...["🙂", "a\0b", "%25%2F", 'a\r\nb"', "e\u0301", "%", "\u202eשלום", "İ"],
  ...[" a ", "'", "\\", "/", "<b>&", "%zz", "ÿ", "!#$()*+,-.:;=?@[]^`{|}~"],
  ...["null", "true", "0", "-1", "1e9", "__proto__", "constructor"],
];

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,7}$/);

const dates = fc.date({
  min: new Date("1970-01-01"),
  max: new Date("2100-01-01"),
  noInvalidDate: true,
});

const uri = fc.tuple(word, word)
  .map(([host, path]) => `https://${host}.org/${path}`);

/** Ordinary strings, by format. */
const PLAIN: Readonly<Record<string, fc.Arbitrary<string>>> = {
  date: dates.map((value) => value.toISOString().slice(0, 10)),
  "date-time": dates.map((value) => value.toISOString()),
  time: fc.integer({ min: 0, max: 86_399 })
    .map((second) => new Date(second * 1000).toISOString().slice(11, 19)),
  email: fc.tuple(word, word, fc.constantFrom("com", "org", "museum"))
    .map(([name, host, top]) => `${name}@${host}.${top}`),
  hostname: fc.tuple(word, word).map((labels) => labels.join(".")),
  uuid: fc.uuid({ version: 4 }),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
  uri,
  url: uri,
};

/** Strings or files. */
export function stringLeaves(schema: JsonSchema): Leaves {
  const { format, minLength = 0, maxLength } = schema;
  if (format === "binary") return fileLeaves(schema);
  const least = Number(minLength);
  const most = Number(maxLength ?? MAX_LENGTH);
  const filled = (length: number, text = "x") =>
    text.repeat(Math.min(Math.max(length, 0), MAX_LENGTH + 1));
  const beyond = [filled(most + 1), filled(least - 1)];
  if (Object.hasOwn(PLAIN, `${format}`)) {
    const { edges: within = [], wrong = [] } = stringsOf(format)!;
    return {
      plain: PLAIN[`${format}`]!,
      within,
      beyond: [...wrong, ...beyond],
    };
  }
  const [pattern] = [schema.pattern ?? []].flat().map(String);
  const plain = pattern === undefined
    ? letters(schema)
    : matching(schema, pattern);
  if (format !== undefined) return { plain, within: [], beyond };
  const [first, ...others] = TRICKY
    .map((text) => text + filled(least - [...text].length));
  const wide = maxLength === undefined ? 0 : most;
  const within = [
    ...[first!, filled(most), filled(least), ...others.splice(0, 4)],
    // Characters of several bytes; half as many fit if a library counts UTF-16 units.
    ...[filled(wide, "é"), filled(wide, "🙂"), filled(wide / 2, "🙂")],
    ...others,
  ].filter(({ length }) => length >= least && length <= 2 * most);
  return { plain, within: [...new Set(within)], beyond };
}

function letters(
  { minLength = 0, maxLength = MAX_LENGTH }: JsonSchema,
): fc.Arbitrary<string> {
  const least = Math.min(Number(minLength), MAX_LENGTH);
  const most = Math.max(least, Math.min(Number(maxLength), least + 10));
  return fc.string({
    unit: fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz"),
    minLength: Math.min(most, Math.max(1, least)),
    maxLength: most,
  });
}

/** fast-check does not support each pattern, such as a look-behind. */
function matching(
  schema: JsonSchema,
  pattern: string,
): fc.Arbitrary<string> {
  const simple = [...patternStrings(pattern).take(20)];
  const example = createExample(schema);
  if (typeof example === "string") simple.push(example);
  const fallback = fc.constantFrom(...(simple.length > 0 ? simple : [""]));
  try {
    // Without the flag `u`, `\p{L}` is not a character class.
    const regExp = new RegExp(pattern, "u");
    const matching = fc.stringMatching(regExp, { maxLength: 200 });
    fc.sample(matching, { numRuns: 1, seed: 1 });
    return fc.oneof({ arbitrary: matching, weight: 3 }, fallback);
  } catch {
    return fallback;
  }
}

/** Large files take long to create. */
const files = new Map<string, File>();

function fileLeaves(schema: JsonSchema): Leaves {
  const { minLength = 0, maxLength = LARGE_FILE, contentMediaType } = schema;
  const type = String(contentMediaType ?? "text/plain");
  const [least, most] = [Number(minLength), Number(maxLength)];
  const some = Math.min(Math.max(least, 1), most);
  const file = (wanted: number, name?: string) => {
    const size = Math.min(Math.max(wanted, 0), MAX_FILE);
    return files.getOrInsertComputed(
      `${size} ${type} ${name}`,
      () => fileOf("x".repeat(size), type, name),
    );
  };
  return {
    plain: letters(schema).map((text) => fileOf(text, type)),
    within: [
      ...[most, least, most - 1].map((size) => file(size)),
      ...['a"b.txt', "ü🙂.txt", "a/../b.txt"].map((name) => file(some, name)),
    ],
    beyond: [
      ...[most + 1, least - 1, 0].map((size) => file(size)),
      fileOf("x".repeat(some), "application/x-other"),
    ],
  };
}

/** Numbers; `undefined` if no number is in the range. */
export function numberLeaves(
  { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }:
    JsonSchema,
  isInteger: boolean,
): Leaves | undefined {
  const step = typeof multipleOf === "number" ? multipleOf : isInteger ? 1 : 0;
  // Sums often fail at these limits, which the schemas of documents omit.
  const widest = isInteger ? Number.MAX_SAFE_INTEGER : Infinity;
  const least = Math.max(
    Number(minimum ?? -widest),
    Number(exclusiveMinimum ?? -Infinity) + step,
  );
  const most = Math.min(
    Number(maximum ?? widest),
    Number(exclusiveMaximum ?? Infinity) - step,
  );
  const [min, max] = step === 0 ? [least, most] : [
    Math.ceil(Math.max(least, Number.MIN_SAFE_INTEGER) / step),
    Math.floor(Math.min(most, Number.MAX_SAFE_INTEGER) / step),
  ];
  if (min > max) return undefined;
  const gap = step || 0.001;
  const ends = [
    ...Number.isFinite(least) ? [multiple(min, step)] : [],
    ...Number.isFinite(most) ? [multiple(max, step)] : [],
  ];
  const [low = 0, high = low] = ends;
  // Zero, or the limit closest to zero, because most real values are near this number.
  const near = Math.min(Math.max(0, min), max);
  const far = Math.min(max, near + 1_000);
  return {
    plain: step === 0
      ? fc.double({ min: near, max: far, noNaN: true })
      : fc.integer({ min: near, max: far })
        .map((count) => multiple(count, step)),
    within: [
      ...ends,
      ...step === 0 ? [low + gap, high - gap, 0.1] : [],
      // The sign, and the range of 32 bits.
      ...[0, -1, 2 ** 31],
    ].filter((each) => each >= least && each <= most),
    // The limits themselves may be exclusive.
    beyond: [low - gap, high + gap, ...ends, low + gap / 2],
  };
}

/** A multiple of a step, without the rounding error of `3 * 0.1`. */
function multiple(count: number, step: number): number {
  const value = count * (step || 1);
  return Number.isInteger(step) ? value : Number(value.toPrecision(12));
}
