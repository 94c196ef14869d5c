import { assert, assertEquals } from "@std/assert";
import { diffDocuments } from "@bough/framework/diff";
import type { JsonSchema } from "@bough/framework/openapi";
import { documentWith } from "./documents.ts";

const $ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = (maxLength: number) => ({ type: "string", maxLength });
const members = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
) => ({ type: "object", properties, required });
const times = <T>(length: number, create: (index: number) => T) =>
  Array.from({ length }, (_, index) => create(index));

/** An object with a `kind`, as a branch of a union. */
function branch(name: string, kind: number, most: number): JsonSchema {
  const properties = { [`kind${name}`]: { const: kind }, [name]: text(most) };
  return members(properties, [`kind${name}`]);
}

/** The components `0` to `count - 1`; each contains components before it. */
function layers(
  count: number,
  width: number,
  most: number,
): Record<string, JsonSchema> {
  return Object.fromEntries(times(count, (index) => {
    const layer = Math.floor(index / width);
    const inner = times(Math.max(width, 2), (each) => [
      `m${each}`,
      layer === 0 ? text(most) : $ref(`${(layer - 1) * width + each % width}`),
    ]);
    return [`${index}`, members(Object.fromEntries(inner))];
  }));
}

/** The components `0` to `count - 1`; each contains the one before. */
function chain(
  count: number,
  first: JsonSchema,
  around: (inner: JsonSchema) => JsonSchema,
): Record<string, JsonSchema> {
  return Object.fromEntries(times(count, (index) => [
    `${index}`,
    index === 0 ? first : around($ref(`${index - 1}`)),
  ]));
}

type Sized = (most: number) => {
  readonly schema: JsonSchema;
  readonly components?: Readonly<Record<string, JsonSchema>>;
};

/** Schemas whose parts multiply, by the limit of a string in them. */
const SCHEMAS: Readonly<Record<string, Sized>> = {
  "an intersection of five unions of six kinds": (most) => ({
    schema: {
      allOf: times(5, (name) => ({
        anyOf: times(6, (kind) => branch(`${name}`, kind, most)),
      })),
    },
  }),
  "an intersection of five closed unions of six kinds": (most) => ({
    schema: {
      allOf: times(5, (name) => ({
        oneOf: times(6, (kind) => branch(`${name}`, kind, most)),
      })),
    },
  }),
  "a union of 300 branches without a kind": (most) => ({
    schema: {
      anyOf: times(
        300,
        (index) => members({ [`m${index}`]: text(most) }, [`m${index}`]),
      ),
    },
  }),
  "12 components that each contain the one before twice": (most) => ({
    schema: $ref("11"),
    components: layers(12, 1, most),
  }),
  "20 components that each require the one before twice": (most) => ({
    schema: $ref("19"),
    components: chain(
      20,
      text(most),
      (inner) => members({ l: inner, r: inner }, ["l", "r"]),
    ),
  }),
  "20 components that are each two lists of the one before": (most) => ({
    schema: $ref("19"),
    components: chain(20, text(most), (items) => {
      const list = { type: "array", items, minItems: 2 };
      return members({ l: list, r: list }, ["l", "r"]);
    }),
  }),
  "two kinds, one of which has 3,000 names": (most) => ({
    schema: {
      oneOf: [times(3_000 + most, String), ["x"]].map((names) =>
        members({ kind: { enum: names } }, ["kind"])
      ),
    },
  }),
  "40 components in five layers": (most) => ({
    schema: $ref("39"),
    components: layers(40, 8, most),
  }),
  "40 components that all contain each other": (most) => ({
    schema: $ref("39"),
    components: Object.fromEntries(times(40, (index) => {
      const inner = times(40, (each) => [`m${each}`, $ref(`${each}`)]);
      const all = { text: text(most), ...Object.fromEntries(inner) };
      return [`${index}`, members(all)];
    })),
  }),
};

for (const [name, create] of Object.entries(SCHEMAS)) {
  for (const part of ["request", "response"] as const) {
    Deno.test(`the comparison of ${name} in a ${part} ends`, async () => {
      const [before, after, other] = [9, 8, 7].map((most) => {
        const { schema, components = {} } = create(most);
        return documentWith(schema, { part, components });
      });
      const narrowed = await diffDocuments(before!, after!);
      const widened = await diffDocuments(after!, before!);
      const changes = part === "request" ? narrowed : widened;
      assert(changes.length > 0);
      assert(changes.length <= 51, `${changes.length} changes`);
      assertEquals(await diffDocuments(before!, before!), []);
      // What is not listed identifies the change, too.
      const others = part === "request"
        ? await diffDocuments(before!, other!)
        : await diffDocuments(other!, before!);
      const messages = changes.map(({ message }) => message);
      assert(others.some(({ message }) => !messages.includes(message)));
    });
  }
}

Deno.test("differences beyond the fiftieth are one unknown change", async () => {
  const [before, after] = [9, 8].map((most) =>
    documentWith(members(
      Object.fromEntries(times(60, (index) => [`m${index}`, text(most)])),
    ))
  );
  const changes = await diffDocuments(before!, after!);
  assertEquals(changes.length, 51);
  const { verdict, message, place } = changes.at(-1)!;
  assertEquals([verdict, place], ["unknown", "body#"]);
  assert(message.startsWith("the schemas are too large to compare in full"));
});
