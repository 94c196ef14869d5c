import { assertEquals } from "@std/assert";
import { app } from "./main.ts";

async function get(query: string): Promise<{ status: number; body: unknown }> {
  const options = { port: 0, hostname: "127.0.0.1", onListen() {} };
  await using server = await app.serve(options);
  const url = `http://127.0.0.1:${server.addr.port}/api/books${query}`;
  const response = await fetch(url);
  const body = await response.json();
  return { status: response.status, body: body.errors ?? body };
}

Deno.test("a query may contain a name several times, once or not at all", async () => {
  for (
    const [query, tag] of [
      ["", []],
      ["?tag=new", ["new"]],
      ["?tag=new&tag=old", ["new", "old"]],
      ["?tag=a,b", ["a,b"]],
    ] as const
  ) {
    const body = { tag, year: [], sort: "title" };
    assertEquals(await get(query), { status: 200, body });
  }
  assertEquals((await get("?year=1815&year=1851&sort=year")).body, {
    tag: [],
    year: [1815, 1851],
    sort: "year",
  });
});

Deno.test("invalid values and too many values get 400", async () => {
  const many = (count: number) => "?" + "tag=x&".repeat(count);
  assertEquals((await get(many(20))).status, 200);
  for (const query of ["?tag=", "?tag=a&tag=", "?year=x", many(21)]) {
    assertEquals((await get(query)).status, 400, query);
  }
});

Deno.test("a repeated name gets 400 if the schema expects one value", async () => {
  const { status, body } = await get("?sort=title&sort=year");
  assertEquals(status, 400);
  const [{ in: part, pointer }] = body as [{ in: string; pointer: string }];
  assertEquals([part, pointer], ["query", "#/sort"]);
});
