/** How applications treat undeclared members of `respond()` (behaviour 7.9). */
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
import { type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import * as zm from "zod/mini";
import { content, respond } from "@bough/framework";
import type {
  FrameworkOptions,
  FrameworkRequest,
  StandardSchemaV1,
} from "@bough/framework";
import { assertCpuTime } from "../../support/cpu_time.ts";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";

const id = z.int();
const Id = z.object({ id });
const Named = z.object({ id, name: z.string() });
const Tree: z.ZodType = z.object({
  id,
  get kids() {
    return z.array(Tree);
  },
});
const whole = { id: 1, hash: "x" };

/** The JSON that `respond()` sends of a value, although its type differs. */
async function sent(response: StandardSchemaV1, value: unknown) {
  return await respond({ response }, 200, value as never).json();
}

/** The JSON of `GET /api/…`, or of another method. */
async function read(
  application: TestApplication,
  path = "",
  method = "GET",
): Promise<unknown> {
  const response = await application.fetch(`/api${path}`, { method });
  return response.body && await response.json();
}

/** The warnings of a log that members were left out. */
const omissions = ({ lines }: CapturedLog) =>
  lines.filter((line) => /is sent without/.test(line));

Deno.test("respond() sends a date for a schema of a string as ISO 8601 (behaviour 7.9)", async () => {
  const at = new Date(0) as never;
  for (
    const response of [
      ...[z.string(), z.iso.datetime(), form(v.string()), type("string")],
      { 200: content("text/csv", z.string()) },
    ]
  ) {
    const { body, headers } = respond({ response }, 200 as never, at);
    assertEquals(await new Response(body).text(), "1970-01-01T00:00:00.000Z");
    assertMatch(headers.get("content-type")!, /^text\//);
  }
});

Deno.test("respond() sends a value of 5,000 levels", async () => {
  using _log = new CapturedLog();
  const Either: z.ZodType = z.lazy(() =>
    z.union([z.object({ kids: z.array(Either).optional() }), z.string()])
  );
  for (const schema of [Tree, Either]) {
    for (const extra of [{}, { hash: 1 }]) {
      let [value, sent] = [[], []] as unknown[][];
      for (let level = 0; level < 5_000; level++) {
        value = [{ id: 1, kids: value, ...extra }];
        sent = [{ ...schema === Tree && { id: 1 }, kids: sent }];
      }
      const response = respond({ response: schema }, 200, value![0] as never);
      assert(await response.text() === JSON.stringify(sent![0]));
    }
  }
});

Deno.test("respond() rejects a declared value without JSON", async () => {
  const value: Record<string, unknown> = { id: 1, kids: [] };
  for (
    const [wrong, message] of [[[value], "circular"], [1n, "BigInt"]] as const
  ) {
    value.kids = wrong;
    await assertRejects(() => sent(Tree, value), TypeError, message);
  }
});

Deno.test("respond() reads a deep value of a recursive union in linear time", async () => {
  const Branches: z.ZodType = z.union([
    z.object({ leaf: z.string() }),
    z.object({
      get left() {
        return Branches;
      },
      get right() {
        return Branches;
      },
    }),
  ]);
  let branches: unknown = { leaf: "x" };
  for (let depth = 0; depth < 400; depth++) {
    branches = { left: branches, right: { leaf: "x".repeat(500) } };
  }
  // The constants of these branches are last.
  const block = (type: string) =>
    z.object({ blocks: z.array(z.lazy(() => Block)), type: z.literal(type) });
  const Block: z.ZodType = z.union([block("a"), block("b"), block("c")]);
  let blocks: unknown = { blocks: [], type: "c" };
  for (let depth = 0; depth < 15; depth++) {
    blocks = { blocks: [blocks], type: "c" };
  }
  for (const [schema, value] of [[Branches, branches], [Block, blocks]]) {
    await assertCpuTime(2_000, async () => {
      assertEquals(await sent(schema as z.ZodType, value), value);
    });
  }
});

const row = { id: 1, friends: [{ id: 2 }, { id: 3, "a/b": 1 }], hash: "x" };
const less = { id: 1, friends: [{ id: 2 }, { id: 3 }] };
const Friends = Id.extend({ friends: z.array(Id) });

/** A route with schemas of its own, which no other application shares. */
function routeOf(): TestModule {
  const schema = {
    get: { response: Friends },
    post: { response: { 201: z.union([Id, Friends]) } },
  };
  return {
    schema,
    GET: () => respond(schema.get, 200, row),
    POST: () => respond(schema.post, 201, row),
  };
}

const ALL = [row, row, null, row, row];
const LESS = [less, less, null, less, less];
const ERROR = {
  ...{ type: "about:blank", title: "Internal Server Error", status: 500 },
};

/** Options, the bodies of two requests for each method, and the log. */
const SERVED: readonly (readonly [
  Partial<FrameworkOptions>,
  readonly unknown[],
  readonly RegExp[],
])[] = [
  [{ sendUndeclared: true }, ALL, []],
  [{}, LESS, [
    /GET \/api\/a \(.*a\/route\.ts\): the response with status 200 is sent without "#\/friends\/1\/a~1b", since only declared members are sent/,
    // `HEAD` is a method of its own.
    /HEAD \/api\/a .* is sent without "#\/friends\/1\/a~1b"/,
    /POST .* status 201 is sent without "#\/friends\/1\/a~1b"/,
  ]],
  [{ validateResponses: "warn" }, LESS, [
    ...Array(3).fill(
      /status 200 does not fit its schema: at "#\/friends\/1\/a~1b" is undeclared/,
    ),
    ...Array(2).fill(
      /status 201 does not fit its schema: at .*; at "#\/hash" is undeclared/,
    ),
  ]],
  // The check reports the members, as it does of `Response.json()`.
  ...[{}, { sendUndeclared: true }].map((more) =>
    [{ ...more, validateResponses: true }, [ERROR, ERROR, null, ERROR, ERROR], [
      ...Array(5).fill(/friends\/1\/a~1b" is undeclared/),
    ]] as const
  ),
];

for (const [options, bodies, log] of SERVED) {
  Deno.test(`undeclared members are sent, left out or rejected, and logged, with ${JSON.stringify(options)} (behaviour 7.9)`, async () => {
    using seen = new CapturedLog();
    const application = TestApplication.of(
      { "a/route.ts": routeOf() },
      options,
    );
    const found = [];
    for (const method of ["GET", "GET", "HEAD", "POST", "POST"]) {
      found.push(await read(application, "/a", method));
    }
    assertEquals(found, bodies);
    const lines = seen.lines.filter((line) => !/may send/.test(line));
    assertEquals(lines.length, log.length, lines.join("\n"));
    for (const [index, line] of log.entries()) {
      assertMatch(lines[index]!, line);
    }
  });
}

Deno.test("an undeclared member without JSON is logged", async () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  for (const hash of [1n, cyclic]) {
    for (const validateResponses of [false, "warn"] as const) {
      using log = new CapturedLog();
      const schema = { get: { response: z.object({ a: Id }) } };
      const a = { toJSON: () => ({ id: 1, hash }) };
      const GET = () => respond(schema.get, 200, { a } as never);
      const application = TestApplication.of({ "route.ts": { schema, GET } }, {
        validateResponses,
      });
      assertEquals(await read(application), { a: { id: 1 } });
      assertMatch(log.lines.join(), /is sent without "#\/a\/hash"/);
    }
  }
});

Deno.test("each of the applications that share schemas has its own option and its own log", async () => {
  using log = new CapturedLog();
  const module = routeOf();
  const sent = [];
  for (const sendUndeclared of [true, false, true, false]) {
    const files = { "a/route.ts": module };
    sent.push(await read(TestApplication.of(files, { sendUndeclared }), "/a"));
  }
  assertEquals(sent, [row, less, row, less]);
  assertEquals(omissions(log).length, 2);
});

Deno.test("an application inside another one decides which members it sends", async () => {
  for (const isInner of [false, true]) {
    using log = new CapturedLog();
    const send = () => respond({ response: Id }, 200, whole as never);
    const inner = TestApplication.of({
      "a/route.ts": routeOf(),
      "guarded/middleware.ts": { default: send },
      "guarded/route.ts": { GET: send },
      "route.ts": { GET: send },
    }, { sendUndeclared: isInner });
    const GET = (request: FrameworkRequest) =>
      inner.app.fetch(request, request.info);
    const schema = { get: { response: Id } };
    const outer = TestApplication.of({
      "a/route.ts": { schema: { get: { response: Friends } }, GET },
      "guarded/route.ts": { schema, GET },
      "route.ts": { schema, GET },
    }, { sendUndeclared: !isInner });
    assertEquals(await read(outer, "/a"), isInner ? row : less);
    assertEquals(omissions(log).length, isInner ? 0 : 1);
    if (isInner) continue;
    for (const path of ["", "/guarded"]) {
      assertEquals(await read(outer, path), { id: 1 });
    }
  }
});

Deno.test("the option sendUndeclared keeps the status, the headers and their changes", async () => {
  const headers = z.object({ a: z.string() });
  const schema = { get: { response: { 202: { body: Id, headers } } } };
  const GET = async () => {
    const response = respond(schema.get, 202, whole, { headers: { a: "1" } });
    await Promise.resolve();
    response.headers.append("a", "2");
    return response;
  };
  using log = new CapturedLog();
  const application = TestApplication.of({ "route.ts": { schema, GET } }, {
    sendUndeclared: true,
  });
  const response = await application.fetch("/api");
  assertEquals([response.status, await response.json()], [202, whole]);
  const sent = ["a", "content-type"].map((name) => response.headers.get(name));
  assertEquals(sent, ["1, 2", "application/json"]);
  assertEquals(log.lines, []);
});

Deno.test("a copy of a response, and respond() in middleware, leave members out in silence", async () => {
  using log = new CapturedLog();
  const schema = { get: { response: Id } };
  const contract = { response: { 200: Id } };
  const application = TestApplication.of({
    "a/route.ts": {
      schema,
      GET: () => respond(schema.get, 200, whole).clone(),
    },
    "b/middleware.ts": {
      contract,
      default: () => respond(contract, 200, whole),
    },
    "b/route.ts": { GET: () => new Response() },
  }, { sendUndeclared: true });
  for (const path of ["/a", "/b"]) {
    assertEquals(await read(application, path), { id: 1 });
  }
  assertEquals(log.lines, []);
});

Deno.test("respond() with a contract sends its declared members; Response.json() sends all", async () => {
  using log = new CapturedLog();
  const contract = { response: { 200: Id } };
  const application = TestApplication.of({
    "middleware.ts": { contract, default: (_request, next) => next() },
    "a/route.ts": { GET: () => Response.json(row) },
    "b/route.ts": { GET: () => respond(contract, 200, row) },
  });
  assertEquals(await read(application, "/a"), row);
  assertEquals(log.lines, []);
  assertEquals(await read(application, "/b"), { id: 1 });
  assertMatch(log.lines[0]!, /GET \/api\/b \(.*b\/route\.ts\)/);
});

/** Routes whose schemas have no JSON Schema, with the methods of each. */
function allSent(member: object = {}): Record<string, TestModule> {
  const GET = () => new Response();
  const plain = v.object({ id: v.number() });
  const mini = zm.object({ id: zm.int() });
  // The JSON Schema of this one fails.
  const mixed = z.object({ id, at: zm.iso.datetime() });
  return {
    "a/route.ts": {
      schema: {
        get: { response: plain, ...member },
        post: { response: { 200: Id, 201: { body: mini } }, ...member },
        put: { response: Id, body: plain },
        patch: { response: { 200: content("text/csv", v.string()) } },
        delete: { response: mixed, ...member },
        // The handler of `GET` also responds to `HEAD`, which sends no members.
        head: { response: plain },
      },
      ...{ GET, POST: GET, PUT: GET, PATCH: GET, DELETE: GET },
    },
    "b/route.ts": {
      schema: { get: { events: { done: mini }, ...member } },
      GET,
    },
  };
}

Deno.test("one line at startup lists the methods whose schemas have no JSON Schema; of a lazy route, at its first request (behaviour 7.9)", async () => {
  using log = new CapturedLog();
  const methods = "GET /api/a, POST /api/a, DELETE /api/a";
  const logged = (text: string) => {
    assertEquals(log.lines.length, 1);
    assertMatch(log.lines.pop()!, new RegExp(text));
  };
  await TestApplication.of(allSent()).app.start();
  logged(
    `${methods}, GET /api/b send undeclared members.*"sendUndeclared: true"`,
  );
  const options = { sendUndeclared: true };
  await TestApplication.of(allSent(), options).app.start();
  await TestApplication.of(allSent(options)).app.start();
  const { "a/route.ts": lazy } = allSent();
  const application = TestApplication.of({
    "a/route.ts": () => Promise.resolve(lazy!),
  } as never);
  await application.app.start();
  assertEquals(log.lines, []);
  for (let turn = 0; turn < 2; turn++) await application.fetch("/api/a");
  logged(`${methods} send undeclared members`);
});

Deno.test("the option sendUndeclared counts for schemas that a route used before", async () => {
  const schema = { post: { response: { 201: Id } } };
  const handler = () => respond(schema.post, 201, whole as never);
  handler();
  const application = TestApplication.of({
    "route.ts": { schema, GET: handler, POST: handler },
  }, { sendUndeclared: true });
  assertEquals(await read(application, "", "POST"), whole);
  // The schemas are not those of the method.
  assertEquals(await read(application), { id: 1 });
});

Deno.test("a schema of a response of an older zod prevents startup", async () => {
  const { "~standard": standard } = v.object({ id: v.number() });
  const old = { "~standard": { ...standard, vendor: "zod" }, optional() {} };
  const schema = { get: { response: { 201: { body: old } } } };
  const GET = () => new Response();
  const { app } = TestApplication.of({ "a/route.ts": { schema, GET } });
  await assertRejects(
    () => app.start(),
    Error,
    '"a/route.ts": schema.get.response[201] is a schema of a zod before 4.2',
  );
});

Deno.test("a method may leave members out on purpose, or send them", async () => {
  using log = new CapturedLog();
  const route = (sendUndeclared: boolean): TestModule => {
    const schema = { get: { response: Id, sendUndeclared } };
    return { schema, GET: () => respond(schema.get, 200, whole) };
  };
  for (const validateResponses of [false, "warn", true] as const) {
    for (const sendUndeclared of [false, true]) {
      const files = { "a/route.ts": route(false), "b/route.ts": route(true) };
      const application = TestApplication.of(files, {
        validateResponses,
        sendUndeclared,
      });
      assertEquals(await read(application, "/a"), { id: 1 });
      if (validateResponses !== true) {
        assertEquals(await read(application, "/b"), whole);
      }
      assertEquals(log.lines.filter((line) => /api\/a /.test(line)), []);
    }
  }
  log.lines.length = 0;
  respond({ response: Id, sendUndeclared: false }, 200, whole as never);
  assertEquals(log.lines, []);
});

const Kind = (kind: string) => z.object({ kind: z.literal(kind) });
const A = Kind("a").extend({ id });

/** Unions of objects that no constant distinguishes. */
const MIXED: Readonly<Record<string, StandardSchemaV1>> = {
  "public and private forms": z.union([Id, Named]),
  "a union of ArkType": type({ id: "number", a: "1" }).or({ b: "1" }),
  "a union inside": z.object({ a: z.array(z.union([Id, Named])) }),
  "a record": z.union([Id, z.record(z.string(), z.number())]),
  "a tag in one branch only": z.union([A, Named]),
  "a shared tag": z.union([A, Kind("a").extend({ name: z.string() })]),
};

const DISTINCT: Readonly<Record<string, StandardSchemaV1>> = {
  "tags": z.discriminatedUnion("kind", [A, Kind("b")]),
  "a tag inside": z.union([
    z.object({ a: Kind("a"), id }),
    z.object({ a: Kind("b") }),
  ]),
  "null against an object": z.union([
    z.object({ a: z.null(), id }),
    z.object({ a: Id }),
  ]),
  "the same names": z.union([z.object({ id: z.string() }), Id]),
  "one object": z.union([z.string(), Id, z.array(Id)]),
  "a recursive object": Tree,
};

Deno.test("startup names unions without a constant that distinguishes their objects (behaviour 7.9)", async () => {
  for (const [name, response] of Object.entries({ ...MIXED, ...DISTINCT })) {
    using log = new CapturedLog();
    const files = (get: object) => ({
      "a/route.ts": { schema: { get }, GET: () => new Response() },
    });
    await TestApplication.of(files({ response })).app.start();
    assertEquals(log.lines.length, name in MIXED ? 1 : 0, name);
    assertMatch(
      log.lines.join(),
      name in MIXED ? /GET \/api\/a may send/ : /^$/,
    );
    log.lines.length = 0;
    const all = { response, sendUndeclared: true };
    await TestApplication.of(files(all)).app.start();
    assertEquals(log.lines, [], name);
  }
});
