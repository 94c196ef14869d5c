import { assert, assertEquals } from "@std/assert";
import { createClient } from "@bough/framework/client";
import { main as bough } from "@bough/framework/cli";
import { app } from "../bookshop/main.ts";
import type { Routes } from "../bookshop/api.types.ts";
import { orderByTitle } from "./main.ts";
import { withPage } from "./serve.ts";

const api = `${import.meta.dirname}/../bookshop/api`;

Deno.test("the types of the bookshop are up to date", async () => {
  for (
    const args of [
      ["-o", `${api}.types.ts`],
      ["--standalone", "-o", `${import.meta.dirname}/bookshop.types.ts`],
    ]
  ) {
    assertEquals(await bough(["types", api, "--check", ...args]), 0);
  }
});

Deno.test("the client orders a book over HTTP", async () => {
  const server = await app.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen: () => {},
  });
  const baseUrl = `http://127.0.0.1:${server.addr.port}/api`;
  try {
    const bookshop = createClient<Routes>({ baseUrl });
    const order = (search: string) => orderByTitle(bookshop, search);
    assertEquals(
      await order("frankenstein"),
      'Ordered "Frankenstein" as number 1',
    );
    assertEquals(await order("moby"), 'Only 0 of "Moby-Dick" are left');
    assertEquals(await order("nobody"), 'There is no "nobody"');
  } finally {
    await server.shutdown();
  }
});

Deno.test("the client can call the bookshop without a port, for tests", async () => {
  const bookshop = createClient<Routes>({ fetch: app.fetch });
  const found = await bookshop.GET("/books/[bookId]", {
    params: { bookId: "99" },
  });
  assert(found.status === 404);
  assertEquals(found.data.detail, "There is no book 99");

  const changed = await bookshop.PUT("/stock/[bookId]", {
    params: { bookId: "1" },
    body: { stock: 1 },
  });
  assertEquals(changed.status, 401);

  const cover = await bookshop.GET("/covers/[...]", {
    params: { "[...]": ["classics", "moby-dick.svg"] },
  });
  assert(cover.status === 200);
  assertEquals(cover.data.type, "image/svg+xml");
});

Deno.test("the server serves the page and the API", async () => {
  const { fetch } = withPage("script");
  const get = async (path: string) =>
    await (await fetch(new Request(`http://localhost${path}`))).text();
  assertEquals(await get("/page.js"), "script");
  assert((await get("/")).includes("/page.js"));
});
