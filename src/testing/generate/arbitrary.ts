import fc from "fast-check";
import { isObject } from "../../common/values.ts";
import { createExample } from "../../openapi/examples/example.ts";
import { patternStrings } from "../../openapi/examples/pattern.ts";
import {
  flatten,
  MAX_REFERENCES,
  objectMembers,
  typesOf,
} from "../../openapi/flat_schema.ts";
import type { JsonSchema } from "../../openapi/types.ts";
import { fileOf } from "../send/wire.ts";

type Arbitrary = fc.Arbitrary<unknown>;

/** Values that may be used in addition to generated values. */
export interface ArbitraryOptions {
  /** Known values, such as identifiers, by the name of a member: `bookId`. */
  readonly known: ReadonlyMap<string, readonly unknown[]>;
}

/** The document and the references around a schema. */
interface Context extends ArbitraryOptions {
  /** The document that contains the targets of references. */
  readonly root: unknown;
  /** The references that led to the schema. */
  readonly followed: ReadonlySet<string>;
}

/** The maximum number of items to generate beyond the required items of a list. */
const MORE_ITEMS = 3;

/** The longest list to generate. */
const MAX_ITEMS = 1_000;

/** The longest string to generate. */
const MAX_LENGTH = 10_000;

/**
 * Generates values of a JSON Schema. Values at its limits are more frequent than other
 * values. Keywords such as `not` are skipped, since the schema itself validates each
 * value.
 *
 * @returns The values; `undefined` if none fits.
 */
export function arbitraryOf(
  schema: JsonSchema,
  options: ArbitraryOptions,
): Arbitrary | undefined {
  return build(schema, { ...options, root: schema, followed: new Set() });
}

function build(
  given: unknown,
  around: Context,
  name = "",
): Arbitrary | undefined {
  const flat = flatten(given, around.root, around.followed);
  if (flat === undefined) return undefined;
  const { schema, branches, followed } = flat;
  const context = { ...around, followed };
  const made = branches === undefined
    ? plain(schema, context)
    : oneOf(branches.map((branch) => build(branch, context)));
  if (made === undefined) return undefined;
  const { examples, default: fallback } = schema;
  const stated = Array.isArray(examples) ? [...examples] : [];
  if (fallback !== undefined) stated.push(fallback);
  return fc.oneof(
    { arbitrary: made, weight: 4 },
    ...among(stated, 1),
    ...among(context.known.get(name) ?? [], 8),
  );
}

/** An argument of `fc.oneof()` that picks one of the values; empty without values. */
function among<Value>(
  values: readonly Value[],
  weight: number,
): { arbitrary: fc.Arbitrary<Value>; weight: number }[] {
  return values.length === 0
    ? []
    : [{ arbitrary: fc.constantFrom(...values), weight }];
}

function plain(schema: JsonSchema, context: Context): Arbitrary | undefined {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) {
    return schema.enum.length === 0
      ? undefined
      : fc.constantFrom(...schema.enum);
  }
  const types = typesOf(schema);
  return oneOf(
    (types.length > 0 ? types : ["any"])
      .map((type) => typed(type, schema, context)),
  );
}

