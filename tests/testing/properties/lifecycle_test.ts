/** Created resources are followed; `lifecycle_slow.ts` has the legal ways of storing them. */
import { checkContracts } from "@bough/framework/testing";
import { assertEquals } from "@std/assert";
import { check } from "../support.ts";
import { type Change, FAULTS, FOLLOWED, withChanged } from "./invoices.ts";

function find(changes: readonly Change[], seed: number) {
  return withChanged(changes, (app, reset) =>
    checkContracts(app, {
      properties: ["state"],
      runs: 30,
      seed,
      reset,
    }));
}

Deno.test("a lifecycle without a fault raises no alarm", async () => {
  const { failures, results } = await find([], 1);
  assertEquals(failures, []);
  assertEquals(
    results.map(({ operation, note }) => [operation, note]),
    FOLLOWED.map((operation) => [operation, undefined]),
  );
});

Deno.test("a resource that is created later, or not named, is not missed", async () => {
  for (
    const [status, body] of [
      [202, "{ id: 7 }"],
      [201, "{ user: { id: 7 } }"],
      [201, "{ customer: { id: 7 }, total: 9 }"],
    ]
  ) {
    const { failures, results } = await check({
      "tokens/route.js": `export const POST = () =>
        Response.json(${body}, { status: ${status} });`,
      "tokens/[id]/route.js":
        "export const GET = () => new Response(null, { status: 404 });",
    }, { properties: ["state"], runs: 5 });
    assertEquals(failures, []);
    assertEquals(results.map(({ runs }) => runs), [0]);
  }
});

Deno.test("an identifier comes from the Location of another path", async () => {
  const { untested } = await withChanged(
    [],
    (app, reset) =>
      checkContracts(app, {
        properties: ["declared"],
        runs: 20,
        seed: 1,
        reset,
      }),
  );
  assertEquals(untested, []);
});

for (const [name, changes] of Object.entries(FAULTS)) {
  Deno.test(`a lifecycle shows ${name}`, async () => {
    await withChanged(changes, async (app) => {
      const { failures } = await checkContracts(app(), {
        properties: ["state"],
        runs: 50,
        seed: 7,
      });
      assertEquals(failures.length, 1);
    });
  });
}
