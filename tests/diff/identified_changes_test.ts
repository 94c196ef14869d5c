import { assertEquals, assertNotEquals } from "@std/assert";
import { diffDocuments } from "@bough/framework/diff";
import type { JsonSchema, OpenApiDocument } from "@bough/framework/openapi";
import { documentWith, linesOf } from "./documents.ts";

const string = { type: "string" };
const $ref = "#/components/schemas/Part";
const part = (Part: JsonSchema) => ({ components: { Part } });
const pattern = (last: string) =>
  documentWith({ ...string, pattern: `^${"a".repeat(250)}${last}$` });

function secured(schemes: Readonly<Record<string, object>>): OpenApiDocument {
  const [name = ""] = Object.keys(schemes);
  const document = documentWith({});
  return {
    ...document,
    security: [{ [name]: [] }],
    components: { ...document.components, securitySchemes: schemes },
  };
}

const key = (name: string) => ({ type: "apiKey", in: "header", name });
const even = (most: number) =>
  documentWith({ type: "number", allOf: [{ not: { minimum: most } }] });

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
    documentWith({ not: { const: 1 } }),
    documentWith({ not: { const: 2 } }),
  ],
  "components of a keyword that is not compared": [
    documentWith({ not: { $ref } }, part({ const: 1 })),
    documentWith({ not: { $ref } }, part({ const: 2 })),
    documentWith({ not: { $ref } }, part({ const: 3 })),
  ],
  "components of components of such a keyword": [
    documentWith({ not: { items: { $ref } } }, part({ const: 1 })),
    documentWith({ not: { items: { $ref } } }, part({ const: 2 })),
    documentWith({ not: { items: { $ref } } }, part({ const: 3 })),
  ],
  "schemes at one name": [
    secured({ key: key("x-key") }),
    secured({ key: key("x-token") }),
    secured({ key: key("x-secret") }),
  ],
  "schemes that are new": [
    secured({ bearer: { type: "http", scheme: "bearer" } }),
    secured({ key: key("x-token") }),
    secured({ key: key("x-secret") }),
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
    const [one, two] = [
      linesOf(await diffDocuments(before, first)),
      linesOf(await diffDocuments(before, second)),
    ];
    assertNotEquals(one, []);
    assertEquals(
      one.filter((line) => two.includes(line)).length < one.length,
      true,
    );
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
