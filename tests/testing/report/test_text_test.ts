/** The text of a test uses only the identifiers of responses. */
import { assertEquals } from "@std/assert";
import type { RequestPlan } from "../../../src/testing/plan.ts";
import { testText } from "../../../src/testing/report/test_text.ts";

const SETUP = { method: "GET", target: "/api/shelves", headers: {} };
const READ = { method: "GET", target: "/api/books/1?a=$", headers: {} };
const CREATE_TEXT =
  'const created = await app.fetch(new Request("http://localhost/api/books", { method: "POST" }));';
const LOCATION_TEXT =
  'const location = new URL(created.headers.get("location")!, "http://localhost/api/books");';
const CANCEL_TEXT = "await created.body?.cancel();";

function create(returned: Readonly<Record<string, string>>): RequestPlan {
  return { method: "POST", target: "/api/books", headers: {}, returned };
}

/** The lines of a test, without its frame and its last lines. */
function linesOf(...requests: RequestPlan[]): string[] {
  const lines = testText("a name", requests, "assert(true);").split("\n");
  assertEquals(lines.shift(), 'Deno.test("a name", async () => {');
  assertEquals(lines.splice(-3), [
    "  assert(true);",
    "  await response.body?.cancel();",
    "});",
  ]);
  return lines.map((line) => line.trim());
}

const BY_ID = "new Request(`http://localhost/api/books/${id}?a=\\$`)";

const END_TEXT = 'const id = location.pathname.split("/").at(-1);';
const SLASH = { ...READ, target: "/api/books/1/" };

for (
  const [name, returned, requests, lines] of [
    [
      "Location",
      { "": "/api/books/1?a=$", "/id": "1" },
      [READ],
      [LOCATION_TEXT, CANCEL_TEXT, "new Request(location)"],
    ],
    [
      "the end of Location",
      { "": "/api/books/1", "/id": "1" },
      [READ],
      [LOCATION_TEXT, END_TEXT, CANCEL_TEXT, BY_ID],
    ],
    [
      "the end of a Location elsewhere",
      { "": "/api/shelves/4" },
      [{ ...READ, target: "/api/shelves/4/books" }],
      [
        LOCATION_TEXT,
        END_TEXT,
        CANCEL_TEXT,
        "new Request(`http://localhost/api/shelves/${id}/books`)",
      ],
    ],
    [
      "a member",
      { "/price": "9", "/id": "1" },
      [READ],
      ['const { "id": id } = await created.json();', BY_ID],
    ],
    [
      "a member in an envelope",
      { "/book/slug": "1" },
      [READ],
      ['const { "book": { "slug": id } } = await created.json();', BY_ID],
    ],
    [
      "a random member, in another path",
      { "/id": "b-1234" },
      [{ ...READ, target: "/api/stock/b-1234" }],
      [
        'const { "id": id } = await created.json();',
        "new Request(`http://localhost/api/stock/${id}`)",
      ],
    ],
    [
      "no member of another path",
      { "/id": "1" },
      [{ ...READ, target: "/api/stock/1" }],
      ['new Request("http://localhost/api/stock/1")'],
    ],
    [
      "Location, and then its end",
      { "": "/api/books/1" },
      [{ ...READ, target: "/api/books/1" }, READ],
      [
        LOCATION_TEXT,
        END_TEXT,
        CANCEL_TEXT,
        "await (await app.fetch(new Request(location))).body?.cancel();",
        BY_ID,
      ],
    ],
    [
      "Location, and then a member",
      { "": "/api/books/1/", "/id": "1" },
      [SLASH, READ],
      [
        LOCATION_TEXT,
        'const { "id": id } = await created.json();',
        "await (await app.fetch(new Request(location))).body?.cancel();",
        BY_ID,
      ],
    ],
  ] as const
) {
  Deno.test(`the text of a test follows from ${name}`, () => {
    const creation = lines.length === 1
      ? `await (${
        CREATE_TEXT.slice("const created = ".length, -1)
      }).body?.cancel();`
      : CREATE_TEXT;
    assertEquals(linesOf(SETUP, create(returned), ...requests), [
      'await (await app.fetch(new Request("http://localhost/api/shelves"))).body?.cancel();',
      creation,
      ...lines.slice(0, -1),
      `const response = await app.fetch(${lines.at(-1)});`,
    ]);
  });
}

Deno.test("the text of a test uses each of two created resources", () => {
  const other = { ...READ, target: "/api/books/2" };
  const two = linesOf(
    create({ "/id": "1" }),
    create({ "/id": "2" }),
    READ,
    other,
  );
  assertEquals(two.slice(-4), [
    CREATE_TEXT.replace("created", "created2"),
    'const { "id": id2 } = await created2.json();',
    `await (await app.fetch(${BY_ID})).body?.cancel();`,
    "const response = await app.fetch(new Request(`http://localhost/api/books/${id2}`));",
  ]);
  const page = {
    ...create({ "": "/api/books/1/pages/3" }),
    target: "/api/books/1/pages",
  };
  const nested = { ...READ, target: "/api/books/1/pages/3/text" };
  assertEquals(
    linesOf(create({ "/id": "1" }), page, nested).at(-1),
    "const response = await app.fetch(new Request(`http://localhost/api/books/${id}/pages/${id2}/text`));",
  );
});

Deno.test("the text of a test reads an identifier that its assertion names", () => {
  const text = testText(
    "a",
    [create({ "/id": "7" }), SETUP],
    'assert((await response.json()).some((item) => item == "7"));',
  ).split("\n");
  assertEquals(text.slice(2, -1).map((line) => line.trim()), [
    'const { "id": id } = await created.json();',
    'const response = await app.fetch(new Request("http://localhost/api/shelves"));',
    "assert((await response.json()).some((item) => item == id));",
  ]);
});

Deno.test("the text of a test cancels the body of its last response, or reads it", () => {
  const text = (assertion: string | undefined) =>
    testText("a", [SETUP], assertion).split("\n").slice(1, -1)
      .map((line) => line.trim());
  const request = 'new Request("http://localhost/api/shelves")';
  assertEquals(text(undefined), [
    `const response = await assertResponds(app, ${request});`,
    "await response.body?.cancel();",
  ]);
  const reading = "assertEquals(await response.json(), 1);";
  assertEquals(text(reading), [
    `const response = await app.fetch(${request});`,
    reading,
  ]);
});
