import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
import { type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import { checkJson } from "../../../src/core/schema/check_response.ts";
import { CapturedLog, TestApplication } from "../../support/application.ts";
import { schemaOf } from "../../support/schema_of.ts";
import type { StandardSchemaV1 } from "../../../mod.ts";

const Book = z.object({ title: z.string(), cents: z.number().default(1) });

/** The response of a handler, and what its request logs. */
async function outcome(
  create: () => Response,
  validateResponses: boolean | "warn",
  method: "get" | "put" | "head" = "get",
): Promise<unknown[]> {
  const application = TestApplication.of({
    "books/[id]/route.ts": {
      schema: {
        get: { response: { 200: Book, 404: z.object({ why: z.string() }) } },
        put: { response: Book },
        head: { response: Book },
      },
      GET: create,
      PUT: create,
    },
  }, { validateResponses });
  using log = new CapturedLog();
  const response = await application.fetch("/api/books/7", {
    method: method.toUpperCase(),
  });
  return [response.status, await response.text(), log.lines.join("\n")];
}

const good = () => Response.json({ title: "Emma" });
const bad = () => Response.json({ title: 5, cents: "x" });
const missing = () => Response.json({ why: 404 }, { status: 404 });

Deno.test('an invalid response is replaced with 500, or sent with "warn"; its route and errors are logged (behaviour 7.7)', async () => {
  const problem = {
    ...{ type: "about:blank", title: "Internal Server Error", status: 500 },
  };
  for (
    const [create, status, fault] of [
      [
        bad,
        200,
        'with status 200 does not fit its schema: at "#/title" Invalid input: expected string, received number; at "#/cents" Invalid input',
      ],
      [
        missing,
        404,
        'with status 404 does not fit its schema: at "#/why" Invalid input',
      ],
    ] as const
  ) {
    const sent = await create().text();
    assertEquals(await outcome(create, false), [status, sent, ""]);
    for (
      const [option, expected] of [
        [true, [500, JSON.stringify(problem)]],
        ["warn", [status, sent]],
      ] as const
    ) {
      const [found, body, log] = await outcome(create, option);
      assertEquals<unknown>([found, body], expected);
      const place = "[bough] GET /api/books/[id] (books/[id]/route.ts)";
      assertStringIncludes(String(log), place);
      assertStringIncludes(String(log), fault);
    }
  }
});

Deno.test("valid, thrown and undeclared responses are sent unchanged (behaviour 7.7)", async () => {
  const thrown = () => {
    throw bad();
  };
  const created = () => Response.json({}, { status: 201 });
  for (const create of [good, thrown, created]) {
    assertEquals(await outcome(create, true), await outcome(create, false));
  }
  // A single schema declares status 200.
  const statuses = [];
  for (const create of [good, bad, missing]) {
    statuses.push((await outcome(create, true, "put"))[0]);
  }
  assertEquals(statuses, [200, 500, 404]);
  // The response of GET to HEAD.
  assertEquals((await outcome(good, true, "head"))[0], 200);
});

Deno.test("validateResponses reports the first hundred issues, each shortened", async () => {
  const lists = z.record(z.string(), z.array(z.string()));
  const application = TestApplication.of({
    "route.ts": {
      schema: { get: { response: lists } },
      GET: () =>
        Response.json({ ["k".repeat(100_000)]: Array(10_000).fill(0) }),
    },
  }, { validateResponses: "warn" });
  using log = new CapturedLog();
  const response = await application.fetch("/api");
  await response.body?.cancel();
  const [line] = log.lines as [string];
  assert(line.length < 64 * 1024, `${line.length} characters`);
  assertMatch(line, /at "#" Invalid input[^;]*; and 9900 more$/);
});

Deno.test('validateResponses: "warn" logs one line, whatever the client sends (behaviour 8.5)', async () => {
  const response = schemaOf(({ text }: { text: string }) => ({
    issues: [{ message: text, path: [text] }],
  }));
  const application = TestApplication.of({
    "route.ts": {
      schema: { post: { response, sendUndeclared: true } },
      POST: async (request) => Response.json(await request.json()),
    },
  }, { validateResponses: "warn" });
  using log = new CapturedLog();
  const text = "x\n[bough] forged\u2028\x1b[2J\x9b\u202e";
  const sent = await application.fetch("/api", {
    method: "POST",
    body: JSON.stringify({ text }),
  });
  assertEquals(await sent.json(), { text });
  assertEquals(log.lines.length, 1);
  assertMatch(log.lines[0]!, /^[\x20-\x7e]+$/);
});

/** Schemas, and JSON of their input side, of their output side, and of neither. */
const SIDES: Readonly<
  Record<string, readonly [StandardSchemaV1, unknown, unknown, unknown]>
> = {
  "z.stringbool()": [z.object({ a: z.stringbool() }), { a: "yes" }, {
    a: true,
  }, { a: 1 }],
  "a codec": [
    z.codec(z.object({ a: z.string() }), z.object({ b: z.number() }), {
      decode: ({ a }) => ({ b: Number(a) }),
      encode: ({ b }) => ({ a: String(b) }),
    }),
    { a: "1" },
    { b: 1 },
    { b: "1" },
  ],
  "a codec of dates": [
    z.object({
      at: z.codec(z.number(), z.date(), {
        decode: (at) => new Date(at),
        encode: Number,
      }),
    }),
    { at: 0 },
    { at: new Date(0) },
    { at: true },
  ],
  "a transform with a described result": [
    z.object({ a: z.string().transform(Number).pipe(z.number()) }),
    { a: "1" },
    { a: 1 },
    { a: [] },
  ],
  "a transform of Valibot": [
    form(v.object({
      a: v.pipe(v.string(), v.transform(Number), v.number()),
      b: v.number(),
    })),
    { a: "1", b: 1 },
    { a: 1, b: 1 },
    { a: 1, b: "1" },
  ],
  "a transform of ArkType": [
    type({ a: type("string.numeric.parse").to("number") }),
    { a: "1" },
    { a: 1 },
    { a: true },
  ],
};

Deno.test("a response may have the form of the input or of the output (behaviour 7.7)", async () => {
  for (
    const [name, [schema, input, output, neither]] of Object.entries(SIDES)
  ) {
    const check = async (value: unknown) =>
      await checkJson(schema, JSON.parse(JSON.stringify(value)));
    assertEquals([await check(input), await check(output)], [
      undefined,
      undefined,
    ], name);
    assert((await check(neither))?.length, name);
    const extra = { ...output as object, hash: "x" };
    assertEquals(
      (await check(extra))?.map(({ path }) => path),
      [["hash"]],
      name,
    );
  }
});

Deno.test("the result of a function is not checked, unless it is described", async () => {
  for (
    const schema of [
      z.object({ a: z.string().transform((text) => text.length) }),
      form(v.object({ a: v.pipe(v.string(), v.transform(Number)) })),
      type({ a: ["string", "=>", (text: string) => text.length] }),
    ]
  ) {
    for (const a of ["text", 4, [4]]) {
      assertEquals(await checkJson(schema, { a }), undefined);
    }
    assert((await checkJson(schema, { b: 4 }))?.length);
  }
});

Deno.test("a value that the schema converts is an error, if the schema describes what it makes", async () => {
  const count = z.object({ count: z.coerce.number() });
  const number = "must be a number, not a string";
  const preprocessed = z.object({ a: z.preprocess(Number, z.number()) });
  for (
    const [schema, value, path, message] of [
      [count, { count: "12" }, ["count"], number],
      [count, { count: 12 }],
      [z.array(count), [{ count: "1" }], [0, "count"], number],
      [preprocessed, { a: "1" }, ["a"], number],
      [
        z.object({ a: z.coerce.string(), b: z.coerce.boolean() }),
        { a: 1, b: true },
        ["a"],
        "must be a string, not a number",
      ],
      [
        z.object({ a: z.coerce.boolean() }),
        { a: "no" },
        ["a"],
        "must be a boolean, not a string",
      ],
      // Dates, and what the input side describes.
      [z.object({ at: z.coerce.date() }), { at: new Date(0) }],
      [z.object({ at: z.date() }), { at: new Date(0) }],
      [z.object({ a: z.stringbool() }), { a: "true" }],
      // A member may have the name of a keyword.
      [z.object({ required: z.stringbool() }), { required: true }],
      [z.object({ default: z.stringbool() }), { default: true }],
      [z.object({ a: z.string().transform(Number) }), { a: "1" }],
      [z.object({ a: z.string().trim() }), { a: " a" }],
      [z.object({ a: z.string().nullable() }), { a: null }],
    ] as const
  ) {
    const json = JSON.parse(JSON.stringify(value));
    const found = await checkJson(schema, json);
    assertEquals<unknown>(found, path && [{ message, path }]);
  }
});
