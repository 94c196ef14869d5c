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

const OBJECT = "returned an object of class Object";

/**
 * Results of schemas, and the status with the value, the detail of the issue, or the
 * error.
 */
const RESULTS: Readonly<
  Record<string, readonly [() => unknown, 200 | 400 | 500, string]>
> = {
  value: [() => ({ value: 1 }), 200, "1"],
  nothing: [() => ({ value: undefined }), 200, "undefined"],
  thenable: [() => thenable({ value: 2 }), 200, "2"],
  refusing: [() => thenable({ issues: [{ message: "no" }] }), 400, "no"],
  wordless: [() => ({ issues: [] }), 400, "Invalid"],
  both: [() => ({ value: 3, issues: [] }), 400, "Invalid"],
  rejecting: [() => Promise.reject(new Error("broken")), 500, "Error: broken"],
  empty: [() => ({}), 500, OBJECT],
  listless: [() => ({ issues: true }), 500, OBJECT],
  null: [() => ({ value: 4, issues: null }), 500, OBJECT],
  undefined: [() => undefined, 500, "returned undefined"],
  nil: [() => null, 500, "returned null"],
  callable: [() => () => {}, 500, "returned a function"],
  boolean: [() => true, 500, "returned a boolean"],
  text: [() => "value", 500, "returned a string"],
  later: [() => Promise.resolve({}), 500, OBJECT],
};

function thenable(result: object): PromiseLike<object> {
  return {
    then: ((resolve: (result: object) => void) => resolve(result)) as never,
  };
}

const echo: NonNullable<TestModule["GET"]> = ({ validated }) => {
  const [value] = Object.values(validated);
  return Response.json({ value: String(value) });
};

const PARTS: Readonly<Record<string, string>> = {
  GET: "params",
  PUT: "query",
  PATCH: "headers",
  POST: "body",
  DELETE: "response",
};

const APPLICATION = TestApplication.of(
  Object.fromEntries(
    Object.entries(RESULTS).map(([name, [validate]]): [string, TestModule] => {
      const schema = schemaOf(validate);
      return [`${name}/[id]/route.ts`, {
        schema: Object.fromEntries(
          Object.entries(PARTS).map(([method, part]) => [
            ...[method.toLowerCase(), { [part]: schema }],
          ]),
        ),
        ...{ GET: echo, PUT: echo, PATCH: echo, POST: echo },
        DELETE: () => Response.json({}),
      }];
    }),
  ),
  { validateResponses: true },
);

for (const [method, part] of Object.entries(PARTS)) {
  Deno.test(`a schema of ${part} accepts with a value, and rejects with issues, now or later; Bough responds to anything else with 500 (behaviour 7.1)`, async () => {
    await APPLICATION.app.start();
    for (const [name, [, status, text]] of Object.entries(RESULTS)) {
      using log = new CapturedLog();
      const response = await APPLICATION.fetch(`/api/${name}/1`, { method });
      const { value, errors } = await response.json();
      const isResponse = part === "response";
      const failed = isResponse && status === 400 ? 500 : status;
      assertEquals(response.status, failed, name);
      assertEquals(log.lines.length, failed === 500 ? 1 : 0, name);
      const error = status === 400
        ? `does not fit its schema: at "#" ${text}`
        : text.startsWith("returned")
        ? `The schema of "${part}" ${text}; it must return { value } or { issues: [...] }`
        : text;
      if (failed === 500) assertStringIncludes(log.lines[0]!, error, name);
      else if (status === 400) {
        assertEquals(errors, [{ in: part, pointer: "#", detail: text }], name);
      } else if (!isResponse) assertEquals(value, text, name);
    }
  });
}

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

Deno.test("Bough calls a function of a schema once (behaviour 7.1)", async () => {
  for (const [name, schemaWith] of Object.entries(WAITING)) {
    for (const [result, { check, status }] of Object.entries(CHECKS)) {
      using log = new CapturedLog();
      let count = 0;
      const schema = schemaWith((value) => {
        count++;
        return check(value);
      });
      const application = TestApplication.of({
        "route.ts": { schema: { post: { body: schema } }, POST: echo },
      });
      const body = new Blob(['{"a":"b"}'], { type: "application/json" });
      const init = { method: "POST", body };
      const response = await application.fetch("/api", init);
      await response.body?.cancel();
      // An unhandled rejection would fail this test.
      await new Promise((resolve) => setTimeout(resolve));
      assertEquals(
        [response.status, count, log.lines.length],
        [status, 1, status === 500 ? 1 : 0],
        `${name}: ${result}`,
      );
    }
  }
});

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
