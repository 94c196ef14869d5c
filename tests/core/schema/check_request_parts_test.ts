import { assertEquals, assertStringIncludes } from "@std/assert";
import * as v from "valibot";
import { z } from "zod";
import type { StandardSchemaV1 } from "@bough/framework";
import { CapturedLog, TestApplication } from "../../support/application.ts";
import { rawRequest } from "../../support/raw_http.ts";
import { schemaOf } from "../../support/schema_of.ts";

const later = z.object({
  a: z.string().refine(async () => {
    await 1;
    return false;
  }, "too late"),
});

const upper = (tag: string) => tag.toUpperCase();

/** One schema of all parts, in two libraries (behaviour 5.2). */
const SCHEMAS = {
  zod: {
    params: z.object({ id: z.coerce.number() }),
    query: z.object({
      page: z.coerce.number().default(1),
      tag: z.array(z.string()).optional(),
    }),
    headers: z.object({ "x-key": z.string().min(3) }),
    body: z.object({
      name: z.string().min(2),
      code: z.string().regex(/^[A-Z]{3}$/),
      role: z.enum(["user", "admin"]).default("user"),
      tags: z.array(z.string().transform(upper)),
    }),
  },
  valibot: {
    params: v.object({
      id: v.pipe(v.string(), v.transform(Number), v.number()),
    }),
    query: v.object({
      page: v.optional(
        v.pipe(v.string(), v.transform(Number), v.number()),
        "1",
      ),
      tag: v.optional(v.array(v.string())),
    }),
    headers: v.object({ "x-key": v.pipe(v.string(), v.minLength(3)) }),
    body: v.object({
      name: v.pipe(v.string(), v.minLength(2)),
      code: v.pipe(v.string(), v.regex(/^[A-Z]{3}$/)),
      role: v.optional(v.picklist(["user", "admin"]), "user"),
      tags: v.array(v.pipe(v.string(), v.transform(upper))),
    }),
  },
};

const APPLICATION = TestApplication.of({
  ...Object.fromEntries(
    Object.entries(SCHEMAS).map(([library, post]) => [
      `${library}/[id]/route.ts`,
      {
        schema: { post },
        POST: ({ validated }) => Response.json(validated),
      },
    ]),
  ),
  "values/route.ts": {
    schema: { get: { query: z.unknown(), headers: z.unknown() } },
    GET: ({ validated: { query, headers } }) =>
      Response.json({
        query,
        headers,
        bare: Object.getPrototypeOf(query) === null &&
          Object.getPrototypeOf(headers) === null,
      }),
  },
  "named/route.ts": {
    schema: { get: { headers: z.object({ "x-a": z.string() }) } },
    GET: ({ validated, headers }) =>
      Response.json([validated.headers["x-a"], headers.get("x-a")]),
  },
  "later/route.ts": {
    schema: { get: { query: later, headers: later } },
    GET: () => new Response(),
  },
});

