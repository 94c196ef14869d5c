import { assertEquals } from "@std/assert";
import { z } from "zod";
import { TestApplication } from "../../support/application.ts";

const later = z.object({
  a: z.string().refine(async () => {
    await 1;
    return false;
  }, "too late"),
});

const APPLICATION = TestApplication.of({
  "[id]/route.ts": {
    schema: {
      post: {
        params: z.object({ id: z.coerce.number() }),
        query: z.object({
          page: z.coerce.number().default(1),
          tag: z.array(z.string()).optional(),
        }),
        headers: z.object({ "x-key": z.string().min(3) }),
        body: z.object({ name: z.string() }),
      },
    },
    POST: ({ validated }) => Response.json(validated),
  },
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

Deno.test("Bough checks all four parts of a request, and gives handlers their outputs", async () => {
  const response = await post("/api/7?tag=a&tag=b&other=1", "abc", {
    name: "Ada",
  });
  assertEquals(await response.json(), {
    params: { id: 7 },
    query: { page: 1, tag: ["a", "b"] },
    headers: { "x-key": "abc" },
    body: { name: "Ada" },
  });
});

Deno.test("one response has the issues of all four parts (behaviour 7.1)", async () => {
  const response = await post("/api/seven?page=two", "a", {});
  assertEquals(response.status, 400);
  const { errors } = await response.json();
  assertEquals(
    errors.map((error: Record<string, string>) => [error.in, error.pointer]),
    [
      ["params", "#/id"],
      ["query", "#/page"],
      ["headers", "#/x-key"],
      ["body", "#/name"],
    ],
  );
});

Deno.test("a query is an object of decoded strings; repeated names are arrays", async () => {
  for (
    const [query, values] of [
      ["", {}],
      ["?", {}],
      ["?a=1", { a: "1" }],
      ["?a", { a: "" }],
      ["?a=1&b=2&a=3&a=", { a: ["1", "3", ""], b: "2" }],
      ["?a=%20+%C3%A9&a%5B%5D=1", { a: "  é", "a[]": "1" }],
      ["?a=%&b=%FF", { a: "%", b: "\ufffd" }],
      ["?__proto__=x&constructor=y", { ["__proto__"]: "x", constructor: "y" }],
      ["?a=1#b=2", { a: "1" }],
      ["?a=?b", { a: "?b" }],
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
    headers: [["X-A", "1"], ["x-a", "2"], ["__proto__", "3"]],
  });
  assertEquals((await response.json()).headers, {
    "x-a": "1, 2",
    ["__proto__"]: "3",
  });
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
