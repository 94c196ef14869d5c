/** The values of segments come from lists, and from what was created. */
import { assertEquals } from "@std/assert";
import type { Exchange } from "../../../src/testing/send/exchange.ts";
import { type CapturePlace, Pool } from "../../../src/testing/generate/pool.ts";
import { check, found } from "../support.ts";

const PLACE: CapturePlace = {
  segments: [
    { kind: "static", text: "books" },
    { kind: "dynamic", name: "bookId" },
  ],
  list: undefined,
  create: undefined,
};

/** The values of a segment that a pool knows after a list. */
function namedBy(list: unknown): unknown[] {
  const exchange: Exchange = {
    plan: { method: "GET", target: "/api/books", headers: {} },
    status: 200,
    headers: new Headers({ "content-type": "application/json" }),
    body: new TextEncoder().encode(JSON.stringify(list)),
    isCut: false,
    stream: "",
    errors: [],
  };
  const pool = new Pool();
  pool.addList(PLACE, { params: {}, wildcard: [] }, exchange);
  return pool.capturesOf(PLACE.segments).map(({ params }) => params.bookId);
}

Deno.test("a pool knows the items of a list that have an identifier", () => {
  assertEquals(namedBy([{ bookId: "a", id: 1 }, { id: 2 }, "c"]), [
    "a",
    "2",
    "c",
  ]);
  assertEquals(
    namedBy([null, 1, {}, "", { id: "" }, { id: null }, { id: 0 }]),
    ["0"],
  );
  assertEquals(namedBy({ total: 1, items: [{ id: 1 }] }), ["1"]);
  for (const none of [null, 1, "a", {}, { items: {} }, [{}]]) {
    assertEquals(namedBy(none), []);
  }
  // Items without an identifier take no place from others.
  assertEquals(namedBy([{}, {}, ..."abcdef"]), [..."abcde"]);
});

Deno.test("a pool keeps the first values of a segment, and the last ones", () => {
  const pool = new Pool();
  for (const letter of "abcdefghijklmn") {
    pool.add(PLACE, { params: {}, wildcard: [] }, letter);
  }
  assertEquals(pool.strings, [..."abcdejklmn"]);
  assertEquals(pool.known.get("bookId"), [..."jklmn"]);
});

Deno.test("inputs have what a folder wants, and what a route wants", async () => {
  const report = await check({
    "middleware.ts": `import { z } from "zod";
      export const contract = { query: z.object({ shop: z.enum(["a"]) }) };
      export default (request, next) => next();`,
    "route.ts": `import { z } from "zod";
      export const schema = {
        get: { query: z.object({ page: z.enum(["1"]) }) },
        post: { body: z.array(z.int()).min(1) },
      };
      export const GET = ({ url }) =>
        new Response(null, { status: url.endsWith("?shop=a&page=1") ? 200 : 500 });
      export const POST = () => new Response();`,
  }, { properties: ["accepted"], runs: 5 });
  assertEquals(found(report), []);
  assertEquals(report.results.map(({ runs, note }) => [runs, note]), [
    [5, undefined],
    [5, undefined],
  ]);
});

Deno.test("no input is made of an example that is not one of the path", async () => {
  const report = await check({
    "[id]/route.ts": `import { z } from "zod";
      const id = z.string().refine((text) => text === "open sesame");
      export const schema = { get: { params: z.object({ id }) } };
      export const GET = () => { throw new Error("never sent"); };`,
  }, { properties: ["accepted"], runs: 5 });
  assertEquals(found(report), []);
  assertEquals(report.results.map(({ runs, note }) => [runs, note]), [
    [0, "not tested: params: no generated value fits its schema"],
  ]);
});

Deno.test("no request is sent before an application is back at its beginning", async () => {
  let isResetting = false;
  let resets = 0;
  Object.assign(globalThis, { isResetting: () => isResetting });
  const report = await check({
    "notes/route.ts": `import { z } from "zod";
      export const schema = { post: { body: z.object({ n: z.int().min(0).max(9) }) } };
      const check = () => { if (globalThis.isResetting()) throw new Error("too early"); };
      export const GET = () => { check(); return Response.json([{ id: 1 }]); };
      export const POST = ({ validated: { body } }) => {
        check();
        return new Response(null, { status: body.n > 6 ? 500 : 200 });
      };`,
    "notes/[id]/route.ts": "export const GET = () => new Response();",
  }, {
    runs: 20,
    reset: async () => {
      resets++;
      isResetting = true;
      await new Promise((go) => setTimeout(go, 5));
      isResetting = false;
    },
  });
  assertEquals(found(report), ["failure POST /api/notes"]);
  assertEquals(report.failures[0]!.seen, "a 500");
  assertEquals(resets > 5, true);
});
