import { Framework } from "@bough/framework";
import { assert, assertEquals } from "@std/assert";
import { ADMIN_TOKEN } from "./admin_token.ts";
import { resetDatabase } from "./store/database.ts";
import type { Book } from "./store/books.ts";
import { placeOrder as placeInStore } from "./store/orders.ts";
import type { Review } from "./store/reviews.ts";

/** The routes of `main.ts`. A response that violates its schema causes 500. */
const app = new Framework({
  apiDir: new URL("./api/", import.meta.url),
  validateResponses: true,
});

interface Problem {
  detail: string;
  stock?: number;
  errors: { in: string; pointer: string; detail: string }[];
}

interface Order {
  id: number;
  email: string;
  status: string;
  items: { bookId: number; title: string; count: number; cents: number }[];
}

interface ShopResponse<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

/** @typeParam Body The expected type of the body, a problem by default. */
async function call<Body = Problem>(
  method: string,
  path: string,
  body?: unknown,
): Promise<ShopResponse<Body>> {
  return await send(method, path, "application/json", JSON.stringify(body));
}

async function send<Body = Problem>(
  method: string,
  path: string,
  type: string,
  text?: string,
): Promise<ShopResponse<Body>> {
  const headers = { "content-type": type };
  return await responseTo(method, path, {
    ...(text !== undefined && { body: text, headers }),
  });
}

/** Sends a request of the staff. */
async function callAsStaff<Body = Problem>(
  method: string,
  path: string,
  body: unknown,
): Promise<ShopResponse<Body>> {
  return await responseTo(method, path, {
    body: JSON.stringify(body),
    headers: {
      "authorization": `Bearer ${ADMIN_TOKEN}`,
      "content-type": "application/json",
    },
  });
}

async function responseTo<Body>(
  method: string,
  path: string,
  init: RequestInit,
): Promise<ShopResponse<Body>> {
  const response = await app.fetch(
    new Request(`http://localhost/api${path}`, { method, ...init }),
  );
  const { status, headers } = response;
  const text = await response.text();
  const isJson = headers.get("content-type")?.includes("json");
  return { status, headers, body: isJson ? JSON.parse(text) : text };
}

Deno.test("the shop responds to /api", async () => {
  const { body } = await call<{ shop: string }>("GET", "");
  assertEquals(body.shop, "Bough Books");
});

Deno.test("clients can list, search and page books", async () => {
  assertEquals(await titles("/books"), [
    "Emma",
    "Frankenstein",
    "Moby-Dick",
    "Persuasion",
  ]);
  assertEquals(await titles("/books?search=MOBY"), ["Moby-Dick"]);
  assertEquals(await titles("/books?search=%25"), []);
  assertEquals(await titles("/books?limit=2&offset=1"), [
    "Frankenstein",
    "Moby-Dick",
  ]);
  for (const value of ["many", "-1", "", "1000"]) {
    const { status, body } = await call("GET", `/books?limit=${value}`);
    assertEquals(status, 400);
    assertEquals(body.errors, [{
      in: "query",
      pointer: "#/limit",
      detail: "must be a number from 0 to 999",
    }]);
  }
});

async function titles(path: string): Promise<string[]> {
  const { body } = await call<Book[]>("GET", path);
  return body.map(({ title }) => title);
}

Deno.test("clients can add, change and remove a book", async () => {
  const novel = { title: "Lodore", author: "Mary Shelley", cents: 800 };
  const added = await call<Book>("POST", "/books", novel);
  const path = `/books/${added.body.id}`;
  assertEquals(added.status, 201);
  assertEquals(added.headers.get("location"), `/api${path}`);
  const changed = await call<Book>("PATCH", path, { cents: 700 });
  assertEquals(changed.body, { ...added.body, cents: 700 });
  assertEquals((await call("DELETE", path)).status, 204);
  for (const method of ["GET", "PATCH", "DELETE"]) {
    const body = method === "PATCH" ? {} : undefined;
    assertEquals((await call(method, path, body)).status, 404, method);
  }
});

Deno.test("an author has at most one book with a title", async () => {
  const emma = { title: "Emma", author: "Jane Austen", cents: 800 };
  const detail = '"Emma" by Jane Austen is in the shop already';
  for (
    const { status, body } of [
      await call("POST", "/books", emma),
      await call("PATCH", "/books/2", { title: "Emma" }),
    ]
  ) {
    assertEquals(status, 409);
    assertEquals(body.detail, detail);
  }
});

