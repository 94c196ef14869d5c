/** Rules of `access` name users by a member of a resource, or by a function. */
import { assert, assertEquals } from "@std/assert";
import type { ContractReport } from "@bough/framework/testing";
import { TestApplication } from "../../support/application.ts";
import { checkFast } from "../support.ts";
import { as, type Order, ordersWith, type PARTS } from "./access_orders.ts";

const checkOrders = (parts: Partial<typeof PARTS>): Promise<ContractReport> =>
  checkFast(() => TestApplication.of(ordersWith(parts)).app, {
    ...{ as, seed: 7, runs: 20 },
    properties: ["access"],
  });

const shown = ({ failures }: ContractReport): string[] =>
  failures.map(({ operation, expected, seen }) =>
    `${operation.replace("/api", "")}: ${expected} <> ${seen}`
  );

Deno.test("rules of access: an application that keeps its rules passes", async () => {
  for (const isAssignedLater of [false, true]) {
    const report = await checkOrders({ isAssignedLater });
    assertEquals(shown(report), []);
    // Few generated bodies name a technician; the handler rejects the others with 422.
    assertEquals(
      report.results.filter(({ operation, note }) =>
        note !== undefined && operation !== "PUT /api/orders/[id]/technician"
      ),
      [],
    );
  }
});

const FAULTS: Readonly<
  Record<string, readonly [Partial<typeof PARTS>, ...string[]]>
> = {
  "a customer sees the order of another": [
    {
      mayRead: ({ role, id }, order) =>
        role === "customer" || order.technicianId === id,
    },
    'GET /orders/[id]: a rejection of "dave", since the access is member customerId or member technicianId <> a 200',
  ],
  "a customer lists the orders of others": [
    { mayList: () => true },
    'GET /orders: no resource of "carol" in the list of "dave"',
  ],
  "any technician changes an order": [
    { mayChange: ({ role }) => role === "technician" },
    'PATCH /orders/[id]: a rejection of "tom", since the access is function <> a 200',
  ],
  "the customer changes an order": [
    {
      mayChange: ({ id }, order) =>
        [order.customerId, order.technicianId].includes(id),
    },
    'PATCH /orders/[id]: a rejection of "carol", since the access is function <> a 200',
  ],
  "everyone changes an order, and the rule returns undefined": [
    {
      mayChange: () => true,
      change: {
        access: ({ id }, order: Order) =>
          (order.technicianId === id || undefined)!,
      },
    },
    'PATCH /orders/[id]: a rejection of "',
  ],
  "the assigned technician may not read": [
    { mayRead: ({ id }, order) => order.customerId === id },
    "GET /orders/[id]: a response other than 403",
  ],
  "the assigned technician may not change": [
    { mayChange: () => false },
    "PATCH /orders/[id]: a response other than 403",
  ],
  "a technician may not change what the desk has assigned": [
    { mayChange: () => false, isAssignedLater: true },
    "PATCH /orders/[id]: a response other than 403",
  ],
  "another customer lists the lines of an order": [
    { mayReadLines: ({ role }) => role === "customer" },
    'GET /orders/[id]/lines: a rejection of "dave", since the access is member customerId of parent <> a 200',
  ],
  "another customer adds a line": [
    { mayAddLine: ({ role }) => role === "customer" },
    'POST /orders/[id]/lines: a rejection of "dave", since the access is member customerId of parent <> a 201',
  ],
  "a line is found below an own order": [
    { findsAnywhere: true },
    'GET /orders/[id]/lines/[lineId]: a rejection of "dave", since the access is member customerId of parent <> a 200',
  ],
  "the customer sees the lines that only the technician may see": [
    { lines: { access: { member: "technicianId", of: "parent" } } },
    'GET /orders/[id]/lines/[lineId]: a rejection of "carol", since the access is member technicianId of parent <> a 200',
  ],
  "others than the members read a team": [
    { mayReadTeam: () => true },
    'GET /teams/[id]: a rejection of "',
  ],
};

for (const [name, [parts, ...wanted]] of Object.entries(FAULTS)) {
  Deno.test(`rules of access: ${name}`, async () => {
    const report = await checkOrders(parts);
    const all = shown(report);
    assert(report.failures.every(({ replays }) => replays));
    for (const each of wanted) {
      assert(
        all.some((found) => found.startsWith(each)),
        `${each}\n${all.join("\n")}`,
      );
    }
  });
}
