import { assertEquals, assertThrows } from "@std/assert";
import { type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import {
  content,
  type FrameworkRequest,
  negotiate,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { assertType, type IsExact } from "@std/testing/types";
import type { RespondSchema } from "@bough/framework/types";
import { Problem } from "@bough/framework/openapi";

const Book = z.object({
  id: z.int(),
  title: z.string(),
  added: z.date(),
  kind: z.enum(["novel", "play"]),
  tags: z.array(z.string()),
});

const schema = {
  get: { response: z.array(Book) },
  put: { response: z.string() },
  post: {
    response: {
      200: Book,
      201: {
        body: Book,
        headers: z.object({
          location: z.string(),
          etag: z.string().optional(),
        }),
      },
      202: z.literal(["queued", "done"]),
      203: content("image/*"),
      204: {},
      206: content("application/vnd.book+json", Book),
      207: content("text/csv", z.string()),
      208: content("application/json"),
      304: { headers: z.object({ etag: z.string() }) },
      409: Problem,
    },
  },
} satisfies RouteSchema;

const book = {
  id: 1,
  title: "Emma",
  added: new Date("2026-01-31T12:00:00Z"),
  kind: "novel" as const,
  tags: ["classic"] as readonly string[],
};
const BOOK =
  '{"id":1,"title":"Emma","added":"2026-01-31T12:00:00.000Z","kind":"novel","tags":["classic"]}';

const TEXT = "text/plain;charset=UTF-8";

const emma = { id: 1, title: "Emma" };
const CSV = "id,title\n1,Emma\n";
const Short = z.object({ id: z.int(), title: z.string() });
const BOOKS = [
  content("application/json", Short),
  content("text/csv", z.string()),
  content("application/vnd.shop.v1+json", z.object({ name: z.string() })),
  content("image/png"),
] as const;
const several = {
  response: {
    200: BOOKS,
    201: { body: BOOKS, headers: z.object({ etag: z.string() }) },
    202: [content("text/csv", z.string())],
    203: content("text/csv", z.string()),
    204: {},
  },
} as const;

// Schemas of other libraries.
const valibot = {
  response: { 200: v.object({ at: v.date() }), 202: v.string() },
};
const ark = { response: { 200: type({ at: "Date" }), 202: type("string") } };

Deno.test("respond() sends each declared body with its media type: of several, the first or the selected one, with Vary (behaviour 8.11)", async () => {
  const { get, put, post } = schema;
  const bytes = new TextEncoder().encode("[1]");
  const png = { headers: { "content-type": "image/png" } };
  const problem = { type: "about:blank", title: "No", status: 409 };
  const at = new Date(0);
  const either = { response: z.union([z.string(), z.number()]) };
  const json = "application/json";
  const csv = "text/csv";
  const vary = (vary: string) => ({ headers: { vary, etag: "1" } });
  const DATE = '{"at":"1970-01-01T00:00:00.000Z"}';
  const EMMA = '{"id":1,"title":"Emma"}';
  // deno-fmt-ignore
  const rows: readonly (readonly [Response, readonly unknown[]])[] = [
      [respond(get, 200, [book]), [200, json, null, `[${BOOK}]`]],
      [respond(put, 200, "hello"), [200, TEXT, null, "hello"]],
      [respond(post, 200, book), [200, json, null, BOOK]],
      [respond(post, 202, "done"), [202, TEXT, null, "done"]],
      [respond(post, 203, bytes, png), [203, "image/png", null, "[1]"]],
      [respond(post, 204), [204, null, null, ""]],
      [respond(post, 206, book), [206, "application/vnd.book+json", null, BOOK]],
      [respond(post, 207, "a,b"), [207, csv, null, "a,b"]],
      [respond(post, 208, bytes), [208, json, null, "[1]"]],
      [respond(post, 304, { headers: { etag: '"1"' } }), [304, null, null, ""]],
      [respond(post, 409, problem), [409, "application/problem+json", null, JSON.stringify(problem)]],
      // JSON, since the schema also allows other types.
      [respond(either, 200, "7"), [200, json, null, '"7"']],
      [respond(valibot, 200, { at }), [200, json, null, DATE]],
      [respond(valibot, 202, "so"), [202, TEXT, null, "so"]],
      [respond(ark, 200, { at }), [200, json, null, DATE]],
      [respond(ark, 202, "so"), [202, TEXT, null, "so"]],
      // Several types.
      [respond(several, 200, emma), [200, json, "Accept", EMMA]],
      [respond(several, 200, CSV, { type: csv }), [200, csv, "Accept", CSV]],
      [respond(several, 200, new Uint8Array(), { type: "image/png" }), [200, "image/png", "Accept", ""]],
      [respond(several, 200, { name: "E" }, { type: "application/vnd.shop.v1+json" }), [200, "application/vnd.shop.v1+json", "Accept", '{"name":"E"}']],
      [respond(several, 201, CSV, { type: csv, headers: { etag: "1" } }), [201, csv, "Accept", CSV]],
      [respond(several, 201, emma, vary("Origin")), [201, json, "Origin, Accept", EMMA]],
      [respond(several, 201, emma, vary("accept-encoding")), [201, json, "accept-encoding, Accept", EMMA]],
      [respond(several, 201, emma, vary("Origin,ACCEPT")), [201, json, "Origin,ACCEPT", EMMA]],
      [respond(several, 201, emma, vary("*")), [201, json, "*", EMMA]],
      [respond(several, 202, CSV), [202, csv, null, CSV]],
      [respond(several, 203, CSV, { type: csv }), [203, csv, null, CSV]],
    ];
  for (const [response, expected] of rows) {
    const { status, headers } = response;
    const sent = [headers.get("content-type"), headers.get("vary")];
    assertEquals([status, ...sent, await response.text()], expected);
  }
});

Deno.test("respond() sends declared and undeclared headers", () => {
  const { headers } = respond(schema.post, 201, book, {
    headers: { location: "/books/1", etag: undefined, "x-count": 3 },
  });
  assertEquals([...headers], [
    ["content-type", "application/json"],
    ["location", "/books/1"],
    ["x-count", "3"],
  ]);
  const given = new Headers({ "content-type": "text/html", etag: "1" });
  assertEquals(
    [...respond(schema.put, 200, "<p>", { headers: given }).headers],
    [["content-type", "text/html"], ["etag", "1"]],
  );
});

Deno.test("respond() throws if the schema does not declare the response", () => {
  const any: RespondSchema = schema.post;
  const send = respond as unknown as (
    schema: RespondSchema,
    status: number,
    ...rest: unknown[]
  ) => Response;
  const reason =
    'the schema does not declare this status; declare it in "response", or return a new Response()';
  for (
    const [schema, status] of [
      [any, 418],
      [{ response: Book }, 201],
      [{}, 200],
      [{ response: null }, 200],
    ] as const
  ) {
    assertThrows(
      () => send(schema, status, book),
      TypeError,
      `Cannot respond with ${status}: ${reason}`,
    );
  }
  for (const status of [200, 206]) {
    assertThrows(() => send(any, status, undefined), TypeError);
  }
  assertThrows(
    () => respond(several, 202, CSV, { type: "text/html" as "text/csv" }),
    TypeError,
    'Cannot respond with 202 and the type "text/html": the schema declares "text/csv"; pass one of them',
  );
  // Without the error, the declared header would be missing.
  assertThrows(
    () => send(any, 304, undefined, { headers: { etag: "1" } }),
    TypeError,
    "Cannot respond with 304: this response has no body; write respond(schema, 304, { headers })",
  );
});

Deno.test("the type checker rejects undeclared responses, and compares a value with the selected type", () => {
  const { get, post } = schema;
  const check = (request: FrameworkRequest): void => {
    // @ts-expect-error a status that is not declared
    respond(post, 418);
    // @ts-expect-error a single schema is for a 200
    respond(get, 201, [book]);
    // @ts-expect-error the schema of all methods
    respond(schema, 200, [book]);
    // @ts-expect-error a value of another type
    respond(get, 200, [{ ...book, id: "1" }]);
    // @ts-expect-error a value that is not of the enumeration
    respond(post, 200, { ...book, kind: "poem" });
    // @ts-expect-error a missing member
    respond(post, 200, { id: 1, title: "Emma" });
    respond(post, 200, {
      ...book,
      // @ts-expect-error a member that is not declared, in a literal
      nope: 1,
    });
    // @ts-expect-error a missing argument, since a header is required
    respond(post, 201, book);
    // @ts-expect-error a missing header
    respond(post, 201, book, { headers: {} });
    // @ts-expect-error names of headers are lowercase
    respond(post, 201, book, { headers: { Location: "/" } });
    // @ts-expect-error a range is not a content type
    respond(post, 203, "picture");
    // @ts-expect-error a body where none is declared
    respond(post, 204, book);
    // @ts-expect-error no body where one is declared
    respond(post, 200);
    // @ts-expect-error a missing header
    respond(post, 304);
    // @ts-expect-error a text that is not of the enumeration
    respond(post, 202, "lost");
    // @ts-expect-error a bigint has no JSON
    respond({ response: z.bigint() }, 200, 1n);
    // @ts-expect-error a number is not a date
    respond(valibot, 200, { at: 7 });
    // @ts-expect-error a number is not a date
    respond(ark, 200, { at: 7 });
    // Several types.
    const type = negotiate(request, several, 200);
    assertType<IsExact<typeof type, (typeof BOOKS)[number]["mediaType"]>>(true);
    if (type === "text/csv") respond(several, 200, CSV, { type });
    // @ts-expect-error the first type is JSON
    respond(several, 200, CSV);
    // @ts-expect-error a value of the first type
    respond(several, 200, emma, { type: "text/csv" });
    // @ts-expect-error an undeclared type
    respond(several, 200, CSV, { type: "text/html" });
    // @ts-expect-error the value does not fit each type
    respond(several, 200, CSV, { type });
    // @ts-expect-error a missing header
    respond(several, 201, CSV, { type: "text/csv" });
    // @ts-expect-error a response without a body has no type
    respond(several, 204, { type: "text/csv" });
    // @ts-expect-error a plain schema has no type
    respond({ response: Short }, 200, emma, { type: "application/json" });
    // @ts-expect-error a status without media types
    negotiate(request, several, 204);
  };
  assertEquals(typeof check, "function");
});
