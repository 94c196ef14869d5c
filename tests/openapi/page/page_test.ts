import {
  openapi,
  type OpenApiDocument,
  Problem,
} from "@bough/framework/openapi";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { withExamples } from "../../../src/openapi/page/page.ts";
import { z } from "zod";
import { TestApplication } from "../../support/application.ts";
import { type Files, handler, INFO, routeOf } from "../support.ts";

/** The members of an operation that these tests read. */
interface Shown {
  readonly description?: string;
  readonly parameters: readonly { name: string; example: unknown }[];
  readonly requestBody: { readonly content: Media };
  readonly responses: Readonly<Record<string, { readonly content?: Media }>>;
}

type Media = Readonly<
  Record<string, {
    example?: unknown;
    encoding?: object;
    schema: { properties: object };
  }>
>;

/** The operations on the page and in the document, by method. */
async function operationsOf(
  files: Files,
): Promise<Record<"shown" | "read", Record<string, Shown>>> {
  const plugins = [openapi({ info: INFO })];
  const application = TestApplication.of(files, { plugins });
  const load = async (path: string) => {
    const response = await application.fetch(path);
    const { paths } = await response.json() as OpenApiDocument;
    const items = Object.values(paths);
    return Object.assign({}, ...items) as Record<string, Shown>;
  };
  return {
    shown: await load("/docs/document.json"),
    read: await load("/openapi.json"),
  };
}

Deno.test("the page has examples, and the document for clients has none", async () => {
  const { shown, read } = await operationsOf({
    "books/[bookId]/[...]/route.ts": routeOf({
      post: {
        params: z.object({ bookId: z.string().regex(/^\d+$/) }),
        query: z.object({ limit: z.string().optional(), tag: z.string() }),
        headers: z.object({
          "x-key": z.string().meta({ examples: ["secret"] }),
        }),
        body: z.object({ title: z.string(), price: z.int() }),
        response: { 201: z.object({ id: z.int() }), 200: z.string() },
      },
    }),
  });
  const { parameters, requestBody, responses } = shown.post!;
  const examples = parameters.map(({ name, example }) => [name, example]);
  assertEquals(examples, [
    ["bookId", "1"],
    ["wildcard", "folder/file.txt"],
    ["limit", undefined],
    ["tag", "Tag"],
    ["x-key", "secret"],
  ]);
  assertEquals(requestBody.content["application/json"]!.example, {
    title: "Title",
    price: 1,
  });
  assertEquals(responses["201"]!.content!["application/json"]!.example, {
    id: 1,
  });
  assertEquals(responses["200"]!.content!["text/plain"]!.example, "Text");
  for (
    const part of [
      read.post!.parameters,
      read.post!.requestBody,
      read.post!.responses["200"],
      read.post!.responses["201"],
    ]
  ) {
    assertEquals(JSON.stringify(part).includes('"example"'), false);
  }
});

Deno.test("an example of a problem on the page has the status of its response", async () => {
  const { shown } = await operationsOf({
    "[id]/route.ts": routeOf({
      get: { response: { 404: Problem, 409: Problem } },
    }),
  });
  const { responses } = shown.get!;
  const exampleOf = (status: string) =>
    responses[status]!.content!["application/problem+json"]!.example;
  assertEquals(exampleOf("404"), {
    type: "about:blank",
    title: "Not Found",
    status: 404,
  });
  assertEquals(exampleOf("409"), {
    type: "about:blank",
    title: "Conflict",
    status: 409,
  });
  const own = exampleOf("400") as Record<string, unknown>;
  assertEquals([own.title, own.status], ["Bad Request", 400]);
});

Deno.test("the page has examples for the fields of a form", async () => {
  const { shown } = await operationsOf({
    "route.ts": routeOf({
      post: {
        body: z.object({
          title: z.string(),
          kind: z.enum(["new", "used"]),
          picture: z.file(),
          tags: z.array(z.string()),
        }).meta({ id: "Picture" }),
      },
    }),
  });
  const { content } = shown.post!.requestBody;
  const { schema: { properties }, encoding } = content["multipart/form-data"]!;
  assertEquals(encoding, { tags: { style: "form", explode: true } });
  const examples = Object.entries(properties).map((
    [name, { examples }],
  ) => [name, examples]);
  assertEquals(examples, [
    ["title", ["Title"]],
    ["kind", undefined],
    ["picture", undefined],
    ["tags", [["Tag"]]],
  ]);
});

Deno.test("the page omits unreadable patterns and limits of a schema", async () => {
  const { shown, read } = await operationsOf({
    "route.ts": routeOf({
      post: {
        body: z.object({
          id: z.int(),
          small: z.int().min(-5).max(5),
          on: z.iso.date(),
          code: z.string().regex(/^a+$/),
        }),
      },
    }),
  });
  const propertiesOf = ({ requestBody }: Shown) =>
    requestBody.content["application/json"]!.schema.properties;
  assertEquals(propertiesOf(shown.post!), {
    id: { type: "integer" },
    small: { type: "integer", minimum: -5, maximum: 5 },
    on: { type: "string", format: "date" },
    code: { type: "string", pattern: "^a+$" },
  } as object);
  assertStringIncludes(JSON.stringify(propertiesOf(read.post!)), "\\d{4}");
});

