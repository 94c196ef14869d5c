/** A status that declares several media types. */
import { assertEquals, assertThrows } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import { createClient } from "@bough/framework/client";
import {
  content,
  Framework,
  type FrameworkRequest,
  negotiate,
  respond,
} from "@bough/framework";
import { z } from "zod";
import { check, found } from "../../testing/support.ts";

const Book = z.object({ id: z.int(), title: z.string() });
const Short = z.object({ name: z.string() });

const BOOKS = [
  content("application/json", Book),
  content("text/csv", z.string().startsWith("id,")),
  content("application/vnd.shop.v1+json", Short),
  content("application/vnd.shop.v1+json;form=long", Book),
  content("image/png"),
] as const;

const schema = {
  get: {
    response: {
      200: BOOKS,
      201: { body: BOOKS, headers: z.object({ etag: z.string() }) },
      202: [content("text/csv", z.string())],
      203: content("text/csv", z.string()),
      204: {},
    },
  },
} as const;

const emma = { id: 1, title: "Emma" };
const CSV = "id,title\n1,Emma\n";

Deno.test("respond() sends the first type, or the selected type, and Vary (behaviour 8.11)", async () => {
  const { get } = schema;
  const type = "text/csv";
  const vary = (vary: string) => ({ headers: { vary, etag: "1" } });
  const JSON_BODY = '{"id":1,"title":"Emma"}';
  const JSON_TYPE = "application/json";
  // deno-fmt-ignore
  const rows: readonly (readonly [Response, readonly unknown[]])[] = [
      [respond(get, 200, emma), [200, JSON_TYPE, "Accept", JSON_BODY]],
      [respond(get, 200, CSV, { type }), [200, type, "Accept", CSV]],
      [respond(get, 200, new Uint8Array(), { type: "image/png" }), [200, "image/png", "Accept", ""]],
      [respond(get, 200, { name: "E" }, { type: "application/vnd.shop.v1+json" }), [200, "application/vnd.shop.v1+json", "Accept", '{"name":"E"}']],
      [respond(get, 201, CSV, { type, headers: { etag: "1" } }), [201, type, "Accept", CSV]],
      [respond(get, 201, emma, vary("Origin")), [201, JSON_TYPE, "Origin, Accept", JSON_BODY]],
      [respond(get, 201, emma, vary("accept-encoding")), [201, JSON_TYPE, "accept-encoding, Accept", JSON_BODY]],
      [respond(get, 201, emma, vary("Origin,ACCEPT")), [201, JSON_TYPE, "Origin,ACCEPT", JSON_BODY]],
      [respond(get, 201, emma, vary("*")), [201, JSON_TYPE, "*", JSON_BODY]],
      [respond(get, 202, CSV), [202, type, null, CSV]],
      [respond(get, 203, CSV, { type }), [203, type, null, CSV]],
    ];
  for (const [response, expected] of rows) {
    const { status, headers } = response;
    const [type, vary] = ["content-type", "vary"].map((name) =>
      headers.get(name)
    );
    assertEquals([status, type, vary, await response.text()], expected);
  }
  const wrong = "text/html" as "text/csv";
  assertThrows(
    () => respond(get, 202, CSV, { type: wrong }),
    TypeError,
    'Cannot respond with 202 and the type "text/html": the schema declares "text/csv"; pass one of them',
  );
});

Deno.test("the type checker compares the value with the selected type", () => {
  const { get } = schema;
  const check = (request: FrameworkRequest): void => {
    const type = negotiate(request, get, 200);
    assertType<IsExact<typeof type, (typeof BOOKS)[number]["mediaType"]>>(true);
    if (type === "text/csv") respond(get, 200, CSV, { type });
    // @ts-expect-error the first type is JSON
    respond(get, 200, CSV);
    // @ts-expect-error a value of the first type
    respond(get, 200, emma, { type: "text/csv" });
    // @ts-expect-error an undeclared type
    respond(get, 200, CSV, { type: "text/html" });
    // @ts-expect-error the value does not fit each type
    respond(get, 200, CSV, { type });
    // @ts-expect-error a missing header
    respond(get, 201, CSV, { type: "text/csv" });
    // @ts-expect-error a response without a body has no type
    respond(get, 204, { type: "text/csv" });
    // @ts-expect-error a plain schema has no type
    respond({ response: Book }, 200, emma, { type: "application/json" });
    // @ts-expect-error a status without media types
    negotiate(request, get, 204);
  };
  assertEquals(typeof check, "function");
});

Deno.test("the typed client reads each type; its data is a union (behaviour 8.11)", async () => {
  const response = {
    200: [
      content("application/json", Book),
      content("text/csv", z.string()),
      content("image/png"),
    ],
  } as const;
  const get = { response };
  const routes = {
    "books/route.ts": {
      schema: { get },
      GET: (request: FrameworkRequest<typeof get>) => {
        const type = negotiate(request, get, 200, { strict: true });
        if (type === "text/csv") return respond(get, 200, CSV, { type });
        if (type === "image/png") return respond(get, 200, "", { type });
        return respond(get, 200, emma);
      },
    },
  };
  const api = createClient<typeof routes>({
    fetch: new Framework({ manifest: routes }).fetch,
  });
  const read = async (accept?: string) => {
    const result = await api.GET("/books", { headers: { accept } });
    if (result.status !== 200) return result.status;
    const { data } = result;
    assertType<
      IsExact<typeof data, { id: number; title: string } | string | Blob>
    >(true);
    return data;
  };
  assertEquals(await read(), emma);
  assertEquals(await read("text/csv"), CSV);
  assertEquals((await read("image/*") as Blob).type, "image/png");
  assertEquals(await read("audio/*"), 406);
});

Deno.test("contract tests ask for each declared type, and check its schema", async () => {
  const csv = (text: string) => ({
    "books/route.ts": {
      schema,
      GET: (request: FrameworkRequest) => {
        const type = negotiate(request, schema.get, 200);
        return new Response(
          type === "text/csv"
            ? text
            : type === "image/png"
            ? "x"
            : JSON.stringify(type.endsWith("v1+json") ? { name: "E" } : emma),
          { headers: { "content-type": type } },
        );
      },
    },
  });
  assertEquals(found(await check(csv(CSV))), []);
  assertEquals(found(await check(csv("title\n"))), ["declared GET /api/books"]);
});
