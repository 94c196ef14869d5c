/** Schemas that several places share, or that refer to themselves. */
import { assertEquals, assertMatch } from "@std/assert";
import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
import { scope } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import type {
  DocumentedResponse,
  OpenApiDocument,
} from "@bough/framework/openapi";
import { schemaOf } from "../../support/schema_of.ts";
import { createdFrom, documentOf, routeOf } from "../../openapi/support.ts";

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The schemas that a document refers to, but does not have. */
function missingIn(document: OpenApiDocument): string[] {
  const names = JSON.stringify(document)
    .matchAll(/"#\/components\/schemas\/([^"]+)"/g).map(([, name]) => name!);
  return [...new Set(names)]
    .filter((name) => !Object.hasOwn(document.components.schemas, name));
}

/** A route whose response has a JSON Schema. */
const respondWith = (form: object) =>
  routeOf({ get: { response: schemaOf(undefined, () => form) } });

/** The schema of the JSON that an operation responds with. */
function jsonOf(
  document: OpenApiDocument,
  path: string,
  status = 200,
): Record<string, unknown> {
  const { content } = document.paths[path]!.get!
    .responses[status] as DocumentedResponse;
  assertEquals(Object.keys(content!), ["application/json"]);
  return content!["application/json"]!.schema!;
}

Deno.test("schemas with an id are components; input and output may differ", async () => {
  const Tag = z.object({ name: z.string().default("x") }).meta({ id: "Tag" });
  const Same = z.enum(["a", "b"]).meta({ id: "Same" });
  const Book = z.object({ title: z.string(), tags: z.array(Tag), same: Same })
    .meta({ id: "Book" });
  const Shelf = z.strictObject({ books: z.array(Book) }).meta({ id: "Shelf" });
  const Only = z.strictObject({ a: Same }).meta({ id: "Only taken" });
  const Other = z.object({ other: z.number() }).meta({ id: "Other" });
  const { document } = await documentOf({
    "route.ts": routeOf({
      post: { body: Shelf, query: z.object({ same: Same }), response: Shelf },
      put: { body: Only, response: Other },
    }),
  });
  const { schemas } = document.components;
  assertEquals(Object.keys(schemas), [
    "Book",
    "BookInput",
    "Only_taken",
    "Other",
    "Problem",
    "Same",
    "Shelf",
    "ShelfInput",
    "Tag",
    "TagInput",
  ]);
  assertEquals(schemas.ShelfInput!.properties, {
    books: { type: "array", items: ref("BookInput") },
  });
  assertEquals(schemas.Shelf!.properties, {
    books: { type: "array", items: ref("Book") },
  });
  assertEquals(schemas.BookInput!.required, ["title", "tags", "same"]);
  const post = document.paths["/api"]!.post!;
  assertEquals(post.parameters![0]!.schema, ref("Same"));
  assertEquals(
    post.requestBody!.content["application/json"]!.schema,
    ref("ShelfInput"),
  );
});

Deno.test("schemas with one id share a component if they are equal", async () => {
  const types = [z.string(), z.number(), z.boolean(), z.number()];
  const { document } = await documentOf(Object.fromEntries(
    types.map((type, index) => {
      const tag = z.object({ t: type }).meta({ id: "Tag" });
      const response = z.object({ a: type, tag }).meta({ id: "Thing" });
      return [`r${index}/route.ts`, routeOf({ get: { response } })];
    }),
  ));
  assertEquals(
    types.map((_, index) => jsonOf(document, `/api/r${index}`)),
    ["Thing", "Thing2", "Thing3", "Thing2"].map(ref),
  );
  const { Problem: _, ...schemas } = document.components.schemas;
  const tags = Object.entries(schemas).map(([name, { properties }]) =>
    [name, (properties as Record<string, unknown>).tag] as const
  );
  assertEquals(tags, [
    ...["Tag", "Tag2", "Tag3"].map((name) => [name, undefined] as const),
    ["Thing", ref("Tag")],
    ["Thing2", ref("Tag2")],
    ["Thing3", ref("Tag3")],
  ]);
});

Deno.test("names of components never collide", async () => {
  const object = (name: string, id: string, type: z.ZodType = z.string()) =>
    z.object({ [name]: type }).meta({ id });
  const book = z.object({ a: z.string().default("x") }).meta({ id: "Book" });
  const { document, warnings } = await documentOf({
    // Input and output differ, and another id is the name of the input.
    "a/route.ts": routeOf({
      post: {
        body: book,
        response: { 200: book, 201: object("b", "BookInput", z.number()) },
      },
    }),
    // Ids that end in digits are different ids.
    "b/route.ts": routeOf({
      get: { response: object("v", "Thing", object("one", "V1")) },
    }),
    "c/route.ts": routeOf({
      get: { response: object("v", "Thing", object("two", "V2")) },
    }),
    // A number that is added to a name may be part of another id.
    "d/route.ts": routeOf({ get: { response: object("three", "Thing2") } }),
    "e/route.ts": routeOf({
      get: {
        response: {
          200: z.string().meta({ id: "a b" }),
          201: z.number().meta({ id: "a_b" }),
        },
      },
    }),
  });
  assertEquals(warnings, []);
  assertEquals(missingIn(document), []);
  const schemas = Object.entries(document.components.schemas).map((
    [name, { properties, type }],
  ) => `${name} ${properties ? Object.keys(properties) : type}`);
  assertEquals(schemas, [
    "Book a",
    "BookInput b",
    "BookInput2 a",
    "Problem type,title,status,detail,errors,issueCount",
    "Thing v",
    "Thing2 three",
    "Thing3 v",
    "V1 one",
    "V2 two",
    "a_b string",
    "a_b2 number",
  ]);
  const { Thing, Thing3 } = document.components.schemas;
  assertEquals<unknown>(
    [Thing!.properties, Thing3!.properties],
    [{ v: ref("V1") }, { v: ref("V2") }],
  );
});

