/** Reports name the operations that were not tested. */
import { HttpError, type MethodSchema } from "@bough/framework";
import type { CheckOptions, ContractReport } from "@bough/framework/testing";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import {
  TestApplication,
  TestFolder,
  type TestModule,
} from "../support/application.ts";
import { DenoProcess } from "../support/process.ts";
import { delay } from "../support/until.ts";
import { notesWith } from "./notes.ts";
import { check, checkFast, found, type Modules } from "./support.ts";

/** A route that responds with statuses in turn, and never for `undefined`. */
function route(
  statuses: readonly (number | undefined)[],
  schema: MethodSchema = {},
): TestModule {
  let count = 0;
  return {
    schema: { get: schema },
    GET: () => {
      const status = statuses[count++ % statuses.length];
      return status === undefined
        ? new Promise(() => {})
        : new Response(null, { status });
    },
  };
}

const GET = () => new Response();
const OPEN: TestModule = { GET };
const GUARDED: MethodSchema = { security: [{ bearer: [] }] };
const starved = (schema: MethodSchema = {}): TestModule => {
  const query = z.object({ a: z.string().refine(() => false) });
  return { schema: { get: { query, ...schema } }, GET };
};
const STARVED = starved();

const untestedOf = ({ untested }: ContractReport) =>
  untested.map(({ operation, reason }) => `${operation}: ${reason}`);

const ACCEPTED = 'provide accepted values with "generators"';
const EXISTING = 'provide existing values with "generators"';
const REFUSED = 'every response had the status 401; send credentials with "as"';
const IN_VAIN = 'even with the headers of "as"';
const WRONG =
  'every operation that requires credentials rejected the credentials of "as" with 401';

/** Reasons why an operation with some statuses is untested; `undefined` if it is tested. */
const REASONS: readonly (readonly [TestModule, string?])[] = [
  [route([200])],
  [route([404, 201])],
  [route([400, 303])],
  [route([500])],
  [route([426], { socket: { send: z.string() } })],
  [route([400]), `every response had the status 400; ${ACCEPTED}`],
  [route([422]), `every response had the status 422; ${ACCEPTED}`],
  [route([401, 409]), `every response had the status 401 or 409; ${ACCEPTED}`],
  [route([404, 401]), `every response had the status 401 or 404; ${EXISTING}`],
  [route([404]), `every response had the status 404; ${EXISTING}`],
  [route([401]), REFUSED],
  [route([403]), REFUSED.replace("401", "403")],
  [route([429]), "every response had the status 429"],
  [route([503]), "every response had the status 503"],
  [route([409, undefined]), "no response"],
  [route([undefined, 404]), "no response"],
  [STARVED, "query: no generated value fits its schema"],
];

Deno.test("an operation is untested if each response rejects its request", async () => {
  const files = Object.fromEntries(
    REASONS.map(([route], row) => [`row/${100 + row}/route.ts`, route]),
  );
  const report = await check(files, {
    properties: ["failure"],
    responseTimeout: 50,
  });
  assertEquals(
    untestedOf(report),
    REASONS.flatMap(([, reason], row) =>
      reason === undefined ? [] : [`GET /api/row/${100 + row}: ${reason}`]
    ),
  );
  assertEquals(report.problem, undefined);
  const strict = await check({ "open/route.ts": OPEN, "a/route.ts": STARVED }, {
    strict: true,
  });
  assertEquals(strict.problem, "1 of 2 operations were not tested");
  const skip = ["/a"];
  const skipped = { "open/route.ts": OPEN, "a/route.ts": STARVED };
  const { untested, problem } = await check(skipped, { skip, strict: true });
  assertEquals([untested, problem], [[], undefined]);
});

Deno.test("credentials that every guard rejects with 401 are a problem", async () => {
  const as = { authorization: "Bearer wrong" };
  const rejected = (status: number) =>
    `every response had the status ${status}, ${IN_VAIN}`;
  for (
    const [statuses, options, problem, reason] of [
      [[401], { as }, WRONG, rejected(401)],
      [[401, 401, 429], { as }, WRONG, undefined],
      [[401], {}, undefined, REFUSED],
      [[403], { as }, undefined, rejected(403)],
      [[401, 403], { as }, undefined, undefined],
      [[429], { as }, undefined, undefined],
      [[401, 200], { as }, undefined, undefined],
      [[200], { as }, undefined, undefined],
      [[401], { as, properties: ["security"] }, undefined, undefined],
    ] satisfies [number[], CheckOptions, ...unknown[]][]
  ) {
    const report = await check({
      "open/route.ts": OPEN,
      "guarded/route.ts": route(statuses, GUARDED),
      "starved/route.ts": starved(GUARDED),
    }, { properties: ["failure"], ...options } as CheckOptions);
    const name = JSON.stringify([statuses, options]);
    assertEquals(report.problem, problem as undefined, name);
    if (reason === undefined) continue;
    assertEquals(untestedOf(report)[0], `GET /api/guarded: ${reason}`, name);
  }
  const open = await check({ "open/route.ts": OPEN }, { as });
  assertEquals([open.problem, open.untested], [undefined, []]);
});

