import { assert, assertEquals } from "@std/assert";
import { diffDocuments } from "@bough/framework/diff";
import type { JsonSchema, OpenApiDocument } from "@bough/framework/openapi";
import { documentWith, linesOf } from "./documents.ts";

const string = { type: "string" };
const $ref = "#/components/schemas/Part";
const part = (Part: JsonSchema) => ({ components: { Part } });
const pattern = (last: string) =>
  documentWith({ ...string, pattern: `^${"a".repeat(250)}${last}$` });
const excluding = (value: number) => documentWith({ not: { const: value } });
const component = (value: number) =>
  documentWith({ not: { $ref } }, part({ const: value }));
const inner = (value: number) =>
  documentWith({ not: { items: { $ref } } }, part({ const: value }));
const even = (most: number) =>
  documentWith({ type: "number", allOf: [{ not: { minimum: most } }] });

function secured(name: string, scheme: object): OpenApiDocument {
  const document = documentWith({});
  return {
    ...document,
    security: [{ [name]: [] }],
    components: { ...document.components, securitySchemes: { [name]: scheme } },
  };
}

const key = (name: string) =>
  secured("key", { type: "apiKey", in: "header", name });

/**
 * Names, a document, and two later documents. `--accept` compares messages, so the
 * messages of the changes must differ.
 */
const ROWS: Readonly<
  Record<string, readonly [OpenApiDocument, OpenApiDocument, OpenApiDocument]>
> = {
  "patterns that differ after 200 characters": [
    documentWith(string),
    pattern("b"),
    pattern("c"),
  ],
  "old patterns that differ after 200 characters": [
    pattern("b"),
    pattern("c"),
    pattern("d"),
  ],
  "values of a keyword that is not compared": [
    documentWith({}),
    excluding(1),
    excluding(2),
  ],
  "components of a keyword that is not compared": [
    component(1),
    component(2),
    component(3),
  ],
  "components of components of such a keyword": [inner(1), inner(2), inner(3)],
  "schemes at one name": [key("x-key"), key("x-token"), key("x-secret")],
  "schemes that are new": [
    secured("bearer", { type: "http", scheme: "bearer" }),
    key("x-token"),
    key("x-secret"),
  ],
  "lists of which another keyword excludes values": [
    documentWith(string),
    documentWith({ enum: ["a", "ab"] }),
    documentWith({ enum: ["a", "ab"], minLength: 2 }),
  ],
  "combinations of keywords": [even(9), even(8), even(7)],
};

for (const [name, [before, first, second]] of Object.entries(ROWS)) {
  Deno.test(`${name} are two changes`, async () => {
    const one = linesOf(await diffDocuments(before, first));
    const two = linesOf(await diffDocuments(before, second));
    assert(one.some((line) => !two.includes(line)), one.join("\n"));
  });
}

Deno.test("a description does not identify a change", async () => {
  const lines = (description: string) =>
    diffDocuments(
      documentWith({ not: { $ref } }, part({ const: 1 })),
      documentWith({ not: { $ref } }, part({ const: 2, description })),
    ).then(linesOf);
  assertEquals(await lines("one"), await lines("two"));
});
