import type { CommonOptions } from "@bough/framework/types";
import { assertEquals, assertStringIncludes } from "@std/assert";
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
