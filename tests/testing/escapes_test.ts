/** An error of the application is a finding, and does not end the tests. */
import {
  assertResponds,
  ContractError,
  failureText,
  summaryTable,
} from "@bough/framework/testing";
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import process from "node:process";
import type { StandardSchemaV1 } from "@bough/framework";
import { z } from "zod";
import { TestApplication, type TestModule } from "../support/application.ts";
import { delay } from "../support/until.ts";
import { check, found, type Modules, passesFast } from "./support.ts";

const EMPTY: TestModule = { GET: () => new Response() };

/** Runs a function in a timer, before or after the response. */
const inTimer = (run: () => void, after: number) => async () => {
  setTimeout(run, after);
  if (after === 0) await delay(5);
  return new Response();
};

const boom = () => {
  throw new Error("boom");
};

for (
  const [name, GET, seen] of [
    ["Deno.exit()", () => Deno.exit(0), "called Deno.exit(0)"],
    ["process.exit()", () => process.exit(), "called process.exit(0)"],
    ["an exit that it catches itself", () => {
      try {
        Deno.exit(0);
      } catch {
        // The application goes on.
      }
      return new Response();
    }, "called Deno.exit(0)"],
    [
      "an exit in a timer",
      inTimer(() => Deno.exit(0), 0),
      "called Deno.exit(0)",
    ],
    [
      "an error in a timer",
      inTimer(boom, 0),
      "an error was thrown and not caught: Error: boom, at ",
    ],
    [
      "an error in a timer, after the response",
      inTimer(boom, 30),
      "an error was thrown and not caught: Error: boom, at ",
    ],
    [
      "a promise that is rejected after the response",
      inTimer(() => void Promise.reject(new Error("boom")), 30),
      "a promise was rejected and not handled: Error: boom, at ",
    ],
  ] as const
) {
  Deno.test(`a handler with ${name} is found, and the other operations are tested`, async () => {
    const { failures, results } = await check({
      "a/route.ts": EMPTY,
      "b/route.ts": { GET },
      "c/route.ts": EMPTY,
    }, { runs: 3 });
    assert(failures.length > 0);
    assert(failures.some((failure) => failure.seen.includes(seen)), seen);
    const operations = new Set(results.map(({ operation }) => operation));
    assertEquals(operations.size, 3);
    assertStringIncludes(summaryTable(results), "FAILED");
  });
}

Deno.test("an uncaught error during a request that only tests the methods is found", async () => {
  const report = await check({
    "middleware.ts": {
      default: async ({ method }, next) => {
        if (method === "OPTIONS") await inTimer(boom, 0)();
        return next();
      },
    },
    "a/route.ts": EMPTY,
  }, { runs: 3 });
  assertEquals(found(report), ["methods GET /api/a"]);
  assertStringIncludes(report.failures[0]!.seen, "Error: boom, at ");
});

Deno.test("assertResponds() finds an exit, and an uncaught error", async () => {
  const { app } = TestApplication.of({
    "exit/route.ts": {
      GET: () => {
        try {
          Deno.exit(0);
        } catch {
          return new Response();
        }
      },
    },
    "timer/route.ts": { GET: inTimer(boom, 0) },
  });
  for (const [name, seen] of [["exit", "Deno.exit(0)"], ["timer", "boom"]]) {
    const request = new Request(`http://localhost/api/${name}`);
    await assertRejects(
      () => assertResponds(app, request),
      ContractError,
      seen,
    );
  }
});

function throwing<Schema extends z.ZodType>(
  schema: Schema,
  // deno-lint-ignore no-explicit-any
  fails: (value: any) => boolean,
): StandardSchemaV1 {
  return {
    "~standard": {
      ...schema["~standard"],
      validate(value: unknown) {
        if (fails(value)) throw new RangeError("the schema broke");
        return schema["~standard"].validate(value);
      },
    },
  };
}

const body = z.object({ n: z.int() });

