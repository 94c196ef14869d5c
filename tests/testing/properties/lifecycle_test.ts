/** What was created is followed: no legal way of storing is a fault, and faults are found. */
import { checkContracts } from "@bough/framework/testing";
import { assertEquals } from "@std/assert";
import { check } from "../support.ts";
import { type Change, FAULTS, withChanged } from "./invoices.ts";

function find(changes: readonly Change[], seed: number) {
  return withChanged(changes, (app, reset) =>
    checkContracts(app, {
      properties: ["state"],
      runs: 30,
      seed,
      reset,
    }));
}

Deno.test("what is stored in a legal way is followed without an alarm", async () => {
  const legal: readonly (readonly Change[])[] = [
    [],
    // Deleted invoices stay in the list, with the time of their deletion.
    [
      [
        "invoices/[id]/route.js",
        "store().invoices.delete(id);",
        "find(params).deletedAt = store().time++;",
      ],
      [
        "invoices/schemas.js",
        "if (!invoice)",
        "if (!invoice || invoice.deletedAt)",
      ],
    ],
    // The list is that of yesterday.
    [["invoices/route.js", "[...store().invoices.values()].map(shown)", "[]"]],
    // The lines of an invoice that is missing are none.
    [[
      "invoices/[id]/lines/route.js",
      "{ id } = find(params);",
      "id = Number(params.id);",
    ]],
    // Later, the server deletes the invoice.
    [
      ["invoices/[id]/route.js", "204: {}", "202: {}"],
      ["invoices/[id]/route.js", "status: 204", "status: 202"],
      ["invoices/[id]/route.js", "store().invoices.delete(id);", ""],
      ["invoices/[id]/route.js", "store().lines = ", "const rest = "],
    ],
    // Each invoice has a first line.
    [[
      "invoices/route.js",
      "const headers",
      'store().lines.push({ id: store().time++, invoice: id, text: "" });\n const headers',
    ]],
    // A second invoice with the same title is the first one, or a conflict.
    ...[200, 409].map((status): Change[] => [[
      "invoices/route.js",
      "const id = ",
      `const same = [...store().invoices.values()].find(({ title }) => title === body.invoice.title);
       if (same) {
         const headers = { location: "/api/invoices/" + same.id };
         return Response.json({ invoice: shown(same) }, { status: ${status}, headers });
       }
       const id = `,
    ]]),
    // A note gets a number if the note is known.
    [[
      "invoices/schemas.js",
      "const merged = { ...old, ...values };",
      `const merged = structuredClone({ ...old, ...values });
       const isKnown = [...store().invoices.values()].some((each) =>
         each.id !== id && each.note === merged.note);
       if (isKnown && merged.note) merged.note += "-" + id;`,
    ]],
    // A new title leads to another identifier.
    [
      ["invoices/[id]/route.js", "id: old.id }, old", "id: next }, old"],
      [
        "invoices/[id]/route.js",
        "const changes",
        `const next = Math.max(...store().invoices.keys()) + 1;
         store().invoices.delete(old.id);
         const changes`,
      ],
    ],
  ];
  for (const changes of legal) {
    for (const seed of [1, 2]) {
      const { failures, results } = await find(changes, seed);
      assertEquals(
        failures.map(({ expected, seen, curl }) => [expected, seen, curl]),
        [],
      );
      assertEquals(
        results.map(({ operation, note }) => [operation, note]),
        [
          "POST /api/checkout",
          "POST /api/invoices/[id]/lines",
          "POST /api/invoices",
          "PUT /api/settings",
        ].map((operation) => [operation, undefined]),
      );
    }
  }
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
