/** An application is explored before it is tested. */
import { assertEquals } from "@std/assert";
import { check, found } from "../support.ts";

const NEVER = "() => new Promise(() => {})";

Deno.test("what lists name, and what is created, is asked for", async () => {
  const item = (test: string) => `
    export const schema = { get: { response: { 200: {}, 404: {} } } };
    export const GET = ({ params }) =>
      new Response(null, { status: ${test} ? 200 : 404 });`;
  const report = await check({
    "listed/route.js":
      `export const GET = () => Response.json({ items: [{ id: "x7" }] });`,
    "listed/[id]/route.js": item(`params.id === "x7"`),
    "made/store.js": `export const made = new Set();`,
    "made/route.js": `import { made } from "./store.js";
      export const POST = () => {
        const id = crypto.randomUUID();
        made.add(id);
        return Response.json({ id }, { status: 201 });
      };`,
    "made/[madeId]/route.js": `import { made } from "../store.js";
      ${item("made.has(params.madeId)")}`,
    // Known by the name of its segment.
    "notes/[madeId]/route.js": `import { made } from "../../made/store.js";
      ${item("made.has(params.madeId)")}`,
    "none/[id]/route.js": item("false"),
  }, { properties: ["accepted"], runs: 20 });
  assertEquals(found(report), []);
  assertEquals(
    report.results.flatMap(({ operation, note }) =>
      note === undefined ? [] : [operation]
    ),
    ["GET /api/none/[id]"],
  );
});

Deno.test("a list is asked for without its optional filters", async () => {
  for (const seed of [1, 2, 3]) {
    const report = await check({
      "notes/route.ts": `import { z } from "zod";
        const text = z.string().optional();
        const limit = z.coerce.number().int().min(0).default(20);
        export const schema = {
          get: { query: z.object({ author: text, tag: text, limit }) },
        };
        export function GET({ validated: { query: { author, tag, limit } } }) {
          const isAll = author === undefined && tag === undefined && limit > 0;
          return Response.json(isAll ? [{ slug: "x7" }] : []);
        }`,
      "notes/[slug]/route.ts": `
        export const schema = { get: { response: { 200: {}, 404: {} } } };
        export const GET = ({ params: { slug } }) =>
          new Response(null, { status: slug === "x7" ? 200 : 404 });`,
    }, { properties: ["accepted"], runs: 20, seed });
    assertEquals(report.untested, []);
  }
});

// The first operation of all, and one after others.
for (const name of ["a", "z"]) {
  Deno.test(`a list /${name} that does not respond is asked for once`, async () => {
    let count = 0;
    Object.assign(globalThis, { counted: () => count++ });
    const report = await check({
      [`${name}/(list)/route.js`]:
        `export const GET = () => { globalThis.counted(); return (${NEVER})(); };`,
      [`${name}/[id]/route.js`]: "export const GET = () => new Response();",
      "b/route.js": "export const GET = () => new Response();",
    }, { timeout: 50, runs: 3 });
    assertEquals(found(report), [`failure GET /api/${name}`]);
    assertEquals(report.failures[0]!.seen, "no response within 0.05 s");
    assertEquals(count, 1);
  });
}
