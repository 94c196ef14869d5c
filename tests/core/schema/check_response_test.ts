import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import type { CommonOptions } from "@bough/framework/types";
import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
import { type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import { checkJson } from "../../../src/core/schema/check_response.ts";
import { CapturedLog, TestApplication } from "../../support/application.ts";
import { schemaOf } from "../../support/schema_of.ts";
import type { StandardSchemaV1 } from "../../../mod.ts";

const Book = z.object({ title: z.string(), cents: z.number().default(1) });

function typed(type: string, body: BodyInit = "{}"): Response {
  return new Response(body, { headers: { "content-type": type } });
}

function streamed(type: string, ...parts: readonly string[]): Response {
  const encoder = new TextEncoder();
  const body = ReadableStream.from(parts.map((part) => encoder.encode(part)));
  return typed(type, body);
}

const MISMATCH = "with status 200 does not fit its schema:";
const instead = (type: string) =>
  `the content type is "${type}" instead of "application/json"`;

/** Responses that do not match the schema, with the error that Bough reports. */
const WRONG: Readonly<
  Record<string, readonly [create: () => Response, fault: string]>
> = {
  extra: [
    () => Response.json({ title: "Emma", extra: true }),
    `${MISMATCH} at "#/extra" is undeclared; declare it, or do not send it`,
  ],
  bad: [
    () => Response.json({ title: 5 }),
    `${MISMATCH} at "#/title" Invalid input`,
  ],
  text: [() => new Response("Emma"), `${MISMATCH} at "#" Invalid input`],
  twice: [
    () => Response.json({ title: 5, cents: "x" }),
    `${MISMATCH} at "#/title" Invalid input: expected string, received number; at "#/cents" Invalid input`,
  ],
  problem: [
    () => typed("Application/Problem+JSON ; charset=utf-8", '{"title":5}'),
    `${MISMATCH} at "#/title" Invalid input`,
  ],
  marked: [
    () => typed(" text/html;charset=utf-8", "<p>"),
    `${MISMATCH} at "#" Invalid input: expected object, received string`,
  ],
  nothing: [() => new Response(null), `${MISMATCH} at "#" Invalid input`],
  broken: [
    () => typed("application/json", "{"),
    `${MISMATCH} the body is not valid JSON`,
  ],
  missing: [
    () => Response.json({ why: 404 }, { status: 404 }),
    'with status 404 does not fit its schema: at "#/why" Invalid input',
  ],
  // The document promises JSON.
  bytes: [
    () => typed("image/png", new Uint8Array(3)),
    `${
      instead("image/png")
    }; send the declared type, or declare content("image/png")`,
  ],
  events: [
    () => streamed("text/event-stream", "data: 1\n\n"),
    instead("text/event-stream"),
  ],
  quiet: [
    () => streamed("Text/Event-Stream; charset=utf-8"),
    instead("text/event-stream"),
  ],
  typeless: [
    () => new Response(new Uint8Array(3)),
    'the content type is missing; set the header content-type to "application/json"',
  ],
  lines: [() => typed("application/jsonl"), instead("application/jsonl")],
  other: [() => typed("x-application/json"), instead("x-application/json")],
  plus: [() => typed("application/+json"), instead("application/+json")],
  written: [() => typed("image/text/plain"), instead("image/text/plain")],
};

/** Responses that Bough sends unchanged. */
const RIGHT: Readonly<Record<string, () => Response>> = {
  good: () => Response.json({ title: "Emma" }),
  undeclared: () => Response.json({}, { status: 201 }),
  thrown: () => {
    throw Response.json({ title: 5 });
  },
};

const GET = ({ params: { id } }: { params: { id?: string } }) =>
  (RIGHT[id!] ?? WRONG[id!]![0])();

const BOOKS = {
  schema: {
    get: { response: { 200: Book, 404: z.object({ why: z.string() }) } },
    put: { response: Book },
    head: { response: Book },
  },
  GET,
  PUT: GET,
};

/** The response to a request, and what the request logs. */
async function outcome(
  id: string,
  options: CommonOptions,
  method = "GET",
): Promise<{ status: number; body: string; log: string }> {
  const application = TestApplication.of(
    { "books/[id]/route.ts": BOOKS },
    options,
  );
  using log = new CapturedLog();
  const response = await application.fetch(`/api/books/${id}`, { method });
  const body = await response.text();
  return { status: response.status, body, log: log.lines.join("\n") };
}

const PLACE = "[bough] GET /api/books/[id] (books/[id]/route.ts)";

for (const [id, [, fault]] of Object.entries(WRONG)) {
  Deno.test(`validateResponses: true replaces a response with 500: ${id}`, async () => {
    const options = { validateResponses: true } as const;
    const { status, body, log } = await outcome(id, options);
    assertEquals(status, 500);
    assertEquals(body.includes("schema"), false, "nothing internal leaks");
    assertStringIncludes(log, PLACE);
    assertStringIncludes(log, fault);
  });

  Deno.test(`validateResponses: "warn" sends a response, and logs its error: ${id}`, async () => {
    const { body, log } = await outcome(id, { validateResponses: "warn" });
    const unchecked = await outcome(id, {});
    assertEquals(body, unchecked.body);
    assertEquals(unchecked.log, "");
    assertStringIncludes(log, PLACE);
    assertStringIncludes(log, fault);
  });
}

for (const id of Object.keys(RIGHT)) {
  Deno.test(`validateResponses: true sends a response unchanged: ${id}`, async () => {
    const checked = await outcome(id, { validateResponses: true });
    assertEquals(checked, await outcome(id, {}));
  });
}

Deno.test("validateResponses checks only status 200 against a single schema", async () => {
  const bad = await outcome("bad", { validateResponses: true }, "PUT");
  assertEquals(bad.status, 500);
  const missing = await outcome("missing", { validateResponses: true }, "PUT");
  assertEquals(missing.status, 404);
});

Deno.test("validateResponses checks the response of GET to HEAD", async () => {
  assertEquals(
    (await outcome("good", { validateResponses: true }, "HEAD")).status,
    200,
  );
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

for (const [name, [schema, input, output, neither]] of Object.entries(SIDES)) {
  Deno.test(`a response may have the form of the input or of the output: ${name}`, async () => {
    const check = async (value: unknown) =>
      await checkJson(schema, JSON.parse(JSON.stringify(value)));
    assertEquals(await check(input), undefined);
    assertEquals(await check(output), undefined);
    assert((await check(neither))?.length);
    const extra = { ...output as object, hash: "x" };
    assertEquals((await check(extra))?.map(({ path }) => path), [["hash"]]);
  });
}

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
  const fault = (path: string, sent: string, made: string) => ({
    message: `must be a ${made}, not a ${sent}`,
    path: path === ""
      ? []
      : path.split("/").map((step) => step === "0" ? 0 : step),
  });
  const count = z.object({ count: z.coerce.number() });
  for (
    const [schema, value, issues] of [
      [count, { count: "12" }, [fault("count", "string", "number")]],
      [count, { count: 12 }, undefined],
      [z.array(count), [{ count: "1" }], [
        fault("0/count", "string", "number"),
      ]],
      [z.object({ a: z.coerce.string() }), { a: 1 }, [
        fault("a", "number", "string"),
      ]],
      [z.object({ a: z.coerce.boolean() }), { a: "no" }, [
        fault("a", "string", "boolean"),
      ]],
      [z.object({ a: z.preprocess(Number, z.number()) }), { a: "1" }, [
        fault("a", "string", "number"),
      ]],
      // Dates, and what the input side describes.
      [z.object({ at: z.coerce.date() }), { at: new Date(0) }, undefined],
      [z.object({ at: z.date() }), { at: new Date(0) }, undefined],
      [z.object({ a: z.stringbool() }), { a: "true" }, undefined],
      // A member may have the name of a keyword.
      [z.object({ required: z.stringbool() }), { required: true }, undefined],
      [z.object({ default: z.stringbool() }), { default: true }, undefined],
      [z.object({ a: z.string().transform(Number) }), { a: "1" }, undefined],
      [z.object({ a: z.string().trim() }), { a: " a" }, undefined],
      [z.object({ a: z.string().nullable() }), { a: null }, undefined],
    ] as const
  ) {
    const json = JSON.parse(JSON.stringify(value));
    assertEquals(await checkJson(schema, json), issues);
  }
});
