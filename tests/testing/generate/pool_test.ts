/** The values of segments come from lists and from created resources. */
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { type CapturePlace, Pool } from "../../../src/testing/generate/pool.ts";
import { check, exchange, found } from "../support.ts";

const PLACE: CapturePlace = {
  segments: [
    { kind: "static", text: "books" },
    { kind: "dynamic", name: "bookId" },
  ],
  list: undefined,
  create: undefined,
  put: undefined,
  read: undefined,
};

function namedBy(list: unknown): unknown[] {
  const sent = exchange(200, list);
  const pool = new Pool();
  pool.addList(PLACE, { params: {}, wildcard: [] }, sent);
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
  // Items without an identifier do not count.
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

Deno.test("inputs satisfy the contract of a folder and the schema of a route", async () => {
  const shop = z.object({ shop: z.enum(["a"]) });
  const page = z.object({ page: z.enum(["1"]) });
  const report = await check({
    "middleware.ts": {
      contract: { query: shop },
      default: (_request, next) => next(),
    },
    "route.ts": {
      schema: {
        get: { query: page },
        post: { body: z.array(z.int()).min(1) },
      },
      GET: ({ url }) =>
        new Response(null, {
          status: url.endsWith("?shop=a&page=1") ? 200 : 500,
        }),
      POST: () => new Response(),
    },
  }, { properties: ["accepted"], runs: 5 });
  assertEquals(found(report), []);
  assertEquals(report.results.map(({ runs, note }) => [runs, note]), [
    [5, undefined],
    [5, undefined],
  ]);
});

Deno.test("requests wait until an application is reset", async () => {
  let isResetting = false;
  let resets = 0;
  const failIfEarly = () => {
    if (isResetting) throw new Error("too early");
  };
  const report = await check({
    "notes/route.ts": {
      schema: { post: { body: z.object({ n: z.int().min(0).max(9) }) } },
      GET: () => {
        failIfEarly();
        return Response.json([{ id: 1 }]);
      },
      POST: ({ validated: { body } }) => {
        failIfEarly();
        return new Response(null, { status: body.n > 6 ? 500 : 200 });
      },
    },
    "notes/[id]/route.ts": { GET: () => new Response() },
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
