/** Warnings about schemas that the document cannot describe. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import * as v from "valibot";
import { z } from "zod";
import { schemaOf } from "../../support/schema_of.ts";
import { documentOf, routeOf } from "../../openapi/support.ts";
import { ZODS } from "../../openapi/zods.ts";

Deno.test("a warning names the file and the member of a schema without a JSON Schema", async () => {
  const { document, warnings } = await documentOf({
    "a/route.ts": routeOf({
      post: {
        body: z.object({ when: z.date(), title: z.string() }),
        query: z.object({ n: z.string().transform(Number) }),
        response: { 200: z.object({ n: z.string().transform(Number) }) },
      },
    }),
    "b/[id]/route.ts": routeOf({
      get: { params: v.object({ id: v.string() }) },
    }),
    "c/route.ts": routeOf({ get: { query: schemaOf() } }),
    // A vendor may have the name of a member that all objects have.
    "d/route.ts": routeOf({
      get: {
        query: {
          "~standard": { ...schemaOf()["~standard"], vendor: "toString" },
        },
      },
    }),
    "e/route.ts": routeOf({ get: { events: { tick: z.bigint() } } }),
    "f/route.ts": routeOf({ get: { socket: { receive: z.bigint() } } }),
  });
  assertEquals(
    warnings.map(({ path, message }) => `"${path}": ${message}`),
    [
      '"a/route.ts": schema.post.body has a part of type "date", which JSON Schema cannot describe, so the document allows any value there',
      '"a/route.ts": schema.post.response[200] has a part of type "transform", which JSON Schema cannot describe, so the document allows any value there',
      '"b/[id]/route.ts": schema.get.params has no JSON Schema: "valibot" does not implement the Standard JSON Schema interface; wrap it with toStandardJsonSchema() of "@valibot/to-json-schema"',
      '"c/route.ts": schema.get.query has no JSON Schema: "mine" does not implement the Standard JSON Schema interface; use a library that implements this interface, such as zod or ArkType',
      '"d/route.ts": schema.get.query has no JSON Schema: "toString" does not implement the Standard JSON Schema interface; use a library that implements this interface, such as zod or ArkType',
      '"e/route.ts": schema.get.events["tick"] has no JSON Schema: JSON Schema cannot describe the type "bigint"',
      '"f/route.ts": schema.get.socket.receive has no JSON Schema: JSON Schema cannot describe the type "bigint"',
    ],
  );
  assertEquals(document.paths["/api/f"]!.get!["x-socket"], { receive: {} });
  const { requestBody, parameters } = document.paths["/api/a"]!.post!;
  assertEquals(requestBody!.content["application/json"]!.schema, {
    type: "object",
    properties: { when: {}, title: { type: "string" } },
    required: ["when", "title"],
  });
  assertEquals(parameters!.map(({ name }) => name), ["n"]);
  assertEquals(document.paths["/api/b/{id}"]!.get!.parameters!.length, 1);
});

Deno.test("a warning reports an invalid JSON Schema", async () => {
  const cycle: Record<string, unknown> = {};
  cycle.a = cycle;
  const forms = [undefined, [], "string", { const: 1n }, cycle]
    .map((form) => () => form);
  const throwing = () => {
    throw "no form";
  };
  const { warnings } = await documentOf(Object.fromEntries(
    [...forms, throwing].map((form, index) => [
      `r${index}/route.ts`,
      routeOf({ get: { query: schemaOf(undefined, form) } }),
    ]),
  ));
  assertEquals(
    warnings.map(({ path, message }) => `${path} ${message.split(":")[0]}`),
    [0, 1, 2, 3, 4, 5].map((index) =>
      `r${index}/route.ts schema.get.query has no JSON Schema`
    ),
  );
});

Deno.test("warnings report headers that a request or a response cannot have", async () => {
  const union = z.union([
    z.object({ a: z.string() }),
    z.object({ b: z.string() }),
  ]);
  const { warnings } = await documentOf({
    "route.ts": routeOf({
      get: {
        headers: z.object({ "X-Key": z.string() }),
        response: {
          200: { headers: z.object({ Location: z.string() }) },
          201: { headers: union },
        },
      },
    }),
  });
  assertEquals(warnings.map(({ message }) => message), [
    'schema.get.headers names "X-Key", but names of headers are lowercase; write "x-key"',
    'schema.get.response[200].headers names "Location", but names of headers are lowercase; write "location"',
    "schema.get.response[201].headers is not an object schema, so the document omits its headers",
  ]);
});

for (const [version, z] of Object.entries(ZODS)) {
  Deno.test(`a warning reports a value without a JSON Schema next to a date: ${version}`, async () => {
    const schemas = [
      z.bigint(),
      z.string().transform(Number),
      z.map(z.string(), z.string()),
      z.custom(),
      z.undefined(),
    ];
    const response = Object.fromEntries(schemas.map((inner, index) => [
      400 + index,
      z.object({ at: z.date(), inner }),
    ]));
    const { warnings } = await documentOf({
      "route.ts": routeOf({
        post: { body: z.object({ at: z.date() }), response },
      }),
    });
    assertEquals(warnings.length, 6, JSON.stringify(warnings));
    for (const { message } of warnings) {
      assertStringIncludes(message, "which JSON Schema cannot describe");
    }
  });
}
