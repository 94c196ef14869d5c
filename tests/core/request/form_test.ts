import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { queryValues, readMultipart } from "../../../src/core/request/form.ts";

const TYPE = "multipart/form-data; boundary=b";
const PART = '--b\r\nContent-Disposition: form-data; name="a"';

type Entry = readonly [name: string, value: string | string[]];

async function entriesOf(
  form: FormData | undefined,
): Promise<Entry[] | undefined> {
  if (form === undefined) return undefined;
  return await Promise.all([...form].map(async ([name, value]) =>
    [
      name,
      typeof value === "string"
        ? value
        : [value.name, value.type, String(await value.bytes())],
    ] as const
  ));
}

function read(
  text: string,
  type: string = TYPE,
): Promise<Entry[] | undefined> {
  try {
    return entriesOf(readMultipart(new TextEncoder().encode(text), type));
  } catch (error) {
    assert(error instanceof SyntaxError);
    return Promise.resolve(undefined);
  }
}

/** Characters that parsers of names may mishandle. */
const SPECIAL = fc.constantFrom('"', "\\", "\r\n", ";", " ", "=", "filename");

Deno.test("readMultipart() reads every value of a written form", async () => {
  // Browsers encode no percent sign, and a field drops a byte order mark.
  const text = fc.string({
    unit: fc.oneof(fc.string({ unit: "binary", maxLength: 1 }), SPECIAL),
    maxLength: 20,
  }).map((text) => text.replaceAll(/[%\r\n\ufeff]/g, "").toWellFormed());
  const name = fc.string({ unit: fc.oneof(SPECIAL, fc.constant("a")) });
  const file = fc.tuple(
    fc.uint8Array({ minLength: 1 }),
    name,
    fc.constantFrom("", "a/b"),
  )
    .map(([bytes, name, type]) =>
      new File([new Uint8Array(bytes)], name, { type })
    );
  const entries = fc.array(
    fc.tuple(fc.oneof(text, name), fc.oneof(text, file)),
  );
  await fc.assert(
    fc.asyncProperty(entries, async (entries) => {
      const form = new FormData();
      for (const [name, value] of entries) form.append(name, value);
      const written = new Response(form);
      const type = written.headers.get("content-type")!;
      const found = readMultipart(await written.bytes(), type);
      const expected = await entriesOf(form);
      for (const [, value] of expected!) {
        // Written with this type, where it has none.
        if (typeof value !== "string") value[1] ||= "application/octet-stream";
      }
      assertEquals(await entriesOf(found), expected);
    }),
  );
});

