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

/** The media types of each response. */
function shown(
  { responses }: Operation,
  shared: Readonly<Record<string, unknown>>,
) {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const { content = {} } = ("$ref" in response
        ? shared[response.$ref.split("/").at(-1)!]
        : response) as { content?: object };
      return [status, Object.keys(content)];
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
  const json = ["application/json"];
  assertEquals(
    shown(get!, responses),
    { 200: [], 404: json, 422: json, 500: json },
  );
  assertEquals(shown(post!, responses), {
    ...{ 200: [], 403: json, 408: json, 413: json, 415: json },
    ...{ 422: ["application/json", "text/csv"], 500: json },
  });
  // The declared schema wins.
  const { 413: tooLarge } = post!.responses as unknown as Record<number, {
    content: Record<string, { schema: { properties: object } }>;
  }>;
  assertEquals(
    Object.keys(tooLarge!.content["application/json"]!.schema.properties),
    ["max"],
  );
  const text = ["text/plain"];
  assertEquals(
    shown(document.paths["/api/old"]!.get!, responses),
    { 200: [], 400: text, 500: text },
  );
  assertEquals(Object.keys(schemas), ["Error", "Error2"]);
  assertEquals(schemas.Error2, { type: "string" });
  assertEquals(responses.ServerError!.content, {
    "application/json": { schema: { $ref: "#/components/schemas/Error" } },
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

Deno.test("one warning reports a format without a JSON Schema", async () => {
  const warningsOf = async (schema: z.ZodType, body: unknown) => {
    const errors = errorFormat({ ...ERRORS, schema, format: () => body });
    const { warnings } = await created({ "route.ts": NOTES }, errors);
    return warnings.map(({ path, message }) => `${path}: ${message}`);
  };
  assertEquals(await warningsOf(z.date(), new Date(0)), []);
  assertEquals(await warningsOf(z.bigint(), ""), [
    'option errors: errors.schema has no JSON Schema: JSON Schema cannot describe the type "bigint"',
  ]);
});
