/** The `Deno.test` of a report fails with the fault, and passes without it. */
import { errorResponse, HttpError } from "@bough/framework";
import {
  assertDeclared,
  assertResponds,
  ContractError,
  type ContractFailure,
  failureText,
  summaryTable,
} from "@bough/framework/testing";
import { assertEquals, assertRejects } from "@std/assert";
import { z } from "zod";
import { log } from "../../../src/core/common/log.ts";
import { TestApplication } from "../../support/application.ts";
import { type Note, notesWith, type Parts } from "../notes.ts";
import { check, type Modules, passesWith, Store } from "../support.ts";

const odd = () => {
  throw new Error("odd");
};

/** Only the Location names a note. */
const LOCATED: Parts = {
  located: ({ id }) => ({ location: `/api/notes/${id}` }),
  response: ({ text }) => ({ text }),
};

const One = z.object({ a: z.int() });
const ONE = { get: { response: { 200: One } } };
const text = () => Response.json(1);

/** A route whose middleware may respond to errors without the invalid place. */
const withMiddleware = (isUnnamed: boolean): Modules => ({
  "a/route.ts": {
    schema: { post: { body: One } },
    POST: () => new Response(),
  },
  "a/middleware.ts": {
    default: (request, next) =>
      next().catch((error) => {
        if (!isUnnamed) throw error;
        return errorResponse(new HttpError(error.status ?? 400), request);
      }),
  },
});

const CASES: readonly (readonly [string, Modules, Modules])[] = [
  ...[LOCATED, {}].flatMap((parts) =>
    Object.entries<Parts>({
      "a note that is not stored": { created: () => undefined },
      "a note that is not deleted": { deletes: false },
      "a note that cannot be read": { read: odd },
    }).map(([name, fault]) =>
      [
        `${name}, ${parts === LOCATED ? "by Location" : "by a member"}`,
        notesWith({ ...parts, ...fault }),
        notesWith(parts),
      ] as const
    )
  ),
  [
    "a shape",
    { "a/route.ts": { schema: ONE, GET: () => Response.json({ a: "1" }) } },
    { "a/route.ts": { schema: ONE, GET: () => Response.json({ a: 1 }) } },
  ],
  [
    "a promise that is not awaited",
    {
      "a/route.ts": {
        GET: async () => {
          void Promise.reject(new Error("left"));
          await new Promise((go) => setTimeout(go));
          return text();
        },
      },
    },
    { "a/route.ts": { GET: text } },
  ],
  [
    "an error in the log",
    {
      "a/route.ts": {
        GET: () => {
          log({ level: "warning", message: "GET /api/a failed" });
          return text();
        },
      },
    },
    { "a/route.ts": { GET: text } },
  ],
  [
    "a place that is not named",
    withMiddleware(true),
    withMiddleware(false),
  ],
];

for (const [name, faulty, healthy] of CASES) {
  Deno.test(`the test of a report shows its fault alone: ${name}`, async () => {
    const { failures } = await check(faulty, { seed: 3, runs: 30 });
    assertEquals(failures.length > 0, true, "nothing is found");
    for (const { test } of failures) {
      assertEquals(await passesWith(faulty, test), false, test);
      assertEquals(await passesWith(healthy, test), true, test);
    }
  });
}

Deno.test("assertDeclared() and assertResponds() throw the finding", async () => {
  const { app } = TestApplication.of({
    "a/route.ts": { schema: ONE, GET: () => Response.json({ a: "1" }) },
    "late/route.ts": { GET: () => new Promise(() => {}) },
  });
  const request = new Request("http://localhost/api/a");
  const response = await assertResponds(app, request);
  const message =
    'expected a 200 as declared; got a 200 that does not fit its schema: at "#/a"';
  await assertRejects(
    () => assertDeclared(app, "GET /a", response),
    ContractError,
    message,
  );
  assertEquals(await response.json(), { a: "1" });
  await assertRejects(
    () => assertDeclared(app, "POST /a", new Response()),
    TypeError,
    'Cannot check the response: "POST /a" is not an operation',
  );
  const late = new Request("http://localhost/api/late");
  await assertRejects(
    () => assertResponds(app, late, { timeout: 20 }),
    ContractError,
    "got no response within 0.02 s",
  );
});

