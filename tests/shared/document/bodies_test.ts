import { content } from "@bough/framework";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import { schemaOf } from "../../support/schema_of.ts";
import { documentOf, routeOf, withOwn } from "../../openapi/support.ts";

/** For each body, whether it is required, and its media types. */
async function bodiesOf(
  bodies: Readonly<Record<string, unknown>>,
): Promise<Record<string, readonly [boolean, readonly string[]]>> {
  const { document, warnings } = await documentOf(Object.fromEntries(
    Object.entries(bodies).map(([name, body]) => [
      `${name}/route.ts`,
      routeOf({ post: { body } }),
    ]),
  ));
  assertEquals(warnings, []);
  return Object.fromEntries(
    Object.keys(bodies).map((name) => {
      const { requestBody } = document.paths[`/api/${name}`]!.post!;
      const { required, content } = requestBody!;
      return [name, [required, Object.keys(content)]];
    }),
  );
}

const JSON_ONLY = ["application/json"];
const FORM = ["multipart/form-data"];
const ANY = [...JSON_ONLY, "application/x-www-form-urlencoded", ...FORM];

Deno.test("a body is JSON, a form of strings, or a form with files", async () => {
  const text = z.string();
  const bodies = await bodiesOf({
    json: z.object({ n: z.number() }),
    form: z.object({ a: text }).optional(),
    file: z.object({ a: text, f: z.file() }),
    files: z.object({ files: z.array(z.file()) }),
    list: z.array(text).refine(async () => await true),
    choice: z.object({ a: z.union([z.literal("all"), z.array(text)]) }),
    nullable: z.object({ a: text.nullable(), b: z.array(text).nullable() }),
    lists: z.object({ a: z.array(z.array(text)) }),
    oneOrMore: z.object({ f: z.union([z.file(), z.array(z.file())]) }),
    noFile: z.object({ f: z.file().nullable() }),
    branch: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("text"), a: text }),
      z.object({ kind: z.literal("file"), f: z.file() }),
    ]),
  });
  assertEquals(bodies, {
    json: [true, JSON_ONLY],
    form: [false, ANY],
    file: [true, FORM],
    files: [true, FORM],
    list: [true, JSON_ONLY],
    choice: [true, ANY],
    nullable: [true, ANY],
    lists: [true, JSON_ONLY],
    oneOrMore: [true, FORM],
    noFile: [true, FORM],
    branch: [true, FORM],
  });
});

Deno.test("a body adds the responses 408, 413 and 415", async () => {
  const { document } = await documentOf({
    "route.ts": routeOf({ post: { body: z.object({ n: z.number() }) } }),
  });
  assertEquals(
    Object.keys(document.paths["/api"]!.post!.responses),
    withOwn("200", "408", "413", "415"),
  );
});

Deno.test("the document reads the media types of a body from a schema with an id, too", async () => {
  const { document } = await documentOf({
    "route.ts": routeOf({
      post: {
        body: z.object({ a: z.string(), b: z.email() }).meta({ id: "Form" }),
      },
      put: {
        body: z.object({ a: z.string(), b: z.number() }).meta({ id: "Json" }),
      },
      patch: { body: z.object({}).meta({ id: "Empty" }) },
      delete: {
        body: z.object({ a: z.number(), f: z.file() }).meta({ id: "File" }),
      },
      options: { body: z.date() },
    }),
  });
  const item = document.paths["/api"]!;
  const types = Object.fromEntries(
    Object.entries(item).map(([method, { requestBody }]) => [
      method,
      Object.keys(requestBody!.content),
    ]),
  );
  assertEquals(types, {
    post: ANY,
    put: JSON_ONLY,
    patch: JSON_ONLY,
    delete: FORM,
    options: JSON_ONLY,
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

Deno.test("a body is required if its schema fails without one", async () => {
  const results = {
    throws: (value: string) => ({ value: value.length }),
    rejects: (value: string) =>
      Promise.resolve().then(() => ({ value: value.length })),
    nothing: () => undefined,
    empty: () => ({}),
    wordless: () => ({ issues: [] }),
    value: () => ({ value: undefined }),
  };
  const bodies = await bodiesOf(Object.fromEntries(
    Object.entries(results).map(([name, validate]) => [
      name,
      schemaOf(validate, () => ({ type: "string" })),
    ]),
  ));
  const required = Object.values(bodies).map(([isRequired]) => isRequired);
  assertEquals(required, [true, true, true, true, true, false]);
});

Deno.test("a union that contains itself does not prevent the document", async () => {
  const form = () => ({
    type: "object",
    properties: { a: { $ref: "#/$defs/A" } },
    $defs: { A: { anyOf: [{ $ref: "#/$defs/A" }, { type: "string" }] } },
  });
  const { union } = await bodiesOf({ union: schemaOf(undefined, form) });
  assertEquals(union![1], ANY);
});

Deno.test("the document lists declared types with their schemas (behaviour 7.2)", async () => {
  const { document, warnings } = await documentOf({
    "x/route.ts": routeOf({
      post: {
        body: [
          content("text/plain", z.string()),
          content("application/a+json", z.object({ a: z.string() }).optional()),
          content("application/b+json", z.object({ b: z.string() })),
        ],
      },
    }),
  });
  assertEquals(warnings, []);
  const { requestBody, responses } = document.paths["/api/x"]!.post!;
  const { required, content: bodies, ...rest } = requestBody!;
  assertEquals([required, rest], [false, { "x-declared-types": true }]);
  assertEquals(
    Object.entries(bodies).map((
      [type, { schema }],
    ) => [type, schema?.type, Object.keys(schema?.properties ?? {})]),
    [
      ["text/plain", "string", []],
      ["application/a+json", "object", ["a"]],
      ["application/b+json", "object", ["b"]],
    ],
  );
  const named = "text/plain, application/a+json, application/b+json";
  assertStringIncludes(JSON.stringify(document), `this route reads ${named}`);
  const { content: ranges } = (await documentOf({
    "x/route.ts": routeOf({ post: { body: content("text/*", z.string()) } }),
  })).document.paths["/api/x"]!.post!.requestBody!;
  assertEquals(ranges, { "text/*": { schema: { type: "string" } } });
  // Pages of other origins may send plain text without a preflight request.
  assertEquals(Object.keys(responses), [
    "200",
    "400",
    "403",
    "408",
    "413",
    "415",
    "500",
  ]);
});
