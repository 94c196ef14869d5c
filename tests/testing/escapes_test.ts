/** What an application does wrong is a finding, and does not end the tests. */
import { Framework } from "@bough/framework";
import {
  assertResponds,
  checkContracts,
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
import { TestFolder } from "../support/application.ts";
import { check, found, passesFast } from "./support.ts";

const BEFORE = "export const GET = () => new Response();";

for (
  const [name, code, seen] of [
    ["Deno.exit()", "Deno.exit(0)", "called Deno.exit(0)"],
    ["process.exit()", "globalThis.process.exit()", "called process.exit(0)"],
    [
      "an exit that it catches itself",
      "{ try { Deno.exit(0); } catch {} return new Response(); }",
      "called Deno.exit(0)",
    ],
    [
      "an exit in a timer",
      "{ setTimeout(() => Deno.exit(0)); return new Promise((go) => setTimeout(() => go(new Response()), 5)); }",
      "called Deno.exit(0)",
    ],
    [
      "an error in a timer",
      "{ setTimeout(() => { throw new Error('boom'); }); return new Promise((go) => setTimeout(() => go(new Response()), 5)); }",
      "an error was thrown and not caught: Error: boom, at ",
    ],
    [
      "an error in a timer, after the response",
      "{ setTimeout(() => { throw new Error('boom'); }, 30); return new Response(); }",
      "an error was thrown and not caught: Error: boom, at ",
    ],
    [
      "a promise that is rejected after the response",
      "{ setTimeout(() => Promise.reject(new Error('boom')), 30); return new Response(); }",
      "a promise was rejected and not handled: Error: boom, at ",
    ],
  ] as const
) {
  Deno.test(`a handler with ${name} is found, and all else is tested`, async () => {
    const { failures, results } = await check({
      "a/route.js": BEFORE,
      "b/route.js": `export const GET = () => ${code};`,
      "c/route.js": BEFORE,
    }, { runs: 3 });
    assert(failures.length > 0);
    assert(failures.some((failure) => failure.seen.includes(seen)), seen);
    const operations = new Set(results.map(({ operation }) => operation));
    assertEquals(operations.size, 3);
    assertStringIncludes(summaryTable(results), "FAILED");
  });
}

Deno.test("assertResponds() finds an exit, and an error that nobody catches", async () => {
  await using folder = await TestFolder.create({
    "exit/route.js":
      "export const GET = () => { try { Deno.exit(0); } catch { return new Response(); } };",
    "timer/route.js": `export const GET = () => {
      setTimeout(() => { throw new Error("boom"); });
      return new Promise((go) => setTimeout(() => go(new Response()), 5));
    };`,
  });
  const app = new Framework({ apiDir: folder.path });
  for (const [name, seen] of [["exit", "Deno.exit(0)"], ["timer", "boom"]]) {
    const request = new Request(`http://localhost/api/${name}`);
    await assertRejects(
      () => assertResponds(app, request),
      ContractError,
      seen,
    );
  }
});

/** Schemas by Standard Schema that throw for some values, and where they stand. */
const THROWING = `import { z } from "zod";
  const throwing = (schema, fails) => ({
    "~standard": {
      ...schema["~standard"],
      validate(value) {
        if (fails(value)) throw new RangeError("the schema broke");
        return schema["~standard"].validate(value);
      },
    },
  });`;

for (
  const [name, schema, handler] of [
    [
      "a body that fits",
      "{ body: throwing(z.object({ n: z.int() }), ({ n }) => n > 3) }",
      "new Response()",
    ],
    [
      "a body that does not fit",
      "{ body: throwing(z.object({ n: z.int() }), (value) => typeof value?.n === 'string') }",
      "new Response()",
    ],
    [
      "every body",
      "{ body: throwing(z.object({ n: z.int() }), () => true) }",
      "new Response()",
    ],
    [
      "a query",
      "{ query: throwing(z.object({ q: z.string() }), ({ q }) => q?.length > 3) }",
      "new Response()",
    ],
  ] as const
) {
  Deno.test(`a schema that throws for ${name} is found, with the request`, async () => {
    const { failures, results } = await check({
      "a/route.js": `${THROWING}
        export const schema = { post: ${schema} };
        export const POST = () => ${handler};`,
      "b/route.js": BEFORE,
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
  const { failures } = await check({
    "a/[id]/route.js": `${THROWING}
      export const schema = { get: {
        params: z.object({ id: z.coerce.number().int().min(0).max(9) }),
        response: { 200: throwing(z.object({ n: z.number() }), ({ n }) => n === 9) },
      } };
      export const GET = ({ validated: { params: { id } } }) => Response.json({ n: id });`,
  });
  assertEquals(failures.map(({ property }) => property), ["declared"]);
  assertStringIncludes(failures[0]!.seen, "RangeError: the schema broke");
  assertEquals(failures[0]!.requests.at(-1)!.target, "/api/a/9");
});

Deno.test("a check of a response without an end is found", async () => {
  const report = await check({
    "a/route.js": `export const schema = { get: { response: { 200: {
        "~standard": { version: 1, vendor: "own", validate: () => new Promise(() => {}) },
      } } } };
      export const GET = () => Response.json(1);`,
  }, { runs: 1, properties: ["declared"] });
  assertEquals(found(report), ["declared GET /api/a"]);
  assertStringIncludes(
    report.failures[0]!.seen,
    "its check did not finish within 1 s",
  );
});

Deno.test("what the tests themselves are given may throw, too", async () => {
  await using folder = await TestFolder.create({
    "a/route.js": `import { z } from "zod";
      export const schema = { post: { body: z.object({ a: z.string() }) } };
      export const POST = () => new Response();`,
    "b/route.js": BEFORE,
  });
  let count = 0;
  const { failures, results } = await checkContracts(
    () => new Framework({ apiDir: folder.path }),
    {
      runs: 3,
      reset: () => {
        if (++count === 2) throw new Error("no database");
      },
    },
  );
  assertEquals(failures.length, 1);
  assertStringIncludes(failures[0]!.seen, "Error: no database, at ");
  assert(results.some(({ operation }) => operation === "GET /api/b"));
  const text = failureText(failures[0]!);
  assertStringIncludes(text, "no database");
});

const AS = {
  authorization: "Bearer s3cret-token",
  "x-key": "k3y-of-the-user",
  // Too short to be told from other texts.
  "x-shop": "5",
};

Deno.test("the values of as are in no report, and its test takes them by name", async () => {
  const files = (status: number) => ({
    "notes/route.js": `import { z } from "zod";
      export const schema = { post: { headers: z.object({ "x-key": z.string() }), body: z.object({ a: z.int() }) } };
      export const POST = ({ headers }) => {
        const token = headers.get("authorization");
        if (token !== "Bearer s3cret-token") return new Response(null, { status: 401 });
        if (${status} === 500) throw new Error("not for " + token + " and " + headers.get("x-key") + " in 5");
        return new Response(null, { status: ${status} });
      };`,
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
    await using folder = await TestFolder.create(files(status));
    const app = new Framework({ apiDir: folder.path });
    assertEquals(await passesFast(failure!.test, app, AS), isGood);
  }
});

Deno.test("a guard that leaves HEAD open is found", async () => {
  const guard = (closed: string) => ({
    "(staff)/middleware.js":
      `export const contract = { security: [{ bearer: [] }], response: { 401: {} } };
      export default (request, next) =>
        ${closed} && request.headers.get("authorization") !== "Bearer s3cret-token"
          ? new Response(null, { status: 401 })
          : next();`,
    "(staff)/report/route.js": BEFORE,
    "(staff)/own/route.js":
      `${BEFORE}\nexport const HEAD = () => new Response();`,
  });
  const as = { authorization: AS.authorization };
  assertEquals(found(await check(guard("true"), { as })), []);
  const open = await check(guard('request.method !== "HEAD"'), { as });
  assertEquals(found(open), [
    "security GET /api/own",
    "security GET /api/report",
  ]);
  assertEquals(open.failures[0]!.requests.at(-1)!.method, "HEAD");
  assertEquals(open.failures[0]!.seen, "a 200");
  const all = await check(guard("false"), { as });
  assertEquals(found(all), found(open));
  assertEquals(all.failures[0]!.requests.at(-1)!.method, "GET");
});
