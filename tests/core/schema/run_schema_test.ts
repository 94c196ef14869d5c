import type { CommonOptions } from "@bough/framework/types";
import { respond } from "@bough/framework";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import * as zm from "zod/mini";
import {
  runSchema,
  type SchemaResult,
} from "../../../src/core/schema/run_schema.ts";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import { schemaOf } from "../../support/schema_of.ts";

/** The results of schemas without a library, each for all parts. */
const RESULTS = {
  value: () => ({ value: 1 }),
  nothing: () => ({ value: undefined }),
  thenable: () => ({
    then: (resolve: (result: object) => void) => resolve({ value: 2 }),
  }),
  refusing: () => ({
    then: (resolve: (result: object) => void) =>
      resolve({ issues: [{ message: "no" }] }),
  }),
  rejecting: () => ({
    then: (_: unknown, reject: (error: Error) => void) =>
      reject(new Error("broken")),
  }),
  wordless: () => ({ issues: [] }),
  both: () => ({ value: 3, issues: [] }),
  empty: () => ({}),
  listless: () => ({ issues: true }),
  null: () => ({ value: 4, issues: null }),
  undefined: () => undefined,
  nil: () => null,
  callable: () => () => {},
  boolean: () => true,
  text: () => "value",
  later: () => Promise.resolve({}),
};

const echo: NonNullable<TestModule["GET"]> = ({ validated }) => {
  const [entry] = Object.entries(validated);
  const [part, value] = entry!;
  return Response.json({ part, value: String(value) });
};

const FILES = Object.fromEntries(
  Object.entries(RESULTS).map(([name, validate]): [string, TestModule] => {
    const schema = schemaOf(validate);
    return [`${name}/[id]/route.ts`, {
      schema: {
        get: { params: schema },
        put: { query: schema },
        patch: { headers: schema },
        post: { body: schema },
        delete: { response: schema },
      },
      GET: echo,
      PUT: echo,
      PATCH: echo,
      POST: echo,
      DELETE: () => Response.json({}),
    }];
  }),
);

const PARTS = { GET: "params", PUT: "query", PATCH: "headers", POST: "body" };

async function outcomes(
  name: keyof typeof RESULTS,
  method: string,
  options: CommonOptions = {},
): Promise<{ status: number; answer: Record<string, unknown>; log: string }> {
  const application = TestApplication.of(FILES, options);
  await application.app.start();
  using log = new CapturedLog();
  const response = await application.fetch(`/api/${name}/1`, { method });
  const { status } = response;
  return { status, answer: await response.json(), log: log.lines.join("\n") };
}

for (const [method, part] of Object.entries(PARTS)) {
  Deno.test(`a schema of ${part} accepts by returning a value, now or later`, async () => {
    for (
      const [name, value] of [
        ["value", "1"],
        ["nothing", "undefined"],
        ["thenable", "2"],
      ] as const
    ) {
      assertEquals(await outcomes(name, method), {
        status: 200,
        answer: { part, value },
        log: "",
      });
    }
  });

  Deno.test(`a schema of ${part} rejects by returning issues, even an empty list`, async () => {
    for (
      const [name, detail] of [
        ["refusing", "no"],
        ["wordless", "Invalid"],
        ["both", "Invalid"],
      ] as const
    ) {
      const { status, answer, log } = await outcomes(name, method);
      assertEquals([status, log], [400, ""], name);
      assertEquals(answer.errors, [{ in: part, pointer: "#", detail }]);
    }
  });

  Deno.test(`Bough responds with 500 if a schema of ${part} returns neither a value nor issues`, async () => {
    for (
      const [name, kind] of [
        ["empty", "an object of class Object"],
        ["listless", "an object of class Object"],
        ["null", "an object of class Object"],
        ["undefined", "undefined"],
        ["nil", "null"],
        ["callable", "a function"],
        ["boolean", "a boolean"],
        ["text", "a string"],
        ["later", "an object of class Object"],
      ] as const
    ) {
      const { status, log } = await outcomes(name, method);
      assertEquals(status, 500, name);
      assertStringIncludes(
        log,
        `The schema of "${part}" returned ${kind}; it must return { value } or { issues: [...] }`,
      );
    }
    const { status, log } = await outcomes("rejecting", method);
    assertEquals(status, 500);
    assertStringIncludes(log, "Error: broken");
  });
}

Deno.test("the same results accept or reject a response", async () => {
  const options = { validateResponses: true } as const;
  for (const name of ["value", "nothing", "thenable"] as const) {
    assertEquals((await outcomes(name, "DELETE", options)).status, 200, name);
  }
  for (
    const [name, text] of [
      ["wordless", 'does not fit its schema: at "#" Invalid'],
      ["undefined", 'The schema of "response" returned undefined'],
      ["empty", 'The schema of "response" returned an object of class Object'],
    ] as const
  ) {
    const { status, log } = await outcomes(name, "DELETE", options);
    assertEquals(status, 500, name);
    assertStringIncludes(log, text);
  }
});

Deno.test("a schema rejects a value although its issues disappear after the first read", () => {
  let reads = 0;
  const schema = schemaOf(() => ({
    get issues() {
      return reads++ === 0 ? [{ message: "wrong" }] : undefined;
    },
  }));
  const result = runSchema(schema, {}, "query");
  assertEquals((result as SchemaResult).issues, [{ message: "wrong" }]);
});

