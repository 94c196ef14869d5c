/** `contractTests()` registers tests with steps. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { TestFolder } from "../support/application.ts";
import { DenoProcess } from "../support/process.ts";

async function run(
  handler: string,
  files: Readonly<Record<string, string>> = {},
  options = "runs: 30, seed: 1",
): Promise<{ code: number; output: string }> {
  await using folder = await TestFolder.create({
    "api/books/[id]/route.ts": `import { z } from "zod";
export const schema = {
  get: { params: z.object({ id: z.coerce.number().int().min(0).max(9) }), response: z.object({ title: z.string() }) },
};
export const GET = ({ validated: { params: { id } } }) => ${handler};`,
    ...files,
    "contract_test.ts": `import { Framework } from "@bough/framework";
import { contractTests } from "@bough/framework/testing";
contractTests(() => new Framework({ apiDir: "api" }), { ${options} });`,
  });
  await using test = new DenoProcess(folder.path, ["-A"], "contract_test.ts", {
    command: "test",
  });
  return await test.outcome();
}

Deno.test("contractTests() has a step for each operation of a property", async () => {
  const { code, output } = await run("Response.json({ title: 'x' })");
  assertEquals(code, 0, output);
  // One for each property, such as accepted and refused.
  assert(output.split("GET /api/books/[id] ... ok").length > 3, output);
});

Deno.test("contractTests() fails in the step of the operation with the fault, and reports a cause once", async () => {
  const route = `import { fail } from "../../fail.ts";
    export const GET = () => fail();`;
  const handler = "Response.json({ title: id < 9 ? 'x' : id })";
  const { code, output } = await run(handler, {
    "fail.ts": `export function fail() { throw new Error("odd"); }`,
    "api/a/route.ts": route,
    "api/b/route.ts": route,
  });
  assertEquals(code, 1, output);
  for (
    const part of [
      "GET /api/books/[id] ... FAILED",
      "GET /api/books/[id] ... ok",
      "error: ContractError: ",
      "await app.fetch(new Request(",
      "/api/books/9",
      "GET /api/b: no request makes the application fail: see the report for GET /api/a, which has the same cause",
    ]
  ) assertStringIncludes(output, part);
  assertEquals(output.split("Error: odd").length, 2, output);
});

Deno.test("contractTests() ignores the steps after its time", async () => {
  const good = "Response.json({ title: 'x' })";
  const { code, output } = await run(
    good,
    {},
    `timeLimit: 1e-6, properties: ["failure", "state"]`,
  );
  assertEquals(code, 1, output);
  assertEquals(output.split("GET /api/books/[id] ... ignored").length, 3);
  assertStringIncludes(output, "no operation was tested:");
  assertStringIncludes(output, 'no time for the property "failure"');
  const only = await run(good, {}, `runs: 5, properties: ["methods"]`);
  assertEquals(only.code, 0, only.output);
  assertEquals(only.output.split("GET /api/books/[id] ... ok").length, 2);
});
