import { assertEquals, assertStringIncludes } from "@std/assert";
import { createDocument } from "@bough/framework/openapi";
import { FolderApplication } from "../../support/application.ts";
import { documentOf, handWritten, INFO, ZOD } from "../support.ts";

/** The same route file in the notation of three libraries. */
const LIBRARIES: Readonly<Record<string, string>> = {
  zod: `${ZOD}
    export const schema = { post: {
      params: z.object({ id: z.string().regex(/^\\d+$/) }),
      query: z.object({ page: z.string().optional(), tag: z.array(z.string()).optional() }),
      headers: z.object({ "x-key": z.string().min(3) }),
      body: z.looseObject({ title: z.string().min(1), cents: z.number().min(0), kind: z.enum(["new", "used"]) }),
      response: { 201: z.looseObject({ id: z.number() }) },
    } };`,
  valibot: `import * as v from "npm:valibot@^1.2.0";
    import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
    export const schema = { post: {
      params: form(v.object({ id: v.pipe(v.string(), v.regex(/^\\d+$/)) })),
      query: form(v.object({ page: v.optional(v.string()), tag: v.optional(v.array(v.string())) })),
      headers: form(v.object({ "x-key": v.pipe(v.string(), v.minLength(3)) })),
      body: form(v.looseObject({
        title: v.pipe(v.string(), v.minLength(1)), cents: v.pipe(v.number(), v.minValue(0)), kind: v.picklist(["new", "used"]),
      })),
      response: { 201: form(v.looseObject({ id: v.number() })) },
    } };`,
  arktype: `import { type } from "npm:arktype@^2.2.9";
    export const schema = { post: {
      params: type({ id: /^\\d+$/ }),
      query: type({ "page?": "string", "tag?": "string[]" }),
      headers: type({ "x-key": "string >= 3" }),
      body: type({ title: "string >= 1", cents: "number >= 0", kind: "'new' | 'used'" }),
      response: { 201: type({ id: "number" }) },
    } };`,
};

const HANDLER = `
  export function POST(request) { return Response.json(request.validated, { status: 201 }); }
`;

