import { content } from "@bough/framework";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import { schemaOf } from "../../support/schema_of.ts";
import { documentOf, routeOf } from "../../openapi/support.ts";

const JSON_ONLY = ["application/json"];
const FORM = ["multipart/form-data"];
const ANY = [...JSON_ONLY, "application/x-www-form-urlencoded", ...FORM];

const text = z.string();
const named = (id: string, properties: z.ZodRawShape) =>
  z.object(properties).meta({ id });
/** A schema whose validation of nothing has an outcome. */
const validated = (validate: (value: string) => unknown) =>
  schemaOf(validate, () => ({ type: "string" }));
const recursive = () => ({
  type: "object",
  properties: { a: { $ref: "#/$defs/A" } },
  $defs: { A: { anyOf: [{ $ref: "#/$defs/A" }, { type: "string" }] } },
});

/** The media types of bodies, each of which may be optional. */
const BODIES: Readonly<
  Record<string, readonly [body: object, types: string[], isRequired?: false]>
> = {
  json: [z.object({ n: z.number() }), JSON_ONLY],
  form: [z.object({ a: text }).optional(), ANY, false],
  file: [z.object({ a: text, f: z.file() }), FORM],
  files: [z.object({ files: z.array(z.file()) }), FORM],
  list: [z.array(text).refine(async () => await true), JSON_ONLY],
  choice: [z.object({ a: z.union([z.literal("all"), z.array(text)]) }), ANY],
  nullable: [
    z.object({ a: text.nullable(), b: z.array(text).nullable() }),
    ANY,
  ],
  lists: [z.object({ a: z.array(z.array(text)) }), JSON_ONLY],
  oneOrMore: [z.object({ f: z.union([z.file(), z.array(z.file())]) }), FORM],
  noFile: [z.object({ f: z.file().nullable() }), FORM],
  branch: [
    z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("text"), a: text }),
      z.object({ kind: z.literal("file"), f: z.file() }),
    ]),
    FORM,
  ],
  date: [z.date(), JSON_ONLY],
  "form with an id": [named("Form", { a: text, b: z.email() }), ANY],
  "JSON with an id": [named("Json", { a: text, b: z.number() }), JSON_ONLY],
  "nothing with an id": [named("Empty", {}), JSON_ONLY],
  "file with an id": [named("File", { a: z.number(), f: z.file() }), FORM],
  "union that contains itself": [schemaOf(undefined, recursive), ANY, false],
  // A body is required if its schema fails without one.
  throws: [validated((value) => ({ value: value.length })), JSON_ONLY],
  rejects: [
    validated((value) =>
      Promise.resolve().then(() => ({ value: value.length }))
    ),
    JSON_ONLY,
  ],
  "no result": [validated(() => undefined), JSON_ONLY],
  "empty result": [validated(() => ({})), JSON_ONLY],
  "issues without a word": [validated(() => ({ issues: [] })), JSON_ONLY],
  "no value": [validated(() => ({ value: undefined })), JSON_ONLY, false],
};

Deno.test("a body is JSON, a form of strings, or a form with files, and may be optional", async () => {
  const names = Object.keys(BODIES);
  const { document, warnings } = await documentOf(Object.fromEntries(
    names.map((name, index) => [
      `r${index}/route.ts`,
      routeOf({ post: { body: BODIES[name]![0] } }),
    ]),
  ));
  assertEquals(warnings.length, 1, "of the date");
  const bodies = names.map((_, index) =>
    document.paths[`/api/r${index}`]!.post!.requestBody!
  );
  assertEquals(
    bodies.map((
      { required, content },
      index,
    ) => [names[index], Object.keys(content), required]),
    names.map((name) => [name, BODIES[name]![1], BODIES[name]![2] ?? true]),
  );
  const schema = { $ref: "#/components/schemas/Form" };
  const contents = bodies.map(({ content }) => content);
  assertEquals(
    Object.values(contents[names.indexOf("form with an id")]!),
    ANY.map(() => ({ schema })),
  );
  assertEquals(contents[names.indexOf("date")]!["application/json"], {
    schema: {},
  });
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
  const types = "text/plain, application/a+json, application/b+json";
  assertStringIncludes(JSON.stringify(document), `this route reads ${types}`);
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
