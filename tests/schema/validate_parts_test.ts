import { assertEquals } from "@std/assert";
import { FolderApplication } from "../support/application.ts";

const FILES = {
  "[id]/route.ts": `
    import { z } from "npm:zod@^4.1.13";
    export const schema = {
      post: {
        params: z.object({ id: z.coerce.number() }),
        query: z.object({ page: z.coerce.number().default(1), tag: z.array(z.string()).optional() }),
        headers: z.object({ "x-key": z.string().min(3) }),
        body: z.object({ name: z.string() }),
      },
    };
    export function POST(request) { return Response.json(request.validated); }
  `,
  "values/route.ts": `
    import { z } from "npm:zod@^4.1.13";
    export const schema = { get: { query: z.unknown(), headers: z.unknown() } };
    export function GET({ validated: { query, headers } }) {
      return Response.json({
        query, headers,
        bare: Object.getPrototypeOf(query) === null && Object.getPrototypeOf(headers) === null,
      });
    }
  `,
  "later/route.ts": `
    import { z } from "npm:zod@^4.1.13";
    const later = z.object({ a: z.string().refine(async () => { await 1; return false; }, "too late") });
    export const schema = { get: { query: later, headers: later } };
    export function GET() { return new Response(); }
  `,
};

function post(
  application: FolderApplication,
  target: string,
  headers: HeadersInit,
  body: string,
): Promise<Response> {
  return application.fetch(target, { method: "POST", headers, body });
}

Deno.test("all four parts of a request are checked, and their outputs validated", async () => {
  await using application = await FolderApplication.create(FILES);
  const response = await post(
    application,
    "/api/7?tag=a&tag=b&other=1",
    { "X-Key": "abc", "content-type": "application/json" },
    '{ "name": "Ada" }',
  );
  assertEquals(await response.json(), {
    params: { id: 7 },
    query: { page: 1, tag: ["a", "b"] },
    headers: { "x-key": "abc" },
    body: { name: "Ada" },
  });
});

Deno.test("the issues of all four parts come in one answer (behaviour 7.1)", async () => {
  await using application = await FolderApplication.create(FILES);
  const response = await post(
    application,
    "/api/seven?page=two",
    { "x-key": "a", "content-type": "application/json" },
    "{}",
  );
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
  await using application = await FolderApplication.create(FILES);
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
    const response = await application.fetch(`/api/values${query}`);
    const answer = await response.json();
    assertEquals(answer.query, values, query);
    assertEquals(answer.bare, true);
  }
});

Deno.test("headers are strings by lowercase name, joined where repeated", async () => {
  await using application = await FolderApplication.create(FILES);
  const response = await application.fetch("/api/values", {
    headers: [["X-A", "1"], ["x-a", "2"], ["__proto__", "3"]],
  });
  assertEquals((await response.json()).headers, {
    "x-a": "1, 2",
    ["__proto__"]: "3",
  });
});

Deno.test("asynchronous schemas are waited for in every part", async () => {
  await using application = await FolderApplication.create(FILES);
  const response = await application.fetch("/api/later?a=1", {
    headers: { a: "1" },
  });
  const { errors } = await response.json();
  assertEquals(errors, [
    { in: "query", pointer: "#/a", detail: "too late" },
    { in: "headers", pointer: "#/a", detail: "too late" },
  ]);
});
