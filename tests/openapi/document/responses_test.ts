import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Operation } from "@bough/framework/openapi";
import { documentOf, handWritten, ZOD } from "../support.ts";

const CORE = `import { content } from "@bough/framework";`;
const PROBLEM = `import { Problem } from "@bough/framework/openapi";`;

/** The `get` of a route whose `schema.get` is given as source text. */
async function operationOf(
  schema: string,
  { method = "GET", ...files }: Record<string, string> = {},
): Promise<Operation> {
  const { document, warnings } = await documentOf({
    "items/route.ts": `${ZOD} ${CORE} ${PROBLEM}
      export const schema = { ${method.toLowerCase()}: ${schema} };
      export const ${method} = () => new Response();`,
    ...files,
  });
  assertEquals(warnings, []);
  return document.paths["/api/items"]![method.toLowerCase()]!;
}

async function responsesOf(
  schema: string,
  options?: Record<string, string>,
): Promise<Record<string, unknown>> {
  const { responses } = await operationOf(schema, options);
  const always = ["BadRequest", "ServerError"]
    .map((name) => `#/components/responses/${name}`);
  return Object.fromEntries(
    Object.entries(responses).filter(([, response]) =>
      !("$ref" in response && always.includes(response.$ref))
    ),
  );
}

Deno.test("a success response is always there", async () => {
  const success = async (response: string, method = "GET") =>
    Object.keys(await responsesOf(`{ response: ${response} }`, { method }));
  assertEquals(await success("{}"), ["200"]);
  assertEquals(await success("{ 404: Problem }"), ["200", "404"]);
  assertEquals(await success("{ 201: z.string() }"), ["201"]);
  assertEquals(await success("{ 302: {} }"), ["302"]);
  assertEquals(await success("{ 404: Problem }", "HEAD"), [
    "200",
    "400",
    "404",
    "500",
  ]);
  assertEquals(await responsesOf("{}"), { 200: { description: "OK" } });
});

Deno.test("media types other than JSON are declared by content()", async () => {
  const text = { type: "string" };
  const file = { type: "string", format: "binary" };
  const number = { type: "number" };
  for (
    const [declared, type, schema] of [
      ['content("application/pdf")', "application/pdf", file],
      ['content("application/octet-stream")', "application/octet-stream", file],
      ['content("image/*")', "image/*", file],
      ['content("text/csv")', "text/csv", text],
      ['content("text/csv; header=present")', "text/csv; header=present", text],
      ['content("text/event-stream")', "text/event-stream", text],
      ['content("application/geo+json")', "application/geo+json", {}],
      ['content("application/json")', "application/json", {}],
      [
        'content("application/vnd.x+json", z.number())',
        "application/vnd.x+json",
        number,
      ],
      ['content("text/csv", z.string())', "text/csv", text],
      // Another copy of the package makes the same.
      ['{ mediaType: "application/pdf" }', "application/pdf", file],
    ] as const
  ) {
    for (const response of [declared, `{ body: ${declared} }`]) {
      assertEquals(await responsesOf(`{ response: { 200: ${response} } }`), {
        200: { description: "OK", content: { [type]: { schema } } },
      }, response);
    }
  }
});

const TEXTS: Readonly<Record<string, string>> = {
  zod: `${ZOD}
    const texts = [z.string(), z.enum(["a", "b"]), z.literal("a"), z.union([z.literal("a"), z.email()]), z.string().meta({ id: "T" })];
    const others = [z.string().nullable(), z.literal(["a", 1]), z.any(), z.union([z.string(), z.int()]), z.never()];`,
  valibot: `import * as v from "npm:valibot@^1.2.0";
    import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
    const texts = [v.string(), v.picklist(["a", "b"]), v.literal("a"), v.union([v.literal("a"), v.string()])].map(form);
    const others = [v.nullable(v.string()), v.picklist(["a", 1]), v.any(), v.union([v.string(), v.number()])].map(form);`,
  arktype: `import { type } from "npm:arktype@^2.2.9";
    const texts = [type("string"), type("'a'|'b'"), type("'a'"), type("'a'|string.email")];
    const others = [type("string|null"), type("'a'|1"), type("unknown"), type("string|number")];`,
};