async function post(
  target: string,
  key: string,
  body: object,
): Promise<Response> {
  return await APPLICATION.fetch(target, {
    method: "POST",
    headers: { "X-Key": key, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

for (const library of Object.keys(SCHEMAS)) {
  Deno.test(`Bough checks all four parts of a request, and gives handlers their outputs, or responds with all issues (behaviour 7.1): ${library}`, async () => {
    const body = { name: "Ada", code: "ABC", tags: ["x"] };
    const target = `/api/${library}/7?tag=a&tag=b&other=1`;
    assertEquals(await (await post(target, "abc", body)).json(), {
      params: { id: 7 },
      query: { page: 1, tag: ["a", "b"] },
      headers: { "x-key": "abc" },
      body: { ...body, role: "user", tags: ["X"] },
    });
    const wrong = { name: "A", code: "ABC", tags: ["a", 2] };
    const response = await post(`/api/${library}/seven?page=two`, "a", wrong);
    const { title, errors } = await response.json();
    assertEquals([response.status, title], [400, "Bad Request"]);
    const places = errors.map((error: Record<string, string>) => [
      ...[error.in, error.pointer, typeof error.detail],
    ]);
    assertEquals(places, [
      ["params", "#/id", "string"],
      ["query", "#/page", "string"],
      ["headers", "#/x-key", "string"],
      ["body", "#/name", "string"],
      ["body", "#/tags/1", "string"],
    ]);
  });
}

Deno.test("a query is an object of decoded strings; repeated names are arrays", async () => {
  // tests/core/request/form_test.ts compares random queries with `URLSearchParams`.
  for (
    const [query, values] of [
      ["", {}],
      ["?a=1&b=2&a=3&a=", { a: ["1", "3", ""], b: "2" }],
      ["?a=%20+%C3%A9&a%5B%5D=1#b=2", { a: "  é", "a[]": "1" }],
      ["?__proto__=x&constructor=y", { ["__proto__"]: "x", constructor: "y" }],
    ] as const
  ) {
    const response = await APPLICATION.fetch(`/api/values${query}`);
    const answer = await response.json();
    assertEquals(answer.query, values, query);
    assertEquals(answer.bare, true);
  }
});

Deno.test("headers are strings with lowercase names, joined if repeated", async () => {
  const response = await APPLICATION.fetch("/api/values", {
    headers: [
      ["X-A", "1"],
      ["x-a", "2"],
      ["__proto__", "3"],
      ["set-cookie", "4"],
      ["set-cookie", "5"],
    ],
  });
  assertEquals((await response.json()).headers, {
    "x-a": "1, 2",
    ["__proto__"]: "3",
    // The values of this header cannot be joined, so the last one counts.
    "set-cookie": "5",
  });
});

/** Members that headers of requests may, and never, have. */
const named = <Member>(member: Member) => ({
  ...{ "x-a": member, "x-b": member, "X-A": member, "x a": member },
  ...{ cookie: member, ["__proto__"]: member, "": member },
});
const texts = named(z.string().optional());
const strings = named(v.optional(v.string()));
const keysOf = (value: object) => Object.keys(value).sort();
const hasXOther = (value: object) => "x-other" in value;

/** Schemas of headers, some of which see headers without a declaration. */
const HEADERS: Readonly<Record<string, StandardSchemaV1>> = {
  object: z.object(texts),
  required: z.object({ "x-a": z.string(), "x-b": z.array(z.string()) }),
  none: z.object({}),
  refined: z.object(texts).refine(hasXOther),
  asynchronous: z.object({ "x-a": z.string().refine(async () => await true) }),
  transformed: z.object(texts).transform(keysOf),
  preprocessed: z.preprocess((value: object) => keysOf(value), z.unknown()),
  loose: z.looseObject(texts).transform(keysOf),
  strict: z.strictObject(texts),
  others: z.object(texts).catchall(z.string().max(1)),
  record: z.record(z.string(), z.string()),
  union: z.union([z.object({ "x-other": z.string() }), z.object(texts)]),
  both: z.object({ "x-a": z.string() }).and(z.looseObject({})),
  caught: z.object({ "x-b": z.number() }).catch(({ value }) => value as never),
  readonly: z.object(texts).readonly(),
  valibot: v.object(strings),
  pipe: v.pipe(v.object(strings), v.check(hasXOther)),
  fallback: v.fallback(
    v.object({ "x-b": v.pipe(v.string(), v.maxLength(0)) }),
    (dataset) => ({
      "x-b": keysOf(dataset!.issues![0].path![0].input as object).join(),
    }),
  ),
  looseValibot: v.pipe(
    v.looseObject(strings),
    v.transform((value) => keysOf(value)),
  ),
  strictValibot: v.strictObject(strings),
  rest: v.objectWithRest(strings, v.pipe(v.string(), v.maxLength(1))),
  unknown: Object.assign(schemaOf(), { type: "object", entries: {} }),
};

/** The headers of requests, a header a line. */
const SENT_HEADERS = [
  "X-A: 1",
  "x-a: 1\nX-A:  2\t\nx-other: 3",
  "x-a: b\nx-a: \nx-a: c",
  "x-a: , b",
  "x-a: \nx-b: ",
  "cookie: a=1\ncookie: b=2\nset-cookie: a\nset-cookie: b",
  "x-b: \u00e9\n__proto__: 1\n__proto__: 2\nconstructor: 3",
];

Deno.test("a schema gets the headers that it can see, all of them or some", async () => {
  const GET = ({ validated }: { validated: { headers?: unknown } }) =>
    Response.json([validated.headers]);
  // Of a schema without a library, nothing is known, so it gets all headers.
  const application = TestApplication.of(Object.fromEntries(
    Object.entries(HEADERS).flatMap(([name, schema]) => {
      const all = schemaOf(schema["~standard"].validate);
      return [
        [`own/${name}/route.ts`, { schema: { get: { headers: schema } }, GET }],
        [`all/${name}/route.ts`, { schema: { get: { headers: all } }, GET }],
      ];
    }),
  ));
  await using server = await application.serve();
  for (const lines of SENT_HEADERS) {
    const headers = lines.split("\n").map((line): [string, string] => {
      const [name = "", value = ""] = line.split(/: */);
      return [name, value];
    });
    await Promise.all(
      Object.keys(HEADERS).map(async (name) => {
        const [own, all] = await Promise.all(
          ["own", "all"].map(async (which) => {
            const path = `/api/${which}/${name}`;
            const sent = `GET ${path} HTTP/1.1\n${lines}`;
            const response = await application.fetch(path, { headers });
            return [
              (await rawRequest(server.port, sent)).body,
              await response.text(),
            ];
          }),
        );
        assertEquals(own, all, `${name}: ${lines}`);
      }),
    );
  }
});

Deno.test("a named header has the value of get(), even if its first value is empty", async () => {
  await using server = await APPLICATION.serve();
  const sent = "GET /api/named HTTP/1.1\nx-a: \nx-a: b";
  const { body } = await rawRequest(server.port, sent);
  // The list of all headers in Deno 2.9.6 has "b".
  assertEquals(body, '[", b",", b"]');
});

Deno.test("a schema of headers that throws is an error of the request", async () => {
  using log = new CapturedLog();
  const headers = z.object({
    get "x-a"(): z.ZodString {
      throw new Error("broken schema");
    },
  });
  const application = TestApplication.of({
    "middleware.ts": {
      default: (request: Request, next: () => Promise<Response>) =>
        request.headers.has("x-key") ? next() : new Response("guarded"),
    },
    "route.ts": {
      schema: { get: { headers } },
      GET: () => new Response("ok"),
    },
  });
  const response = await application.fetch("/api");
  assertEquals(await response.text(), "guarded");
  const failed = await application.fetch("/api", { headers: { "x-key": "1" } });
  assertEquals(failed.status, 500);
  assertStringIncludes(log.lines.join(), "broken schema");
});

Deno.test("Bough awaits asynchronous schemas in every part", async () => {
  const response = await APPLICATION.fetch("/api/later?a=1", {
    headers: { a: "1" },
  });
  const { errors } = await response.json();
  assertEquals(errors, [
    { in: "query", pointer: "#/a", detail: "too late" },
    { in: "headers", pointer: "#/a", detail: "too late" },
  ]);
});
