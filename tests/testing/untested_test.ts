/** Reports name the operations that were not tested. */
import {
  type CheckOptions,
  type ContractReport,
  summaryTable,
} from "@bough/framework/testing";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import {
  TestApplication,
  TestFolder,
  type TestModule,
} from "../support/application.ts";
import { DenoProcess } from "../support/process.ts";
import { delay } from "../support/until.ts";
import { check, checkFast, found, type Modules } from "./support.ts";

/** A guard that rejects wrong tokens with a status. */
const guard = (status = () => 401): TestModule => ({
  contract: { security: [{ bearer: [] }], response: { 401: z.unknown() } },
  default: (request, next) =>
    request.headers.get("authorization") === "Bearer right-token"
      ? next()
      : Response.json({ title: "no" }, { status: status() }),
});
const GET = () => new Response();
const OPEN: TestModule = { GET };
const GUARDED: Modules = {
  "(staff)/middleware.ts": guard(),
  "(staff)/a/route.ts": OPEN,
  "(staff)/b/[id]/route.ts": { GET, DELETE: GET },
};
const STARVED: TestModule = {
  schema: {
    get: { query: z.object({ a: z.string().refine(() => false) }) },
  },
  GET,
};

const untestedOf = ({ untested }: ContractReport) =>
  untested.map(({ operation, reason }) => `${operation}: ${reason}`);

const REFUSED = 'every response had the status 401; send credentials with "as"';
const WRONG =
  'every operation that requires credentials rejected the credentials of "as" with 401';

Deno.test("a wrong token is a problem, even if open operations respond", async () => {
  const files = { ...GUARDED, "open/route.ts": OPEN };
  const wrong = await check(files, { as: { authorization: "Bearer wrong" } });
  assertEquals(found(wrong), []);
  assertEquals(wrong.problem, WRONG);
  const names = ["GET /api/a", "GET /api/b/[id]", "DELETE /api/b/[id]"];
  assertEquals(
    untestedOf(wrong),
    names.map((name) =>
      `${name}: every response had the status 401, even with the headers of "as"`
    ),
  );
  const right = await check(files, {
    as: { authorization: "Bearer right-token" },
  });
  assertEquals([right.problem, right.untested], [undefined, []]);
  const alone = await check(files, { properties: ["security"] });
  assertEquals([alone.problem, alone.untested], [undefined, []]);
  const nobody = await check(files);
  assertEquals(nobody.problem, undefined);
  assertEquals(
    untestedOf(nobody),
    names.map((name) => `${name}: ${REFUSED}`),
  );
});

Deno.test("a wrong token is a problem, even if a guard limits attempts", async () => {
  let tries = 0;
  const { problem } = await check({
    "(staff)/middleware.ts": guard(() => tries++ < 3 ? 401 : 429),
    "(staff)/a/route.ts": OPEN,
    "(staff)/starved/route.ts": STARVED,
    "open/route.ts": OPEN,
  }, { as: { authorization: "Bearer wrong" }, properties: ["failure"] });
  assertEquals(problem, WRONG);
});

Deno.test("a report names untested operations; with strict, they are a problem", async () => {
  const files: Modules = {
    "open/route.ts": OPEN,
    "starved/route.ts": STARVED,
    "busy/route.ts": { GET: () => new Response(null, { status: 503 }) },
    "things/[id]/route.ts": {
      schema: { get: { response: { 200: {}, 404: {} } } },
      GET: () => new Response(null, { status: 404 }),
    },
    "left/route.ts": OPEN,
  };
  const skip = ["/left"];
  const expected = [
    "GET /api/busy: every response had the status 503",
    "GET /api/starved: query: no generated value fits its schema",
    'GET /api/things/[id]: every response had the status 404; provide existing values with "generators"',
  ];
  const loose = await check(files, { skip });
  assertEquals(found(loose), []);
  assertEquals(untestedOf(loose), expected);
  assertEquals(loose.problem, undefined);
  const strict = await check(files, { skip, strict: true });
  assertEquals(untestedOf(strict), expected);
  assertEquals(strict.problem, "3 of 4 operations were not tested");
  const rest = ["/left", "/starved", "/busy", "/things/[id]"];
  const good = await check(files, { skip: rest, strict: true });
  assertEquals([good.untested, good.problem], [[], undefined]);
});

Deno.test("credentials may be given although no operation requires them", async () => {
  const as = { authorization: "Bearer any" };
  const { problem, untested } = await check({ "open/route.ts": OPEN }, { as });
  assertEquals([problem, untested], [undefined, []]);
});

