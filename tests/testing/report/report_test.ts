/** The `Deno.test` of a report fails with the fault, and passes without it. */
import { Framework } from "@bough/framework";
import {
  assertDeclared,
  assertResponds,
  checkContracts,
  ContractError,
  type ContractFailure,
  failureText,
  summaryTable,
  type TestedApplication,
} from "@bough/framework/testing";
import { assertEquals, assertRejects } from "@std/assert";
import { TestFolder } from "../../support/application.ts";
import { passesFast } from "../support.ts";

type Files = Readonly<Record<string, string>>;

const ITEM = `
  import { HttpError } from "@bough/framework";
  import { Problem } from "@bough/framework/openapi";
  import { notes } from "../store.js";
  const response = { 404: Problem };
  export const schema = { get: { response }, delete: { response } };
  const find = (id) => {
    if (!notes.has(id)) throw new HttpError(404);
    return notes.get(id);
  };
  export const GET = ({ params }) => Response.json(find(params.id));
  export const DELETE = ({ params }) => {
    find(params.id);
    notes.delete(params.id);
    return new Response(null, { status: 204 });
  };`;

/** Notes whose identifiers are random. */
const NOTES = (isLocated: boolean): Files => ({
  "notes/store.js": "export const notes = new Map();",
  "notes/route.ts": `import { z } from "zod";
    import { notes } from "./store.js";
    export const schema = { post: { body: z.object({ text: z.string().max(5) }) } };
    export const POST = ({ validated: { body } }) => {
      const note = { id: crypto.randomUUID(), ...body };
      notes.set(note.id, note);
      return Response.json(${isLocated ? "{ text: note.text }" : "note"}, {
        status: 201,
        ${isLocated ? "headers: { location: `/api/notes/${note.id}` }," : ""}
      });
    };`,
  "notes/[id]/route.ts": ITEM,
});

/** What is broken: a name, the files, and a replacement in one of them. */
const CASES: readonly (readonly [string, Files, string, string, string])[] = [
  ...[true, false].flatMap((isLocated) =>
    ([
      ["notes/route.ts", "notes.set(note.id, note);", ""],
      ["notes/[id]/route.ts", "notes.delete(params.id);", ""],
      [
        "notes/[id]/route.ts",
        "=> Response.json(find(params.id))",
        "=> { find(params.id); throw new Error('odd'); }",
      ],
    ] as const).map(([file, find, replace]) =>
      [
        `state, ${isLocated ? "by Location" : "by a member"}, ${file}`,
        NOTES(isLocated),
        file,
        find,
        replace,
      ] as const
    )
  ),
  [
    "a shape",
    {
      "a/route.ts": `import { z } from "zod";
        export const schema = { get: { response: { 200: z.object({ a: z.int() }) } } };
        export const GET = () => Response.json({ a: 1 });`,
    },
    "a/route.ts",
    "a: 1 }",
    'a: "1" }',
  ],
  [
    "a promise that is left",
    { "a/route.ts": `export const GET = () => Response.json(1);` },
    "a/route.ts",
    "() =>",
    `async () => (Promise.reject(new Error("left")),
      await new Promise((go) => setTimeout(go))) ??`,
  ],
  [
    "an error in the log",
    { "a/route.ts": `export const GET = () => Response.json(1);` },
    "a/route.ts",
    "() =>",
    `() => console.error("[bough] GET /api/a failed") ??`,
  ],
  [
    "a place that is not named",
    {
      "a/route.ts": `import { z } from "zod";
        export const schema = { post: { body: z.object({ a: z.int() }) } };
        export const POST = () => new Response();`,
      "a/middleware.ts":
        `import { errorResponse, HttpError } from "@bough/framework";
        export default (request, next) => next().catch((error) => { throw error; });`,
    },
    "a/middleware.ts",
    "throw error;",
    "return errorResponse(new HttpError(error.status ?? 400), request);",
  ],
];

