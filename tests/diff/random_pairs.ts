import { assert, assertEquals } from "@std/assert";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { diffDocuments } from "@bough/framework/diff";
import type { JsonSchema, OpenApiDocument } from "@bough/framework/openapi";
import { mapKeywords } from "../../src/shared/document/json_schema.ts";
import { documentWith } from "./documents.ts";

type Schema = JsonSchema | boolean;

const count = fc.integer({ min: 0, max: 3 });
const text = fc.constantFrom("", "a", "b", "aa", "ab", "aaaa")
  .chain((each) => fc.constantFrom(each, each, "2026-03-14", "1999-12-31"));
const name = fc.constantFrom("a", "b", "title", "default", "kind");

const scalar: fc.Arbitrary<Schema> = fc.oneof(
  fc.record({
    type: fc.constant("string"),
    minLength: count,
    maxLength: count,
    pattern: fc.constantFrom("^a", "b$", "^2026-", "^\\d{4}-\\d\\d-\\d\\d$"),
    format: fc.constantFrom("date", "date", "email", "uuid"),
  }, { requiredKeys: ["type"] }),
  fc.record({
    type: fc.constantFrom("number", "integer"),
    minimum: count,
    maximum: count,
    exclusiveMinimum: count,
    exclusiveMaximum: count,
    multipleOf: fc.constantFrom(0.5, 1, 2, 3),
  }, { requiredKeys: ["type"] }),
  fc.record({ enum: fc.uniqueArray(text, { minLength: 1, maxLength: 4 }) }),
  fc.record({ const: fc.oneof(text, count, fc.constant(null)) }),
  fc.constantFrom<Schema>(
    ...[{ type: "boolean" }, { type: "null" }, true, false, {}],
    ...[{ not: { const: "a" } }, { type: ["string", "null"] }],
  ),
);

/** A schema whose objects describe all of their members. */
const { schema } = fc.letrec<{ schema: Schema }>((tie) => {
  const some = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
  const members = fc.dictionary(name, tie("schema"), {
    maxKeys: 3,
    noNullPrototype: true,
  });
  return {
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      { weight: 4, arbitrary: scalar },
      some.map((anyOf) => ({ anyOf })),
      some.map((oneOf) => ({ oneOf })),
      some.map((allOf) => ({ allOf })),
      tie("schema").map((not) => ({ not })),
      fc.tuple(scalar, tie("schema")).map(([first, second]) =>
        typeof first === "boolean" ? second : { ...first, allOf: [second] }
      ),
      fc.tuple(members, members).map(([first, second]) => ({
        oneOf: [first, second].map((properties, index) => ({
          type: "object",
          properties: { ...properties, kind: { const: `${index}` } },
          required: ["kind"],
        })),
      })),
      fc.record({
        type: fc.constant("array"),
        items: tie("schema"),
        prefixItems: some,
        minItems: count,
        maxItems: count,
        uniqueItems: fc.constant(true),
      }, { requiredKeys: ["type"] }),
      // With `prefixItems` and `contains`, Ajv accepts an empty array.
      tie("schema").map((contains) => ({ type: "array", contains })),
      fc.record({
        type: fc.constant("object"),
        properties: members,
        required: fc.uniqueArray(name, { maxLength: 2 }),
        additionalProperties: tie("schema"),
        propertyNames: fc.constant({ maxLength: 3 }),
        minProperties: count,
        maxProperties: count,
      }, { requiredKeys: ["type"] }),
    ),
  };
});

/** Two versions: mostly one schema in which few parts differ. */
const pairs = fc.tuple(
  schema,
  fc.oneof(scalar, schema),
  fc.nat(),
  fc.nat(3),
).map(
  ([first, other, seed, kind]): readonly [Schema, Schema] =>
    kind === 0 ? [first, other] : [first, edited(first, other, seed)],
);

/** A copy in which one part is another schema, or has other keywords. */
function edited(given: Schema, other: Schema, seed: number): Schema {
  let left = seed % 7;
  const more = typeof other === "boolean" ? {} : other;
  const edit = (part: JsonSchema): JsonSchema => {
    if (left-- !== 0) return part;
    const names = Object.keys(part);
    const { [names[seed % names.length] ?? ""]: _, ...rest } = part;
    const members = Object.keys(part.properties ?? {});
    const properties = {
      ...part.properties as object,
      [members[seed % members.length] ?? "a"]: seed % 2 === 0,
    };
    const edits = [rest, more, { ...part, ...more }]
      .concat({ ...part, pattern: "^2026-" }, { ...part, properties });
    return edits[seed % edits.length]!;
  };
  return typeof given === "boolean" ? other : mapKeywords(given, edit);
}