Deno.test("a run without a tested operation is a problem", async () => {
  for (
    const [files, options] of [
      [{}, {}],
      [{ "a/route.ts": OPEN }, { skip: ["/a"] }],
      [{ "a/route.ts": route([404]), "b/route.ts": STARVED }, {}],
      [{ "a/route.ts": { OPTIONS: GET } }, {}],
    ] satisfies [Modules, CheckOptions][]
  ) {
    const { problem } = await check(files, options);
    assertEquals(problem, "no operation was tested");
  }
  const { app } = TestApplication.of({ "a/route.ts": { GET, POST: GET } });
  const elsewhere = await checkFast(app, {
    url: "http://192.0.2.1",
    runs: 1,
    responseTimeout: 10,
  });
  assertEquals(untestedOf(elsewhere), [
    "GET /api/a: no response",
    'POST /api/a: not sent to a running server; allow such requests with "unsafe"',
  ]);
});

Deno.test("a note names changes that were never accepted", async () => {
  const reject = (): never => {
    throw new HttpError(422);
  };
  const body = z.object({ text: z.string().min(1) });
  const rejected = (method: string, path: string, status = 422) =>
    `${method} /api/${path} accepted no request: every response had the status ${status}`;
  const report = await check({
    ...notesWith({ changed: reject, deletes: false, deleted: 409 }),
    "settings/route.ts": {
      schema: { patch: { body }, put: { body } },
      GET: () => Response.json({}),
      PATCH: reject,
      PUT: reject,
    },
  }, { properties: ["accepted", "state"] });
  assertEquals(found(report), []);
  const { results } = report;
  const stateOf = (name: string) => {
    const { runs, note } = results.find(({ operation, property }) =>
      property === "state" && operation === `${name}`
    )!;
    return [runs, note];
  };
  assertEquals(stateOf("POST /api/notes"), [
    50,
    `${rejected("PATCH", "notes/[id]")}; ${
      rejected("DELETE", "notes/[id]", 409)
    }`,
  ]);
  assertEquals(stateOf("PUT /api/settings"), [
    0,
    'every response had the status 422; provide accepted values with "generators"',
  ]);
  assertEquals(
    untestedOf(report).filter((each) => each.startsWith("PATCH /api/s")),
    [
      'PATCH /api/settings: every response had the status 422; provide accepted values with "generators"',
    ],
  );
});

Deno.test("contractTests() prints notes, and with strict fails if not all was tested", async () => {
  await using folder = await TestFolder.create({
    "api/open/route.ts": "export const GET = () => new Response();",
    "api/closed/route.ts":
      `export const schema = { get: { response: { 200: {}, 401: {} } } };
      export const GET = () => new Response(null, { status: 401 });`,
    "contract_test.ts": `import { Framework } from "@bough/framework";
import { contractTests } from "@bough/framework/testing";
contractTests(new Framework({ apiDir: "api" }), { runs: 2, strict: true });`,
  });
  const command = { command: "test" } as const;
  await using test = new DenoProcess(
    folder.path,
    ["-A"],
    "contract_test.ts",
    command,
  );
  const { code, output } = await test.outcome();
  assertEquals(code, 1, output);
  assertStringIncludes(output, `GET /api/closed: ${REFUSED}`);
  assertStringIncludes(
    output,
    `1 of 2 operations were not tested:\n  GET /api/closed: ${REFUSED}`,
  );
});

Deno.test("a run ends when its time is over, and names the rest", async () => {
  const slow: TestModule = {
    schema: { get: { query: z.object({ a: z.string() }) } },
    GET: async () => {
      await delay(2_000);
      return new Response();
    },
  };
  const run = (options: CheckOptions) =>
    check({ "a/route.ts": slow, "b/route.ts": slow }, options);
  const report = await run({ timeLimit: 30_000 });
  const [result, ...others] = report.results;
  assertEquals(others, []);
  assert(result!.runs > 0 && result!.runs < 60, `${result!.runs}`);
  assertEquals(result!.note, "stopped for lack of time");
  assertEquals([report.failures, report.problem], [[], undefined]);
  const late = (property: string) =>
    ["GET /api/a", "GET /api/b"].map((name) =>
      `${name}: no time for the property "${property}" and those after it`
    );
  assertEquals(untestedOf(report), late("failure"));
  assertEquals(
    (await run({ timeLimit: 30_000, strict: true })).problem,
    "2 of 2 operations were not tested",
  );
  const methods = await run({ timeLimit: 10_000, properties: ["methods"] });
  assertEquals(untestedOf(methods), late("methods"));
});