/** What libraries write in different ways, though they mean the same. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(comparable).sort((a, b) =>
      JSON.stringify(a) < JSON.stringify(b) ? -1 : 1
    );
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value)
    // Open either way: an empty schema allows all that no schema forbids.
    .filter(([key, inner]) =>
      !(key === "additionalProperties" && JSON.stringify(inner) === "{}") &&
      // An enum of strings needs no type.
      !(key === "type" && "enum" in value)
    )
    .map(([key, inner]) => [key, comparable(inner)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => a < b ? -1 : 1));
}

Deno.test("one route in zod, Valibot and ArkType validates and documents the same", async () => {
  const outcomes = [];
  for (const [library, schema] of Object.entries(LIBRARIES)) {
    const files = { "books/[id]/route.ts": schema + HANDLER };
    const { document, warnings } = await documentOf(files);
    assertEquals(warnings, [], library);
    await using application = await FolderApplication.create(files);
    const send = async (target: string, key: string, body: unknown) => {
      const response = await application.fetch(target, {
        method: "POST",
        headers: { "x-key": key, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      const answer = await response.json();
      const { errors } = answer;
      return {
        status: response.status,
        // Messages are the library's own; so is the text of other headers.
        answer: errors?.map((error: { in: string; pointer: string }) =>
          `${error.in} ${error.pointer}`
        ).sort() ?? { ...answer, headers: answer.headers["x-key"] },
      };
    };
    const book = { title: "Emma", cents: 5, kind: "new" };
    outcomes.push({
      paths: comparable(document.paths),
      good: await send("/api/books/7?page=2&tag=a&tag=b", "abc", book),
      bad: await send("/api/books/x?tag=a", "a", {
        ...book,
        title: "",
        kind: "old",
      }),
      missing: await send("/api/books/7", "abc", {}),
    });
  }
  const [zod, ...others] = outcomes;
  assertEquals(zod!.good.status, 201);
  assertEquals(zod!.bad.answer, [
    "body #/kind",
    "body #/title",
    "headers #/x-key",
    "params #/id",
    "query #/tag",
  ]);
  for (const other of others) assertEquals(other, zod);
});

Deno.test("paths, parameters, bodies and answers are described", async () => {
  const { document } = await documentOf({
    "users/[userId]/files/[...]/route.ts": `${ZOD}
      export const schema = {
        get: {
          summary: "Reads a file", description: "All of **it**.", tags: ["files"],
          operationId: "readFile", deprecated: true, security: [{ bearer: [] }, {}],
          params: z.object({ userId: z.string().describe("Whose file") }),
          headers: z.object({ "x-key": z.string(), accept: z.string(), "x-more": z.string().optional() }),
          response: { 200: z.string(), 404: z.object({ why: z.string() }) },
        },
      };
      export function GET() { return new Response("text"); }
      export function DELETE() { return new Response(null); }
    `,
  }, { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } });
  const item = document.paths["/api/users/{userId}/files/{wildcard}"]!;
  assertEquals(Object.keys(item), ["get", "delete"]);
  const { parameters, responses, ...operation } = item.get!;
  assertEquals(operation, {
    operationId: "readFile",
    summary: "Reads a file",
    description: "All of **it**.",
    tags: ["files"],
    deprecated: true,
    security: [{ bearer: [] }, {}],
  });
  assertEquals(parameters, [
    {
      name: "userId",
      in: "path",
      required: true,
      description: "Whose file",
      schema: { type: "string" },
    },
    {
      name: "wildcard",
      in: "path",
      required: true,
      schema: { type: "string" },
      description: "One or more segments, separated by unescaped slashes",
      "x-wildcard": true,
    },
    {
      name: "x-key",
      in: "header",
      required: true,
      schema: { type: "string" },
    },
    {
      name: "x-more",
      in: "header",
      required: false,
      schema: { type: "string" },
    },
  ]);
  assertEquals(
    Object.keys(responses),
    ["200", "400", "404", "500"],
  );
  assertEquals(responses["200"], {
    description: "OK",
    content: { "text/plain": { schema: { type: "string" } } },
  });
  assertEquals(item.delete!.tags, ["users"]);
  assertEquals(
    item.delete!.operationId,
    "deleteUsersByUserIdFilesByWildcard",
  );
});

Deno.test("a body is JSON, a form of texts, or a form with files", async () => {
  const { document } = await documentOf({
    "json/route.ts": `${ZOD}
      export const schema = { post: { body: z.object({ n: z.number() }) } };
      export const POST = () => new Response();`,
    "form/route.ts": `${ZOD}
      export const schema = { post: { body: z.object({ a: z.string() }).optional() } };
      export const POST = () => new Response();`,
    "file/route.ts": `${ZOD}
      export const schema = { post: { body: z.object({ a: z.string(), f: z.file() }) } };
      export const POST = () => new Response();`,
    "list/route.ts": `${ZOD}
      export const schema = { post: { body: z.array(z.string()).refine(async () => true) } };
      export const POST = () => new Response();`,
  });
  const bodies = ["json", "form", "file", "list"].map((name) => {
    const { requestBody } = document.paths[`/api/${name}`]!.post!;
    return [requestBody!.required, Object.keys(requestBody!.content)];
  });
  assertEquals(bodies, [
    [true, ["application/json"]],
    [false, [
      "application/json",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
    ]],
    [true, ["multipart/form-data"]],
    [true, ["application/json"]],
  ]);
  assertEquals(
    Object.keys(document.paths["/api/json"]!.post!.responses),
    ["200", "400", "408", "413", "415", "500"],
  );
});

Deno.test("schemas with an id are components; what is taken and given may differ", async () => {
  const { document } = await documentOf({
    "route.ts": `${ZOD}
      const Tag = z.object({ name: z.string().default("x") }).meta({ id: "Tag" });
      const Same = z.enum(["a", "b"]).meta({ id: "Same" });
      const Book = z.object({ title: z.string(), tags: z.array(Tag), same: Same }).meta({ id: "Book" });
      const Shelf = z.strictObject({ books: z.array(Book) }).meta({ id: "Shelf" });
      const Only = z.strictObject({ a: Same }).meta({ id: "Only taken" });
      const Other = z.object({ other: z.number() }).meta({ id: "Other" });
      export const schema = {
        post: { body: Shelf, query: z.object({ same: Same }), response: Shelf },
        put: { body: Only, response: Other },
      };
      export const POST = () => new Response();
      export const PUT = () => new Response();`,
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
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
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

Deno.test("two schemas with one id are told apart, and recursive ones named", async () => {
  const { document } = await documentOf({
    "a/route.ts": `${ZOD}
      export const schema = { get: { response: z.object({ a: z.string() }).meta({ id: "Thing" }) } };
      export const GET = () => new Response();`,
    "b/route.ts": `${ZOD}
      const Tree = z.object({ value: z.string(), get children() { return z.array(Tree); } });
      export const schema = { get: { response: { 200: z.object({ b: z.string() }).meta({ id: "Thing" }), 201: Tree } } };
      export const GET = () => new Response();`,
  });
  const { schemas } = document.components;
  assertEquals(Object.keys(schemas), [
    "Problem",
    "Thing",
    "Thing2",
    "getB201",
  ]);
  assertStringIncludes(
    JSON.stringify(schemas.getB201),
    '"children":{"type":"array","items":{"$ref":"#/components/schemas/getB201"}}',
  );
});

Deno.test("a schema without a JSON form is a warning that names file and member", async () => {
  const { document, warnings } = await documentOf({
    "a/route.ts": `${ZOD}
      export const schema = { post: {
        body: z.object({ when: z.date() }),
        query: z.object({ n: z.string().transform(Number) }),
        response: { 200: z.object({ n: z.string().transform(Number) }) },
      } };
      export const POST = () => new Response();`,
    "b/[id]/route.ts": `import * as v from "npm:valibot@^1.2.0";
      export const schema = { get: { params: v.object({ id: v.string() }) } };
      export const GET = () => new Response();`,
    "c/route.ts": `
      const mine = { "~standard": { version: 1, vendor: "mine", validate: (value) => ({ value }) } };
      export const schema = { get: { query: mine } };
      export const GET = () => new Response();`,
  });
  assertEquals(
    warnings.map(({ path, message }) =>
      `"${path}": ${message}`.replace(/"[^"]*\/api\//, '"api/')
    ),
    [
      '"api/a/route.ts": schema.post.body has no JSON Schema: Date cannot be represented in JSON Schema',
      '"api/a/route.ts": schema.post.response[200] has no JSON Schema: Transforms cannot be represented in JSON Schema',
      '"api/b/[id]/route.ts": schema.get.params has no JSON Schema: "valibot" does not implement the Standard JSON Schema interface; wrap it with toStandardJsonSchema() of "@valibot/to-json-schema"',
      '"api/c/route.ts": schema.get.query has no JSON Schema: "mine" does not implement the Standard JSON Schema interface; use a library that implements this interface, such as zod or ArkType',
    ],
  );
  const { requestBody, parameters } = document.paths["/api/a"]!.post!;
  assertEquals(requestBody!.content, { "application/json": { schema: {} } });
  assertEquals(parameters!.map(({ name }) => name), ["n"]);
  assertEquals(document.paths["/api/b/{id}"]!.get!.parameters!.length, 1);
});

Deno.test("operation ids are unique; one given twice is a warning", async () => {
  const { document, warnings } = await documentOf({
    "a-b/route.ts": "export const GET = () => new Response();",
    "a/b/route.ts": "export const GET = () => new Response();",
  });
  assertEquals(
    Object.values(document.paths).map(({ get }) => get!.operationId),
    ["getAB", "getAB2"],
  );
  assertEquals(warnings, []);

  const named = `
    export const schema = { get: { operationId: "getIt" } };
    export const GET = () => new Response();`;
  await using application = await FolderApplication.create({
    "a/route.ts": named,
    "b/route.ts": named,
  });
  const created = createDocument(await application.app.routes(), {
    info: INFO,
  });
  assertEquals(created.warnings.length, 1);
  const { path, message } = created.warnings[0]!;
  assertStringIncludes(path, "b/route.ts");
  assertStringIncludes(
    message,
    'schema.get.operationId "getIt" is not unique; choose another id',
  );
});

Deno.test("unusual folder names make valid paths", async () => {
  const { document } = await documentOf({
    "café {x}/[user-id]/[wildcard]/[...]/route.ts":
      "export const GET = () => new Response();",
    "(group)/route.ts": "export const GET = () => new Response();",
  });
  assertEquals(Object.keys(document.paths), [
    "/api",
    "/api/caf%C3%A9%20%7Bx%7D/{user-id}/{wildcard}/{wildcard_}",
  ]);
});

Deno.test("what is said beyond the routes stands in the document, and nothing else", async () => {
  const options = {
    servers: [{ url: "https://api.example.com" }],
    security: [{ bearer: [] }],
    tags: [{ name: "books", description: "All of them" }],
  };
  const securitySchemes = { bearer: { type: "http", scheme: "bearer" } };
  const { document } = await documentOf({}, { ...options, securitySchemes });
  const { servers, security, tags, components } = document;
  assertEquals<unknown>({ servers, security, tags }, options);
  assertEquals(components.securitySchemes, securitySchemes);

  const { document: bare } = await documentOf({});
  assertEquals(Object.keys(bare), ["openapi", "info", "paths", "components"]);
  assertEquals(Object.keys(bare.components), ["schemas", "responses"]);
});

Deno.test("a query that is no plain object is one parameter", async () => {
  const { document } = await documentOf({
    "route.ts": `${ZOD}
      export const schema = { get: { query: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]) } };
      export const GET = () => new Response();`,
  });
  const [query] = document.paths["/api"]!.get!.parameters!;
  assertEquals(query!.explode, true);
  assertEquals((query!.schema.anyOf as unknown[]).length, 2);
});

Deno.test("changing a schema changes the document", async () => {
  const route = (type: string) => ({
    "route.ts": `${ZOD}
      export const schema = { get: { query: z.object({ a: z.${type}() }) } };
      export const GET = () => new Response();`,
  });
  const types = [];
  for (const type of ["string", "boolean"]) {
    const { document } = await documentOf(route(type));
    types.push(document.paths["/api"]!.get!.parameters![0]!.schema.type);
  }
  assertEquals(types, ["string", "boolean"]);
});

Deno.test("a schema that fails on an absent body describes one that is required", async () => {
  const results = {
    throws: "(value) => ({ value: value.length })",
    rejects: "async (value) => ({ value: value.length })",
    nothing: "() => undefined",
    empty: "() => ({})",
    wordless: "() => ({ issues: [] })",
    value: "() => ({ value: undefined })",
  };
  const { document, warnings } = await documentOf(Object.fromEntries(
    Object.entries(results).map(([name, validate]) => [
      `${name}/route.ts`,
      `export const schema = { post: { body: ${
        handWritten(validate, "({ type: 'string' })")
      } } };
      export const POST = () => new Response();`,
    ]),
  ));
  assertEquals(warnings, []);
  const required = Object.keys(results).map((name) =>
    document.paths[`/api/${name}`]!.post!.requestBody!.required
  );
  assertEquals(required, [true, true, true, true, true, false]);
});

Deno.test("a JSON form that is none is a warning", async () => {
  const validate = "(value) => ({ value })";
  const forms = {
    undefined: "undefined",
    array: "[]",
    text: "'string'",
    big: "({ const: 1n })",
    cycle: "{ const a = {}; a.a = a; return a; }",
    throws: "{ throw 'no form'; }",
  };
  const { warnings } = await documentOf(Object.fromEntries(
    Object.entries(forms).map(([name, json]) => [
      `${name}/route.ts`,
      `const part = ${handWritten(validate, json)};
      export const schema = { get: { query: part } };
      export const GET = () => new Response();`,
    ]),
  ));
  assertEquals(warnings.length, Object.keys(forms).length);
  for (const { message } of warnings) {
    assertStringIncludes(message, "schema.get.query has no JSON Schema: ");
  }
});

Deno.test("a reference to no definition keeps no document from being made", async () => {
  const names = ["Gone", "toString", "__proto__"];
  await using application = await FolderApplication.create(Object.fromEntries(
    names.map((name) => [
      `${name}/route.ts`,
      `const part = ${
        handWritten("(value) => ({ value })", `({ $ref: "#/$defs/${name}" })`)
      };
      export const schema = { post: { query: part, body: part, response: part } };
      export const POST = () => new Response();`,
    ]),
  ));
  const { document } = createDocument(await application.app.routes(), {
    info: INFO,
  });
  assertEquals(Object.keys(document.paths).length, names.length);
});

Deno.test("names that all objects have are names like any other", async () => {
  const names = ["toString", "constructor", "__proto__", "hasOwnProperty"];
  const path = names.map((name) => `[${name}]`).join("/");
  const { document } = await documentOf({
    [`plain/${path}/route.ts`]: `${ZOD}
      export const schema = { get: { params: z.looseObject({}) } };
      export const GET = () => new Response();`,
    [`described/${path}/route.ts`]: `${ZOD}
      const number = z.string().regex(/^1$/);
      export const schema = { get: {
        params: z.object({ toString: number }), query: z.object({ constructor: number }),
      } };
      export const GET = () => new Response();`,
  });
  const template = names.map((name) => `{${name}}`).join("/");
  const described = { type: "string", pattern: "^1$" };
  assertEquals(
    document.paths[`/api/plain/${template}`]!.get!.parameters!.map((
      { schema },
    ) => schema),
    names.map(() => ({ type: "string" })),
  );
  assertEquals(
    document.paths[`/api/described/${template}`]!.get!.parameters!.map((
      { name, schema },
    ) => [name, schema]),
    [
      ["toString", described],
      ...names.slice(1).map((name) => [name, { type: "string" }]),
      ["constructor", described],
    ],
  );
});

Deno.test("a schema that refers to itself is named by its operation, and its place there", async () => {
  const recursive = handWritten(
    "(value) => ({ value })",
    `({ anyOf: [{ type: "null" }, { type: "array", items: { $ref: "#" } }] })`,
  );
  const { document } = await documentOf({
    "trees/route.ts": `const part = ${recursive};
      export const schema = { post: { query: part, body: part, response: part } };
      export const POST = () => new Response();`,
  });
  const { parameters, requestBody, responses } = document.paths["/api/trees"]!
    .post!;
  const json = "application/json";
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  assertEquals(parameters![0]!.schema, ref("postTreesQuery"));
  assertEquals(requestBody!.content[json]!.schema, ref("postTreesBody"));
  assertEquals<unknown>(
    (responses["200"] as { content: unknown }).content,
    { [json]: { schema: ref("postTrees200") } },
  );
  for (const name of ["postTreesQuery", "postTreesBody", "postTrees200"]) {
    assertEquals(document.components.schemas[name], {
      anyOf: [{ type: "null" }, { type: "array", items: ref(name) }],
    });
  }
});

Deno.test("a vendor named as a member of all objects gets plain advice", async () => {
  const { warnings } = await documentOf({
    "route.ts": `
      const mine = { "~standard": { version: 1, vendor: "toString", validate: (value) => ({ value }) } };
      export const schema = { get: { query: mine } };
      export const GET = () => new Response();`,
  });
  assertStringIncludes(
    warnings[0]!.message,
    "interface; use a library that implements this interface, such as zod or ArkType",
  );
});

Deno.test("an operation is named by its folders, and tagged by the first in its URL", async () => {
  const GET = "export const GET = () => new Response();";
  const { document } = await documentOf({
    "route.ts": `${GET} export const DELETE = GET;`,
    "[...]/route.ts": GET,
    "(group)/[id]/two words/route.ts": GET,
    "x.y-z/(group)/[id]/route.ts": GET,
    "(group)/1st/[...]/route.ts": GET,
  });
  const named = Object.values(document.paths).flatMap((item) =>
    Object.values(item).map(({ operationId, tags }) => [operationId, tags])
  );
  assertEquals(named, [
    ["getRoot", []],
    ["deleteRoot", []],
    ["get1stByWildcard", ["1st"]],
    ["getByWildcard", []],
    ["getByIdTwoWords", ["id"]],
    ["getXYZById", ["x.y-z"]],
  ]);
});

Deno.test("the responses of an operation are those that are declared, and Bough's own", async () => {
  const { document } = await documentOf({
    "declared/route.ts": `${ZOD}
      import { Problem } from "@bough/framework/openapi";
      const text = z.string().meta({ id: "Text" });
      export const schema = { get: { response: {
        200: z.number(), 204: text, 205: text, 304: text, 299: text, 404: Problem, 500: z.date(),
      } } };
      export const GET = () => new Response();`,
    "plain/route.ts": "export const GET = () => new Response();",
    "[id]/route.ts": `${ZOD} const body = z.object({});
      export const schema = { post: { body } };
      export const GET = () => new Response(); export const POST = GET;`,
    "parts/route.ts": `${ZOD} const part = z.object({});
      export const schema = { get: { query: part }, put: { headers: part }, patch: { body: part } };
      export const GET = () => new Response(); export const PUT = GET; export const PATCH = GET;`,
  });
  const own = (name: string) => ({ $ref: `#/components/responses/${name}` });
  const schema = (name: string) => ({
    schema: { $ref: `#/components/schemas/${name}` },
  });
  const problem = (status: number, title: string, members: object = {}) => ({
    "application/problem+json": {
      ...schema("Problem"),
      example: { type: "about:blank", title, status, ...members },
    },
  });
  const others = { 500: own("ServerError") };
  const declared = document.paths["/api/declared"]!.get!;
  assertEquals(declared.responses, {
    200: {
      description: "OK",
      content: { "application/json": { schema: { type: "number" } } },
    },
    204: { description: "No Content" },
    205: { description: "Reset Content" },
    304: { description: "Not Modified" },
    299: {
      description: "Status 299",
      content: { "text/plain": schema("Text") },
    },
    400: own("BadRequest"),
    404: { description: "Not Found", content: problem(404, "Not Found") },
    500: {
      description: "Internal Server Error; or: The server failed",
      // JSON, as `Response.json(new Date())` sends it, and no plain text.
      content: {
        "application/json": { schema: { type: "string", format: "date-time" } },
        ...problem(500, "Internal Server Error"),
      },
    },
  });
  const { get, post } = document.paths["/api/{id}"]!;
  assertEquals(get!.responses, {
    200: { description: "OK" },
    400: {
      description: "The path cannot be decoded",
      content: problem(400, "Bad Request"),
    },
    ...others,
  });
  assertEquals(post!.responses, {
    200: { description: "OK" },
    400: {
      description:
        "The request does not fit the schema of its body, or the path cannot be decoded",
      content: problem(400, "Bad Request", {
        detail: "The request does not fit its schema",
        errors: [{ in: "body", pointer: "#", detail: "Invalid value" }],
      }),
    },
    408: own("RequestTimeout"),
    413: own("ContentTooLarge"),
    415: own("UnsupportedMediaType"),
    ...others,
  });
  const statuses = ["/api/plain get", "/api/parts get", "/api/parts put"]
    .concat("/api/parts patch").map((name) => {
      const [path, method] = name.split(" ");
      return Object.keys(document.paths[path!]![method!]!.responses).join();
    });
  assertEquals(statuses, [
    "200,400,500",
    "200,400,500",
    "200,400,500",
    "200,400,408,413,415,500",
  ]);
  assertEquals("requestBody" in get!, false);
  assertEquals("parameters" in document.paths["/api/plain"]!.get!, false);
});

Deno.test("what a schema with an id is decides what it is sent as", async () => {
  const { document } = await documentOf({
    "route.ts": `${ZOD}
      export const schema = {
        post: { body: z.object({ a: z.string(), b: z.email() }).meta({ id: "Form" }) },
        put: { body: z.object({ a: z.string(), b: z.number() }).meta({ id: "Json" }) },
        patch: { body: z.object({}).meta({ id: "Empty" }) },
        delete: { body: z.object({ a: z.number(), f: z.file() }).meta({ id: "File" }) },
        options: { body: z.date() },
      };
      export const POST = () => new Response();
      export const PUT = POST; export const PATCH = POST; export const DELETE = POST; export const OPTIONS = POST;`,
  });
  const item = document.paths["/api"]!;
  const types = Object.fromEntries(
    Object.entries(item).map(([method, { requestBody }]) => [
      method,
      Object.keys(requestBody!.content).join(),
    ]),
  );
  assertEquals(types, {
    post:
      "application/json,application/x-www-form-urlencoded,multipart/form-data",
    put: "application/json",
    patch: "application/json",
    delete: "multipart/form-data",
    options: "application/json",
  });
  const schema = { $ref: "#/components/schemas/Form" };
  assertEquals(
    Object.values(item.post!.requestBody!.content),
    [{ schema }, { schema }, { schema }],
  );
  assertEquals(item.options!.requestBody!.content, {
    "application/json": { schema: {} },
  });
});

Deno.test("headers with a place of their own are no parameters, and odd schemas give none", async () => {
  const { document } = await documentOf({
    "route.ts": `${ZOD}
      const headers = z.object({ accept: z.string(), "content-type": z.string(), authorization: z.string(), "x-a": z.string() });
      const union = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]);
      export const schema = {
        get: { query: headers, headers },
        put: { query: union, headers: union },
        post: { query: z.object({ a: z.string().describe("An a"), b: z.string().optional() }).meta({ id: "Query" }) },
      };
      export const GET = () => new Response(); export const PUT = GET; export const POST = GET;`,
  });
  const { get, put, post } = document.paths["/api"]!;
  assertEquals(
    get!.parameters!.map((parameter) => `${parameter.in} ${parameter.name}`),
    [
      "query accept",
      "query content-type",
      "query authorization",
      "query x-a",
      "header x-a",
    ],
  );
  const [union, ...others] = put!.parameters!;
  const { schema, ...rest } = union!;
  assertEquals(Object.keys(schema), ["anyOf"]);
  assertEquals([rest, others], [{
    name: "query",
    in: "query",
    required: false,
    style: "form",
    explode: true,
  }, []]);
  assertEquals(post!.parameters, [
    {
      name: "a",
      in: "query",
      required: true,
      description: "An a",
      schema: { type: "string" },
    },
    { name: "b", in: "query", required: false, schema: { type: "string" } },
  ]);
});

Deno.test("schemas of one id share a component where they say the same", async () => {
  const route = (schema: string) =>
    `${ZOD}
      export const schema = { get: { response: ${schema} } };
      export const GET = () => new Response();`;
  const thing = (type: string) =>
    `z.object({ a: z.${type}(), tag: z.object({ t: z.${type}() }).meta({ id: "Tag" }) }).meta({ id: "Thing" })`;
  const { document } = await documentOf({
    "a/route.ts": route(thing("string")),
    "b/route.ts": route(thing("number")),
    "c/route.ts": route(thing("boolean")),
    "d/route.ts": route(thing("number")),
  });
  const responses = ["a", "b", "c", "d"].map((name) =>
    JSON.stringify(document.paths[`/api/${name}`]!.get!.responses["200"])
      .match(/schemas\/([^"]+)/)![1]
  );
  assertEquals(responses, ["Thing", "Thing2", "Thing3", "Thing2"]);
  const { schemas } = document.components;
  assertEquals(Object.keys(schemas), [
    "Problem",
    "Tag",
    "Tag2",
    "Tag3",
    "Thing",
    "Thing2",
    "Thing3",
  ]);
  const tags = ["Thing", "Thing2", "Thing3"].map((name) =>
    (schemas[name]!.properties as Record<string, unknown>).tag
  );
  assertEquals(
    tags,
    ["Tag", "Tag2", "Tag3"].map((name) => ({
      $ref: `#/components/schemas/${name}`,
    })),
  );
});

Deno.test("references that are not to a definition are left as they are", async () => {
  const validate = "(value) => ({ value })";
  const references = ["x#/$defs/A", "#/$defs/", "https://example.com/#", "#/a"];
  const json = `({ anyOf: [
    ${references.map((each) => `{ $ref: ${JSON.stringify(each)} }`)},
    { $ref: "#/$defs/A/b" }, { $ref: "#/$defs/A" }, { const: { $ref: 5 } },
  ], $defs: { A: { type: "string" }, "A/b": { type: "number" } }, $schema: "x" })`;
  await using application = await FolderApplication.create({
    "route.ts": `
      export const schema = { get: { response: ${
      handWritten(validate, json)
    } } };
      export const GET = () => new Response();`,
  });
  const routes = await application.app.routes();
  const { document } = createDocument(routes, { info: INFO });
  assertEquals(document.paths["/api"]!.get!.responses["200"], {
    description: "OK",
    content: {
      "application/json": {
        schema: {
          anyOf: [
            ...references.map(($ref) => ({ $ref })),
            { $ref: "#/components/schemas/A_b" },
            { $ref: "#/components/schemas/A" },
            { const: { $ref: 5 } },
          ],
        },
      },
    },
  });
});

Deno.test("a deprecated operation has its dates, its replacement and the reason (behaviour 5.5)", async () => {
  const { document } = await documentOf({
    "a/middleware.ts": `export const contract = {
      deprecated: { since: "2026-06-30", sunset: "2026-12-31" },
    };`,
    "a/route.ts": `
      export const schema = {
        put: { deprecated: { use: "/api/b", why: "Too slow" } },
        post: { deprecated: {} },
        delete: { deprecated: false },
      };
      export const [GET, PUT, POST, DELETE] = Array(4).fill(() => new Response());`,
  });
  const { get, put, post, delete: removed } = document.paths["/api/a"]!;
  assertEquals(
    [get, put, post, removed].map((operation) =>
      Object.fromEntries(
        Object.entries(operation!).filter(([name]) =>
          /deprecated|sunset/.test(name)
        ),
      )
    ),
    [
      {
        deprecated: true,
        "x-sunset": "2026-12-31",
        "x-deprecated": { since: "2026-06-30" },
      },
      {
        deprecated: true,
        "x-deprecated": { use: "/api/b", why: "Too slow" },
      },
      { deprecated: true },
      { deprecated: false },
    ],
  );
});