function typed(
  type: string,
  schema: JsonSchema,
  context: Context,
): Arbitrary | undefined {
  switch (type) {
    case "string":
      return stringArbitrary(schema);
    case "integer":
    case "number":
      return numberArbitrary(schema, type === "integer");
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return listArbitrary(schema, context);
    case "object":
      return objectArbitrary(schema, context);
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

function listArbitrary(
  { prefixItems, items, minItems = 0, maxItems = MAX_ITEMS, uniqueItems }:
    JsonSchema,
  context: Context,
): Arbitrary | undefined {
  const prefix = (Array.isArray(prefixItems) ? prefixItems : [])
    .map((item) => build(item, context));
  if (prefix.includes(undefined)) return undefined;
  const item = build(items ?? prefix.length === 0, context);
  const least = Math.max(0, Number(minItems) - prefix.length);
  const most = Math.max(0, Number(maxItems) - prefix.length);
  if (item === undefined && least > 0 || least > MAX_ITEMS) return undefined;
  const maxLength = item === undefined || context.followed.size > MAX_REFERENCES
    ? least
    : Math.min(most, least + MORE_ITEMS);
  const length = { minLength: least, maxLength };
  const rest = item === undefined
    ? fc.constant([])
    : uniqueItems === true
    ? fc.uniqueArray(item, {
      ...length,
      selector: (value) => JSON.stringify(value),
    })
    : fc.oneof(
      { arbitrary: fc.array(item, length), weight: 4 },
      // Programs often mishandle duplicates.
      ...(least <= 2 && maxLength >= 2
        ? [{ arbitrary: item.map((value) => [value, value]), weight: 1 }]
        : []),
    );
  return fc.tuple(fc.tuple(...prefix as Arbitrary[]), rest)
    .map(([first, second]) => [...first, ...second]);
}

function objectArbitrary(
  schema: JsonSchema,
  context: Context,
): Arbitrary | undefined {
  const { members, needed } = objectMembers(schema);
  type Entry = fc.Arbitrary<[string, unknown] | undefined>;
  const entries: Entry[] = [];
  /** Entries of required members only. */
  const least: Entry[] = [];
  const freq = context.followed.size > MAX_REFERENCES ? 0 : 3;
  for (const [name, schema] of members) {
    const isNeeded = needed.has(name);
    const entry = build(schema, context, name)
      ?.map((value): [string, unknown] => [name, value]);
    if (entry === undefined) {
      if (isNeeded) return undefined;
      continue;
    }
    entries.push(isNeeded ? entry : fc.option(entry, { nil: undefined, freq }));
    least.push(isNeeded ? entry : fc.constant(undefined));
  }
  const own = fc.oneof(
    { arbitrary: fc.tuple(...entries), weight: 7 },
    { arbitrary: fc.tuple(...least), weight: 1 },
  );
  return fc.tuple(own, otherMembers(schema, context)).map(([own, others]) =>
    Object.fromEntries([
      ...others,
      ...own.filter((entry) => entry !== undefined),
    ])
  );
}

/** Members whose names the schema does not list. */
function otherMembers(
  { additionalProperties, propertyNames }: JsonSchema,
  context: Context,
): fc.Arbitrary<[string, unknown][]> {
  if (!isObject(additionalProperties)) return fc.constant([]);
  const value = build(additionalProperties, context);
  const name = build(propertyNames ?? { type: "string" }, context);
  if (value === undefined || name === undefined) return fc.constant([]);
  return fc.array(fc.tuple(name.map(String), value), { maxLength: 3 });
}

/** Values of any of the possible arbitraries; `undefined` if none is possible. */
function oneOf(
  arbitraries: readonly (Arbitrary | undefined)[],
): Arbitrary | undefined {
  const possible = arbitraries.filter((each) => each !== undefined);
  return possible.length < 2 ? possible[0] : fc.oneof(...possible);
}

/** Numbers within their limits; the limits and small numbers are more frequent. */
function numberArbitrary(
  { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }:
    JsonSchema,
  isInteger: boolean,
): Arbitrary | undefined {
  const step = typeof multipleOf === "number" ? multipleOf : isInteger ? 1 : 0;
  const least = Math.max(
    Number(minimum ?? -Infinity),
    Number(exclusiveMinimum ?? -Infinity) + step,
  );
  const most = Math.min(
    Number(maximum ?? Infinity),
    Number(exclusiveMaximum ?? Infinity) - step,
  );
  if (step === 0) {
    if (least > most) return undefined;
    return fc.oneof(
      fc.double({ min: least, max: most, noNaN: true, noDefaultInfinity: true })
        // JSON does not keep the sign of -0.
        .map((value) => value === 0 ? 0 : value),
      ...[least, most].filter(Number.isFinite).map((edge) => fc.constant(edge)),
    );
  }
  const min = Math.ceil(Math.max(least, Number.MIN_SAFE_INTEGER) / step);
  const max = Math.floor(Math.min(most, Number.MAX_SAFE_INTEGER) / step);
  if (min > max) return undefined;
  // Zero, or the limit closest to zero, because most real values are near this number.
  const near = Math.min(Math.max(0, min), max);
  const edges = [
    ...(Number.isFinite(least) ? [min] : []),
    ...(Number.isFinite(most) ? [max] : []),
  ];
  return fc.oneof(
    fc.integer({ min: near, max: Math.min(max, near + 5) }),
    fc.constantFrom(...(edges.length === 0 ? [near] : edges)),
    fc.integer({ min, max }),
  ).map((count) => {
    const value = count * step;
    return Number.isInteger(step) ? value : Number(value.toPrecision(12));
  });
}

/** Strings that programs often mishandle. */
const TRICKY = [
  ...["%", "%zz", "'", '"', "\\", "/", "<b>", "a b", "ÿ", "İ", "🙂", "e\u0301"],
  ...["null", "true", "false", "0", "1", "-1", "1e9"],
  ...["__proto__", "constructor"],
];

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,7}$/);

const url = fc.tuple(word, word)
  .map(([host, path]) => `https://${host}.org/${path}`);

const date = fc.date({
  min: new Date("1970-01-01"),
  max: new Date("2100-01-01"),
  noInvalidDate: true,
});

/** Strings by JSON Schema format. */
const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  "date-time": date.map((value) => value.toISOString()),
  date: date.map((value) => value.toISOString().slice(0, 10)),
  time: fc.integer({ min: 0, max: 86_399 })
    .map((second) => new Date(second * 1000).toISOString().slice(11, 19)),
  email: fc.tuple(word, word, fc.constantFrom("com", "org", "museum"))
    .map(([name, host, top]) => `${name}@${host}.${top}`),
  hostname: fc.tuple(word, word).map((labels) => labels.join(".")),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
  uri: url,
  url,
  uuid: fc.uuid({ version: 4 }),
};

const file = word.map((text) => fileOf(text, "text/plain"));

/** Strings of a format or pattern, or of any characters within the limits of length. */
function stringArbitrary(schema: JsonSchema): Arbitrary {
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
  const tricky = TRICKY.filter(({ length }) =>
    length >= least && length <= most
  );
  return fc.oneof(
    // A failure with a tricky string may also occur with a plain string.
    { withCrossShrink: true },
    { arbitrary: fc.string(short), weight: 3 },
    // Some libraries count UTF-16 units, so long graphemes may exceed `maxLength`.
    { arbitrary: fc.string({ ...short, unit: "grapheme" }), weight: 1 },
    ...among(tricky, 2),
    ...among(["x".repeat(least), "x".repeat(most)], 1),
  );
}

/**
 * Strings that match a pattern. If fast-check does not support the pattern,
 * `patternStrings()` provides the strings.
 */
function patternArbitrary(schema: JsonSchema, pattern: string): Arbitrary {
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