interface Calls {
  count: number;
}

type Check = (value: unknown) => unknown;

/** Schemas of an object with a member `a`, which call a function for the member. */
const WAITING: Readonly<
  Record<string, (check: Check) => z.ZodType | zm.ZodMiniType>
> = {
  refine: (check) => z.object({ a: z.string().refine(check) }),
  superRefine: (check) =>
    z.object({ a: z.string() }).superRefine((value) => check(value) as void),
  check: (check) =>
    z.object({ a: z.string().check((payload) => check(payload) as void) }),
  transform: (check) => z.object({ a: z.string().transform(check) }),
  preprocess: (check) => z.object({ a: z.preprocess(check, z.any()) }),
  custom: (check) => z.object({ a: z.custom(check as never) }),
  codec: (check) =>
    z.object({
      a: z.codec(z.string(), z.any(), { decode: check, encode: String }),
    }),
  "a union": (check) =>
    z.union([z.object({ a: z.int() }), z.object({ a: z.any().refine(check) })]),
  "a pipe": (check) =>
    z.object({ a: z.string().pipe(z.string().refine(check)) }),
  "a lazy list": (check) =>
    z.object({
      a: z.lazy(() => z.any().refine(check)),
      b: z.array(z.lazy(() => z.any())).optional(),
    }),
  "a record": (check) => z.record(z.string(), z.any().refine(check)),
  "an intersection": (check) =>
    z.intersection(z.object({}), z.looseObject({ a: z.any().refine(check) })),
  "other members": (check) => z.object({}).catchall(z.any().refine(check)),
  "zod/mini": (check) => zm.object({ a: zm.string().check(zm.refine(check)) }),
};

/** The outcomes of functions of a user, and the statuses of the request. */
const CHECKS: Readonly<Record<string, { check: Check; status: number }>> = {
  "a promise": { check: (value) => Promise.resolve(value), status: 200 },
  "a value": { check: (value) => value, status: 200 },
  "a rejection": {
    check: () => Promise.reject(new Error("broken")),
    status: 500,
  },
  "an error": {
    check: () => {
      throw new Error("broken");
    },
    status: 500,
  },
};

for (const [name, schemaWith] of Object.entries(WAITING)) {
  Deno.test(`Bough calls a function of a schema once: ${name} (behaviour 7.1)`, async () => {
    for (const [result, { check, status }] of Object.entries(CHECKS)) {
      using log = new CapturedLog();
      const calls: Calls = { count: 0 };
      const schema = schemaWith((value) => {
        calls.count++;
        return check(value);
      });
      const application = TestApplication.of({
        "route.ts": { schema: { post: { body: schema } }, POST: echo },
      });
      const body = JSON.stringify({ a: "b" });
      const headers = { "content-type": "application/json" };
      const response = await application.fetch("/api", {
        method: "POST",
        headers,
        body,
      });
      await response.body?.cancel();
      // An unhandled rejection would fail this test.
      await new Promise((resolve) => setTimeout(resolve));
      assertEquals(
        [response.status, calls.count, log.lines.length],
        [status, 1, status === 500 ? 1 : 0],
        result,
      );
    }
  });
}

Deno.test("responses and unions call a function of a schema once, or not at all", async () => {
  using log = new CapturedLog();
  let calls = 0;
  const refused = z.object({ a: z.string() }).refine(() => {
    calls++;
    return Promise.reject(new Error("broken"));
  });
  const both = z.union([refused, z.object({ b: z.string() })]);
  const schema = { get: { response: both }, post: { response: refused } };
  const application = TestApplication.of({
    "route.ts": {
      schema,
      GET: () => respond(schema.get, 200, { a: "a", c: 1 } as never),
      POST: () => Response.json({ a: "a" }),
    },
  }, { validateResponses: true });
  for (const [method, count] of [["GET", 1], ["POST", 2]] as const) {
    const response = await application.fetch("/api", { method });
    await response.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve));
    assertEquals([response.status, calls], [500, count]);
  }
  // The first line, at startup, names the union.
  assertEquals(log.lines.length, 3);
});

Deno.test("runSchema() returns a promise for zod only if a schema has a function of a user", () => {
  const Tree = z.object({
    get kids() {
      return z.array(Tree).optional();
    },
  });
  for (
    const schema of [
      z.object({
        a: z.string().trim().max(9).optional(),
        b: z.coerce.number(),
      }),
      z.looseObject({ a: z.string().default(() => "b") }),
      z.discriminatedUnion("a", [z.object({ a: z.literal("b") })]),
      z.record(z.string(), z.json()),
      Tree,
      zm.looseObject({ a: zm.string() }),
    ]
  ) {
    const result = runSchema(schema, { a: "b", b: 1 }, "body");
    assertEquals((result as SchemaResult).issues, undefined);
  }
  // A schema without end may wait.
  const endless = (): z.ZodType =>
    z.object({ a: z.string(), b: z.lazy(endless).optional() });
  const result = runSchema(endless(), { a: "b" }, "body");
  assert(result instanceof Promise);
});
