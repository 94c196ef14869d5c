import { assert, assertEquals, assertMatch } from "@std/assert";
import { addBooks, type Book, removeBooks } from "./books.ts";
import { app } from "./main.ts";

interface Page {
  readonly status: number;
  readonly titles: string[];
  readonly ids: number[];
  /** The URL of the next page, resolved according to RFC 8288. */
  readonly next: string | undefined;
}

/** Serves the recipe on a free port. `get` takes the path or URL of a page. */
async function withServer(
  test: (get: (path: string) => Promise<Page>) => Promise<void>,
): Promise<void> {
  const options = { port: 0, hostname: "127.0.0.1", onListen() {} };
  await using server = await app.serve(options);
  await test(async (path) => {
    const base = `http://127.0.0.1:${server.addr.port}/api/`;
    const response = await fetch(new URL(path, base));
    const body = await response.json();
    const books: Book[] = response.ok ? body : [];
    const link = response.headers.get("link");
    const target = /^<([^>]*)>; rel="next"$/.exec(link ?? "")?.[1];
    return {
      status: response.status,
      titles: books.map(({ title }) => title),
      ids: books.map(({ id }) => id),
      next: target && new URL(target, response.url).href,
    };
  });
}

Deno.test("the links lead to each book once", async () => {
  await withServer(async (get) => {
    const first = await get("books?limit=2&lang=en%26x");
    assertEquals(first.titles, ["Emma", "Emma"]); // same title, another id
    assertMatch(first.next!, /\?limit=2&lang=en%26x&after=[\w-]+$/);
    const second = await get(first.next!);
    assertEquals(second.titles, ["Frankenstein", "Moby-Dick"]);
    const last = await get(second.next!);
    assertEquals([last.titles, last.next], [["Persuasion"], undefined]);
    assertEquals(new Set([...first.ids, ...second.ids, ...last.ids]).size, 5);
  });
});

Deno.test("a full last page has no link", async () => {
  await withServer(async (get) => {
    assertEquals((await get("books?limit=5")).next, undefined);
    assertEquals((await get("books")).titles.length, 5);
  });
});

Deno.test("added and removed books neither repeat nor hide other books", async () => {
  await withServer(async (get) => {
    const first = await get("books?limit=3");
    assertEquals(first.titles.at(-1), "Frankenstein");
    addBooks("Dracula");
    assertEquals((await get(first.next!)).titles, ["Moby-Dick", "Persuasion"]);
    removeBooks("Dracula");
    removeBooks("Frankenstein"); // the book of the cursor
    assertEquals((await get(first.next!)).titles, ["Moby-Dick", "Persuasion"]);
    addBooks("Frankenstein");
  });
});

Deno.test("invalid limits and cursors get 400", async () => {
  const forged = (value: unknown) =>
    encodeURIComponent(btoa(JSON.stringify(value)));
  await withServer(async (get) => {
    for (const limit of ["0", "101", "-1", "", "1e1", "%201", "9999", "x"]) {
      const { status } = await get(`books?limit=${limit}`);
      assertEquals(status, 400, limit);
    }
    for (
      const after of [
        "",
        "x",
        "%FF",
        "...",
        "A".repeat(1_001),
        forged(1),
        forged(["a"]),
        forged(["a", "1"]),
        forged(["a", 1.5]),
        forged({ __proto__: null }),
      ]
    ) {
      const { status } = await get(`books?after=${after}`);
      assertEquals(status, 400, after);
    }
    const unknown = forged(["Emma", 1_000]).replace(/%3D/g, "");
    const { status, titles } = await get(`books?after=${unknown}`);
    assert(status === 200 && titles[0] === "Frankenstein");
  });
});