const tagged = fc.record({
  kind: fc.constantFrom("0", "1"),
  a: fc.oneof(text, count),
  b: fc.oneof(text, count),
}, { requiredKeys: ["kind"], noNullPrototype: true });

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(text, count, fc.constantFrom(null, true, 0.5, "0", "1", "a@b.co")),
    fc.array(tie("value"), { maxLength: 3 }),
    tagged,
    fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const SEED = 42;

const VALUES = fc.sample(value, { numRuns: 1_500, seed: SEED });

/** A document with a schema, whose parts are components if `isHoisted`. */
function documentOf(
  schema: Schema,
  { part, isHoisted }: {
    readonly part: "request" | "response";
    readonly isHoisted: boolean;
  },
): OpenApiDocument {
  const components: Record<string, JsonSchema> = {};
  if (!isHoisted) return documentWith(schema, { part });
  const hoisted = mapKeywords(schema as JsonSchema, (inner) => {
    const name = `Part${Object.keys(components).length}`;
    components[name] = inner;
    return { $ref: `#/components/schemas/${name}` };
  });
  return documentWith(hoisted, { part, components });
}

/**
 * The schema for values without members that it does not describe: clients and servers
 * send only described members.
 */
function closed(schema: Schema, isBranch = false): Schema {
  if (typeof schema === "boolean" || Object.keys(schema).length === 0) {
    return schema;
  }
  const entries = Object.entries(schema).map(([key, each]) => {
    if (/^(?:any|one|all)Of$/.test(key)) {
      return [key, (each as Schema[]).map((branch) => closed(branch, true))];
    }
    if (key === "prefixItems") {
      return [key, (each as Schema[]).map((item) => closed(item))];
    }
    if (key === "items" || key === "additionalProperties") {
      return [key, closed(each as Schema)];
    }
    if (key !== "properties") return [key, each];
    const members = Object.entries(each as Record<string, Schema>)
      .map(([name, member]) => [name, closed(member)]);
    return [key, Object.fromEntries(members)];
  });
  const copy = Object.fromEntries(entries);
  return isBranch ? copy : { allOf: [copy], unevaluatedProperties: false };
}

/** In a response, a closed object binds the server alone. */
function opened(schema: Schema): Schema {
  return mapKeywords(schema, ({ additionalProperties, ...rest }) => ({
    ...rest,
    ...(typeof additionalProperties === "object" && { additionalProperties }),
  }));
}

/** The validator of this test, which shares nothing with the comparison. */
const ajv = new Ajv2020({
  strict: false,
  logger: false,
  unevaluated: true,
  validateSchema: false,
  code: { optimize: false },
});
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);

/** Asserts that `diffDocuments()` reports each random change that a value shows. */
export async function assertNeverCompatible(count: number): Promise<void> {
  const wrong: string[] = [];
  let broken = 0;
  const samples = fc.sample(pairs, { numRuns: count, seed: SEED });
  for (const [index, [first, second]] of samples.entries()) {
    const isResponse = index % 3 === 0;
    const part = isResponse ? "response" : "request";
    const options = {
      part,
      isHoisted: index % 2 === 0 && typeof first !== "boolean" &&
        typeof second !== "boolean",
    } as const;
    const [before, after] = [first, second]
      .map((each) => documentOf(each, options));
    const changes = isResponse
      ? await diffDocuments(after!, before!)
      : await diffDocuments(before!, after!);
    const [wide, narrow] = isResponse
      ? [opened(first), opened(second)]
      : [first, second];
    const [accepts, describes, stillAccepts] = [wide!, closed(wide!), narrow!]
      .map((each) => ajv.compile(each));
    const pair = JSON.stringify([part, first, second]);
    for (const { value, message } of changes) {
      if (value === undefined) continue;
      const isShown = accepts!(value) && !stillAccepts!(value);
      if (!isShown) wrong.push(`${message} ${JSON.stringify(value)}: ${pair}`);
    }
    const shown = VALUES.find((value) =>
      accepts!(value) && describes!(value) && !stillAccepts!(value)
    );
    if (shown === undefined) continue;
    broken++;
    if (changes.length === 0) wrong.push(`${JSON.stringify(shown)}: ${pair}`);
  }
  assertEquals(wrong, []);
  assert(broken > count / 10, `${broken} broken pairs`);
}
