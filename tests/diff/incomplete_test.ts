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

for (
  const [name, item, expected] of [
    ["a path item", null, "breaking GET /: the operation was removed"],
    [
      "an operation",
      { get: null },
      "breaking GET /: the operation was removed",
    ],
    [
      "a response",
      { get: { ...WHOLE.paths["/"].get, responses: { 200: null } } },
      'breaking GET / 200: "200" was removed',
    ],
  ] as const
) {
  Deno.test(`${name} that is null is gone`, async () => {
    const after = { ...WHOLE, paths: { "/": item } };
    const changes = await diffDocuments(
      WHOLE as unknown as OpenApiDocument,
      after as unknown as OpenApiDocument,
    );
    assertEquals(linesOf(changes), [expected]);
  });
}
