import { assert, assertEquals } from "@std/assert";
import { app } from "./main.ts";

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

async function call(
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const response = await app.fetch(
    new Request(`http://localhost/api${path}`, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      }),
    }),
  );
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json");
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text,
  };
}

Deno.test("the shop lists, searches and pages its books", async () => {
  assertEquals((await call("GET", "")).body.shop, "Bough Books");
  assertEquals((await call("GET", "/books")).body.length, 4);
  const { body } = await call("GET", "/books?search=moby&limit=1&offset=0");
  assertEquals(body.map((book: { title: string }) => book.title), [
    "Moby-Dick",
  ]);
  const bad = await call("GET", "/books?limit=many");
  assertEquals(bad.status, 400);
  assertEquals(bad.body.detail, '"limit" must be a number from 0 to 999');
});

Deno.test("a book is added, changed and removed", async () => {
  const novel = { title: "Lodore", author: "Mary Shelley", cents: 800 };
  const added = await call("POST", "/books", novel);
  assertEquals(added.status, 201);
  assertEquals(
    added.headers.get("location"),
    `/api/books/${added.body.id}`,
  );
  assertEquals((await call("POST", "/books", novel)).status, 409);
  const path = `/books/${added.body.id}`;
  const changed = await call("PATCH", path, { cents: 700 });
  assertEquals(changed.body, { ...added.body, cents: 700 });
  assertEquals((await call("DELETE", path)).status, 204);
  assertEquals((await call("GET", path)).status, 404);
});

Deno.test("a static route comes before its dynamic neighbour", async () => {
  assertEquals((await call("GET", "/books/featured")).body.length, 2);
  assertEquals((await call("GET", "/books/1")).body.title, "Emma");
  const unfit = await call("GET", "/books/first");
  assertEquals(unfit.status, 400);
  assertEquals(unfit.body.errors, [{
    in: "params",
    pointer: "#/bookId",
    detail: "must be a whole number",
  }]);
});

Deno.test("a review has two parameters in its path", async () => {
  const review = { stars: 4, text: "Long, but whales." };
  const added = await call("POST", "/books/4/reviews", review);
  assertEquals(added.status, 201);
  const path = `/books/4/reviews/${added.body.id}`;
  assertEquals((await call("GET", path)).body, added.body);
  assertEquals((await call("GET", "/books/4/reviews")).body, [added.body]);
  assertEquals(
    (await call("GET", `/books/1/reviews/${added.body.id}`)).status,
    404,
  );
  assertEquals((await call("DELETE", path)).status, 204);
  assertEquals((await call("GET", path)).status, 404);
});

Deno.test("what is wrong with a review is told at once", async () => {
  const { status, body } = await call("POST", "/books/1/reviews", {
    stars: 6,
    text: " ",
  });
  assertEquals(status, 400);
  assertEquals(
    body.errors.map(({ pointer }: { pointer: string }) => pointer),
    ["#/stars", "#/text"],
  );
  const long = { stars: 1, text: "x".repeat(3_000) };
  assertEquals((await call("POST", "/books/1/reviews", long)).status, 413);
});

Deno.test("a body of another type is refused", async () => {
  const response = await app.fetch(
    new Request("http://localhost/api/orders", {
      method: "POST",
      body: "<order/>",
      headers: { "content-type": "application/xml" },
    }),
  );
  assertEquals(response.status, 415);
  await response.body?.cancel();
});

Deno.test("an order takes books from the stock, or nothing at all", async () => {
  const email = "ada@example.com";
  assertEquals((await call("PUT", "/stock/2", { stock: 3 })).body.stock, 3);
  const order = await call("POST", "/orders", {
    email,
    items: [{ bookId: 2, count: 2 }],
  });
  assertEquals(order.status, 201);
  assertEquals(order.body.items, [{
    bookId: 2,
    title: "Persuasion",
    count: 2,
    cents: 2200,
  }]);
  assertEquals(
    (await call("GET", `/orders/${order.body.id}`)).body,
    order.body,
  );
  const tooMany = await call("POST", "/orders", {
    email,
    items: [{ bookId: 2, count: 1 }, { bookId: 4, count: 1 }],
  });
  assertEquals(tooMany.status, 409);
  assertEquals(tooMany.body.stock, 0);
  assertEquals((await call("GET", "/books/2")).body.stock, 1);
  assertEquals((await call("DELETE", "/books/2")).status, 409);
  assertEquals((await call("GET", "/orders/999")).status, 404);
});

Deno.test("authors come with their books", async () => {
  assertEquals((await call("GET", "/authors")).body.length, 3);
  assertEquals((await call("GET", "/authors/1")).body.books.length, 2);
  assertEquals((await call("GET", "/authors/99")).status, 404);
});

Deno.test("covers are served from their folder, and from nowhere else", async () => {
  const cover = await call("GET", "/covers/classics/moby-dick.svg");
  assertEquals(cover.headers.get("content-type"), "image/svg+xml");
  assert(cover.body.startsWith("<svg"), cover.body);
  for (const path of ["nope.svg", "classics", "%2e%2e/main.ts"]) {
    assertEquals((await call("GET", `/covers/${path}`)).status, 404, path);
  }
  assertEquals((await call("GET", "/covers/..%2Fmain.ts")).status, 400);
});

Deno.test("a method without a handler is refused with Allow", async () => {
  const { status, headers } = await call("DELETE", "/books");
  assertEquals(status, 405);
  assertEquals(headers.get("allow"), "GET, HEAD, POST, OPTIONS");
});