for (const [library, source] of Object.entries(TEXTS)) {
  Deno.test(`texts are plain text, and what may be another value is JSON: ${library}`, async () => {
    const { document, warnings } = await documentOf({
      "route.ts": `${source}
        const at = (first, schemas) => schemas.map((schema, index) => [first + index, schema]);
        export const schema = { get: { response: Object.fromEntries([...at(210, texts), ...at(410, others)]) } };
        export const GET = () => new Response();`,
    });
    assertEquals(warnings, []);
    for (
      const [status, response] of Object.entries(
        document.paths["/api"]!.get!.responses,
      )
    ) {
      if ("$ref" in response) continue;
      assertEquals(
        Object.keys(response.content!),
        [status < "400" ? "text/plain" : "application/json"],
        `${status} ${JSON.stringify(response)}`,
      );
    }
  });
}

Deno.test("a response without a body may have any status, headers and a description", async () => {
  const responses = await responsesOf(`{ response: {
    202: {},
    204: { headers: z.object({ etag: z.string().optional().meta({ description: "Its version", deprecated: true }) }) },
    301: { headers: z.object({ location: z.url(), "content-type": z.string() }), description: "It has **moved**" },
    201: { body: z.object({ id: z.number() }).meta({ id: "Item" }), headers: z.object({ location: z.string() }) },
    404: { body: Problem, description: "There is no such item" },
  } }`);
  assertEquals(responses, {
    201: {
      description: "Created",
      headers: { location: { required: true, schema: { type: "string" } } },
      content: {
        "application/json": { schema: { $ref: "#/components/schemas/Item" } },
      },
    },
    202: { description: "Accepted" },
    204: {
      description: "No Content",
      headers: {
        etag: {
          required: false,
          description: "Its version",
          deprecated: true,
          schema: { type: "string" },
        },
      },
    },
    301: {
      description: "It has **moved**",
      headers: {
        location: { required: true, schema: { type: "string", format: "uri" } },
      },
    },
    404: {
      description: "There is no such item",
      content: {
        "application/problem+json": {
          schema: { $ref: "#/components/schemas/Problem" },
          example: { type: "about:blank", title: "Not Found", status: 404 },
        },
      },
    },
  });
});

Deno.test("headers that no response or request can have are warnings", async () => {
  const { warnings } = await documentOf({
    "route.ts": `${ZOD}
      export const schema = { get: {
        headers: z.object({ "X-Key": z.string() }),
        response: {
          200: { headers: z.object({ Location: z.string() }) },
          201: { headers: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]) },
        },
      } };
      export const GET = () => new Response();`,
  });
  assertEquals(warnings.map(({ message }) => message), [
    'schema.get.headers names "X-Key", but names of headers are lowercase; write "x-key"',
    'schema.get.response[200].headers names "Location", but names of headers are lowercase; write "location"',
    "schema.get.response[201].headers is not an object schema, so the document omits its headers",
  ]);
});

Deno.test("the responses to HEAD have no body, whatever their status", async () => {
  const { responses } = await operationOf(
    `{ query: z.object({ a: z.string() }), response: {
      200: { body: z.object({}), headers: z.object({ etag: z.string() }) }, 404: Problem,
    } }`,
    { method: "HEAD" },
  );
  assertEquals(
    Object.keys(responses),
    ["200", "400", "404", "500"],
  );
  assertEquals(JSON.stringify(responses).includes("content"), false);
  assertEquals(JSON.stringify(responses).includes("$ref"), false);
  assertStringIncludes(JSON.stringify(responses["200"]), "etag");
});

