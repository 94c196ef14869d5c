import { assert, assertEquals } from "@std/assert";
import { diffDocuments } from "@bough/framework/diff";
import type { JsonSchema } from "@bough/framework/openapi";
import { z } from "zod";
import { documentWith, linesOf, type Rows, testRows } from "./documents.ts";

type Schema = JsonSchema | boolean;

const string = { type: "string" };
const open = { type: "object" };
const format = (format: string, pattern?: string) => ({
  ...string,
  format,
  ...(pattern !== undefined && { pattern }),
});
const members = (properties: Readonly<Record<string, Schema>>) => ({
  ...open,
  properties,
});

/** Patterns of strings that a format accepts, by format. */
const PATTERNS: Readonly<Record<string, readonly string[]>> = {
  date: ["^2026-", "-01$", "^\\d{4}-0", "^[12]"],
  "date-time": ["Z$", "^20", "T0"],
  time: ["^0", "Z$", "^\\d\\d:\\d\\d:00"],
  uuid: ["^7c", "^[0-9a-f-]+$", "-4[0-9a-f]{3}-"],
  ipv4: ["^10\\.", "^192", "\\.1$"],
  ipv6: ["^2001", "::1$"],
  email: ["@example\\.com$", "^a", "^[a-z.]+@", "\\.com$"],
  uri: ["^https:", "\\.com"],
};

for (const [name, patterns] of Object.entries(PATTERNS)) {
  for (const pattern of patterns) {
    Deno.test(`a value shows that ${pattern} narrows the format ${name}`, async () => {
      const [change, ...others] = await diffDocuments(
        documentWith(format(name)),
        documentWith(format(name, pattern)),
      );
      assertEquals([change?.verdict, others], ["breaking", []]);
      assert(!new RegExp(pattern).test(String(change?.value)));
    });
  }
}

for (const [name, pattern] of [["date", "^\\d"], ["email", "@"]]) {
  Deno.test(`without such a value, the pattern ${pattern} of ${name} is unknown`, async () => {
    const changes = await diffDocuments(
      documentWith(format(name!)),
      documentWith(format(name!, pattern)),
    );
    assertEquals(changes.map(({ verdict }) => verdict), ["unknown"]);
  });
}

for (
  const schema of [
    ...[z.iso.date(), z.iso.datetime({ offset: true }), z.iso.duration()],
    ...[z.email(), z.hostname(), z.ipv4(), z.ipv6(), z.uuid()],
  ]
) {
  const { format: name, pattern } = z.toJSONSchema(schema);
  Deno.test(`the pattern that zod adds to the format ${name} changes nothing`, async () => {
    assertEquals(await changes(format(name!), format(name!, pattern)), []);
  });
}

for (const name of ["a", "title", "description", "examples", "$comment"]) {
  for (const before of [true, {}, string]) {
    Deno.test(`a member "${name}" of ${JSON.stringify(before)} that is forbidden breaks all clients`, async () => {
      assertEquals(
        await changes(members({ [name]: before }), members({ [name]: false })),
        [
          `breaking body#/${name}: "${name}" is refused (all)`,
        ],
      );
    });
  }
}

const ROWS: Rows<Schema> = {
  "a forbidden member that was never listed breaks lenient clients": [
    open,
    members({ a: false }),
    'breaking body#/a: "a" is refused (lenient)',
  ],
  "another default of a whole body breaks clients": [
    { ...open, default: { a: 1 } },
    { ...open, default: { a: 2 } },
    'breaking body#: "default" {"a":1} became {"a":2} (all)',
  ],
  "another default in a branch of a union breaks clients": [
    members({ a: { anyOf: [{ ...string, default: "a" }, { type: "null" }] } }),
    members({ a: { anyOf: [{ ...string, default: "b" }, { type: "null" }] } }),
    'breaking body#/a: "default" "a" became "b" (all)',
  ],
  "a larger multiple is no multiple of a number only because it is large": [
    { type: "integer" },
    { type: "integer", multipleOf: 1e10 },
    'breaking body#: "multipleOf" 1 became 10000000000 (all)',
  ],
  "an object may become any value": [members({ a: string }), {}],
  "a nested object may become any value": [
    members({ b: { ...members({ a: string }), required: ["a"] } }),
    members({ b: true }),
  ],
  "an object may become a union with any value": [
    members({ a: string }),
    { anyOf: [{ type: "number" }, {}] },
  ],
  "a discriminator may come": [
    {
      ...members({ kind: { enum: ["a", "b"] }, n: string }),
      required: ["kind"],
    },
    { oneOf: [tagged("a", { n: string }), tagged("b", { n: string })] },
  ],
  "a discriminator whose branches read different members is unknown": [
    {
      ...members({ kind: { enum: ["a", "b"] }, a: string, b: string }),
      required: ["kind"],
    },
    { oneOf: [tagged("a", { a: string }), tagged("b", { b: string })] },
    'unknown body#/b: "b" is ignored (typed)',
    'unknown body#/a: "a" is ignored (typed)',
  ],
  "a discriminator without a branch for a value breaks clients": [
    { ...members({ kind: { enum: ["a", "b", "c"] } }), required: ["kind"] },
    { oneOf: [tagged("a", {}), tagged("b", {})] },
    'breaking body#/kind: "c" is no longer accepted (all)',
  ],
  "listed names of members break only clients that send other names": [
    { ...members({ a: string }), required: ["a"] },
    {
      ...open,
      propertyNames: { enum: ["a"] },
      additionalProperties: string,
      required: ["a"],
    },
    'breaking body#/*: "type" ["string","number","boolean","null","array","object"] became ["string"] (lenient)',
    'breaking body#/*: "enum" became ["a"] (lenient)',
  ],
  "names of members that exclude a known name break all clients": [
    members({ a: string, b: string }),
    { ...open, propertyNames: { enum: ["a"] }, additionalProperties: string },
    'breaking body#/*: "type" ["string","number","boolean","null","array","object"] became ["string"] (lenient)',
    'breaking body#/*: "enum" became ["a"] (all)',
  ],
};

function tagged(kind: string, properties: Readonly<Record<string, Schema>>) {
  return {
    ...members({ kind: { const: kind }, ...properties }),
    required: ["kind"],
  };
}

testRows(ROWS, changes);

for (
  const name of ["properties", "patternProperties", "$defs", "default"]
    .concat("const", "enum", "example", "examples")
) {
  Deno.test(`a response of the component "${name}" may have a new member`, async () => {
    const $ref = `#/components/schemas/${name}`;
    const [before, after] = [{ a: string }, { a: string, b: string }]
      .map((properties) =>
        documentWith({ $ref }, {
          part: "response",
          components: {
            [name]: { ...members(properties), additionalProperties: false },
          },
        })
      );
    assertEquals(linesOf(await diffDocuments(before!, after!)), []);
    assertEquals((await diffDocuments(after!, before!)).length, 0);
  });
}

async function changes(before: Schema, after: Schema): Promise<string[]> {
  const found = await diffDocuments(documentWith(before), documentWith(after));
  return found.map(({ verdict, place, message, clients }) =>
    `${verdict} ${place}: ${message} (${clients})`
  );
}
