/** The text of a test uses what a response says of what was created, and no more. */
import { assertEquals } from "@std/assert";
import type { Following, RequestPlan } from "../../../src/testing/plan.ts";
import { testText } from "../../../src/testing/report/test_text.ts";

const SETUP = { method: "GET", target: "/api/shelves", headers: {} };
const CREATE = { method: "POST", target: "/api/books", headers: {} };
const CREATE_TEXT =
  'const created = await app.fetch(new Request("http://localhost/api/books", { method: "POST" }));';
const LOCATION_TEXT =
  'const location = new URL(created.headers.get("location")!, "http://localhost/api/books");';
const CANCEL_TEXT = "await created.body?.cancel();";
const BY_MEMBER = { segment: 3, member: "id" };
const BY_LOCATION = { segment: 3, member: undefined };

function read(follows: Following): RequestPlan {
  return { method: "GET", target: "/api/books/1?a=$", headers: {}, follows };
}

/** The lines of a test, without its frame and the ways in which it ends. */
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

for (
  const [name, follows, lines] of [
    [
      "Location",
      ["location"],
      [LOCATION_TEXT, CANCEL_TEXT, "new Request(location)"],
    ],
    [
      "the end of Location",
      [BY_LOCATION],
      [
        LOCATION_TEXT,
        'const id = location.pathname.split("/").at(-1);',
        CANCEL_TEXT,
        BY_ID,
      ],
    ],
    [
      "a member",
      [BY_MEMBER],
      ['const { "id": id } = await created.json();', BY_ID],
    ],
    [
      "Location, and then its end",
      ["location", BY_LOCATION],
      [
        LOCATION_TEXT,
        'const id = location.pathname.split("/").at(-1);',
        CANCEL_TEXT,
        "await (await app.fetch(new Request(location))).body?.cancel();",
        BY_ID,
      ],
    ],
    [
      "Location, and then a member",
      ["location", BY_MEMBER],
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
    assertEquals(linesOf(SETUP, CREATE, ...follows.map(read)), [
      'await (await app.fetch(new Request("http://localhost/api/shelves"))).body?.cancel();',
      CREATE_TEXT,
      ...lines.slice(0, -1),
      `const response = await app.fetch(${lines.at(-1)});`,
    ]);
  });
}

Deno.test("the text of a test cancels the body of its last response, unless it reads it", () => {
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
