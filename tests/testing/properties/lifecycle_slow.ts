import { checkContracts } from "@bough/framework/testing";
import { assertEquals } from "@std/assert";
import { passes } from "../run_test_text.ts";
import { type Change, FAULTS, FOLLOWED, withChanged } from "./invoices.ts";

// Slow: each failure is shrunk, 20 CPU seconds.
for (const [name, changes] of Object.entries(FAULTS)) {
  Deno.test(`the test of a report shows ${name}`, async () => {
    const { failures } = await withChanged(
      changes,
      (app, reset) =>
        checkContracts(app, {
          properties: ["state"],
          runs: 50,
          seed: 7,
          reset,
        }),
    );
    assertEquals(failures.map(({ replays }) => replays), [true]);
    const passesWith = (changes: readonly Change[]) =>
      withChanged(changes, (app) => passes(failures[0]!.test, app()));
    assertEquals(await passesWith(changes), false, "with the fault");
    assertEquals(await passesWith([]), true, "without the fault");
  });
}

// Slow: 10 services with two seeds each, 12 CPU seconds.
Deno.test("legal ways of storing raise no alarm", async () => {
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
      const { failures, results } = await withChanged(
        changes,
        (app, reset) =>
          checkContracts(app, { properties: ["state"], runs: 30, seed, reset }),
      );
      assertEquals(
        failures.map(({ expected, seen, curl }) => [expected, seen, curl]),
        [],
      );
      assertEquals(
        results.map(({ operation, note }) => [operation, note]),
        FOLLOWED.map((operation) => [operation, undefined]),
      );
    }
  }
});