Deno.test("the page keeps the examples of schemas and documents", () => {
  const media = { schema: { type: "integer" }, example: 7 };
  const count = {
    schema: {
      type: "integer",
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
    },
  };
  const named = { schema: {}, examples: { one: { value: 1 } } };
  const problem = {
    schema: {
      type: "object",
      properties: {
        type: { const: "https://example.com/sold" },
        title: { type: "string", examples: ["Sold"] },
        status: { type: "integer" },
        detail: { type: "string" },
        left: { type: "integer", minimum: 0 },
        errors: { type: "array" },
        instance: { type: "string" },
      },
      required: ["type", "title", "status", "left", "instance"],
    },
  };
  const document = {
    openapi: "3.1.0",
    info: { title: "Test", version: "1" },
    components: {
      schemas: {},
      responses: {
        Gone: {
          description: "It is not there",
          content: { "application/problem+json": { schema: problem.schema } },
        },
      },
    },
    paths: {
      "/": {
        post: {
          operationId: "post",
          parameters: [{
            name: "a",
            in: "query",
            required: true,
            schema: { type: "string" },
            example: "b",
          }],
          requestBody: {
            required: true,
            content: { "application/json": media },
          },
          responses: {
            200: {
              description: "OK",
              content: {
                "application/json": named,
                "application/count+json": count,
                "application/pdf": {
                  schema: { type: "string", format: "binary" },
                },
                "image/png": { schema: {} },
                "text/csv": { schema: { type: "string" } },
              },
            },
            "4XX": {
              description: "It is sold",
              content: { "application/problem+json": problem },
            },
            404: { $ref: "#/components/responses/Gone" },
            410: { $ref: "#/components/responses/Gone" },
            default: { $ref: "#/components/responses/Gone" },
            599: {
              description: "Odd",
              content: { "application/problem+json": { schema: {} } },
            },
          },
        },
      },
    },
  } as unknown as OpenApiDocument;
  const before = structuredClone(document);
  const { post } = withExamples(document).paths["/"]!;
  assertEquals(document, before, "the document itself does not change");
  assertEquals(
    post!.parameters![0],
    document.paths["/"]!.post!.parameters![0]!,
  );
  assertEquals(post!.requestBody!.content["application/json"], media);
  const responses = post!.responses as Record<
    string,
    { content: Record<string, unknown> }
  >;
  assertEquals(responses["200"]!.content, {
    "application/json": named,
    "application/count+json": { schema: { type: "integer" }, example: 1 },
    "application/pdf": { schema: { type: "string", format: "binary" } },
    "image/png": { schema: {} },
    "text/csv": { schema: { type: "string" }, example: "Text" },
  });
  assertEquals(responses["599"]!.content["application/problem+json"], {
    schema: {},
    example: {},
  });
  assertEquals(responses["4XX"]!.content["application/problem+json"], {
    ...problem,
    example: {
      type: "https://example.com/sold",
      title: "Sold",
      status: 400,
      detail: "It is sold",
      left: 1,
      instance: "Instance",
    },
  });
  const shared = ["404", "410", "default"].map((status) => {
    const media = responses[status]!.content["application/problem+json"];
    const { example } = media as { example: Record<string, unknown> };
    return [example.status, example.detail];
  });
  assertEquals(shared, [
    [404, "It is not there"],
    [410, "It is not there"],
    [500, undefined],
  ], "a shared response has the status of each reference");
});

Deno.test("the page shows the access of an operation in its description", async () => {
  const { shown, read } = await operationsOf({
    "books/route.ts": {
      ...routeOf({
        get: { access: ["owner", "admin"], description: "Lists books." },
        post: { access: "shared" },
      }),
      PUT: handler,
    },
  });
  const described = (operations: Record<string, unknown>) =>
    ["get", "post", "put"].map((method) =>
      (operations[method] as { description?: string }).description
    );
  assertEquals(described(shown), [
    "Lists books.\n\nAccess: `owner`, `admin`",
    "Access: `shared`",
    undefined,
  ]);
  assertEquals(described(read), ["Lists books.", undefined, undefined]);
});

Deno.test("the page shows the end and the replacement of a deprecated operation", async () => {
  const { shown, read } = await operationsOf({
    "old/[id]/route.ts": routeOf({
      get: {
        description: "Own",
        deprecated: {
          since: "2026-06-30",
          sunset: "2026-12-31",
          use: "/api/v2/[id]",
          why: "Too slow",
        },
      },
      put: { deprecated: true },
    }),
  });
  assertEquals(
    shown.get!.description,
    "Own\n\nDeprecated since 2026-06-30. May be removed from 2026-12-31. " +
      "Use [/api/v2/[id]](</api/v2/[id]>). Too slow",
  );
  assertEquals([read.get!.description, shown.put!.description], [
    "Own",
    undefined,
  ]);
});
