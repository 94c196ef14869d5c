/** The problems that Bough itself responds with, in the document. */
import { assertEquals } from "@std/assert";
import { STATUS_TEXT } from "@std/http/status";
import { z } from "zod";
import {
  type OpenApiDocument,
  type Operation,
  Problem,
} from "@bough/framework/openapi";
import {
  documentOf,
  handler,
  responseLines,
  routeOf,
} from "../../openapi/support.ts";

/** The beginning of the content of a problem. */
const PROBLEM =
  'application/problem+json {"schema":{"$ref":"#/components/schemas/Problem"},"example":{"type":"about:blank"';

/** The responses of an operation, without references. */
function resolved({ responses }: Operation, document: OpenApiDocument) {
  return Object.entries(responses).map(([status, response]) =>
    [
      status,
      "$ref" in response
        ? document.components.responses[response.$ref.split("/").at(-1)!]!
        : response,
    ] as const
  );
}

Deno.test("an operation has its declared responses and those of Bough", async () => {
  const text = z.string().meta({ id: "Text" });
  const part = z.object({});
  const { document } = await documentOf({
    "declared/route.ts": routeOf({
      get: {
        response: {
          200: z.number(),
          204: text,
          205: text,
          304: text,
          299: text,
          404: Problem,
          500: z.date(),
        },
      },
    }),
    "plain/route.ts": { GET: handler },
    "[id]/route.ts": { ...routeOf({ post: { body: part } }), GET: handler },
    "parts/route.ts": routeOf({
      get: { query: part },
      put: { headers: part },
      patch: { body: part },
    }),
  });
  assertEquals(responseLines(document.paths["/api/declared"]!.get!), [
    '200 "OK" application/json {"schema":{"type":"number"}}',
    '204 "No Content"',
    '205 "Reset Content"',
    '299 "Status 299" text/plain {"schema":{"$ref":"#/components/schemas/Text"}}',
    '304 "Not Modified"',
    "400 BadRequest",
    `404 "Not Found" ${PROBLEM},"title":"Not Found","status":404}}`,
    // `Response.json(new Date())` sends JSON.
    `500 "Internal Server Error; or: The server failed" ${PROBLEM},"title":"Internal Server Error","status":500}} application/json {"schema":{"type":"string","format":"date-time"}}`,
  ]);
  const { get, post } = document.paths["/api/{id}"]!;
  assertEquals(responseLines(get!), [
    '200 "OK"',
    `400 "The path cannot be decoded" ${PROBLEM},"title":"Bad Request","status":400}}`,
    "500 ServerError",
  ]);
  assertEquals(responseLines(post!), [
    '200 "OK"',
    `400 "The request does not fit the schema of its body, or the path cannot be decoded" ${PROBLEM},"title":"Bad Request","status":400,"detail":"The request does not fit its schema","errors":[{"in":"body","pointer":"#","detail":"Invalid value"}]}}`,
    "408 RequestTimeout",
    "413 ContentTooLarge",
    "415 UnsupportedMediaType",
    "500 ServerError",
  ]);
  const { "/api/plain": plain, "/api/parts": parts } = document.paths;
  assertEquals(
    [plain!.get, parts!.get, parts!.put, parts!.patch].map((operation) =>
      Object.keys(operation!.responses).join()
    ),
    [
      ...["200,400,500", "200,400,500", "200,400,500"],
      "200,400,408,413,415,500",
    ],
  );
  assertEquals("requestBody" in get!, false);
  assertEquals("parameters" in plain!.get!, false);
});

Deno.test("the descriptions of Bough's problems fit the operation", async () => {
  const described = async (post: object, config: object = {}) => {
    const { document } = await documentOf({
      "[id]/route.ts": { ...routeOf({ post }), config },
    });
    return Object.fromEntries(
      resolved(document.paths["/api/{id}"]!.post!, document)
        .map(([status, { description }]) => [status, description]),
    );
  };
  const others = {
    200: "OK",
    500: "The server failed",
  };
  const types =
    "The body has an unknown encoding, a charset other than UTF-8, or a type other than application/json, */*+json, application/x-www-form-urlencoded, multipart/form-data";
  assertEquals(
    await described(
      {
        params: z.object({ id: z.uuid() }),
        body: z.object({ name: z.string() }),
      },
      { bodyLimit: 2_000 },
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
      {
        headers: z.object({ a: z.string() }),
        query: z.object({}),
        body: z.object({ count: z.number() }),
        response: { 403: Problem, 415: { description: "No **such** type" } },
      },
      { bodyLimit: Infinity },
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
  assertEquals(await described({}), {
    ...others,
    400: "The path cannot be decoded",
  });
});

Deno.test("each example of a problem has the status and title of its response", async () => {
  const { document } = await documentOf({
    "[id]/route.ts": routeOf({
      post: {
        query: z.object({ "a/b": z.string() }),
        body: z.object({ a: z.string() }),
        response: { 402: Problem, 503: Problem },
      },
    }),
  });
  const examples = resolved(document.paths["/api/{id}"]!.post!, document)
    .flatMap(([status, { content }]) => {
      const { example } = content?.["application/problem+json"] ?? {};
      return example === undefined ? [] : [[status, example]];
    }) as [string, { status: number; title: string; errors?: unknown }][];
  assertEquals<unknown>(
    examples.map((
      [status, { status: shown, title }],
    ) => [status, shown, title]),
    ([400, 402, 403, 408, 413, 415, 500, 503] as const)
      .map((status) => [`${status}`, status, STATUS_TEXT[status]]),
  );
  assertEquals(examples[0]![1].errors, [
    { in: "query", pointer: "#/a~1b", detail: "Invalid value" },
  ]);
});

Deno.test("problems that differ have the numbers 2 and 3 in their names", async () => {
  const route = (bodyLimit: number) => ({
    config: { bodyLimit },
    ...routeOf({ post: { body: z.object({}) } }),
  });
  const { document } = await documentOf({
    "a/route.ts": route(1),
    "b/route.ts": route(2),
    "c/route.ts": route(3),
    "d/route.ts": route(1),
  });
  assertEquals(
    Object.keys(document.components.responses)
      .filter((name) => name.startsWith("ContentTooLarge")),
    ["ContentTooLarge", "ContentTooLarge2", "ContentTooLarge3"],
  );
});