Deno.test("a static route precedes its dynamic sibling", async () => {
  assertEquals(await titles("/books/featured"), ["Frankenstein", "Emma"]);
  assertEquals((await call<Book>("GET", "/books/1")).body.title, "Emma");
  const unfit = await call("GET", "/books/first");
  assertEquals(unfit.status, 400);
  assertEquals(unfit.body.errors, [{
    in: "params",
    pointer: "#/bookId",
    detail: "must be a whole number",
  }]);
});

Deno.test("the path of a review has two parameters", async () => {
  const added = await call<Review>("POST", "/books/4/reviews", {
    stars: 4,
    text: "Long, but whales.",
  });
  const path = `/books/4/reviews/${added.body.id}`;
  assertEquals(added.status, 201);
  assertEquals(added.headers.get("location"), `/api${path}`);
  assertEquals((await call<Review>("GET", path)).body, added.body);
  assertEquals((await call<Review[]>("GET", "/books/4/reviews")).body, [
    added.body,
  ]);
  const ofAnother = await call("GET", `/books/1/reviews/${added.body.id}`);
  assertEquals(ofAnother.status, 404);
  assertEquals((await call("DELETE", path)).status, 204);
  assertEquals((await call("GET", path)).status, 404);
});

Deno.test("a response lists all errors of a review", async () => {
  const review = { stars: 6, text: " " };
  const { status, body } = await call("POST", "/books/one/reviews", review);
  assertEquals(status, 400);
  assertEquals(body.errors.map(({ pointer }) => pointer), [
    "#/bookId",
    "#/stars",
    "#/text",
  ]);
});

Deno.test("a long review gets 413", async () => {
  const review = { stars: 1, text: "x".repeat(3_000) };
  const { status, body } = await call("POST", "/books/1/reviews", review);
  assertEquals(status, 413);
  assertEquals(body.detail, "The body is larger than 3000 bytes");
});

Deno.test("an order takes all its books from the stock, or none", async () => {
  const email = "ada@example.com";
  assertEquals(
    (await callAsStaff<Book>("PUT", "/stock/2", { stock: 3 })).body.stock,
    3,
  );
  const order = await call<Order>("POST", "/orders", {
    email,
    items: [{ bookId: 2, count: 2 }],
  });
  const path = `/orders/${order.body.id}`;
  assertEquals(order.status, 201);
  assertEquals(order.headers.get("location"), `/api${path}`);
  assertEquals(order.body.items, [
    { bookId: 2, title: "Persuasion", count: 2, cents: 2200 },
  ]);
  const items = [{ bookId: 2, count: 1 }, { bookId: 4, count: 1 }];
  const soldOut = await call("POST", "/orders", { email, items });
  assertEquals(soldOut.status, 409);
  assertEquals(soldOut.body.stock, 0);
  items[1]!.bookId = 99;
  const unknown = await call("POST", "/orders", { email, items });
  assertEquals(unknown.status, 422);
  const left = await call<Book>("GET", "/books/2");
  assertEquals(left.body.stock, 1);
  await call("PATCH", "/books/2", { cents: 1 });
  assertEquals((await call<Order>("GET", path)).body, order.body);
  assertEquals((await call("DELETE", "/books/2")).status, 409);
  assertEquals((await call("GET", "/orders/999")).status, 404);
});

Deno.test("a repeated order is placed once, even by a new process", async () => {
  const order = { email: "ada@example.com", items: [{ bookId: 3, count: 1 }] };
  const place = (authorization = "") =>
    responseTo<Order>("POST", "/orders", {
      body: JSON.stringify(order),
      headers: {
        "content-type": "application/json",
        "idempotency-key": '"an-order"',
        authorization,
      },
    });
  const stock = async () => (await call<Book>("GET", "/books/3")).body.stock;
  const before = await stock();
  const first = await place();
  const second = await place();
  assertEquals([first.status, second.status], [201, 201]);
  assertEquals(second.body, first.body);
  assertEquals(second.headers.get("idempotency-replayed"), "true");
  assertEquals(await stock(), before - 1);
  // The key of another client is another key.
  assertEquals((await place("Bearer other")).body.id, first.body.id + 1);
  // A new process has no keys in its memory.
  const placed = placeInStore(order, "a key");
  assertEquals(placeInStore(order, "a key"), placed);
  assertEquals(await stock(), before - 3);
});

