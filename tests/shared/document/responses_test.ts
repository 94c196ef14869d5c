import { assertEquals, assertStringIncludes } from "@std/assert";
import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
import { type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import { content, type StandardSchemaV1 } from "@bough/framework";
import {
  type DocumentedResponse,
  type Operation,
  Problem,
} from "@bough/framework/openapi";
import { schemaOf } from "../../support/schema_of.ts";
import {
  documentOf,
  handler,
  OWN,
  responseLines,
  routeOf,
  withOwn,
} from "../../openapi/support.ts";
import { ZODS } from "../../openapi/zods.ts";

type MediaType = { readonly mediaType: string };

const TEXT = { type: "string" };
const BINARY = { type: "string", format: "binary" };

/** The operation of a method with a schema. */
async function operationOf(schema: object, method = "get"): Promise<Operation> {
  const { document, warnings } = await documentOf({
    "items/route.ts": routeOf({ [method]: schema }),
  });
  assertEquals(warnings, []);
  return document.paths["/api/items"]![method]!;
}

/** The responses of an operation, except those of all operations. */
async function responsesOf(
  schema: object,
  method?: string,
): Promise<Record<string, unknown>> {
  const { responses } = await operationOf(schema, method);
  const always = Object.values(OWN)
    .map((name) => `#/components/responses/${name}`);
  return Object.fromEntries(
    Object.entries(responses).filter(([, response]) =>
      !("$ref" in response && always.includes(response.$ref))
    ),
  );
}

Deno.test("an operation always has a response for success", async () => {
  const success = async (response: object, method?: string) =>
    Object.keys(await responsesOf({ response }, method));
  assertEquals(Object.keys(await responsesOf({})), ["200"]);
  assertEquals(await success({ 404: Problem }), ["200", "404"]);
  assertEquals(await success({ 201: z.string() }), ["201"]);
  assertEquals(await success({ 302: {} }), ["302"]);
  assertEquals(await success({ 404: Problem }, "head"), withOwn("200", "404"));
  assertEquals(await responsesOf({}), { 200: { description: "OK" } });
});

/** Declared media types, with the JSON Schema of their schema. */
const CONTENT: readonly (readonly [declared: MediaType, schema: object])[] = [
  [content("application/pdf"), BINARY],
  [content("application/octet-stream"), BINARY],
  [content("image/*"), BINARY],
  [content("text/csv"), TEXT],
  [content("text/csv; header=present"), TEXT],
  [content("text/event-stream"), TEXT],
  [content("application/geo+json"), {}],
  [content("application/json"), {}],
  [content("application/vnd.x+json", z.number()), { type: "number" }],
  [content("text/csv", z.string()), TEXT],
  // Another copy of the package creates such an object.
  [{ mediaType: "application/pdf" }, BINARY],
];

Deno.test("a response has its declared media types, also several (behaviour 8.11)", async () => {
  const rows = CONTENT.map(([declared, schema]) =>
    [declared, [[declared.mediaType, schema]]] as const
  );
  const several = [CONTENT[8]!, CONTENT[3]!, CONTENT[0]!];
  const list = several.map(([declared]) => declared);
  const types = several.map(([{ mediaType }, schema]) => [mediaType, schema]);
  for (const [declared, expected] of [...rows, [list, types] as const]) {
    for (const response of [declared, { body: declared }]) {
      const { 200: described } = await responsesOf({
        response: { 200: response },
      }) as Record<number, DocumentedResponse>;
      assertEquals<unknown>(
        Object.entries(described!.content!).map((
          [type, { schema }],
        ) => [type, schema]),
        expected,
      );
    }
  }
});

const orString = (other: v.GenericSchema) => v.union([other, v.string()]);

/** Schemas that accept only strings, and others. */
const STRINGS: Readonly<
  Record<"text/plain" | "application/json", readonly StandardSchemaV1[]>
> = {
  "text/plain": [
    ...[z.string(), z.enum(["a", "b"]), z.literal("a")],
    ...[z.union([z.literal("a"), z.email()]), z.string().meta({ id: "T" })],
    ...[v.string(), v.picklist(["a", "b"]), v.literal("a")].map(form),
    form(orString(v.literal("a"))),
    ...[type("string"), type("'a'|'b'"), type("'a'"), type("'a'|string.email")],
  ],
  "application/json": [
    ...[z.string().nullable(), z.literal(["a", 1]), z.any(), z.never()],
    z.union([z.string(), z.int()]),
    ...[v.nullable(v.string()), v.picklist(["a", 1]), v.any()].map(form),
    form(orString(v.number())),
    ...[type("string|null"), type("'a'|1"), type("unknown")],
    type("string|number"),
  ],
};

Deno.test("a string is plain text, and a value of several types is JSON", async () => {
  for (const [type, schemas] of Object.entries(STRINGS)) {
    const response = Object.fromEntries(
      schemas.map((schema, index) => [210 + index, schema]),
    );
    const responses = Object.values(await responsesOf({ response }));
    assertEquals(responses.length, schemas.length);
    for (const { content } of responses as { content: object }[]) {
      assertEquals(Object.keys(content), [type], JSON.stringify(content));
    }
  }
});

Deno.test("a response may have headers, a description, and no body", async () => {
  const etag = z.string().optional()
    .meta({ description: "Its version", deprecated: true });
  const operation = await operationOf({
    response: {
      202: {},
      204: { headers: z.object({ etag }) },
      301: {
        headers: z.object({ location: z.url(), "content-type": z.string() }),
        description: "It has **moved**",
      },
      201: {
        body: z.object({ id: z.number() }).meta({ id: "Item" }),
        headers: z.object({ location: z.string() }),
      },
      404: { body: Problem, description: "There is no such item" },
    },
  });
  assertEquals(responseLines(operation), [
    '201 "Created" location {"schema":{"type":"string"}} application/json {"schema":{"$ref":"#/components/schemas/Item"}}',
    '202 "Accepted"',
    '204 "No Content" etag? {"description":"Its version","deprecated":true,"schema":{"type":"string"}}',
    '301 "It has **moved**" location {"schema":{"type":"string","format":"uri"}}',
    "400 BadRequest",
    '404 "There is no such item" application/problem+json {"schema":{"$ref":"#/components/schemas/Problem"},"example":{"type":"about:blank","title":"Not Found","status":404}}',
    "500 ServerError",
  ]);
});

Deno.test("the responses to HEAD have no body", async () => {
  const operation = await operationOf({
    query: z.object({ a: z.string() }),
    response: {
      200: { body: z.object({}), headers: z.object({ etag: z.string() }) },
      404: Problem,
    },
  }, "head");
  assertEquals(responseLines(operation), [
    '200 "OK" etag {"schema":{"type":"string"}}',
    '400 "The request does not fit the schema of its query"',
    '404 "Not Found"',
    '500 "The server failed"',
  ]);
});

const DATES: Readonly<Record<string, StandardSchemaV1>> = {
  ...Object.fromEntries(
    Object.entries(ZODS).map(([version, z]) => [
      version,
      z.object({ at: z.date(), past: z.array(z.date().nullable()).optional() }),
    ]),
  ),
  valibot: form(
    v.object({ at: v.date(), past: v.optional(v.array(v.nullable(v.date()))) }),
  ),
  arktype: type({ at: "Date", "past?": type("Date | null").array() }),
};

Deno.test("a date in a response is a string, as in JSON", async () => {
  const date = { type: "string", format: "date-time" };
  for (const [library, response] of Object.entries(DATES)) {
    const { 200: described } = await responsesOf({ response }) as Record<
      number,
      DocumentedResponse
    >;
    const { properties } = described!.content!["application/json"]!.schema as {
      properties: Record<string, { items: { anyOf: object[] } }>;
    };
    assertEquals<unknown>(properties.at, date, library);
    const { anyOf } = properties.past!.items;
    assertEquals(anyOf.length, 2, library);
    assertStringIncludes(
      JSON.stringify(anyOf),
      JSON.stringify(date).slice(1, -1),
      library,
    );
  }
});

Deno.test("a document has only the components that it refers to", async () => {
  const Tree = z.object({
    get trees() {
      return z.array(Tree);
    },
  });
  const { document: head } = await documentOf({
    "route.ts": routeOf({ head: { response: { 200: Tree, 404: Problem } } }),
  });
  assertEquals(head.components, { schemas: {}, responses: {} });
  const { document } = await documentOf({ "route.ts": { GET: handler } });
  assertEquals(Object.keys(document.components.responses), [
    "BadRequest",
    "ServerError",
  ]);
  const { document: empty } = await documentOf({});
  assertEquals(empty.components, { schemas: {}, responses: {} });
});

Deno.test("a part of headers without a name is named after its operation and status", async () => {
  const headers = schemaOf(undefined, () => ({
    properties: { "x-a": { $ref: "#/$defs/__schema0" } },
    $defs: { __schema0: { type: "string" } },
  }));
  const operation = await operationOf({ response: { 204: { headers } } });
  assertEquals(
    responseLines(operation)[0],
    '204 "No Content" x-a? {"schema":{"$ref":"#/components/schemas/getItems204HeadersPart"}}',
  );
});
