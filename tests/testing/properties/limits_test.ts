/** Limits of rates: tested by one property, lifted for the others. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Framework, type Middleware } from "@bough/framework";
import { memoryStore, rateLimit } from "@bough/framework/protect";
import type { CheckOptions } from "@bough/framework/testing";
import { z } from "zod";
import { checkFast } from "../support.ts";

const schema = {
  get: {
    query: z.object({ q: z.string().optional() }),
    response: { 200: z.string() },
  },
};

async function report(middleware: Middleware, options: CheckOptions = {}) {
  const seen: number[] = [];
  const observe: Middleware = async (_request, next) => {
    const response = await next().catch((error) => {
      seen.push(error.status);
      throw error;
    });
    seen.push(response.status);
    return response;
  };
  const GET = () => new Response("time");
  const app = new Framework({
    manifest: {
      "middleware.ts": { default: [middleware] },
      "time/route.ts": { schema, GET },
      "day/route.ts": { schema, GET },
    },
    middleware: [observe],
  });
  const report = await checkFast(app, { seed: 1, runs: 20, ...options });
  return { ...report, seen };
}

/** The results of both operations if they are the same. */
const both = (result: string) =>
  ["GET /api/day", "GET /api/time"].map((name) => `${name}: ${result}`);

async function limits(middleware: Middleware): Promise<string[]> {
  const { results } = await report(middleware, { properties: ["limits"] });
  return results.map(({ operation, note, failure }) =>
    [operation, note ?? failure?.seen ?? "kept"].join(": ")
  );
}

/** A limit by hand, which allows `passing` requests, whatever its policy says. */
function byHand(
  policy: string,
  passing: number,
  rejection: () => Response = () =>
    Response.json({ status: 429, title: "", type: "" }, {
      status: 429,
      headers: {
        "content-type": "application/problem+json",
        "retry-after": "60",
        "ratelimit-policy": policy,
      },
    }),
): Middleware {
  const [contract] = rateLimit({ limit: 1, per: 1, store: memoryStore() })
    .contracts;
  let count = 0;
  const run: Middleware = async (_request, next) => {
    if (++count > passing) return rejection();
    const response = await next();
    response.headers.set("ratelimit-policy", policy);
    return response;
  };
  return Object.assign(run, { contracts: [contract] });
}

Deno.test("a limit is lifted for all properties but its own", async () => {
  const store = memoryStore();
  const limit = rateLimit({ limit: 5, per: 60_000, store });
  const { results, failures, problem, seen } = await report(limit);
  assertEquals([failures, problem], [[], undefined]);
  const of = (name: string) =>
    results.filter(({ property }) => property === name);
  assert(of("accepted").every(({ runs }) => runs >= 20));
  assertEquals(of("limits").map(({ note }) => note), [undefined, undefined]);
  // The second operation shares the counter, which is used up.
  assertEquals(seen.filter((status) => status === 429).length, 2);
  assertEquals(seen.slice(-7), [200, 200, 200, 200, 200, 429, 429]);
});

Deno.test("a limit that allows more requests is found, and so are faults of its 429", async () => {
  const policy = '"a,b";q=10;w=60';
  assertEquals(await limits(byHand(policy, 10)), both("kept"));
  assertEquals(await limits(byHand(policy, Infinity)), both("a 200"));
  assertEquals(await limits(byHand(policy, 11)), [
    "GET /api/day: a 200",
    "GET /api/time: kept",
  ]);
  const bare = () => new Response("", { status: 429 });
  assertEquals(
    await limits(byHand(policy, 3, bare)),
    ['GET /api/day: Retry-After ""'],
  );
  const withoutProblem = () =>
    new Response("", { status: 429, headers: { "retry-after": "1" } });
  const [line] = await limits(byHand(policy, 3, withoutProblem));
  assertStringIncludes(line!, "a 429 that does not fit its schema");
});

Deno.test("the smallest of several limits counts", async () => {
  const store = memoryStore();
  const several = rateLimit({
    name: "hourly",
    limit: 50,
    per: 3_600_000,
    store,
  });
  const policy = '"hour";q=50;w=3600, "burst";q=4;w=60';
  assertEquals(await limits(several), both("kept"));
  assertEquals(await limits(byHand(policy, 5)), [
    "GET /api/day: a 200",
    "GET /api/time: kept",
  ]);
});

Deno.test("a limit that cannot be tested is noted; a missing limit is not", async () => {
  const store = memoryStore();
  assertEquals(
    await limits(rateLimit({ limit: 1_001, per: 60_000, store })),
    both("not tested: the limit of 1001 requests is above 1000"),
  );
  assertEquals(
    await limits(byHand('"a";q=2;w=1', Infinity)),
    both("not tested: 3 requests took longer than the window"),
  );
  const sendHeaders = false;
  const withoutHeaders = rateLimit({
    limit: 1,
    per: 60_000,
    store,
    sendHeaders,
  });
  assertEquals(await limits(withoutHeaders), []);
  assertEquals(await limits((_request, next) => next()), []);
});