for (
  const [name, post] of [
    ["a body that fits", { body: throwing(body, ({ n }) => n > 3) }],
    [
      "a body that does not fit",
      { body: throwing(body, (value) => typeof value?.n === "string") },
    ],
    ["every body", { body: throwing(body, () => true) }],
    [
      "a query",
      {
        query: throwing(z.object({ q: z.string() }), ({ q }) => q?.length > 3),
      },
    ],
  ] as const
) {
  Deno.test(`a schema that throws for ${name} is found, with the request`, async () => {
    const { failures, results } = await check({
      "a/route.ts": { schema: { post }, POST: () => new Response() },
      "b/route.ts": EMPTY,
    });
    const [failure] = failures;
    assertEquals([failure?.property, failure?.operation], [
      "failure",
      "POST /api/a",
    ]);
    assertStringIncludes(failure!.seen, "the schema broke");
    assert(failure!.requests.length > 0);
    assert(results.some(({ operation }) => operation === "GET /api/b"));
  });
}

Deno.test("a schema that throws for a response is found", async () => {
  const id = z.coerce.number().int().min(0).max(9);
  const response = throwing(z.object({ n: z.number() }), ({ n }) => n === 9);
  const { failures } = await check({
    "a/[id]/route.ts": {
      schema: {
        get: { params: z.object({ id }), response: { 200: response } },
      },
      GET: ({ validated: { params: { id } } }) => Response.json({ n: id }),
    },
  });
  assertEquals(failures.map(({ property }) => property), ["declared"]);
  assertStringIncludes(failures[0]!.seen, "RangeError: the schema broke");
  assertEquals(failures[0]!.requests.at(-1)!.target, "/api/a/9");
});

Deno.test("a check of a response without an end is found", async () => {
  const endless: StandardSchemaV1 = {
    "~standard": {
      version: 1,
      vendor: "own",
      validate: () => new Promise(() => {}),
    },
  };
  const report = await check({
    "a/route.ts": {
      schema: { get: { response: { 200: endless } } },
      GET: () => Response.json(1),
    },
  }, { runs: 1, properties: ["declared"] });
  assertEquals(found(report), ["declared GET /api/a"]);
  assertStringIncludes(
    report.failures[0]!.seen,
    "its check did not finish within 1 s",
  );
});

Deno.test("an error of a reset is found", async () => {
  let count = 0;
  const { failures, results } = await check({
    "a/route.ts": {
      schema: { post: { body: z.object({ a: z.string() }) } },
      POST: () => new Response(),
    },
    "b/route.ts": EMPTY,
  }, {
    runs: 3,
    reset: () => {
      if (++count === 2) throw new Error("no database");
    },
  });
  assertEquals(failures.length, 1);
  assertStringIncludes(failures[0]!.seen, "Error: no database, at ");
  assert(results.some(({ operation }) => operation === "GET /api/b"));
  assertStringIncludes(failureText(failures[0]!), "no database");
});

const AS = {
  authorization: "Bearer s3cret-token",
  "x-key": "k3y-of-the-user",
  // Other texts may contain so short a value.
  "x-shop": "5",
};

Deno.test("reports do not contain the values of as, and their tests take them by name", async () => {
  const files = (status: number): Modules => ({
    "notes/route.ts": {
      schema: {
        post: {
          headers: z.object({ "x-key": z.string() }),
          body: z.object({ a: z.int() }),
        },
      },
      POST: ({ headers }) => {
        const token = headers.get("authorization");
        if (token !== "Bearer s3cret-token") {
          return new Response(null, { status: 401 });
        }
        if (status !== 500) return new Response(null, { status });
        throw new Error(`not for ${token} and ${headers.get("x-key")} in 5`);
      },
    },
  });
  const report = await check(files(500), {
    as: AS,
    properties: ["failure", "accepted"],
  });
  const [failure] = report.failures;
  const all = JSON.stringify(report) + failureText(failure!);
  assert(!/s3cret|k3y/.test(all), all);
  assertStringIncludes(failure!.seen, "not for *** and *** in 5");
  assertStringIncludes(
    failure!.curl[0]!,
    `-H "authorization: $AUTHORIZATION" -H "x-key: $X_KEY" -H "x-shop: $X_SHOP"`,
  );
  assertEquals(failure!.requests[0]!.as, "as");
  assertEquals(failure!.requests[0]!.headers, {
    "content-type": "application/json",
  });
  for (const [status, isGood] of [[500, false], [200, true]] as const) {
    const { app } = TestApplication.of(files(status));
    assertEquals(await passesFast(failure!.test, app, AS), isGood);
  }
});
