import {
  createDocument,
  type Operation,
  Problem,
} from "@bough/framework/openapi";
import { content, type ErrorFormat, errorFormat } from "@bough/framework";
import { assertEquals, assertMatch } from "@std/assert";
import { z } from "zod";
import { TestApplication } from "../../support/application.ts";
import { lint } from "../../openapi/lint.ts";
import { type Files, handler, INFO, routeOf } from "../../openapi/support.ts";

const ERRORS = errorFormat({
  contentType: "application/json; charset=utf-8",
  schema: z.object({ message: z.string(), path: z.string() }),
  invalid: 422,
  format: ({ status, title, detail, issues }, request) => ({
    message: [status, detail ?? title, ...issues.map(({ pointer }) => pointer)]
      .join(" "),
    path: `${request.method} ${new URL(request.url).pathname}`,
  }),
});

/** The errors of the folder `old`. */
const OLD = errorFormat({
  contentType: "text/plain",
  schema: z.string(),
  format: ({ status }) => "Error " + status,
});

const NOTES = routeOf({
  get: { query: z.object({ q: z.string() }), response: { 404: Problem } },
  post: {
    body: z.object({ title: z.string() }),
    response: {
      413: z.object({ max: z.number() }),
      422: content("text/csv"),
    },
  },
});

async function created(files: Files, errors?: ErrorFormat) {
  const { app } = TestApplication.of(files, errors && { errors });
  return createDocument(await app.routes(), { info: INFO });
}

/** The media types of each response, with the message of its example. */
function shown(
  { responses }: Operation,
  shared: Readonly<Record<string, unknown>>,
) {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const { content = {} } = ("$ref" in response
        ? shared[response.$ref.split("/").at(-1)!]
        : response) as { content?: Record<string, { example?: unknown }> };
      return [
        status,
        Object.fromEntries(
          Object.entries(content).map(([type, { example }]) => [type, example]),
        ),
      ];
    }),
  );
}

Deno.test("problems of Bough have the schema, the media type and the status of the format", async () => {
  const { document, warnings } = await created({
    "notes/[id]/route.ts": NOTES,
    "old/middleware.ts": { errors: OLD },
    "old/route.ts": { GET: handler },
  }, ERRORS);
  assertEquals(warnings, []);
  const { responses, schemas } = document.components;
  const { get, post } = document.paths["/api/notes/{id}"]!;
  const failed = { message: "500 Internal Server Error", path: "GET /" };
  const json = (example: unknown) => ({ "application/json": example });
  assertEquals(shown(get!, responses), {
    200: {},
    404: json({ message: "404 Not Found", path: "GET /api/notes/id" }),
    422: json({
      message: "422 The request does not fit its schema #/q",
      path: "GET /api/notes/id",
    }),
    500: json(failed),
  });
  const rest = shown(post!, responses);
  assertEquals(Object.keys(rest), [
    "200",
    "403",
    "408",
    "413",
    "415",
    "422",
    "500",
  ]);
  // The declared schema wins.
  assertEquals(rest[413], json(undefined));
  assertEquals(rest[422], {
    "text/csv": undefined,
    ...json({
      message: "422 The request does not fit its schema #",
      path: "POST /api/notes/id",
    }),
  });
  assertEquals(shown(document.paths["/api/old"]!.get!, responses), {
    200: {},
    400: { "text/plain": "Error 400" },
    500: { "text/plain": "Error 500" },
  });
  assertEquals(Object.keys(schemas), ["Error", "Error2"]);
  assertEquals(schemas.Error2, { type: "string" });
  assertEquals(responses.ServerError!.content, {
    "application/json": {
      schema: { $ref: "#/components/schemas/Error" },
      example: failed,
    },
  });
  assertEquals(
    (await lint(document)).filter((line) =>
      !/^operation-(?:tag|summary)|license|server|security/.test(line)
    ),
    [],
  );
});

Deno.test("the format of a folder does not apply to a malformed path or host", async () => {
  const { document } = await created({
    "old/middleware.ts": { errors: OLD },
    "old/[id]/route.ts": { GET: handler },
    "[id]/route.ts": { GET: handler },
  });
  const refusalOf = (path: string) => {
    const refusal = document.paths[path]!.get!.responses[400]!;
    const { description } = "$ref" in refusal
      ? document.components.responses[refusal.$ref.split("/").at(-1)!]!
      : refusal;
    return description;
  };
  assertEquals(refusalOf("/api/{id}"), "The path cannot be decoded");
  assertEquals(refusalOf("/api/old/{id}"), "The request is malformed");
});

Deno.test("an invalid request may share its status with another problem", async () => {
  const errors = errorFormat({ ...ERRORS, invalid: 415 });
  const { document } = await created({ "route.ts": NOTES }, errors);
  const { 415: both } = document.paths["/api"]!.post!.responses;
  assertMatch(
    (both as { description: string }).description,
    /^The body has an unknown encoding.*; or: The request does not fit/,
  );
  assertEquals(document.paths["/api"]!.post!.responses[400], undefined);
});

Deno.test("a format that fails or varies has no example", async () => {
  const formats: Partial<ErrorFormat>[] = [
    { format: () => ({ at: new Date().toISOString() }) },
    { format: () => ({ id: crypto.randomUUID() }) },
    {
      format: () => {
        throw new Error("no");
      },
    },
  ];
  for (const change of formats) {
    const errors = errorFormat({ ...ERRORS, schema: z.any(), ...change });
    const { document } = await created({ "route.ts": NOTES }, errors);
    const { responses } = document.components;
    const { 500: content } = shown(document.paths["/api"]!.get!, responses);
    assertEquals(content, { "application/json": undefined });
  }
});

Deno.test("one warning reports a format without a JSON Schema", async () => {
  const errors = errorFormat({
    ...ERRORS,
    schema: z.date(),
    format: () => new Date(0),
  });
  const { warnings } = await created({ "route.ts": NOTES }, errors);
  assertEquals(warnings, []);
  const other = errorFormat({
    ...ERRORS,
    schema: z.bigint() as z.ZodType,
    format: () => "",
  });
  const { warnings: [first, ...others] } = await created(
    { "route.ts": NOTES },
    other,
  );
  assertEquals(others, []);
  assertEquals(first!.path, "option errors");
  assertMatch(
    first!.message,
    /^errors\.schema has no JSON Schema: .* "bigint"$/,
  );
});