for (const [name, files, file, find, replace] of CASES) {
  Deno.test(`the test of a report shows its fault alone: ${name}`, async () => {
    const text = files[file]!;
    assertEquals(text.split(find).length, 2);
    await using sound = await TestFolder.create(files);
    await using faulty = await TestFolder.create({
      ...files,
      [file]: text.replace(find, () => replace),
    });
    const make = ({ path }: TestFolder): TestedApplication =>
      new Framework({ apiDir: path });
    const { failures } = await checkContracts(() => make(faulty), {
      seed: 3,
      runs: 30,
    });
    assertEquals(failures.length > 0, true, "nothing is found");
    for (const { test } of failures) {
      assertEquals(await passesFast(test, make(faulty)), false, test);
      assertEquals(await passesFast(test, make(sound)), true, test);
    }
  });
}

Deno.test("assertDeclared and assertResponds tell what is wrong", async () => {
  await using folder = await TestFolder.create({
    "a/route.ts": `import { z } from "zod";
      export const schema = { get: { response: { 200: z.object({ a: z.int() }) } } };
      export const GET = () => Response.json({ a: "1" });`,
    "late/route.ts": "export const GET = () => new Promise(() => {});",
  });
  const app = new Framework({ apiDir: folder.path });
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

Deno.test("summaryTable() tells what was tried of each operation", () => {
  const note = undefined;
  const operation = "GET /a";
  const table = summaryTable([
    { property: "accepted", operation, runs: 60, failure: undefined, note },
    { property: "refused", operation, runs: 0, failure: undefined, note },
    {
      property: "declared",
      operation,
      runs: 1,
      failure: {} as ContractFailure,
      note,
    },
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

Deno.test("strings that look alike are shown with escapes and lengths", () => {
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

for (
  const id of [
    "String(notes.size + 1)",
    "String(globalThis.lastNote = (globalThis.lastNote ?? 0) + 1)",
    "crypto.randomUUID()",
  ]
) {
  Deno.test(`the requests before a counterexample are shrunk: ${id}`, async () => {
    await using folder = await TestFolder.create({
      ...NOTES(false),
      "notes/store.js": "export const notes = globalThis.allNotes = new Map();",
      "notes/route.ts": NOTES(false)["notes/route.ts"]!
        .replace("crypto.randomUUID()", id)
        .replace("max(5) }", "max(50), list: z.array(z.int().min(7)).min(1) }"),
      "notes/[id]/route.ts": ITEM.replace(
        "=> Response.json(find(params.id))",
        "=> { find(params.id); throw new Error('odd'); }",
      ),
    });
    const { failures: [failure] } = await checkContracts(
      () => new Framework({ apiDir: folder.path }),
      {
        seed: 3,
        reset: () =>
          (globalThis as unknown as { allNotes: Map<string, unknown> }).allNotes
            ?.clear(),
        properties: ["failure"],
      },
    );
    const { requests, replays } = failure!;
    assertEquals(replays, true);
    assertEquals(requests.map(({ method }) => method), ["POST", "GET"]);
    const { text, list } = JSON.parse(requests[0]!.body!);
    assertEquals([text, list.length, list[0] < 14], ["", 1, true]);
  });
}

Deno.test("a report shows each frame in a line of its own, and no other control characters", () => {
  const text = failureText({
    property: "failure",
    operation: "GET /a",
    operations: ["GET /a"],
    file: "a/route.ts",
    expected: "no error",
    seen: "Error: a\u001b\n      at GET (a/route.ts:1:2)",
    curl: ["curl -i 'http://localhost/a'"],
    test: 'Deno.test("a", () => {\n  a();\n});',
    seed: 7,
    replays: true,
  } as unknown as ContractFailure);
  assertEquals(text.split("\n"), [
    "GET /a (a/route.ts): no request makes the application fail",
    "  expected: no error",
    "  seen:     Error: a\\u001b",
    "              at GET (a/route.ts:1:2)",
    "  seed:     7",
    "",
    "  curl -i 'http://localhost/a'",
    "",
    '  Deno.test("a", () => {',
    "    a();",
    "  });",
  ]);
});