Deno.test("a stock count does not overwrite a later order", async () => {
  const count = (stock: number, tag: string) =>
    responseTo<Book>("PUT", "/stock/1", {
      body: JSON.stringify({ stock }),
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${ADMIN_TOKEN}`,
        "if-match": tag,
      },
    });
  const counted = await callAsStaff<Book>("GET", "/stock/1", undefined);
  const tag = counted.headers.get("etag")!;
  const { stock } = counted.body;
  const items = [{ bookId: 1, count: 1 }];
  await call("POST", "/orders", { email: "ada@example.com", items });
  const stale = await count(stock + 5, tag);
  assertEquals(stale.status, 412);
  const now = await callAsStaff<Book>("GET", "/stock/1", undefined);
  assertEquals(now.body.stock, stock - 1);
  assertEquals(stale.headers.get("etag"), now.headers.get("etag"));
  const set = await count(stock + 4, now.headers.get("etag")!);
  assertEquals([set.status, set.body.stock], [200, stock + 4]);
});

Deno.test("an order must be complete JSON", async () => {
  const xml = await send("POST", "/orders", "application/xml", "<order/>");
  assertEquals(xml.status, 415);
  const cut = await send("POST", "/orders", "application/json", '{"email":');
  assertEquals(cut.status, 400);
  const empty = { email: "ada", items: [] };
  const { status, body } = await call("POST", "/orders", empty);
  assertEquals(status, 400);
  assertEquals(body.errors.map(({ pointer }) => pointer), [
    "#/email",
    "#/items",
  ]);
});

Deno.test("the stock of a book must be valid", async () => {
  const setStock = async (bookId: number, stock: number): Promise<number> =>
    (await callAsStaff("PUT", `/stock/${bookId}`, { stock })).status;
  assertEquals(await setStock(1, -1), 400);
  assertEquals(await setStock(99, 1), 404);
});

Deno.test("every method of the stock requires the token", async () => {
  for (const method of ["PUT", "GET", "OPTIONS"]) {
    const { status, headers } = await call(method, "/stock/1");
    assertEquals(status, 401);
    assertEquals(headers.get("www-authenticate"), 'Bearer realm=""');
  }
});

interface BoardEvent {
  event: string;
  id: string | undefined;
  data: Order | null;
}

/** The events of the board, after the last event that the client has seen. */
async function* boardEvents(
  lastEventId?: string,
  cookie = "",
): AsyncGenerator<BoardEvent, undefined> {
  const authorization = `Bearer ${ADMIN_TOKEN}`;
  const headers = new Headers({ authorization, cookie });
  if (lastEventId !== undefined) headers.set("last-event-id", lastEventId);
  const { body } = await app.fetch(
    new Request("http://localhost/api/orders/events", { headers }),
  );
  let text = "";
  for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + chunk).split("\n\n");
    text = blocks.pop()!;
    for (const block of blocks) {
      const field = (name: string) =>
        new RegExp(`^${name}: ?(.*)$`, "m").exec(block)?.[1];
      const data = field("data");
      if (data === undefined) continue;
      yield { event: field("event")!, id: field("id"), data: JSON.parse(data) };
    }
  }
}

/** The name of the next event, and the id and status of its order. */
async function nextEvent(
  board: AsyncGenerator<BoardEvent, undefined>,
): Promise<[string, number | undefined, string | undefined]> {
  const { event, data } = (await board.next()).value!;
  return [event, data?.id, data?.status];
}

async function placeOrder(): Promise<Order> {
  const { body } = await call<Order>("POST", "/orders", {
    email: "ada@example.com",
    items: [{ bookId: 3, count: 1 }],
  });
  return body;
}

async function setStatus(
  id: number,
  status: string,
): Promise<ShopResponse<Order>> {
  return await callAsStaff("PUT", `/orders/${id}/status`, { status });
}

Deno.test("the customer sees the status that the staff sets", async () => {
  const { id, status } = await placeOrder();
  assertEquals(status, "placed");
  assertEquals((await setStatus(id, "packed")).body.status, "packed");
  const { body } = await call<Order>("GET", `/orders/${id}`);
  assertEquals(body.status, "packed");
  assertEquals((await setStatus(id, "lost")).status, 400);
  assertEquals((await setStatus(999, "sent")).status, 404);
  assertEquals((await call("PUT", `/orders/${id}/status`)).status, 401);
  await setStatus(id, "sent");
});

Deno.test("the board gets all unsent orders, then each change", async () => {
  resetDatabase();
  const sent = await placeOrder();
  await setStatus(sent.id, "sent");
  const open = await placeOrder();
  const board = boardEvents();
  assertEquals(await nextEvent(board), ["cleared", undefined, undefined]);
  assertEquals(await nextEvent(board), ["order", open.id, "placed"]);
  const waiting = nextEvent(board);
  const later = await placeOrder();
  assertEquals(await waiting, ["order", later.id, "placed"]);
  await setStatus(open.id, "sent");
  assertEquals(await nextEvent(board), ["order", open.id, "sent"]);
  // An update without a change causes no event.
  await setStatus(open.id, "sent");
  await setStatus(sent.id, "packed");
  const event = (await board.next()).value!;
  assertEquals(event.data, { ...sent, status: "packed" });
  await board.return(undefined);
});

Deno.test("the cookie of a board adds the last sent orders", async () => {
  resetDatabase();
  const open = await placeOrder();
  const sent = await placeOrder();
  await setStatus(sent.id, "sent");
  const board = boardEvents(undefined, "theme=dark; sent=show");
  assertEquals(await nextEvent(board), ["cleared", undefined, undefined]);
  assertEquals(await nextEvent(board), ["order", open.id, "placed"]);
  assertEquals(await nextEvent(board), ["order", sent.id, "sent"]);
  await board.return(undefined);
  const authorization = `Bearer ${ADMIN_TOKEN}`;
  const wrong = { headers: { authorization, cookie: "sent=all" } };
  const { status } = await app.fetch(
    new Request("http://localhost/api/orders/events", wrong),
  );
  assertEquals(status, 400);
});

Deno.test("a board that reconnects gets each missed change once", async () => {
  resetDatabase();
  const [first, second] = [await placeOrder(), await placeOrder()];
  const board = boardEvents();
  await board.next();
  const { id } = (await board.next()).value!;
  await board.return(undefined);
  await setStatus(first.id, "sent");
  const third = await placeOrder();
  const again = boardEvents(id);
  assertEquals(await nextEvent(again), ["order", second.id, "placed"]);
  assertEquals(await nextEvent(again), ["order", first.id, "sent"]);
  assertEquals(await nextEvent(again), ["order", third.id, "placed"]);
  await again.return(undefined);
});

Deno.test("a board with an id from another database starts again", async () => {
  resetDatabase();
  await placeOrder();
  const board = boardEvents();
  await board.next();
  const { id } = (await board.next()).value!;
  await board.return(undefined);
  resetDatabase();
  const { id: order } = await placeOrder();
  for (const unknown of [id, "7", "-", `${id}x`, "1-2-3", "order"]) {
    const again = boardEvents(unknown);
    assertEquals(await nextEvent(again), ["cleared", undefined, undefined]);
    assertEquals(await nextEvent(again), ["order", order, "placed"]);
    await again.return(undefined);
  }
});

Deno.test("the board requires the token", async () => {
  assertEquals((await call("GET", "/orders/events")).status, 401);
});

Deno.test("an author has a list of books", async () => {
  const all = await call<{ name: string }[]>("GET", "/authors");
  assertEquals(all.body.map(({ name }) => name), [
    "Herman Melville",
    "Jane Austen",
    "Mary Shelley",
  ]);
  const { body } = await call<{ books: unknown[] }>("GET", "/authors/1");
  assertEquals(body.books, [
    { id: 1, title: "Emma" },
    { id: 2, title: "Persuasion" },
  ]);
  assertEquals((await call("GET", "/authors/99")).status, 404);
});

Deno.test("a cover can only be a file of the folder of covers", async () => {
  const cover = await call<string>("GET", "/covers/classics/moby-dick.svg");
  assertEquals(cover.headers.get("content-type"), "image/svg+xml");
  assert(cover.body.startsWith("<svg"), cover.body);
  const { body } = await call<string[]>("GET", "/covers");
  assertEquals(body, ["classics/moby-dick.svg", "emma.svg"]);
  for (
    const path of [
      "nope.svg",
      "classics",
      "emma.svg/below",
      "x".repeat(300),
      "%2e%2e/main.ts",
    ]
  ) {
    assertEquals((await call("GET", `/covers/${path}`)).status, 404, path);
  }
  assertEquals((await call("GET", "/covers/..%2Fmain.ts")).status, 400);
});

Deno.test("a client that has a cover gets 304, and a long list of tags gets 431", async () => {
  const path = "/covers/emma.svg";
  const first = await call<string>("GET", path);
  const tag = first.headers.get("etag")!;
  const ask = (known: string) =>
    responseTo("GET", path, { headers: { "if-none-match": known } });
  assertEquals((await ask(tag)).status, 304);
  assertEquals((await ask(`"x", ${tag}`)).status, 304);
  assertEquals((await ask(`"x"${" ".repeat(65_000)}"y"`)).status, 431);
});

Deno.test("a path without a route gets 404, and a method without a handler 405", async () => {
  assertEquals((await call("GET", "/magazines")).status, 404);
  const { status, headers } = await call("DELETE", "/books");
  assertEquals(status, 405);
  assertEquals(headers.get("allow"), "GET, HEAD, POST, OPTIONS");
});

Deno.test("the health routes respond", async () => {
  for (const [path, status] of [["live", "alive"], ["ready", "ready"]]) {
    const response = await call<{ status: string }>("GET", `/health/${path}`);
    assertEquals([response.status, response.body], [200, { status }]);
  }
});