Deno.test("the document omits the bounds that z.int() adds, but keeps other bounds", async () => {
  const data = { type: "integer", minimum: -9007199254740991, maximum: 5 };
  const { document } = await documentOf({
    "route.ts": routeOf({
      post: {
        body: z.object({
          a: z.int(),
          b: z.int().min(1),
          c: z.int().max(9),
          d: z.int().min(-5).max(5),
          minimum: z.int().array(),
          type: z.literal("integer"),
          n: z.number().min(0),
          data: z.any().default(data).meta({ examples: [data] }),
        }),
      },
    }),
  });
  const { content } = document.paths["/api"]!.post!.requestBody!;
  const integer = { type: "integer" };
  assertEquals(content["application/json"]!.schema!.properties, {
    a: integer,
    b: { ...integer, minimum: 1 },
    c: { ...integer, maximum: 9 },
    d: { ...integer, minimum: -5, maximum: 5 },
    minimum: { type: "array", items: integer },
    type: { type: "string", const: "integer" },
    n: { type: "number", minimum: 0 },
    data: { default: data, examples: [data] },
  });
});

Deno.test("a schema that refers to itself is named after its operation and its place", async () => {
  const part = schemaOf(undefined, () => ({
    anyOf: [{ type: "null" }, { type: "array", items: { $ref: "#" } }],
  }));
  const post = { query: part, body: part, response: part };
  const { document } = await documentOf({
    "trees/route.ts": routeOf({ post }),
  });
  const { parameters, requestBody, responses } = document.paths["/api/trees"]!
    .post!;
  const [query, body, response] = ["postTreesQuery", "postTreesBody"]
    .concat("postTrees200");
  assertEquals(parameters![0]!.schema, ref(query!));
  const media = (name: string) => ({
    "application/json": { schema: ref(name) },
  });
  assertEquals<unknown>(requestBody!.content, media(body!));
  assertEquals(responses["200"], {
    description: "OK",
    content: media(response!),
  });
  for (const name of [query!, body!, response!]) {
    assertEquals(document.components.schemas[name], {
      anyOf: [{ type: "null" }, { type: "array", items: ref(name) }],
    });
  }
});

Deno.test("a part of a recursive schema refers to the whole schema", async () => {
  const Filter = z.object({
    name: z.string(),
    get not() {
      return Filter.optional();
    },
  });
  const { document } = await documentOf({
    "route.ts": routeOf({
      get: {
        query: Filter,
        response: { 200: { headers: Filter }, 201: z.array(Filter) },
      },
    }),
  });
  const [, not] = document.paths["/api"]!.get!.parameters!;
  assertEquals(not!.schema, ref("getRootQuery"));
  const { properties } = document.components.schemas.getRootQuery!;
  assertEquals(Object.keys(properties!), ["name", "not"]);
  assertEquals(missingIn(document), []);
  assertEquals(JSON.stringify(document).includes("__schema"), false);
  assertEquals(jsonOf(document, "/api", 201), {
    type: "array",
    items: ref("getRoot201Part"),
  });
});

Deno.test("references in data stay, and escaped references of schemas change", async () => {
  const { document } = await createdFrom({
    "route.ts": respondWith({
      type: "object",
      properties: {
        default: { $ref: "#/$defs/a~1b" },
        examples: { const: { $ref: "#/$defs/a~1b" }, default: { $ref: "#" } },
      },
      $defs: { "a/b": { type: "number" } },
    }),
  });
  assertEquals(jsonOf(document, "/api").properties, {
    default: ref("a_b"),
    examples: { const: { $ref: "#/$defs/a~1b" }, default: { $ref: "#" } },
  });
});

Deno.test("references stay that do not lead to a definition", async () => {
  const references = ["x#/$defs/A", "#/$defs/", "https://example.com/#", "#/a"]
    .map(($ref) => ({ $ref }));
  const { document } = await createdFrom({
    "route.ts": respondWith({
      anyOf: [
        ...references,
        { $ref: "#/$defs/A/b" },
        { $ref: "#/$defs/A" },
        { const: { $ref: 5 } },
      ],
      $defs: { A: { type: "string" }, "A/b": { type: "number" } },
      $schema: "x",
    }),
  });
  assertEquals(jsonOf(document, "/api"), {
    anyOf: [...references, ref("A_b"), ref("A"), { const: { $ref: 5 } }],
  });
});

Deno.test("a reference to a missing definition does not prevent the document", async () => {
  const names = ["Gone", "toString", "__proto__"];
  const { document } = await createdFrom(Object.fromEntries(
    names.map((name) => {
      const part = schemaOf(undefined, () => ({ $ref: `#/$defs/${name}` }));
      const post = { query: part, body: part, response: part };
      return [`${name}/route.ts`, routeOf({ post })];
    }),
  ));
  assertEquals(Object.keys(document.paths).length, names.length);
});

Deno.test("the document replaces names that a library generates", async () => {
  const { node } = scope({
    node: { v: "number", "next?": "node", at: "Date" },
  }).export();
  interface Node {
    v: number;
    next?: Node | undefined;
  }
  const Node: v.GenericSchema<Node> = v.object({
    v: v.number(),
    next: v.optional(v.lazy(() => Node)),
  });
  const { document } = await documentOf({
    "a/route.ts": routeOf({ get: { response: node } }),
    "b/route.ts": routeOf({ get: { response: form(Node) } }),
  });
  assertEquals(missingIn(document), []);
  for (const name of Object.keys(document.components.schemas)) {
    assertMatch(name, /^(?:Problem|get[AB]200Part\d?)$/);
  }
});