Deno.test("readMultipart() reads forms as clients may write them (RFC 2046, 5.1)", async () => {
  const one = [["a", "1"]] as const;
  for (
    const [text, entries] of [
      [`${PART}\r\n\r\n1\r\n--b--\r\n`, one],
      [`${PART}\r\n\r\n1\r\n--b--`, one],
      [`${PART}\r\n\r\n1\r\n--b-- \t`, one],
      [`before\r\n${PART}\r\n\r\n1\r\n--b-- \r\nafter`, one],
      [`${PART}\r\nX\r\nx: 1\r\n\r\n1\r\n--b--`, one],
      ["--b \r\ncontent-disposition:form-data;name=a\r\n\r\n1\r\n--b--", one],
      [`${PART}\r\n\r\n\r\n--b--`, [["a", ""]]],
      [`${PART}\r\n\r\n--b--`, [["a", ""]]],
      [`${PART}\r\n\r\n1\n--b--\r\n--bb\r\n--b--`, [["a", "1\n--b--\r\n--bb"]]],
      [`${PART}\r\n\r\n1\r\n+-b\r\n-+b\r\n--b--`, [["a", "1\r\n+-b\r\n-+b"]]],
      [
        `${PART}; filename=f\r\nContent-Type:text/x\r\n\r\n1\r\n--b--`,
        [["a", ["f", "text/x", "49"]]],
      ],
      [
        `${PART}; filename=f\r\n\r\n1\r\n--b--`,
        [["a", ["f", "application/octet-stream", "49"]]],
      ],
      [`${PART}; x="; name=c"\r\n\r\n1\r\n--b--`, one],
      // An input for a file without a choice.
      [`${PART}; filename=""\r\n\r\n\r\n${PART}\r\n\r\n1\r\n--b--`, one],
      [`${PART}\r\n\r\n1\r\n${PART}; filename=""\r\n\r\n--b--`, one],
      ...([
        ['"a\\"b.txt"', 'a"b.txt'],
        ['"\\"a\\""; x=y', '"a"'],
        ['"a\\"', "a\\"],
        ['"\\\\x\\a.txt"', "\\\\x\\a.txt"],
        ['"a%22%0D%0A%25b"', 'a"\r\n%25b'],
      ] as const).map(([written, name]) =>
        [
          `${PART}; filename=${written}\r\nContent-Type:text/x\r\n\r\n1\r\n--b--`,
          [["a", [name, "text/x", "49"]]],
        ] as const
      ),
      ["--b--", []],
      // tests/core/operation/linear_cost_slow.ts measures the cost of many spaces.
      [`${PART};${" ".repeat(16_000)}x\r\n\r\n1\r\n--b--`, one],
    ] as const
  ) assertEquals<unknown>(await read(text), entries, text);
  for (
    const type of [
      'multipart/form-data; boundary="b"',
      `multipart/form-data; boundary=b${" ".repeat(64_000)};`,
      "multipart/form-data;Boundary=b ; charset=utf-8",
      'multipart/form-data; x="; boundary=c"; boundary=b; boundary=d',
    ]
  ) assertEquals(await read(`${PART}\r\n\r\n1\r\n--b--`, type), [["a", "1"]]);
});

Deno.test("readMultipart() rejects malformed and incomplete forms", async () => {
  for (
    const text of [
      "",
      "x",
      "--b",
      "--b\r\n",
      `${PART}\r\n\r\n1\r\n`,
      `${PART}\r\n\r\n1\r\n--b`,
      `${PART}\r\n--b--\r\n`,
      `${PART}\r\n\r\n1\r\n--b\r\n--b--`,
      `${PART}\r\n\r\n1\r\n--b--x`,
      "--b\r\n\r\nno name\r\n--b--",
    ]
  ) assertEquals(await read(text), undefined, text);
  for (
    const type of ["multipart/form-data", 'multipart/form-data; boundary=""']
  ) {
    assertEquals(await read(`${PART}\r\n\r\n1\r\n--b--`, type), undefined);
  }
});

/** Strings of a query that its two readers read in the same way. */
const PLAIN = fc.string({
  unit: fc.constantFrom(
    ...["a", "b", "&", "=", "&&", "==", "?", "\r\n", "\0", "\x7f", "1"],
    ...["__proto__", "constructor"],
  ),
  maxLength: 10,
});
/** Strings that only `URLSearchParams` or `URL` decodes, and lone surrogates. */
const DECODED = fc.oneof(
  fc.constantFrom("", "+", "%", "%3D", "%26a", "%ff", "\t", "\x80", "\ufeff"),
  fc.constantFrom("\ud800", "\udc00"),
  fc.string({ unit: "grapheme", maxLength: 2 }),
).map((text) => text.replaceAll("#", ""));

Deno.test("queryValues() reads every query like URLSearchParams", () => {
  const query = fc.tuple(PLAIN, DECODED, PLAIN, DECODED)
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(query, fc.constantFrom("", "#", "#?a=1&c"), (query, rest) => {
      const found = queryValues(`http://h/q?${query}${rest}`);
      const expected: [string, string | string[]][] = [];
      const params = new URLSearchParams("?" + query.replaceAll("\t", ""));
      for (const name of new Set(params.keys())) {
        const values = params.getAll(name);
        expected.push([name, values.length === 1 ? values[0]! : values]);
      }
      const values = Object.fromEntries(expected);
      assertEquals(found, values);
      assertEquals(Object.keys(found), Object.keys(values));
      assertEquals(Object.getPrototypeOf(found), null);
    }),
    { numRuns: 500 },
  );
  for (const url of ["http://h/q", "http://h/q%", "http://h/q%#?a=1"]) {
    assertEquals(queryValues(url), {});
  }
});
