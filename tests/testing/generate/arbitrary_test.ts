/** Values that a JSON Schema describes. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { z } from "zod";
import { arbitraryOf } from "../../../src/testing/generate/arbitrary.ts";
import type { JsonSchema } from "../../../src/openapi/types.ts";

function samples(schema: JsonSchema): unknown[] {
  const arbitrary = arbitraryOf(schema, { known: new Map() });
  return fc.sample(arbitrary!, { numRuns: 100, seed: 3 });
}

/** What checks each format as an application may. */
const FORMATS: Readonly<Record<string, z.ZodType>> = {
  "date-time": z.iso.datetime(),
  date: z.iso.date(),
  time: z.iso.time(),
  email: z.email(),
  hostname: z.hostname(),
  ipv4: z.ipv4(),
  ipv6: z.ipv6(),
  uri: z.url(),
  url: z.url(),
  uuid: z.uuid({ version: "v4" }),
};

for (const [format, schema] of Object.entries(FORMATS)) {
  Deno.test(`a text of the format "${format}" is made`, () => {
    const texts = samples({ type: "string", format });
    for (const text of texts) {
      assert(schema.safeParse(text).success, JSON.stringify(text));
    }
    assert(new Set(texts).size > 10, "too few different ones");
  });
}

Deno.test("a tuple has no item more than it lists, unless it says so", () => {
  const string = { type: "string" };
  const lengths = (schema: JsonSchema) => {
    const all = samples({ type: "array", ...schema }) as unknown[][];
    return [...new Set(all.map(({ length }) => length))].sort();
  };
  assertEquals(lengths({ prefixItems: [string] }), [1]);
  assertEquals(lengths({ prefixItems: [string, string] }), [2]);
  assertEquals(lengths({ prefixItems: [string], items: false }), [1]);
  assert(lengths({ prefixItems: [string], items: string }).length > 1);
  assert(lengths({}).length > 1);
});

Deno.test("a number keeps to its bounds, and reaches them", () => {
  for (
    const [schema, least, most] of [
      [{ minimum: 1, maximum: 3 }, 1, 3],
      [{ minimum: -3, maximum: -2 }, -3, -2],
      [{ exclusiveMinimum: 7, exclusiveMaximum: 10 }, 8, 9],
      [{ minimum: 1, maximum: 9, multipleOf: 4 }, 4, 8],
    ] as const
  ) {
    const numbers = samples({ type: "integer", ...schema }) as number[];
    assertEquals([Math.min(...numbers), Math.max(...numbers)], [least, most]);
  }
  const { minimum, maximum } = { minimum: 0.5, maximum: 0.75 };
  const numbers = samples({ type: "number", minimum, maximum }) as number[];
  assertEquals([Math.min(...numbers), Math.max(...numbers)], [
    minimum,
    maximum,
  ]);
});
