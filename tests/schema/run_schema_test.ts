import type { CommonOptions } from "@bough/framework/types";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { runSchema, type SchemaResult } from "../../src/schema/run_schema.ts";
import { CapturedLog, FolderApplication } from "../support/application.ts";

/** What schemas give that are written by hand, each for all parts. */
const RESULTS = {
  value: "({ value: 1 })",
  nothing: "({ value: undefined })",
  thenable: "({ then: (resolve) => resolve({ value: 2 }) })",
  refusing: "({ then: (resolve) => resolve({ issues: [{ message: 'no' }] }) })",
  rejecting: "({ then: (_, reject) => reject(new Error('broken')) })",
  wordless: "({ issues: [] })",
  both: "({ value: 3, issues: [] })",
  empty: "({})",
  listless: "({ issues: true })",
  null: "({ value: 4, issues: null })",
  undefined: "undefined",
  nil: "null",
  callable: "() => {}",
  boolean: "true",
  text: "'value'",
  later: "Promise.resolve({})",
};

const FILES = Object.fromEntries(
  Object.entries(RESULTS).map(([name, result]) => [
    `${name}/[id]/route.js`,
    `const schema_ = { "~standard": { version: 1, vendor: "test", validate: () => ${result} } };
    const open = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
    const parts = { params: open, query: open, headers: open, body: open };
    export const schema = {
      get: { params: schema_ },
      put: { query: schema_ },
      patch: { headers: schema_ },
      post: { body: schema_ },
      delete: { response: schema_ },
    };
    const echo = ({ validated }) => {
      const [[part, value]] = Object.entries(validated);
      return Response.json({ part, value: String(value) });
    };
    export { echo as GET, echo as PUT, echo as PATCH, echo as POST };
    export const DELETE = () => Response.json({});`,
  ]),
);

const PARTS = { GET: "params", PUT: "query", PATCH: "headers", POST: "body" };

async function outcomes(
  name: keyof typeof RESULTS,
  method: string,
  options: CommonOptions = {},
): Promise<{ status: number; answer: Record<string, unknown>; log: string }> {
  await using application = await FolderApplication.create(FILES, options);
  using log = new CapturedLog();
  const response = await application.fetch(`/api/${name}/1`, { method });
  const { status } = response;
  return { status, answer: await response.json(), log: log.lines.join("\n") };
}

for (const [method, part] of Object.entries(PARTS)) {
  Deno.test(`a schema of ${part} that gives a value, at once or later, lets it through`, async () => {
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

  Deno.test(`a schema of ${part} that gives issues, though none, lets nothing through`, async () => {
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

  Deno.test(`a schema of ${part} that gives neither a value nor issues is a 500, and named in the log`, async () => {
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

Deno.test("a schema of an answer is held to the same", async () => {
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

Deno.test("issues that are gone at the second look let nothing through", () => {
  let looks = 0;
  const validate = () => ({
    get issues() {
      return looks++ === 0 ? [{ message: "wrong" }] : undefined;
    },
  });
  const schema = { "~standard": { version: 1, vendor: "test", validate } };
  const result = runSchema(schema as never, {}, "query");
  assertEquals((result as SchemaResult).issues, [{ message: "wrong" }]);
});
