/** Unusual applications without faults pass; `no_alarm_slow.ts` tests whole applications. */
import { HttpError } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import type { TestModule } from "../support/application.ts";
import { check, found } from "./support.ts";

const empty = () => new Response();

Deno.test("headers that HTTP would trim are not sent", async () => {
  const headers = z.object({ "x-key": z.string().min(3) });
  const report = await check({
    "things/[id]/route.ts": { schema: { post: { headers } }, POST: empty },
  }, { runs: 300 });
  assertEquals(found(report), []);
});

Deno.test("a note names values that a query cannot carry", async () => {
  const query = z.object({ isNew: z.boolean() });
  const report = await check({
    "things/route.ts": { schema: { get: { query } }, GET: empty },
  });
  assertEquals(found(report), []);
  assertEquals(
    report.results[0]!.note,
    "not tested: query: no generated value fits its schema",
  );
});

Deno.test("a path that another route takes is not sent", async () => {
  const params = z.object({ kind: z.enum(["old", "new"]) });
  const body = z.object({ a: z.int() });
  const post: TestModule = { schema: { post: { params, body } }, POST: empty };
  const report = await check({
    "[kind]/route.ts": post,
    "old/route.ts": { GET: empty },
    "shops/[kind]/[...]/route.ts": post,
    "shops/old/[...]/route.ts": { GET: empty },
  });
  assertEquals(found(report), []);
  assert(
    report.results.every(({ runs }) => runs > 0),
    "something is not tested",
  );
});

Deno.test("a handler may refuse a body that no schema reads", async () => {
  const report = await check({
    "things/route.ts": {
      schema: { post: { response: { 415: Problem } } },
      POST: () => {
        throw new HttpError(415);
      },
    },
  });
  assertEquals(found(report), []);
});

Deno.test("contract tests stop reading an endless body", async () => {
  const report = await check({
    "endless/route.ts": {
      GET: () =>
        new Response(
          new ReadableStream({
            pull: (controller) => controller.enqueue(new Uint8Array(1024)),
          }),
        ),
    },
  }, { runs: 1, properties: ["failure"] });
  assertEquals(found(report), []);
});
