import fc from "fast-check";
import { OCTET_STREAM } from "../../core/common/media_type.ts";
import type { LeafValues } from "../../shared/values/formats.ts";
import { numberValues, rounded } from "../../shared/values/numbers.ts";
import {
  MAX_LENGTH,
  plainStrings,
  stringValues,
} from "../../shared/values/strings.ts";
import type { JsonSchema } from "../../shared/types.ts";
import { fileOf, typeInRange } from "../../shared/wire.ts";

/** The values of a schema without structure, with random ordinary values. */
export type Leaves = LeafValues<unknown, fc.Arbitrary<unknown>>;

/** The largest file to generate, in bytes. */
const MAX_FILE = 16 * 1024 * 1024;

/** The size of the largest file without a limit: more than a typical buffer. */
export const LARGE_FILE: number = 64 * 1024 + 1;

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

export function stringLeaves(schema: JsonSchema): Leaves {
  const { format, pattern } = schema;
  if (format === "binary") return fileLeaves(schema);
  const plain = Object.hasOwn(PLAIN, `${format}`)
    ? PLAIN[`${format}`]!
    : pattern === undefined
    ? letters(schema)
    : matching(schema, String([pattern].flat()[0]));
  return { ...stringValues(schema), plain };
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

/** Strings that match a pattern. fast-check does not support every pattern. */
function matching(
  schema: JsonSchema,
  pattern: string,
): fc.Arbitrary<string> {
  const simple = [...plainStrings(schema).take(20)];
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

/** The files by size, type and name, since large files take long to create. */
const files = new Map<string, File>();

/** A media type of each usual range. */
const IN_RANGE: Readonly<Record<string, string>> = {
  "application/*": OCTET_STREAM,
  "audio/*": "audio/mpeg",
  "image/*": "image/png",
  "text/*": "text/plain",
  "video/*": "video/mp4",
};

function fileLeaves(schema: JsonSchema): Leaves {
  const { minLength = 0, maxLength = LARGE_FILE, contentMediaType } = schema;
  const range = String(contentMediaType ?? "text/plain");
  const type = IN_RANGE[range] ?? typeInRange(range);
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
    edges: [
      ...new Set([most, least, most - 1].map((size) => file(size))),
      ...['a"b.txt', "ü🙂.txt", "a/../b.txt"].map((name) => file(some, name)),
    ],
    wrong: [
      ...[most + 1, least - 1, 0].map((size) => file(size)),
      fileOf("x".repeat(some), "application/x-other"),
    ],
  };
}

/** Numbers; `undefined` if no number is in the range. */
export function numberLeaves(schema: JsonSchema): Leaves | undefined {
  const { step, near, far, ...values } = numberValues(schema);
  if (near > far) return undefined;
  const plain = step === 0
    ? fc.double({ min: near, max: far, noNaN: true })
    : fc.nat(Math.round((far - near) / step))
      .map((count) => rounded(near + count * step));
  return { ...values, plain };
}