Deno.test("summaryTable() lists the tests of each operation", () => {
  const row = {
    operation: "GET /a",
    runs: 0,
    failure: undefined,
    note: undefined,
  };
  const table = summaryTable([
    { ...row, property: "accepted", runs: 60 },
    { ...row, property: "refused" },
    { ...row, property: "declared", runs: 1, failure: {} as ContractFailure },
    { ...row, property: "state", note: "rejected" },
  ]).split("\n").map((line) => line.split(/ {2,}/));
  assertEquals(table.length, 2);
  const cells = Object.fromEntries(
    table[0]!.map((name, column) => [name, table[1]![column]]),
  );
  assertEquals(cells, {
    ...Object.fromEntries(table[0]!.map((name) => [name, "-"])),
    ROUTE: "GET /a",
    ACCEPTED: "60",
    REFUSED: "none",
    DECLARED: "FAILED",
  });
});

Deno.test("strings that look the same are shown with escapes and lengths", () => {
  const failure = { curl: [], test: "", property: "state", operations: [] };
  for (
    const [expected, seen, shownExpected, shownSeen] of [
      ["x", "y", '"x"', '"y"'],
      [
        "\u00e9",
        "e\u0301",
        '"\\u{e9}" (length 1)',
        '"e\\u{301}" (length 2)',
      ],
      ["ab", "a\u200bb", '"ab" (length 2)', '"a\\u{200b}b" (length 3)'],
      ["a b", "a  b", '"a b" (length 3)', '"a  b" (length 4)'],
      ["a\u00a0b", "c", '"a\\u{a0}b" (length 3)', '"c"'],
      ["a\0", "b", '"a\\u0000" (length 2)', '"b"'],
      ['a"\u202e', "b", '"a\\"\\u{202e}" (length 3)', '"b"'],
      ["日本", "京", '"日本"', '"京"'],
      ["😀", "y", '"😀"', '"y"'],
    ] as const
  ) {
    const text = failureText({
      ...failure,
      expected: `"title": ${JSON.stringify(expected)}, as before`,
      seen: `"title": ${JSON.stringify(seen)}`,
    } as unknown as ContractFailure);
    const [, first, second] = text.split("\n");
    assertEquals(first, `  expected: "title": ${shownExpected}, as before`);
    assertEquals(second, `  seen:     "title": ${shownSeen}`);
  }
});

Deno.test("the requests before a counterexample are shrunk, with any identifiers", async () => {
  let last = 0;
  const body = z.object({
    text: z.string().max(50),
    list: z.array(z.int().min(7)).min(1),
  });
  for (
    const nextId of [
      (notes) => String(notes.size + 1),
      () => String(++last),
      () => crypto.randomUUID(),
    ] satisfies Parts["nextId"][]
  ) {
    const notes = new Store<Note>();
    const parts = { notes, nextId, body, read: odd };
    const { failures: [failure] } = await check(notesWith(parts), {
      seed: 3,
      runs: 100,
      reset: () => notes.clear(),
      properties: ["failure"],
    });
    const { requests, replays } = failure!;
    const methods = requests.map(({ method }) => method);
    assertEquals([replays, ...methods], [true, "POST", "GET"], `${nextId}`);
    const { text, list } = JSON.parse(requests[0]!.body!);
    assertEquals([text, list.length, list[0] < 14], ["", 1, true]);
  }
});

Deno.test("a report escapes control characters, and has a line for each line of a message", () => {
  const text = failureText({
    property: "failure",
    operation: "GET /a",
    operations: ["GET /a"],
    file: "a/route.ts",
    expected: "no error",
    seen: "Error: a\u001b\n  b",
    curl: ["curl -i 'http://localhost/a'"],
    test: 'Deno.test("a", () => {\n  a();\n});',
    seed: 7,
    replays: true,
  } as unknown as ContractFailure);
  assertEquals(text.split("\n"), [
    "GET /a (a/route.ts): no request makes the application fail",
    "  expected: no error",
    "  seen:     Error: a\\u001b",
    "              b",
    "  seed:     7",
    "",
    "  curl -i 'http://localhost/a'",
    "",
    '  Deno.test("a", () => {',
    "    a();",
    "  });",
  ]);
});
