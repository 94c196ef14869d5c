/** The `Deno.test` of a report fails with the fault, and passes without it. */
import { Framework } from "@bough/framework";
import {
  assertDeclared,
  assertResponds,
  checkContracts,
  ContractError,
  type ContractFailure,
  summaryTable,
  type TestedApplication,
} from "@bough/framework/testing";
import { assertEquals, assertRejects } from "@std/assert";
import { TestFolder } from "../../support/application.ts";
import { passes } from "../run_test_text.ts";

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
      assertEquals(await passes(test, make(faulty)), false, test);
      assertEquals(await passes(test, make(sound)), true, test);
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
