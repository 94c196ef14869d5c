/** The values that a path, a query, headers and a body can carry. */
import { assertEquals } from "@std/assert";
import {
  areHeaders,
  asCarried,
  bodyOf,
  fileOf,
  isCarried,
  seenBody,
} from "../../src/shared/wire.ts";

Deno.test("a path carries any text except for dot segments, NUL and half a surrogate pair", () => {
  const isParam = (text: string) =>
    isCarried({ params: { a: "x", b: text }, wildcard: [] });
  const isEntry = (text: string) =>
    isCarried({ params: {}, wildcard: ["x", text] });
  for (const text of ["a", "ü", "🙂", "...", "%2e", " ", "a b", ".a", "a."]) {
    assertEquals([isParam(text), isEntry(text)], [true, true], text);
  }
  for (const text of ["", ".", "..", "a\0", "\ud83d", "\ude42a"]) {
    assertEquals([isParam(text), isEntry(text)], [false, false], text);
  }
  for (const text of ["a/b", "/", "a\\b"]) {
    assertEquals([isParam(text), isEntry(text)], [true, false], text);
  }
  assertEquals(isCarried({ params: {}, wildcard: [] }), true);
});

Deno.test("headers carry visible ASCII, with spaces only inside", () => {
  for (const value of ["a", "a b", "!~", "a  b", "0"]) {
    assertEquals(areHeaders({ "x-a": value, "X_B.1": "c" }), true, value);
  }
  for (const value of ["", " ", " a", "a ", "ü", "a\tb", "a\nb", 1, null]) {
    assertEquals(areHeaders({ "x-b": "c", "x-a": value }), false);
    assertEquals(areHeaders({ "x-a": value, "x-b": "c" }), false);
  }
  for (const name of ["", "a b", "a:", "ü", "a\n"]) {
    assertEquals(areHeaders({ [name]: "a" }), false, name);
  }
  assertEquals(areHeaders({}), true);
});

Deno.test("HTTP carries values as texts", () => {
  const query = {
    a: 1,
    b: [true, undefined, "x"],
    c: [2],
    d: [],
    e: undefined,
    f: null,
    "g\ud83d": "\ud83d",
    h: { i: 1 },
  };
  const texts = { a: "1", b: ["true", "x"], c: "2", f: "null", h: '{"i":1}' };
  const value = { A: 1 };
  for (
    const [part, given, expected] of [
      ["query", query, { ...texts, "g\ufffd": "\ufffd" }],
      ["headers", { "X-A": 1, "x-b": undefined }, { "x-a": "1" }],
      [
        "headers",
        { a: { toString: 1 }, b: null },
        { a: '{"toString":1}', b: "null" },
      ],
      ["params", value, value],
      ["body", value, value],
    ] as const
  ) assertEquals(asCarried(part, given), expected, part);
});

const URLENCODED = "application/x-www-form-urlencoded";

Deno.test("a body with a file is a multipart form, even if the file is in a list", () => {
  const file = fileOf("text", "text/plain");
  const typeOf = (value: unknown, type?: string) =>
    bodyOf(value, type)?.type.split(";")[0];
  const lists = [{ files: [file, file] }, { files: ["a", file] }];
  for (const value of [{ file }, { title: "a", file }, ...lists]) {
    for (const type of [undefined, URLENCODED]) {
      assertEquals(typeOf(value, type), "multipart/form-data");
    }
  }
  for (const value of [null, "a", 1, {}, { a: [1] }, [[{}]]]) {
    assertEquals(typeOf(value), "application/json");
    assertEquals(seenBody(value), value);
    assertEquals(typeOf(value, URLENCODED), URLENCODED);
  }
  for (const type of [undefined, URLENCODED]) {
    assertEquals(bodyOf(undefined, type), undefined);
    assertEquals(seenBody(undefined, type), undefined);
  }
});

Deno.test("a schema gets the values of a form as they were sent", async () => {
  const file = fileOf("text", "text/plain");
  const values = [
    [{ title: 'a"\r\n', tags: ["b", "c"], one: ["d"], none: undefined }, {
      "title": 'a"\r\n',
      tags: ["b", "c"],
      one: "d",
    }],
    [{ file, files: [file, file] }, { file, files: [file, file] }],
  ] as const;
  for (const [value, seen] of values) {
    assertEquals(seenBody(value, "multipart/form-data"), seen);
    const { text, type } = bodyOf(value, "multipart/form-data")!;
    const headers = { "content-type": type };
    const form = await new Response(text, { headers }).formData();
    const arrived = [...form].map(async ([name, each]) =>
      `${name}: ${typeof each === "string" ? each : await each.text()}`
    );
    const sent = Object.entries(seen).flatMap(([name, each]) =>
      [each].flat().map(async (one) =>
        `${name}: ${one instanceof File ? await one.text() : one}`
      )
    );
    assertEquals(await Promise.all(arrived), await Promise.all(sent));
  }
  assertEquals(seenBody({}, URLENCODED), undefined);
  assertEquals(seenBody({}, "multipart/form-data"), {});
});
