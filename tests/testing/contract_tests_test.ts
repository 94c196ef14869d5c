/** What `contractTests()` registers. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { TestFolder } from "../support/application.ts";
import { DenoProcess } from "../support/process.ts";

/** Runs the tests of an application with one route, and returns what they print. */
async function run(handler: string): Promise<{ code: number; output: string }> {
  await using folder = await TestFolder.create({
    "api/books/[id]/route.ts": `import { z } from "zod";
export const schema = {
  get: { params: z.object({ id: z.coerce.number().int().min(0).max(9) }), response: z.object({ title: z.string() }) },
};
export const GET = ({ validated: { params: { id } } }) => ${handler};`,
    "contract_test.ts": `import { Framework } from "@bough/framework";
import { contractTests } from "@bough/framework/testing";
contractTests(() => new Framework({ apiDir: "api" }), { runs: 30, seed: 1 });`,
  });
  await using test = new DenoProcess(folder.path, ["-A"], "contract_test.ts", {
    command: "test",
  });
  return await test.outcome();
}

Deno.test("contractTests() has a step for each operation of a property", async () => {
  const { code, output } = await run("Response.json({ title: 'x' })");
  assertEquals(code, 0, output);
  // What fits is accepted, what does not is refused, and so on.
  assert(output.split("GET /api/books/[id] ... ok").length > 3, output);
});

Deno.test("contractTests() fails in the step of what is at fault", async () => {
  const { code, output } = await run(
    "Response.json({ title: id < 9 ? 'x' : id })",
  );
  assertEquals(code, 1, output);
  assertStringIncludes(output, "GET /api/books/[id] ... FAILED");
  assertStringIncludes(output, "GET /api/books/[id] ... ok");
  assertStringIncludes(output, "error: ContractError: ");
  assertStringIncludes(output, "curl");
  assertStringIncludes(output, "/api/books/9");
});