Deno.test("a run without a tested operation is a problem", async () => {
  for (
    const [files, options] of [
      [{}, {}],
      [{ "a/route.ts": OPEN }, { skip: ["/a"] }],
      [GUARDED, {}],
      [{ "a/route.ts": { OPTIONS: GET } }, {}],
    ] satisfies [Modules, CheckOptions][]
  ) {
    const { problem, failures } = await check(files, options);
    assertEquals([problem, failures], ["no operation was tested", []]);
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

Deno.test("a route with HEAD alone is tested", async () => {
  const report = await check({
    "a/route.ts": {
      HEAD: () => {
        throw new Error("head");
      },
    },
  });
  assertEquals(found(report)[0], "failure HEAD /api/a");
});

const made = Response.json({ id: 7 }, { status: 201 });

Deno.test("a note says why the state of resources cannot be tested", async () => {
  for (
    const [response, status, runs, note] of [
      [
        made,
        403,
        0,
        "GET /api/notes/[id] accepted no request: every response had the status 403",
      ],
      [
        Response.json({}, { status: 201 }),
        200,
        0,
        "POST /api/notes named no created resource by Location or identifier",
      ],
      [
        new Response(null, { status: 409 }),
        200,
        0,
        'every response had the status 409; provide accepted values with "generators"',
      ],
      [made, 200, 50, undefined],
    ] as const
  ) {
    const { results, failures } = await check({
      "notes/route.ts": {
        schema: {
          post: {
            body: z.object({ a: z.int() }),
            response: { 201: z.unknown(), 409: {} },
          },
        },
        POST: () => response.clone(),
      },
      "notes/[id]/route.ts": {
        schema: { get: { response: { 200: {}, 403: {} } } },
        GET: () => new Response(null, { status }),
      },
    });
    assertEquals(failures, []);
    const state = results.find(({ property }) => property === "state")!;
    assertEquals([state.runs, state.note], [runs, note]);
    const [names, cells] = summaryTable(results).split("\n")
      .filter((line) => /^(?:ROUTE|POST)/.test(line))
      .map((line) => line.split(/ {2,}/));
    const cell = cells![names!.indexOf("STATE")];
    assertEquals(cell, runs === 0 ? "-" : "50");
  }
});

Deno.test("a note names changes that were never accepted", async () => {
  const notes = new Map<string, { id: string; text: string }>();
  const body = z.object({ text: z.string().min(1) });
  const reject = () => new Response(null, { status: 422 });
  const item: TestModule = {
    schema: { patch: { body } },
    GET: ({ params: { id } }) => {
      const note = notes.get(id!);
      return Response.json(note ?? null, { status: note ? 200 : 404 });
    },
    PATCH: reject,
    DELETE: () => new Response(null, { status: 409 }),
  };
  const rejected = (method: string, path: string, status = 422) =>
    `${method} /api/${path} accepted no request: every response had the status ${status}`;
  const report = await check({
    "notes/route.ts": {
      schema: { post: { body } },
      POST: ({ validated: { body } }) => {
        const note = { ...body as { text: string }, id: `${notes.size + 1}` };
        notes.set(note.id, note);
        return Response.json(note, { status: 201 });
      },
    },
    "notes/[id]/route.ts": item,
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
  const table = summaryTable(results).split("\n").map((line) =>
    line.split(/ {2,}/).filter((_, index) => [0, 2, 7].includes(index))
      .join(" ")
  );
  assertEquals(table.filter((line) => line.includes("PATCH")), [
    "PATCH /api/notes/[id] - -",
    "PATCH /api/settings - -",
  ]);
  assertEquals(
    untestedOf(report).filter((each) => each.startsWith("PATCH /api/s")),
    [
      'PATCH /api/settings: every response had the status 422; provide accepted values with "generators"',
    ],
  );
});

Deno.test("only resources that can be followed count", async () => {
  let count = 0;
  const { results } = await check({
    "notes/route.ts": {
      schema: { post: { body: z.object({ a: z.int() }) } },
      POST: () =>
        count++ % 2 === 0 ? made.clone() : Response.json({}, { status: 201 }),
    },
    "notes/[id]/route.ts": OPEN,
  });
  const { runs } = results.find(({ property }) => property === "state")!;
  assert(runs > 15 && runs < 35, String(runs));
});

/** The source text of a route without a schema. */
const OPEN_TEXT = "export const GET = () => new Response();";

Deno.test("contractTests() fails if nothing was tested, and with strict if not all was tested", async () => {
  const run = async (options: string) => {
    await using folder = await TestFolder.create({
      "api/open/route.ts": OPEN_TEXT,
      "api/closed/route.ts":
        `export const schema = { get: { response: { 200: {}, 401: {} } } };
        export const GET = () => new Response(null, { status: 401 });`,
      "contract_test.ts": `import { Framework } from "@bough/framework";
import { contractTests } from "@bough/framework/testing";
contractTests(new Framework({ apiDir: "api" }), { runs: 2, ${options} });`,
    });
    await using test = new DenoProcess(
      folder.path,
      ["-A"],
      "contract_test.ts",
      {
        command: "test",
      },
    );
    return await test.outcome();
  };
  const loose = await run("");
  assertEquals(loose.code, 0, loose.output);
  const strict = await run("strict: true");
  assertEquals(strict.code, 1, strict.output);
  assertStringIncludes(
    strict.output,
    `1 of 2 operations were not tested:\n  GET /api/closed: ${REFUSED}`,
  );
  const none = await run(`skip: ["/open"]`);
  assertEquals(none.code, 1, none.output);
  assertStringIncludes(none.output, "no operation was tested:");
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
