/** Rules of `access` name users by a member of a resource, or by a function. */
import { assert, assertEquals } from "@std/assert";
import { HttpError, type MethodSchema } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import type {
  ContractReport,
  ContractTestOptions,
} from "@bough/framework/testing";
import { z } from "zod";
import { TestApplication } from "../../support/application.ts";
import { checkFast, type Modules, Store } from "../support.ts";

interface User {
  readonly id: string;
  readonly role: "customer" | "technician" | "desk";
}

interface Order {
  readonly id: string;
  readonly customerId: string;
  text: string;
  technicianId: string | null;
}

interface Team {
  readonly id: string;
  readonly memberIds: readonly string[];
}

const USERS: Readonly<Record<string, User>> = {
  carol: { id: "u-17", role: "customer" },
  dave: { id: "u-18", role: "customer" },
  tom: { id: "u-23", role: "technician" },
  tina: { id: "u-24", role: "technician" },
  desk: { id: "u-31", role: "desk" },
};

const as: ContractTestOptions["as"] & object = Object.fromEntries(
  Object.entries(USERS).map(([name, { id }]) =>
    [name, { headers: { authorization: `Bearer ${name}` }, id }] as const
  ),
);

const Order = z.object({
  id: z.string(),
  text: z.string(),
  customerId: z.string(),
  technicianId: z.string().nullable(),
});
const Line = z.object({ lineId: z.string(), count: z.int() });
const Team = z.object({
  id: z.string(),
  memberIds: z.array(z.string()).min(1),
});
const REFUSED = { 403: Problem, 404: Problem };

const assigned = (
  { id }: { readonly id: string | number },
  order: Order,
): boolean => order.technicianId === id;

/** The parts of the application, which a test replaces to plant a fault. */
const PARTS = {
  read: {
    access: [{ member: "customerId" }, { member: "technicianId" }],
  } as MethodSchema,
  change: { access: assigned } as MethodSchema,
  lines: { access: { member: "customerId", of: "parent" } } as MethodSchema,
  mayRead: (user: User, order: Order): boolean =>
    [order.customerId, order.technicianId].includes(user.id),
  mayList: (user: User, order: Order): boolean =>
    [order.customerId, order.technicianId].includes(user.id),
  mayChange: (user: User, order: Order): boolean =>
    order.technicianId === user.id,
  mayReadLines: (user: User, order: Order): boolean =>
    order.customerId === user.id,
  /** Whether only the desk assigns technicians. */
  isAssignedLater: false,
  /** Whether a line is found below any order, as long as the user may see the order. */
  findsAnywhere: false,
  mayReadLine: (user: User, order: Order): boolean =>
    order.customerId === user.id,
  mayAddLine: (user: User, order: Order): boolean =>
    order.customerId === user.id,
  mayReadTeam: (user: User, team: Team): boolean =>
    team.memberIds.includes(user.id),
};

class Rows {
  last = 0;
  readonly orders = new Store<Order>();
  readonly lines = new Store<z.infer<typeof Line> & { order: string }>();
  readonly teams = new Store<Team>();

  next(): string {
    return `${++this.last}`;
  }
}

