import { assertEquals } from "@std/assert";
import { diffDocuments } from "@bough/framework/diff";
import type { OpenApiDocument } from "@bough/framework/openapi";
import { linesOf } from "./documents.ts";

const WHOLE = {
  openapi: "3.1.0",
  info: { title: "", version: "" },
  paths: {
    "/": {
      get: {
        operationId: "get",
        parameters: [{ name: "a", in: "query", schema: { type: "string" } }],
        responses: {
          200: {
            description: "",
            headers: { etag: { schema: { const: null } } },
            content: { "application/json": { schema: { type: "string" } } },
          },
        },
      },
    },
  },
  components: {
    schemas: { A: { enum: ["a", null] } },
    responses: {},
    securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
  },
  security: [{ bearer: [] }],
};

/** The documents in which one part is `null` or missing, by the path of the part. */
function damaged(
  value: unknown,
  path = "",
): [path: string, document: unknown][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const place = `${path}/${key}`;
    const rest = Object.entries(value).filter(([name]) => name !== key);
    const withPart = (part?: [string, unknown]) => {
      const entries = part === undefined ? rest : [...rest, part];
      const copy = Object.fromEntries(entries);
      return Array.isArray(value) ? Object.values(copy) : copy;
    };
    return [
      [`${place} is null`, withPart([key, null])],
      [`${place} is missing`, withPart()],
      ...damaged(inner, place)
        .map(([place, part]) => [place, withPart([key, part])]),
    ] as [string, unknown][];
  });
}

const ALL = damaged(WHOLE);

Deno.test(`a document without one of ${ALL.length / 2} parts is compared`, async () => {
  const failed: string[] = [];
  for (const [place, document] of ALL) {
    const [before, after] = [WHOLE, document] as unknown as OpenApiDocument[];
    for (const pair of [[before, after], [after, before], [after, after]]) {
      try {
        await diffDocuments(pair[0]!, pair[1]!);
      } catch (error) {
        failed.push(`${place}: ${error}`);
      }
    }
  }
  assertEquals(failed, []);
});

Deno.test("a path item, an operation or a response that is null is gone", async () => {
  const { get } = WHOLE.paths["/"];
  const lines = [];
  for (
    const item of [
      null,
      { get: null },
      { get: { ...get, responses: { 200: null } } },
    ]
  ) {
    const after = { ...WHOLE, paths: { "/": item } };
    const [before, now] = [WHOLE, after] as unknown as OpenApiDocument[];
    lines.push(linesOf(await diffDocuments(before!, now!)));
  }
  assertEquals(lines, [
    ["breaking GET /: the operation was removed"],
    ["breaking GET /: the operation was removed"],
    ['breaking GET / 200: "200" was removed'],
  ]);
});

/** The parts of a document that may be references, by the member of its components. */
const PARTS: Readonly<Record<string, (schema: object) => object>> = {
  parameters: (schema) => ({ name: "a", in: "query", schema }),
  requestBodies: (schema) => ({
    content: { "application/json": { schema } },
    required: true,
  }),
  headers: (schema) => ({ schema, required: true }),
  pathItems: (schema) => ({
    get: {
      ...WHOLE.paths["/"].get,
      parameters: [{ name: "a", in: "query", schema }],
    },
  }),
};

/** A document whose only operation has a part, or a reference to the part. */
function withPart(kind: string, part: object): OpenApiDocument {
  const get = {
    operationId: "get",
    ...(kind === "parameters" && { parameters: [part] }),
    ...(kind === "requestBodies" && { requestBody: part }),
    responses: {
      200: {
        description: "",
        ...(kind === "headers" && { headers: { a: part } }),
      },
    },
  };
  const item = kind === "pathItems" ? part : { get };
  return { ...WHOLE, paths: { "/": item } } as unknown as OpenApiDocument;
}

for (const [kind, partOf] of Object.entries(PARTS)) {
  Deno.test(`references to "${kind}" are compared like the parts`, async () => {
    const plain = [{ type: "string" }, { type: "string", maxLength: 3 }]
      .map(partOf).map((part) => [withPart(kind, part), part] as const);
    const $ref = `#/components/${kind}/A`;
    const references = plain.map(([, part]) => {
      const document = withPart(kind, { $ref });
      const components = { ...document.components, [kind]: { A: part } };
      return { ...document, components };
    });
    const [[old], [now]] = [plain[0]!, plain[1]!];
    const [oldReference, newReference] = references;
    const narrowed = await diffDocuments(old, now);
    const widened = await diffDocuments(now, old);
    assertEquals(
      [
        await diffDocuments(oldReference!, newReference!),
        await diffDocuments(newReference!, oldReference!),
      ],
      [narrowed, widened],
    );
    assertEquals(narrowed.length + widened.length, 1);
  });
}

Deno.test("a reference to itself is compared", async () => {
  const A = { $ref: "#/components/parameters/A" };
  const document = withPart("parameters", A);
  const components = { ...document.components, parameters: { A } };
  const circular = { ...document, components };
  assertEquals(await diffDocuments(circular, circular), []);
});

Deno.test("the parameters of a path belong to its operations, unless they replace them", async () => {
  const { get } = WHOLE.paths["/"];
  const b = (type: string) => ({ name: "b", in: "query", schema: { type } });
  const [old, now, replaced] = [
    { parameters: [b("string")], get },
    { parameters: [b("integer")], get },
    {
      parameters: [b("integer")],
      get: { ...get, parameters: [...get.parameters, b("string")] },
    },
  ].map((item) =>
    ({ ...WHOLE, paths: { "/": item } }) as unknown as OpenApiDocument
  );
  assertEquals(linesOf(await diffDocuments(old!, now!)), [
    'breaking GET / query#/b: "type" ["string"] became ["number"]',
  ]);
  assertEquals(await diffDocuments(old!, replaced!), []);
});
