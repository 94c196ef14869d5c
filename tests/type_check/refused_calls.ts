/** Wrong calls of the client and of `respond()`, and the messages of the compiler. */
import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { boughIn } from "../cli/support.ts";
import { assertMessages, type Subjects, wrongLines } from "./compiler.ts";

const API = fromFileUrl(
  new URL("../../examples/bookshop/api", import.meta.url),
);

const PRELUDE = `import { createClient } from "@bough/framework/client";
import { respond } from "@bough/framework";
import { z } from "zod";
import type { Routes } from "./api.types.ts";
const api = createClient<Routes>();
const created = { body: z.object({ id: z.number() }), headers: z.object({ location: z.string() }) };
const schema = { post: { response: { 201: created, 202: z.object({ id: z.number() }), 204: {}, 304: { headers: z.object({ etag: z.string() }) } } } };
const headers = { location: "/" };
const found = await api.GET("/books/[bookId]", { params: { bookId: "1" } });
`;

/** Wrong lines, and the first lines of their errors. */
const WRONG = wrongLines(`
await api.POST("/bookz", { body: {} });
  TS2345: Argument of type '"/bookz"' is not assignable to parameter of type '"/books/[bookId]/reviews" | "/books" | "/orders"'.
await api.POST("/books/featured");
  TS2345: Argument of type '"/books/featured"' is not assignable to parameter of type '"/books/[bookId]/reviews" | "/books" | "/orders"'.
await api.FETCH("/books");
  TS2339: Property 'FETCH' does not exist on type 'Client<Routes, undefined>'.
await api.GET("/books/[bookId]", { params: { id: "1" } });
  TS2353: Object literal may only specify known properties, and 'id' does not exist in type '{ readonly bookId: string; }'.
await api.GET("/books", { query: { limit: 5 } });
  TS2322: Type 'number' is not assignable to type 'string'.
await api.GET("/books", { query: { limits: "5" } });
  TS2561: Object literal may only specify known properties, but 'limits' does not exist in type 'AsPrimitives<{ search?: string | undefined; limit?: string | undefined; offset?: string | undefined; }>'. Did you mean to write 'limit'?
await api.POST("/books", { body: { title: "Emma", author: "Austen", cents: "1" } });
  TS2322: Type 'string' is not assignable to type 'number'.
await api.POST("/books", { body: { title: "Emma", cents: 1 } });
  TS2741: Property 'author' is missing in type '{ title: string; cents: number; }' but required in type '{ title: string; author: string; cents: number; }'.
await api.GET("/books", { params: { bookId: "1" } });
  TS2353: Object literal may only specify known properties, and 'params' does not exist in type 'Record<never, never> & { readonly query?: AsPrimitives<{ search?: string | undefined; limit?: string | undefined; offset?: string | undefined; }>; } & { readonly headers?: OtherHeaders; } & SignalOption & RetryOption'.
await api.GET("/books/[bookId]", { params: { bookId: "1" }, query: { any: "1" } });
  TS2353: Object literal may only specify known properties, and 'query' does not exist in type '{ readonly params: { readonly bookId: string; }; } & Record<never, never> & { readonly headers?: OtherHeaders; } & SignalOption & RetryOption'.
await api.GET("/books/[bookId]", { params: { bookId: "1" }, body: {} });
  TS2353: Object literal may only specify known properties, and 'body' does not exist in type '{ readonly params: { readonly bookId: string; }; } & Record<never, never> & { readonly headers?: OtherHeaders; } & SignalOption & RetryOption'.
await api.GET("/books/[bookId]", { params: { bookId: "1" }, more: 1 });
  TS2353: Object literal may only specify known properties, and 'more' does not exist in type '{ readonly params: { readonly bookId: string; }; } & Record<never, never> & { readonly headers?: OtherHeaders; } & SignalOption & RetryOption'.
await api.GET("/books/[bookId]", {});
  TS2345: Argument of type '{}' is not assignable to parameter of type '{ readonly params: { readonly bookId: string; }; } & Record<never, never> & { readonly headers?: OtherHeaders; } & SignalOption & RetryOption'.
await api.GET("/books/[bookId]", { params: { bookId: null } });
  TS2322: Type 'null' is not assignable to type 'string'.
await api.POST("/books", { body: null });
  TS2322: Type 'null' is not assignable to type '{ title: string; author: string; cents: number; }'.
await api.POST("/orders", { body: { email: "a@b.c", items: [{ bookId: "1", count: 1 }] } });
  TS2322: Type 'string' is not assignable to type 'number'.
await api.POST("/orders", { body: { email: "a@b.c", items: [{ bookId: 1 }] } });
  TS2741: Property 'count' is missing in type '{ bookId: number; }' but required in type '{ bookId: number; count: number; }'.
await api.GET("/covers/[...]", { params: { "[...]": "a" } });
  TS2322: Type 'string' is not assignable to type 'readonly string[]'.
if (found.status === 200) console.log(found.data.name);
  TS2339: Property 'name' does not exist on type '{ id: number; title: string; author: string; cents: number; stock: number; }'.
respond(schema.post, 200, { id: 1 });
  TS2345: Argument of type '200' is not assignable to parameter of type '201 | 202 | 204 | 304'.
respond(schema.post, 202, { id: "1" });
  TS2322: Type 'string' is not assignable to type 'number'.
respond(schema.post, 202, { id: 1, more: 2 });
  TS2353: Object literal may only specify known properties, and 'more' does not exist in type '{ readonly id: number; }'.
respond(schema.post, 201, { id: 1 }, { headers: { etag: headers.location } });
  TS2322: Type '{ etag: string; }' is not assignable to type '{ location: string; } & OtherHeaders'.
respond(schema.post, 201, { id: 1 }, { headers: { location: true } });
  TS2322: Type 'boolean' is not assignable to type 'string'.
respond(schema.post, 201, { id: 1 });
  TS2345: Argument of type '201' is not assignable to parameter of type '201 & MissingHeaders<"location">'.
respond(schema.post, 202);
  TS2345: Argument of type '202' is not assignable to parameter of type '202 & MissingValue'.
respond(schema.post, 204, {}, {});
  TS2345: Argument of type '204' is not assignable to parameter of type '204 & TakesNoValue<"write respond(schema, status, { headers })">'.
respond(schema.post, 304, undefined, { headers: { etag: "1" } });
  TS2345: Argument of type '304' is not assignable to parameter of type '304 & TakesNoValue<"write respond(schema, status, { headers })">'.
respond(schema.post, 304);
  TS2345: Argument of type '304' is not assignable to parameter of type '304 & MissingHeaders<"etag">'.
respond(schema.post, 304, { headers: { age: 1 } });
  TS2322: Type '{ age: number; }' is not assignable to type '{ etag: string; } & OtherHeaders'.
respond(schema.post, 201, { id: "1" }, { headers });
  TS2322: Type 'string' is not assignable to type 'number'.
respond(schema.post, 201, { id: 1, more: 2 }, { headers });
  TS2353: Object literal may only specify known properties, and 'more' does not exist in type '{ readonly id: number; }'.
`);

export const REFUSED_CALLS: Subjects = {
  "the first line of a compiler error says what is wrong with a call": {
    async write(folder) {
      await boughIn(folder.path, "types", API, "-o", "api.types.ts");
      const lines = WRONG.map(([code]) => code);
      await folder.write("calls.ts", PRELUDE + lines.join("\n"));
      return ["calls.ts"];
    },
    compare(errors) {
      assertMessages(errors, WRONG);
      // No error names an implementation in the package.
      const text = errors.map(({ text }) => text).join("\n");
      assertEquals(text.match(/TS2793|schema\/respond\.ts/g), null);
    },
  },
};