const DATES: Readonly<Record<string, string>> = {
  zod: `${ZOD}
    const Event = z.object({ at: z.date(), past: z.array(z.date().nullable()).optional() });`,
  "zod before 4.5": `import { z } from "npm:zod@4.3.6";
    const Event = z.object({ at: z.date(), past: z.array(z.date().nullable()).optional() });`,
  valibot: `import * as v from "npm:valibot@^1.2.0";
    import { toStandardJsonSchema } from "npm:@valibot/to-json-schema@^1.8.0";
    const Event = toStandardJsonSchema(v.object({ at: v.date(), past: v.optional(v.array(v.nullable(v.date()))) }));`,
  arktype: `import { type } from "npm:arktype@^2.2.9";
    const Event = type({ at: "Date", "past?": type("Date | null").array() });`,
};

for (const [library, source] of Object.entries(DATES)) {
  Deno.test(`a date in a response is the text that JSON makes of it: ${library}`, async () => {
    const { document, warnings } = await documentOf({
      "route.ts": `${source}
        export const schema = { get: { response: Event } };
        export const GET = () => new Response();`,
    });
    assertEquals(warnings, []);
    const { responses } = document.paths["/api"]!.get!;
    const { content } = responses["200"] as {
      content: Record<string, { schema: Record<string, unknown> }>;
    };
    const { properties } = content["application/json"]!.schema as {
      properties: Record<string, Record<string, Record<string, unknown>>>;
    };
    const date = { type: "string", format: "date-time" };
    assertEquals<unknown>(properties.at, date);
    const { anyOf } = properties.past!.items!;
    assertEquals((anyOf as object[]).length, 2);
    assertStringIncludes(
      JSON.stringify(anyOf),
      JSON.stringify(date).slice(1, -1),
    );
  });
}

for (const version of ["4.3.6", "^4.5.0"]) {
  Deno.test(`what has no JSON form beside a date is still a warning: zod ${version}`, async () => {
    const { warnings } = await documentOf({
      "route.ts": `import { z } from "npm:zod@${version}";
        const schemas = [z.bigint(), z.string().transform(Number), z.map(z.string(), z.string()), z.custom(), z.undefined()];
        const response = Object.fromEntries(schemas.map((inner, index) =>
          [400 + index, z.object({ at: z.date(), inner })]));
        export const schema = { post: { body: z.object({ at: z.date() }), response } };
        export const POST = () => new Response();`,
    });
    assertEquals(warnings.length, 6, JSON.stringify(warnings));
    for (const { message } of warnings) {
      assertStringIncludes(message, "cannot be represented in JSON Schema");
    }
  });
}

Deno.test("a date that a request gives as a text is one in the document", async () => {
  const { parameters } = await operationOf(
    "{ query: z.object({ since: z.coerce.date().optional() }) }",
  );
  assertEquals(parameters![0]!.schema, { type: "string", format: "date-time" });
});

Deno.test("Bough's problems say what they mean for the operation", async () => {
  const described = async (schema: string, config = "", method = "POST") => {
    const { document } = await documentOf({
      "[id]/route.ts": `${ZOD} ${PROBLEM}
        export const schema = { ${method.toLowerCase()}: ${schema} };
        ${config}
        export const ${method} = () => new Response();`,
    });
    const { responses } = document.paths["/api/{id}"]![method.toLowerCase()]!;
    const { responses: shared } = document.components;
    return Object.fromEntries(
      Object.entries(responses).map(([status, response]) => {
        const { description } = "$ref" in response
          ? shared[response.$ref.split("/").at(-1)!]!
          : response;
        return [status, description];
      }),
    );
  };
  const others = {
    200: "OK",
    500: "The server failed",
  };
  const types =
    "The body is compressed, or of a type other than application/json, application/x-www-form-urlencoded, multipart/form-data and `*/*+json`";
  assertEquals(
    await described(
      "{ params: z.object({ id: z.uuid() }), body: z.object({ name: z.string() }) }",
      "export const config = { bodyLimit: 2_000 };",
    ),
    {
      ...others,
      400: "The request does not fit the schema of its path or body",
      403: "A page of an untrusted origin sent the form",
      408: "The body takes longer than 30 s to arrive",
      413: "The body is larger than 2000 bytes",
      415: types,
    },
  );
  assertEquals(
    await described(
      "{ headers: z.object({ a: z.string() }), query: z.object({}), body: z.object({ count: z.number() }), response: { 403: Problem, 415: { description: 'No **such** type' } } }",
      "export const config = { bodyLimit: Infinity };",
    ),
    {
      ...others,
      400:
        "The request does not fit the schema of its query, headers or body, or the path cannot be decoded",
      403: "Forbidden",
      408: "The body takes longer than 30 s to arrive",
      415: `No **such** type; or: ${types}`,
    },
  );
  assertEquals(await described("{}"), {
    ...others,
    400: "The path cannot be decoded",
  });
});

