import { assertEquals } from "@std/assert";
import createClient from "openapi-fetch";
import { app } from "../bookshop/main.ts";
import type { paths } from "./bookshop.gen.ts";
import { generateTypes } from "./generate.ts";
import { orderByTitle } from "./main.ts";

Deno.test("the client's types are those of the bookshop's document", async () => {
  const file = new URL("./bookshop.gen.ts", import.meta.url);
  assertEquals(await Deno.readTextFile(file), await generateTypes());
});

Deno.test("the client orders from the running bookshop", async () => {
  const server = await app.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen: () => {},
  });
  const baseUrl = `http://127.0.0.1:${server.addr.port}`;
  try {
    assertEquals(
      await orderByTitle(baseUrl, "frankenstein"),
      'Ordered "Frankenstein" as number 1',
    );
    assertEquals(
      await orderByTitle(baseUrl, "moby"),
      'Only 0 of "Moby-Dick" are left',
    );
    assertEquals(await orderByTitle(baseUrl, "nobody"), 'There is no "nobody"');

    const bookshop = createClient<paths>({ baseUrl });
    const { data, error, response } = await bookshop.GET(
      "/api/books/{bookId}",
      { params: { path: { bookId: "99" } } },
    );
    assertEquals(data, undefined);
    assertEquals(error?.detail, "There is no book 99");
    assertEquals(response.status, 404);
  } finally {
    await server.shutdown();
  }
});

Deno.test("the client's types refuse what the bookshop does not have", () => {
  const bookshop = createClient<paths>({ baseUrl: "http://localhost" });
  // Checked, never run.
  return void (() => {
    // @ts-expect-error There is no such path.
    bookshop.GET("/api/bookz");
    // @ts-expect-error The path has a parameter.
    bookshop.GET("/api/books/{bookId}");
    bookshop.POST("/api/books/{bookId}/reviews", {
      params: { path: { bookId: "1" } },
      // @ts-expect-error A review has a text.
      body: { stars: 5 },
    });
  });
});
