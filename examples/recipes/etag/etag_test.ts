import { assertEquals, assertNotEquals } from "@std/assert";
import { app } from "./main.ts";
import { notes } from "./notes.ts";

type Call = (
  method: string,
  headers?: Record<string, string>,
  text?: string,
) => Promise<{ status: number; tag: string | null; text: string | undefined }>;

/** Serves the recipe on a free port, with at most one note. */
async function withNote(
  text: string | undefined,
  test: (call: Call, tag: string) => Promise<void>,
): Promise<void> {
  notes.clear();
  const options = { port: 0, hostname: "127.0.0.1", onListen() {} };
  await using server = await app.serve(options);
  const call: Call = async (method, headers = {}, text) => {
    const url = `http://127.0.0.1:${server.addr.port}/api/notes/todo`;
    const response = await fetch(url, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(text !== undefined && { body: JSON.stringify({ text }) }),
    });
    const body = await response.text();
    return {
      status: response.status,
      tag: response.headers.get("etag"),
      text: body === "" ? undefined : JSON.parse(body).text,
    };
  };
  let tag = "";
  if (text !== undefined) {
    const created = await call("PUT", { "if-none-match": "*" }, text);
    assertEquals(created.status, 201);
    tag = created.tag!;
  }
  await test(call, tag);
}

Deno.test("a client that has the note gets 304", async () => {
  await withNote("milk", async (call, tag) => {
    const first = await call("GET");
    assertEquals(first, { status: 200, tag, text: "milk" });
    for (const known of [tag, `"x", ${tag}`, `W/${tag}`, "*"]) {
      const { status, text } = await call("GET", { "if-none-match": known });
      assertEquals([status, text], [304, undefined], known);
    }
    const other = await call("GET", { "if-none-match": '"other"' });
    assertEquals(other.status, 200);
    const head = await call("HEAD", { "if-none-match": tag });
    assertEquals([head.status, head.tag], [304, tag]);
  });
});

Deno.test("a change of an outdated version gets 412", async () => {
  await withNote("milk", async (call, tag) => {
    const mine = await call("PUT", { "if-match": tag }, "milk, bread");
    assertEquals(mine.status, 204);
    assertNotEquals(mine.tag, tag);
    const theirs = await call("PUT", { "if-match": tag }, "milk, wine");
    assertEquals([theirs.status, theirs.tag], [412, mine.tag]);
    assertEquals((await call("GET")).text, "milk, bread");
    assertEquals((await call("DELETE", { "if-match": tag })).status, 412);
    assertEquals((await call("DELETE", { "if-match": mine.tag! })).status, 204);
    assertEquals((await call("GET")).status, 404);
  });
});

Deno.test("only one of several simultaneous changes succeeds", async () => {
  await withNote("0", async (call, tag) => {
    const changes = await Promise.all(
      ["1", "2", "3", "4"].map((text) =>
        call("PUT", { "if-match": tag }, text)
      ),
    );
    const made = changes.filter(({ status }) => status === 204);
    assertEquals(made.length, 1);
    assertEquals((await call("GET")).tag, made[0]!.tag);
  });
});

Deno.test("a change that names no version gets 428", async () => {
  await withNote("milk", async (call) => {
    assertEquals((await call("PUT", {}, "bread")).status, 428);
    assertEquals((await call("DELETE")).status, 428);
    assertEquals((await call("GET")).text, "milk");
    assertEquals((await call("PUT", { "if-match": "*" }, "x")).status, 204);
  });
});

Deno.test("a change with a weak tag gets 412", async () => {
  await withNote("milk", async (call, tag) => {
    const weak = await call("PUT", { "if-match": `W/${tag}` }, "bread");
    assertEquals(weak.status, 412);
  });
});

Deno.test("only a missing note can be created, and only an existing note can be changed", async () => {
  await withNote("milk", async (call) => {
    const again = await call("PUT", { "if-none-match": "*" }, "bread");
    assertEquals(again.status, 412);
  });
  await withNote(undefined, async (call) => {
    for (const match of ["*", '"x"']) {
      assertEquals((await call("PUT", { "if-match": match }, "x")).status, 412);
    }
    assertEquals((await call("PUT", {}, "x")).status, 428);
    assertEquals((await call("DELETE", { "if-match": "*" })).status, 404);
  });
});

Deno.test("a long list of tags gets 431", async () => {
  await withNote("milk", async (call) => {
    const long = `"x"${" ".repeat(60_000)}"y"`;
    assertEquals((await call("GET", { "if-none-match": long })).status, 431);
    assertEquals((await call("PUT", { "if-match": long }, "x")).status, 431);
  });
});
