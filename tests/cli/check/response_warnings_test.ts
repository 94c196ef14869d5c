import { content } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { assertEquals } from "@std/assert";
import { toStandardJsonSchema } from "npm:@valibot/to-json-schema@^1.8.0";
import { type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import { responseWarnings } from "../../../src/cli/check/warnings.ts";
import type { RouteInfo } from "../../../src/core/types/plugin.ts";

/** The messages of the warnings about a route with these responses. */
async function warned(response: unknown): Promise<string[]> {
  const route = {
    file: "route.ts",
    schema: { get: { response } },
    contracts: [],
    segments: [],
  };
  const warnings = await responseWarnings([route as unknown as RouteInfo]);
  return warnings.map(({ path, rule, message }) => {
    assertEquals([path, rule], ["route.ts", "response-form"]);
    return message;
  });
}

function message(member: string): string {
  return `${member} has different input and output types, so the document may show another type, and validateResponses cannot check what a function makes; describe the sent JSON, without defaults or conversions`;
}

Deno.test("responseWarnings() finds schemas with different input and output types", async () => {
  const found = [message("schema.get.response[200]")];
  assertEquals(await warned(z.object({ a: z.string().default("") })), found);
  assertEquals(await warned(z.array(z.stringbool())), found);
  const count = z.codec(z.string(), z.int(), {
    decode: Number,
    encode: String,
  });
  assertEquals(await warned({ 200: z.object({ at: z.date(), count }) }), found);
  assertEquals(
    await warned(
      toStandardJsonSchema(v.object({ a: v.optional(v.string(), "") })),
    ),
    found,
  );
  assertEquals(await warned(type({ a: "string = ''" })), found);
  for (
    const converted of [
      z.coerce.number(),
      z.coerce.date(),
      z.coerce.string(),
      z.preprocess(Number, z.number()),
    ]
  ) {
    assertEquals(await warned(z.object({ a: converted })), found);
  }
  // No library describes the output of a function.
  assertEquals(
    await warned(z.object({ a: z.string().transform(Number) })),
    found,
  );
  assertEquals(
    await warned(z.string().transform((text) => JSON.parse(text))),
    found,
  );
  assertEquals(await warned(type("string").pipe((text) => text.length)), found);
  const length = v.pipe(v.string(), v.transform((text) => text.length));
  assertEquals(await warned(toStandardJsonSchema(length)), found);
  assertEquals(
    await warned({
      201: [content("text/csv", z.string().default("")), content("a/b")],
      202: { headers: z.object({ etag: z.string().default("") }) },
    }),
    [
      message("schema.get.response[201]"),
      message("schema.get.response[202].headers"),
    ],
  );
});

Deno.test("responseWarnings() accepts schemas that describe the sent JSON", async () => {
  const at = z.date();
  assertEquals(
    await warned({
      200: z.object({ id: z.int(), at, tags: z.array(z.string()).optional() }),
      201: z.strictObject({ nested: z.object({ a: z.null() }) }),
      202: z.union([z.string(), z.record(z.string(), at)]),
      203: content("text/csv"),
      204: {},
      205: z.string().trim().toLowerCase(),
      206: z.string().transform((text) => Promise.resolve(text.trim())),
      207: z.object({ a: z.bigint(), b: z.custom() }),
      208: type("string").pipe((text) => text.trim()).to("string"),
      400: Problem,
      401: type({ at: "Date" }),
      402: toStandardJsonSchema(v.object({ at: v.date() })),
      // Another warning reports schemas without a JSON Schema.
      403: z.bigint(),
      404: v.string(),
    }),
    [],
  );
  assertEquals(await warned(undefined), []);
});
