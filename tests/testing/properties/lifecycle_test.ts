/** Created resources are followed; `lifecycle_slow.ts` has the legal ways of storing them. */
import { assertEquals } from "@std/assert";
import { TestApplication } from "../../support/application.ts";
import { check, checkFast } from "../support.ts";
import { FAULTS, FOLLOWED, invoices, store } from "./invoices.ts";

const reset = () => store.clear();

Deno.test("a lifecycle without a fault raises no alarm", async () => {
  const { failures, results } = await check(invoices(), {
    properties: ["state"],
    runs: 30,
    seed: 1,
    reset,
  });
  assertEquals(failures, []);
  assertEquals(
    results.map(({ operation, note }) => [operation, note]),
    FOLLOWED.map((operation) => [operation, undefined]),
  );
});

Deno.test("a resource may be created later, or without an identifier", async () => {
  for (
    const [status, body] of [
      [202, { id: 7 }],
      [201, { user: { id: 7 } }],
      [201, { customer: { id: 7 }, total: 9 }],
    ] as const
  ) {
    const { failures, results } = await check({
      "tokens/route.ts": { POST: () => Response.json(body, { status }) },
      "tokens/[id]/route.ts": {
        GET: () => new Response(null, { status: 404 }),
      },
    }, { properties: ["state"], runs: 5 });
    assertEquals(failures, []);
    assertEquals(results.map(({ runs, note }) => [runs, note]), [[
      0,
      "POST /api/tokens named no created resource by Location or identifier",
    ]]);
  }
});

Deno.test("an identifier comes from the Location of another path", async () => {
  const { untested } = await check(invoices(), {
    properties: ["declared"],
    runs: 20,
    seed: 1,
    reset,
  });
  assertEquals(untested, []);
});

/** The files that a fault needs; `lifecycle_slow.ts` has all files. */
function patternOf(name: string): RegExp {
  if (/^a redirect that lacks|to a resource/.test(name)) {
    return /checkout|orders/;
  }
  if (/\bPUT\b/.test(name)) return /settings/;
  if (/\blines?\b/.test(name)) return /^invoices/;
  return /^invoices(?!.*lines)|totals|orders|old/;
}

for (const [name, parts] of Object.entries(FAULTS)) {
  Deno.test(`a lifecycle shows ${name}`, async () => {
    const found: number[] = [];
    // One of two seeds shows each fault.
    for (const seed of [7, 8]) {
      reset();
      const { app } = TestApplication.of(invoices(parts, patternOf(name)));
      const { failures } = await checkFast(app, {
        properties: ["state"],
        runs: 50,
        seed,
      });
      if (failures.length === 0) continue;
      found.push(failures.length);
      break;
    }
    assertEquals(found, [1]);
  });
}