/** The application, which each reset creates again. */
function ordersWith(parts: Partial<typeof PARTS> = {}): Modules {
  const part = { ...PARTS, ...parts };
  const rows = new Rows();
  const orderOf = (
    request: Request & { readonly params: Record<string, string> },
    may: (user: User, order: Order) => boolean,
  ) => {
    const order = rows.orders.find(request.params.id);
    if (!may(userOf(request), order)) throw new HttpError(403, "Not yours");
    return order;
  };
  return {
    "middleware.ts": {
      contract: { security: [{ bearer: [] }], response: { 401: Problem } },
      default: (request, next) => {
        if (userOf(request) === undefined) throw new HttpError(401);
        return next();
      },
    },
    "orders/route.ts": {
      schema: {
        get: {
          access: part.read.access!,
          response: z.array(Order),
        },
        post: {
          access: { member: "customerId" },
          body: z.object({
            text: z.string(),
            technicianId: z.string().nullable(),
          }),
          response: { 201: Order, 403: Problem, 422: Problem },
        },
      },
      GET: (request) =>
        Response.json(
          [...rows.orders.values()]
            .filter((order) => part.mayList(userOf(request), order)),
        ),
      POST: (request) => {
        const user = userOf(request);
        if (user.role !== "customer") throw new HttpError(403);
        const { text, technicianId } = request.validated.body as Order;
        if (technicianId !== null && !isTechnician(technicianId)) {
          throw new HttpError(422, "No such technician");
        }
        const id = rows.next();
        const order = {
          ...{ id, text, customerId: user.id },
          technicianId: part.isAssignedLater ? null : technicianId,
        };
        rows.orders.set(id, order);
        return Response.json(order, { status: 201 });
      },
    },
    "orders/[id]/route.ts": {
      schema: {
        get: { response: { 200: Order, ...REFUSED }, ...part.read },
        patch: {
          body: z.object({ text: z.string() }),
          response: { 200: Order, ...REFUSED },
          ...part.change,
        },
      },
      GET: (request) => Response.json(orderOf(request, part.mayRead)),
      PATCH: (request) => {
        const order = orderOf(request, part.mayChange);
        order.text = (request.validated.body as Order).text;
        return Response.json(order);
      },
    },
    "orders/[id]/technician/route.ts": {
      schema: {
        put: {
          access: ["desk"],
          body: z.object({ technicianId: z.string() }),
          response: { 204: {}, ...REFUSED, 422: Problem },
        },
      },
      PUT: (request) => {
        const order = orderOf(request, ({ role }) => role === "desk");
        const { technicianId } = request.validated.body as Order;
        if (!isTechnician(technicianId!)) throw new HttpError(422);
        order.technicianId = technicianId;
        return new Response(null, { status: 204 });
      },
    },
    "orders/[id]/lines/route.ts": {
      schema: {
        get: { response: { 200: z.array(Line), ...REFUSED }, ...part.lines },
        post: {
          body: z.object({ count: z.int() }),
          response: { 201: Line, ...REFUSED },
          ...part.lines,
        },
      },
      GET: (request) => {
        const { id } = orderOf(request, part.mayReadLines);
        return Response.json(
          [...rows.lines.values()].filter(({ order }) => order === id)
            .map(({ order: _, ...line }) => line),
        );
      },
      POST: (request) => {
        const { id } = orderOf(request, part.mayAddLine);
        const { count } = request.validated.body as { count: number };
        const line = { lineId: rows.next(), count };
        rows.lines.set(line.lineId, { ...line, order: id });
        return Response.json(line, { status: 201 });
      },
    },
    "orders/[id]/lines/[lineId]/route.ts": {
      schema: {
        get: { response: { 200: Line, ...REFUSED }, ...part.lines },
      },
      GET: (request) => {
        const { id } = orderOf(request, part.mayReadLine);
        const { order, ...line } = rows.lines.find(request.params.lineId);
        if (!part.findsAnywhere && order !== id) throw new HttpError(404);
        return Response.json(line);
      },
    },
    "teams/route.ts": {
      schema: {
        post: {
          access: "shared",
          body: Team.omit({ id: true }),
          response: { 201: Team },
        },
      },
      POST: (request) => {
        const { memberIds } = request.validated.body as Team;
        const team = { id: rows.next(), memberIds };
        rows.teams.set(team.id, team);
        return Response.json(team, { status: 201 });
      },
    },
    "teams/[id]/route.ts": {
      schema: {
        get: {
          access: { member: "memberIds" },
          response: { 200: Team, ...REFUSED },
        },
      },
      GET: (request) => {
        const team = rows.teams.find(request.params.id);
        if (part.mayReadTeam(userOf(request), team)) return Response.json(team);
        throw new HttpError(403, "Not your team");
      },
    },
  };
}

function isTechnician(id: string): boolean {
  return Object.values(USERS)
    .some((user) => user.id === id && user.role === "technician");
}

function userOf({ headers }: Request): User {
  return USERS[headers.get("authorization")?.slice("Bearer ".length) ?? ""]!;
}

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
