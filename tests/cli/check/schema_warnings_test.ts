import { content } from "@bough/framework";
import { assertEquals } from "@std/assert";
import { toStandardJsonSchema } from "npm:@valibot/to-json-schema@^1.8.0";
import { type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import { schemaWarnings } from "../../../src/cli/check/schema_warnings.ts";
import type { TestModule } from "../../support/application.ts";
import { TestApplication } from "../../support/application.ts";

const text = z.string();

/** The warnings about the schemas of one route, whose folder has a contract. */
async function warned(
  schema: Readonly<Record<string, object>>,
  contract: object = {},
): Promise<string[]> {
  const names = Object.keys(schema)
    .map((name) => [name.toUpperCase(), () => new Response()]);
  const { app } = TestApplication.of({
    "[shop]/middleware.ts": { contract },
    "[shop]/items/[id]/route.ts": { schema, ...Object.fromEntries(names) },
  } as Record<string, TestModule>);
  const { faults, routes } = await app.inspect();
  assertEquals(faults, []);
  return (await schemaWarnings(routes))
    .map(({ path, rule, message }) =>
      `${path.split("/").at(-1)}: ${message.split(";")[0]} (${rule})`
    );
}

/** Schemas of `GET`, contracts of the folder, and the warnings about each. */
const WRONG:
  readonly (readonly [get: object, contract: object, ...string[]])[] = [
    [
      { params: z.object({ userId: text, shop: text }) },
      {},
      'route.ts: schema.get.params has "userId", but the path "/api/[shop]/items/[id]" captures "shop" and "id" (unknown-param)',
    ],
    [
      {},
      { params: z.object({ shop: text, id: text.optional() }) },
      'middleware.ts: contract.params has "id", but the path of its folder captures "shop" (unknown-param)',
    ],
    [
      {
        params: z.object({ id: z.int() }),
        query: z.object({
          filter: z.object({ a: text }),
          n: z.array(z.int()),
          q: text,
        }),
        headers: z.object({ "x-tags": z.array(text), cookie: text }),
        cookies: z.object({ seen: z.array(text) }),
      },
      {},
      'route.ts: schema.get.params has "id", which no request can send (unsent-member)',
      'route.ts: schema.get.query has "filter" and "n", which no request can send (unsent-member)',
      'route.ts: schema.get.headers has "x-tags", which no request can send (unsent-member)',
      'route.ts: schema.get.cookies has "seen", which no request can send (unsent-member)',
      'route.ts: schema.get.headers has "cookie", a list of all cookies (cookie-header)',
    ],
    [
      {},
      { query: z.object({ page: z.number().optional() }) },
      'middleware.ts: contract.query has "page", which no request can send (unsent-member)',
    ],
  ];

Deno.test("bough check names params that the path does not capture, and members that no request can send (behaviour 5.2, 7.1)", async () => {
  for (const [get, contract, ...warnings] of WRONG) {
    // A contract has one warning for all methods.
    assertEquals(await warned({ get, post: {} }, contract), warnings);
  }
  for (
    const params of [
      z.object({ shop: text, id: text }),
      z.strictObject({ id: text }),
      z.record(text, text),
      v.object({ other: v.string() }),
    ]
  ) assertEquals(await warned({ get: { params } }), []);
});

Deno.test("bough check accepts members that a string can be", async () => {
  const some = {
    text: text.nullable(),
    number: z.coerce.number(),
    pre: z.preprocess(JSON.parse as never, z.object({ a: text })),
    bool: z.stringbool(),
    codec: z.codec(text, z.number(), { decode: Number, encode: String }),
    union: z.union([z.number(), z.literal("all")]),
    any: z.any(),
    date: z.coerce.date(),
    never: z.never().optional(),
  };
  const query = z.object({
    ...some,
    list: z.array(text).optional(),
    tuple: z.tuple([text], z.coerce.number()),
    set: z.array(text).transform((list) => new Set(list)),
  });
  const body = z.object({ number: z.number() });
  const headers = z.object(some);
  assertEquals(await warned({ post: { headers, query, body } }), []);
  for (
    const query of [
      z.union([z.object({ a: z.number() }), z.object({ a: text })]),
      // Without a JSON Schema, nothing is certain.
      v.object({ a: v.number() }),
      z.record(text, text),
    ]
  ) assertEquals(await warned({ get: { query } }), []);
});

/** The members of a body of `PATCH` that the warning names. */
async function reset(body: unknown): Promise<string | undefined> {
  const [found, ...others] = await warned({ patch: { body } } as never);
  assertEquals(others, []);
  return found?.replace(
    /^route\.ts: schema\.patch\.body has a default for (.*), so a .* \(patch-default\)$/,
    "$1",
  );
}

Deno.test("bough check names the members that a PATCH resets", async () => {
  const calm = text.default("calm");
  const valibot = v.object({ mood: v.optional(v.string(), "calm") });
  const json = "application/merge-patch+json";
  for (
    const body of [
      z.object({ mood: calm, text }).partial(),
      z.object({ mood: calm, version: z.int() }),
      z.object({ mood: text.prefault("calm") }),
      z.object({ mood: text.catch("") }),
      z.object({ mood: calm, text: text.optional() })
        .refine(({ text }) => text !== undefined),
      z.object({ mood: calm }).refine(() => Promise.resolve(true)),
      type({ "text?": "string", mood: "string = ''" }),
      toStandardJsonSchema(valibot),
      content(json, z.object({ mood: calm })),
    ]
  ) assertEquals(await reset(body), '"mood"');
  const two = z.object({ mood: calm, tags: z.array(text).default([]) });
  assertEquals(await reset(two), '"mood" and "tags"');
});

Deno.test("bough check accepts a body of PATCH whose members are absent without a default", async () => {
  const calm = text.default("calm");
  const partial = v.partial(v.object({ mood: v.optional(v.string(), "calm") }));
  for (
    const body of [
      z.object({
        version: z.int(),
        text: text.optional(),
        sort: text.optional().meta({ default: "title" }),
        note: text.nullish(),
        place: z.object({ city: text, land: calm }).optional(),
        lines: z.array(z.object({ land: calm })).optional(),
        byName: z.record(text, z.object({ land: calm })).optional(),
      }),
      z.array(z.object({ op: calm })),
      text.default(""),
      z.object({ text: text.optional() })
        .transform((body) => ({ ...body, at: Date.now() })),
      type({ "text?": "string", mood: "string" }),
      toStandardJsonSchema(partial),
      v.object({ mood: v.optional(v.string(), "calm") }),
    ]
  ) assertEquals(await reset(body), undefined);
  const body = z.object({ mood: calm });
  assertEquals(await warned({ put: { body }, post: { body } }), []);
});
