import { assertEquals, assertMatch } from "@std/assert";
import {
  createDocument,
  type DocumentedResponse,
  type OpenApiDocument,
} from "@bough/framework/openapi";
import { FolderApplication } from "../../support/application.ts";
import { documentOf, handWritten, INFO, ZOD } from "../support.ts";

const LAZY =
  "export const GET = () => new Response(); export const POST = GET;";

function refs(document: OpenApiDocument): string[] {
  const { schemas } = document.components;
  return [
    ...new Set(
      JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)
        .map(([, name]) => name!),
    ),
  ].filter((name) => !Object.hasOwn(schemas, name));
}

Deno.test("the bounds that z.int() adds are left out, and others are not", async () => {
  const { document } = await documentOf({
    "route.ts": `${ZOD}
      const data = { type: "integer", minimum: -9007199254740991, maximum: 5 };
      export const schema = { post: { body: z.object({
        a: z.int(), b: z.int().min(1), c: z.int().max(9), d: z.int().min(-5).max(5),
        minimum: z.int().array(), type: z.literal("integer"), n: z.number().min(0),
        data: z.any().default(data).meta({ examples: [data] }),
      }) } };
      export const POST = () => new Response();`,
  });
  const { content } = document.paths["/api"]!.post!.requestBody!;
  const integer = { type: "integer" };
  const data = { type: "integer", minimum: -9007199254740991, maximum: 5 };
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

Deno.test("ids never collide, whatever they are", async () => {
  const route = (schema: string) =>
    `${ZOD} export const schema = ${schema}; ${LAZY}`;
  const thing = (inner: string) =>
    `z.object({ v: ${inner} }).meta({ id: "Thing" })`;
  const { document, warnings } = await documentOf({
    // Taken and given differ, and both names are taken already.
    "a/route.ts": route(`{ post: {
      body: z.object({ a: z.string().default("x") }).meta({ id: "Book" }),
      response: { 200: z.object({ a: z.string().default("x") }).meta({ id: "Book" }), 201: z.object({ b: z.number() }).meta({ id: "BookInput" }) },
    } }`),
    // Ids that end in digits are different ids.
    "b/route.ts": route(
      `{ get: { response: ${
        thing('z.object({ one: z.string() }).meta({ id: "V1" })')
      } } }`,
    ),
    "c/route.ts": route(
      `{ get: { response: ${
        thing('z.object({ two: z.string() }).meta({ id: "V2" })')
      } } }`,
    ),
    // A number that is added to a name may be part of another id.
    "d/route.ts": route(
      `{ get: { response: z.object({ three: z.string() }).meta({ id: "Thing2" }) } }`,
    ),
    "e/route.ts": route(
      `{ get: { response: { 200: z.string().meta({ id: "a b" }), 201: z.number().meta({ id: "a_b" }) } } }`,
    ),
  });
  assertEquals(warnings, []);
  assertEquals(refs(document), []);
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
  const inner = (name: string) =>
    (document.components.schemas[name]!.properties as Record<string, unknown>)
      .v;
  assertEquals([inner("Thing"), inner("Thing3")], [
    { $ref: "#/components/schemas/V1" },
    { $ref: "#/components/schemas/V2" },
  ]);
});

Deno.test("recursive parameters are named by their place", async () => {
  const { document } = await documentOf({
    "trees/[id]/[not]/route.ts": `${ZOD}
      const parts = () => {
        const Part = z.object({ id: z.string(), get not() { return Part.optional(); } });
        return Part;
      };
      export const schema = { get: { params: parts(), query: parts(), headers: parts() } };
      ${LAZY}`,
  });
  const [path] = Object.values(document.paths);
  assertEquals(
    path!.get!.parameters!.filter(({ name }) => name === "not")
      .map(({ in: place, schema }) => [place, schema.$ref]),
    [
      ["path", "Params"],
      ["query", "Query"],
      ["header", "Headers"],
    ].map((
      [place, name],
    ) => [place, `#/components/schemas/getTreesByIdByNot${name}`]),
  );
});

Deno.test("a part of a recursive schema refers to the whole, not to itself", async () => {
  const { document } = await documentOf({
    "route.ts": `${ZOD}
      const Filter = z.object({ name: z.string(), get not() { return Filter.optional(); } });
      export const schema = { get: {
        query: Filter,
        response: { 200: { headers: Filter }, 201: z.array(Filter) },
      } };
      ${LAZY}`,
  });
  const { parameters, responses } = document.paths["/api"]!.get!;
  const [, not] = parameters!;
  assertEquals(not!.schema, { $ref: "#/components/schemas/getRootQuery" });
  assertEquals(
    Object.keys(
      document.components.schemas.getRootQuery!.properties as object,
    ),
    ["name", "not"],
  );
  assertEquals(refs(document), []);
  assertEquals(JSON.stringify(document).includes("__schema"), false);
  assertEquals((responses["201"] as { content: unknown }).content, {
    "application/json": {
      schema: {
        type: "array",
        items: { $ref: "#/components/schemas/getRoot201Part" },
      },
    },
  });
});

Deno.test("references in data are data, and escaped ones are found", async () => {
  const json = `({ type: "object", properties: {
      default: { $ref: "#/$defs/a~1b" },
      examples: { const: { $ref: "#/$defs/a~1b" }, default: { $ref: "#" } },
    }, $defs: { "a/b": { type: "number" } } })`;
  await using application = await FolderApplication.create({
    "route.ts": `export const schema = { get: { response: ${
      handWritten("(value) => ({ value })", json)
    } } }; ${LAZY}`,
  });
  const { document } = createDocument(await application.app.routes(), {
    info: INFO,
  });
  const { content } = document.paths["/api"]!.get!
    .responses["200"] as DocumentedResponse;
  assertEquals(content!["application/json"]!.schema!.properties, {
    default: { $ref: "#/components/schemas/a_b" },
    examples: {
      const: { $ref: "#/$defs/a~1b" },
      default: { $ref: "#" },
    },
  });
});

Deno.test("parameters of intersections are those of both; one that never fits is none", async () => {
  const { document, warnings } = await documentOf({
    "[id]/route.ts": `${ZOD}
      const part = (name) => z.object({ [name]: z.string().describe(name), never: z.never().optional() });
      const both = (a, b) => part(a).and(part(b).partial());
      export const schema = { get: {
        params: z.object({ id: z.string().regex(/^1$/) }).and(z.object({})),
        query: both("a", "b"),
        headers: both("x-a", "x-b").and(z.object({ "x-c": z.string().meta({ deprecated: true }) })),
      } };
      ${LAZY}`,
  });
  assertEquals(warnings, []);
  const parameters = document.paths["/api/{id}"]!.get!.parameters!;
  assertEquals(
    parameters.map((each) => `${each.in} ${each.name} ${each.required}`),
    [
      "path id true",
      "query a true",
      "query b false",
      "header x-a true",
      "header x-b false",
      "header x-c true",
    ],
  );
  assertEquals(parameters[0]!.schema, { type: "string", pattern: "^1$" });
  assertEquals(parameters.at(-1), {
    name: "x-c",
    in: "header",
    required: true,
    deprecated: true,
    schema: { type: "string" },
  });
});

Deno.test("a list of files is a form, too", async () => {
  const { document } = await documentOf({
    "route.ts": `${ZOD}
      export const schema = { post: { body: z.object({ files: z.array(z.file()) }) } };
      ${LAZY}`,
  });
  assertEquals(
    Object.keys(document.paths["/api"]!.post!.requestBody!.content),
    ["multipart/form-data"],
  );
});

Deno.test("names that a library makes up are none in the document", async () => {
  const { document } = await documentOf({
    "a/route.ts": `import { scope } from "npm:arktype@^2.2.9";
      const { node } = scope({ node: { v: "number", "next?": "node", at: "Date" } }).export();
      export const schema = { get: { response: node } }; ${LAZY}`,
    "b/route.ts": `import * as v from "npm:valibot@^1.2.0";
      import { toStandardJsonSchema } from "npm:@valibot/to-json-schema@^1.8.0";
      const Node = v.object({ v: v.number(), next: v.optional(v.lazy(() => Node)) });
      export const schema = { get: { response: toStandardJsonSchema(Node) } }; ${LAZY}`,
  });
  assertEquals(refs(document), []);
  for (const name of Object.keys(document.components.schemas)) {
    assertMatch(name, /^(?:Problem|get[AB]200Part\d?)$/);
  }
});

Deno.test("a union that holds itself keeps no document from being made", async () => {
  const json = `({ type: "object", properties: { a: { $ref: "#/$defs/A" } },
    $defs: { A: { anyOf: [{ $ref: "#/$defs/A" }, { type: "string" }] } } })`;
  const { document } = await documentOf({
    "route.ts": `export const schema = { post: { body: ${
      handWritten("(value) => ({ value })", json)
    } } }; ${LAZY}`,
  });
  assertEquals(
    Object.keys(document.paths["/api"]!.post!.requestBody!.content),
    ["application/json"],
  );
});