Deno.test("a declared response shares its status with Bough's own", async () => {
  const { 400: both } = await responsesOf(
    "{ query: z.object({ a: z.string() }), response: { 400: z.object({ why: z.string() }) } }",
  ) as Record<string, { description: string; content: object }>;
  assertEquals(
    both!.description,
    "Bad Request; or: The request does not fit the schema of its query",
  );
  assertEquals(Object.keys(both!.content), [
    "application/problem+json",
    "application/json",
  ]);
});

Deno.test("each example of a problem has the status and title of its response", async () => {
  const { document } = await documentOf({
    "[id]/route.ts": `${ZOD} ${PROBLEM}
      export const schema = { post: {
        query: z.object({ "a/b": z.string() }), body: z.object({ a: z.string() }),
        response: { 402: Problem, 503: Problem },
      } };
      export const POST = () => new Response();`,
  });
  const { responses } = document.paths["/api/{id}"]!.post!;
  const examples = Object.entries(responses).flatMap(([status, response]) => {
    const { content } = "$ref" in response
      ? document.components.responses[response.$ref.split("/").at(-1)!]!
      : response;
    const example = content?.["application/problem+json"]?.example;
    return example === undefined ? [] : [[status, example] as const];
  }) as [string, { status: number; title: string; errors?: unknown }][];
  assertEquals(
    examples.map(([status, example]) =>
      `${status} ${example.status} ${example.title}`
    ),
    [
      "400 400 Bad Request",
      "402 402 Payment Required",
      "403 403 Forbidden",
      "408 408 Request Timeout",
      "413 413 Content Too Large",
      "415 415 Unsupported Media Type",
      "500 500 Internal Server Error",
      "503 503 Service Unavailable",
    ],
  );
  assertEquals(examples[0]![1].errors, [
    { in: "query", pointer: "#/a~1b", detail: "Invalid value" },
  ]);
});

Deno.test("nothing in a document that it does not refer to", async () => {
  const { document: head } = await documentOf({
    "route.ts": `${ZOD} ${PROBLEM}
      const Tree = z.object({ get trees() { return z.array(Tree); } });
      export const schema = { head: { response: { 200: Tree, 404: Problem } } };
      export const HEAD = () => new Response();`,
  });
  assertEquals(head.components, { schemas: {}, responses: {} });
  const { document } = await documentOf({
    "route.ts": "export const GET = () => new Response();",
  });
  assertEquals(Object.keys(document.components.responses), [
    "BadRequest",
    "ServerError",
  ]);
  const { document: empty } = await documentOf({});
  assertEquals(empty.components, { schemas: {}, responses: {} });
});

Deno.test("a part of headers without a name is named by its operation and response", async () => {
  const headers = handWritten(
    "(value) => ({ value })",
    `({
      properties: { "x-a": { $ref: "#/$defs/__schema0" } },
      $defs: { __schema0: { type: "string" } },
    })`,
  );
  const responses = await responsesOf(`{ response: { 204: {
    headers: ${headers},
  } } }`);
  assertEquals(responses[204], {
    description: "No Content",
    headers: {
      "x-a": {
        required: false,
        schema: { $ref: "#/components/schemas/getItems204HeadersPart" },
      },
    },
  });
});
