import { HttpError } from "@bough/framework";
import { assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { addTag, createNotesClient } from "./client.ts";
import { app } from "./main.ts";
import { mergePatch } from "./merge_patch.ts";
import { clearNotes, findNote, saveNote } from "./notes.ts";

type Call = (
  method: string,
  headers?: Record<string, string>,
  content?: unknown,
) => Promise<
  {
    status: number;
    tag: string | null;
    text: string | undefined;
    note: unknown;
  }
>;

function typeOf(method: string): string {
  const subtype = method === "PATCH" ? "merge-patch+json" : "json";
  return `application/${subtype}`;
}

/** Serves the recipe on a free port, with at most one note. */
async function withNote(
  text: string | undefined,
  test: (call: Call, tag: string, baseUrl: string) => Promise<void>,
): Promise<void> {
  clearNotes();
  const options = { port: 0, hostname: "127.0.0.1", onListen() {} };
  await using server = await app.serve(options);
  const baseUrl = `http://127.0.0.1:${server.addr.port}/api`;
  const call: Call = async (method, headers = {}, content) => {
    const response = await fetch(`${baseUrl}/notes/todo`, {
      method,
      headers: { "content-type": typeOf(method), ...headers },
      ...(content !== undefined && {
        body: JSON.stringify(
          typeof content === "string" ? { text: content } : content,
        ),
      }),
    });
    const body = await response.text();
    const note = body === "" ? undefined : JSON.parse(body);
    return {
      status: response.status,
      tag: response.headers.get("etag"),
      text: note?.text,
      note,
    };
  };
  let tag = "";
  if (text !== undefined) {
    const created = await call("PUT", { "if-none-match": "*" }, text);
    assertEquals(created.status, 201);
    tag = created.tag!;
  }
  await test(call, tag, baseUrl);
}

Deno.test("a client that has the note gets 304", async () => {
  await withNote("milk", async (call, tag) => {
    const first = await call("GET");
    const note = { text: "milk" };
    assertEquals(first, { status: 200, tag, text: "milk", note });
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

Deno.test("a patch keeps absent members, and removes members that are null", async () => {
  await withNote("milk", async (call, tag) => {
    const patch = async (content: unknown) => {
      const result = await call("PATCH", { "if-match": tag }, content);
      tag = result.tag ?? tag;
      return [result.status, result.note];
    };
    const place = { city: "Oslo", room: "2" };
    let note: unknown = {
      text: "milk",
      due: "2026-05-01",
      tags: ["a", "b"],
      place,
    };
    const { text: _, ...added } = note as { text: string };
    assertEquals(await patch(added), [200, note]);
    assertEquals(await patch({}), [200, note]);
    note = { text: "milk", tags: ["c"], place: { city: "Bergen" } };
    const change = {
      due: null,
      tags: ["c"],
      place: { city: "Bergen", room: null },
    };
    assertEquals(await patch(change), [200, note]);
    assertEquals((await call("GET")).note, note);
    assertEquals(await patch({ place: null, tags: null }), [200, {
      text: "milk",
    }]);
  });
});

Deno.test("an invalid patch changes nothing", async () => {
  await withNote("milk", async (call, tag) => {
    const headers = { "if-match": tag };
    for (
      const [content, status] of [
        [{ text: null }, 400],
        [{ due: "soon" }, 400],
        [{ place: { room: "2" } }, 422], // the merged place lacks its city
      ] as const
    ) {
      assertEquals((await call("PATCH", headers, content)).status, status);
    }
    const json = { ...headers, "content-type": "application/json" };
    assertEquals((await call("PATCH", json, { text: "x" })).status, 415);
    const { note, tag: same } = await call("GET");
    assertEquals([note, same], [{ text: "milk" }, tag]);
  });
});

Deno.test("a patch of an outdated version gets 412, and a patch without a version gets 428", async () => {
  await withNote("milk", async (call, tag) => {
    const mine = await call("PATCH", { "if-match": tag }, "bread");
    assertEquals(mine.status, 200);
    const theirs = await call("PATCH", { "if-match": tag }, "wine");
    assertEquals([theirs.status, theirs.tag], [412, mine.tag]);
    assertEquals((await call("PATCH", {}, "wine")).status, 428);
    const missing = await call("PATCH", { "if-match": "*" }, { due: null });
    assertEquals([missing.status, missing.text], [200, "bread"]);
  });
  await withNote(undefined, async (call) => {
    const missing = await call("PATCH", { "if-match": "*" }, "wine");
    assertEquals(missing.status, 404);
  });
});

Deno.test("clients that add tags at the same time lose none", async () => {
  await withNote("milk", async (call, _tag, baseUrl) => {
    const api = createNotesClient(baseUrl);
    const tags = ["a", "b", "c", "d"];
    const added = tags.map((tag) => addTag(api, { name: "todo" }, tag));
    assertEquals(await Promise.all(added), [true, true, true, true]);
    const { note } = await call("GET");
    assertEquals((note as { tags: string[] }).tags.sort(), tags);
    assertEquals(await addTag(api, { name: "missing" }, "a"), false);
  });
});

Deno.test("a change that another request overtook writes nothing", () => {
  clearNotes();
  const first = saveNote("todo", { text: "milk" });
  const second = saveNote("todo", { text: "bread" }, first);
  for (const tag of [first, undefined]) {
    assertThrows(() => saveNote("todo", { text: "wine" }, tag), HttpError);
  }
  const { note, tag } = findNote("todo")!;
  assertEquals([note, tag], [{ text: "bread" }, second]);
});

// The examples of RFC 7396, appendix A.
Deno.test("mergePatch() follows RFC 7396", () => {
  for (
    const [target, patch, result] of [
      [{ a: "b" }, { a: "c" }, { a: "c" }],
      [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
      [{ a: "b" }, { a: null }, {}],
      [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
      [{ a: ["b"] }, { a: "c" }, { a: "c" }],
      [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
      [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
      [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
      [["a", "b"], ["c", "d"], ["c", "d"]],
      [{ a: "b" }, ["c"], ["c"]],
      [{ a: "foo" }, null, null],
      [{ a: "foo" }, "bar", "bar"],
      [{ e: null }, { a: 1 }, { e: null, a: 1 }],
      [[1, 2], { a: "b", c: null }, { a: "b" }],
      [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ]
  ) {
    assertEquals(mergePatch(target, patch), result);
  }
  const patch = JSON.parse('{"__proto__":{"isAdmin":true}}');
  assertEquals(Object.getPrototypeOf(mergePatch({}, patch)), Object.prototype);
});
