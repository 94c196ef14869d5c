/**
 * Nothing is found in what has no faults. The suite tries a few seeds; for 50:
 * `BOUGH_SEEDS=50 deno test -P tests/testing/no_alarm_slow.ts`.
 */
import { Framework } from "@bough/framework";
import { checkContracts, type CheckOptions } from "@bough/framework/testing";
import type { ContractFailure } from "@bough/framework/testing";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { openFolder } from "../../examples/recipes/uploads/uploads.ts";
import { TestFolder } from "../support/application.ts";
import { trees } from "../support/contract_trees.ts";
import {
  bookshopFiles,
  checkBookshop,
} from "../instruments/planted/bookshop_copy.ts";
import { check, found } from "./support.ts";

const SEEDS = Number(Deno.env.get("BOUGH_SEEDS") ?? 2);

const ROOT = new URL("../../", import.meta.url);

interface Tree {
  readonly apiPrefix?: string;
  /** Prepares the application, which may write to the folder. */
  readonly prepare?: (folder: string) => Promise<void>;
  /** The properties and operations that lead to nothing that can be read. */
  readonly unfollowed?: readonly string[];
}

/** Trees of the house, and what each of them leaves out, since it fails by design. */
const TREES: Readonly<Record<string, CheckOptions & Tree>> = {
  "examples/minimal/": {},
  "examples/recipes/etag/": {},
  "examples/recipes/idempotency/": {},
  "examples/recipes/pagination/": {},
  "examples/recipes/query/": {},
  "examples/recipes/rate_limit/": {},
  "examples/recipes/redirects/": {},
  // A password takes a tenth of a second.
  "examples/recipes/sessions/": { skip: ["POST /session"] },
  "examples/recipes/static_files/": { apiPrefix: "" },
  "examples/recipes/uploads/": { prepare: openFolder },
  "tests/instruments/bench/memory/": {},
  "tests/instruments/soak/": {
    as: { authorization: "Bearer s3cret" },
    unfollowed: ["pages GET /api/search"], // has a page, but no list
    skip: [
      "/broken",
      "/downloads/[size]", // has no end if the size is no number
      "/memory",
      "/proxied",
      "/refused/[status]",
      // Their guard asks for a token in the query, which no schema declares.
      "/rooms/[room]",
      "/topics/[topic]",
    ],
  },
};

/**
 * Whether something is found beside a 4xx that is not declared: recipes say nothing of
 * those, and that is no false alarm.
 */
function isFalse({ expected }: ContractFailure): boolean {
  return !/^a declared status; to allow 4\d\d, declare response:/.test(
    expected,
  );
}

function told({ property, operation, seen, seed, curl }: ContractFailure) {
  return { property, operation, seen, seed, curl: curl.at(-1) };
}

// Slow: many seeds look for a false alarm, 20 CPU seconds.
for (
  const [path, { apiPrefix = "api", unfollowed = [], prepare, ...options }]
    of Object
      .entries(TREES)
) {
  Deno.test(`nothing is found in ${path}`, async () => {
    await using folder = await TestFolder.create({});
    await prepare?.(folder.path);
    const apiDir = new URL(`${path}api/`, ROOT);
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { failures, results } = await checkContracts(
        () => new Framework({ apiDir, apiPrefix }),
        { seed, runs: 25, ...options },
      );
      assertEquals(failures.filter(isFalse).map(told), []);
      assertEquals(
        results.filter(({ runs }) => runs === 0)
          .map(({ property, operation }) => `${property} ${operation}`),
        unfollowed,
      );
    }
  });
}

Deno.test("nothing is found in the bookshop itself", async () => {
  const files = await bookshopFiles();
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { failures } = await checkBookshop(files, { seed, runs: 40 });
    assertEquals(failures.map(told), []);
  }
});

Deno.test("nothing is found in random trees of contracts", async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    for (const { files } of fc.sample(trees, { numRuns: 8, seed })) {
      await using folder = await TestFolder.create(files);
      const { failures } = await checkContracts(
        () => new Framework({ apiDir: folder.path }),
        {
          seed,
          runs: 15,
          // Their guards let all pass that does not ask to be refused.
          properties: ["failure", "accepted", "refused", "declared", "methods"],
        },
      );
      assertEquals(failures.map(told), [], JSON.stringify(files));
    }
  }
});

Deno.test("headers that HTTP would trim are not sent", async () => {
  const report = await check({
    "things/[id]/route.ts": `import { z } from "zod";
      export const schema = { post: { headers: z.object({ "x-key": z.string().min(3) }) } };
      export const POST = () => new Response();`,
  }, { runs: 300 });
  assertEquals(report.failures.map(told), []);
});

Deno.test("what a query cannot carry is not sent, and a note says so", async () => {
  const report = await check({
    "things/route.ts": `import { z } from "zod";
      export const schema = { get: { query: z.object({ isNew: z.boolean() }) } };
      export const GET = () => new Response();`,
  });
  assertEquals(found(report), []);
  assertEquals(
    report.results[0]!.note,
    "not tested: query: no generated value fits its schema",
  );
});

Deno.test("a path that another route takes is not sent", async () => {
  const said = (names: string) =>
    `import { z } from "zod";
    export const schema = { post: {
      params: z.object({ kind: z.enum([${names}]) }),
      body: z.object({ a: z.int() }),
    } };
    export const POST = () => new Response();`;
  const report = await check({
    "[kind]/route.ts": said('"old", "new"'),
    "old/route.ts": "export const GET = () => new Response();",
    "shops/[kind]/[...]/route.ts": said('"old", "new"'),
    "shops/old/[...]/route.ts": "export const GET = () => new Response();",
  });
  assertEquals(report.failures.map(told), []);
  assert(
    report.results.every(({ runs }) => runs > 0),
    "something is not tested",
  );
});

Deno.test("a body that no schema reads may be refused as its handler likes", async () => {
  const report = await check({
    "things/route.ts": `import { HttpError } from "@bough/framework";
      import { Problem } from "@bough/framework/openapi";
      export const schema = { post: { response: { 415: Problem } } };
      export const POST = () => { throw new HttpError(415); };`,
  });
  assertEquals(report.failures.map(told), []);
});

Deno.test("a body without an end, and without a pause, is left", async () => {
  const report = await check({
    "endless/route.ts": `export const GET = () =>
      new Response(new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(1)),
      }));`,
  }, { runs: 1, properties: ["failure"] });
  assertEquals(found(report), []);
});
