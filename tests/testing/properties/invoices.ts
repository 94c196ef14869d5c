/**
 * An application of invoices, which keeps what it accepts in legal ways that differ from
 * what was sent, and faults in it that only later requests show.
 */
import { Framework } from "@bough/framework";
import { assertEquals } from "@std/assert";
import { TestFolder } from "../../support/application.ts";

const FILES: Readonly<Record<string, string>> = {
  "invoices/schemas.js": `import { z } from "npm:zod@^4.1.13";
import { HttpError } from "@bough/framework";
const text = z.string().trim().max(20);
export const New = z.object({
  title: text.min(1),
  mail: z.email(),
  password: text,
  note: text.nullable().optional(),
  count: z.int().min(0).max(9_000).default(1),
  price: z.number().min(0).max(100),
  due: z.iso.datetime().transform((due) => new Date(due)),
  tags: z.array(text.min(1)).max(3),
  address: z.object({ street: text, zip: text.optional() }),
  isPaid: z.boolean(),
});
export const Changes = New.partial().extend({
  count: New.shape.count.unwrap().optional(),
});
export const Invoice = z.object({ id: z.int() }).loose();
export const Failure = z.object({ detail: z.string() }).loose();
export const store = () => globalThis.store;
export const find = ({ id }) => {
  const invoice = store().invoices.get(Number(id));
  if (!invoice) throw new HttpError(404);
  return invoice;
};
const now = () => store().time++;
export const put = ({ id, ...values }, old = {}) => {
  const merged = { ...old, ...values };
  const { mail, tags, price, due } = merged;
  const invoice = {
    note: null,
    createdAt: now(),
    ...merged,
    id,
    mail: mail.toLowerCase(),
    tags: [...new Set(tags)].sort(),
    price: Math.round(price * 100) / 100,
    due: new Date(due).toISOString(),
    slug: merged.title.toLowerCase(),
    updatedAt: now(),
    version: (old.version ?? 0) + 1,
  };
  store().invoices.set(id, invoice);
  return invoice;
};
export const shown = ({ password: _, ...invoice }) => ({ ...invoice, readAt: now() });`,
  "invoices/route.js": `import { z } from "npm:zod@^4.1.13";
import { Invoice, New, put, shown, store } from "./schemas.js";
export const schema = {
  get: { response: { 200: z.object({ invoices: z.array(Invoice) }) } },
  post: {
    body: z.object({ invoice: New }),
    response: { 201: z.object({ invoice: Invoice }) },
  },
};
export const GET = () => Response.json({
  invoices: [...store().invoices.values()].map(shown),
});
export const POST = ({ validated: { body } }) => {
  const id = Math.max(0, ...store().invoices.keys()) + 1;
  const invoice = put({ ...body.invoice, id });
  const headers = { location: "/api/invoices/" + id };
  return Response.json({ invoice: shown(invoice) }, { status: 201, headers });
};`,
  "invoices/[id]/route.js": `import { z } from "npm:zod@^4.1.13";
import { Changes, Failure, find, Invoice, put, shown, store } from "../schemas.js";
const response = { 200: z.object({ invoice: Invoice }), 404: Failure };
export const schema = {
  get: { response },
  patch: { body: z.object({ invoice: Changes }), response },
  delete: { response: { 204: {}, 404: Failure } },
};
export const GET = ({ params }) => Response.json({ invoice: shown(find(params)) });
export const PATCH = ({ params, validated: { body } }) => {
  const old = find(params);
  const changes = body.invoice;
  return Response.json({ invoice: shown(put({ ...changes, id: old.id }, old)) });
};
export const DELETE = ({ params }) => {
  const { id } = find(params);
  store().invoices.delete(id);
  store().lines = store().lines.filter(({ invoice }) => invoice !== id);
  return new Response(null, { status: 204 });
};`,
  "invoices/[id]/lines/route.js": `import { z } from "npm:zod@^4.1.13";
import { Failure, find, store } from "../../schemas.js";
const Line = z.object({ id: z.int(), invoice: z.int(), text: z.string() });
export const schema = {
  get: { response: { 200: z.array(Line), 404: Failure } },
  post: {
    body: z.object({ text: z.string().max(9) }),
    response: { 201: Line, 404: Failure },
  },
};
export const GET = ({ params }) => {
  const { id } = find(params);
  return Response.json(store().lines.filter(({ invoice }) => invoice === id));
};
export const POST = ({ params, validated: { body } }) => {
  const { id: invoice } = find(params);
  const line = { ...body, id: store().time++, invoice };
  store().lines.push(line);
  return Response.json(line, { status: 201 });
};`,
  "invoices/[id]/lines/[lineId]/route.js":
    `import { Failure, find, store } from "../../../schemas.js";
import { HttpError } from "@bough/framework";
const response = { 200: {}, 404: Failure };
export const schema = { get: { response }, delete: { response: { 204: {}, 404: Failure } } };
const findLine = ({ id, lineId }) => {
  const { id: invoice } = find({ id });
  const line = store().lines.find((line) => line.invoice === invoice && line.id === Number(lineId));
  if (!line) throw new HttpError(404);
  return line;
};
export const GET = ({ params }) => Response.json(findLine(params));
export const DELETE = ({ params }) => {
  const { id } = findLine(params);
  store().lines = store().lines.filter((line) => line.id !== id);
  return new Response(null, { status: 204 });
};`,
  "invoices/[id]/pdf/route.js": `import { content } from "@bough/framework";
import { Failure, find } from "../../schemas.js";
export const schema = { get: { response: { 200: content("application/pdf"), 404: Failure } } };
export const GET = ({ params }) => {
  const invoice = find(params);
  const name = encodeURIComponent(invoice.title.toWellFormed());
  return new Response("pdf", { headers: {
    "content-type": "application/pdf",
    "content-disposition": "attachment; filename*=UTF-8''" + name,
  } });
};`,
  "totals/route.js": `import { z } from "npm:zod@^4.1.13";
import { store } from "../invoices/schemas.js";
export const schema = { get: { response: { 200: z.object({ mails: z.array(z.string()), average: z.number().min(0) }) } } };
export const GET = () => {
  const all = [...store().invoices.values()];
  const count = all.reduce((sum, each) => sum + each.count, 0);
  return Response.json({ mails: all.map(({ mail }) => mail), average: count / (all.length || 1) });
};`,
  "checkout/route.js": `import { z } from "npm:zod@^4.1.13";
import { store } from "../invoices/schemas.js";
export const schema = { post: { body: z.object({ coupon: z.string().max(3) }), response: { 303: {} } } };
export const POST = ({ validated: { body } }) => {
  const id = "o" + store().orders.length;
  store().orders.push({ number: id, ...body });
  return new Response(null, { status: 303, headers: { location: "/api/orders/" + id } });
};`,
  "orders/[orderId]/route.js": `import { z } from "npm:zod@^4.1.13";
import { HttpError } from "@bough/framework";
import { Failure, store } from "../../invoices/schemas.js";
export const schema = { get: { response: { 200: z.object({ number: z.string(), coupon: z.string() }), 404: Failure } } };
export const GET = ({ params }) => {
  const order = store().orders.find(({ number }) => number === params.orderId);
  if (!order) throw new HttpError(404);
  return Response.json(order);
};`,
  "settings/route.js": `import { z } from "npm:zod@^4.1.13";
import { store } from "../invoices/schemas.js";
const Settings = z.object({ theme: z.string().max(5), size: z.int() });
export const schema = {
  get: { response: { 200: Settings } },
  put: { body: Settings, response: { 204: {} } },
};
export const GET = () => Response.json(store().settings ?? { theme: "dark", size: 1 });
export const PUT = ({ validated }) => {
  store().settings = { ...validated.body };
  return new Response(null, { status: 204 });
};`,
  "old/[id]/route.js": `export const GET = ({ params }) => new Response(null, {
  status: 301,
  headers: { location: "/api/invoices/" + encodeURIComponent(params.id) },
});`,
};

/** A file, and a text in it with its replacement. */
export type Change = readonly [file: string, before: string, after: string];

/** Uses the application with changes, and a function that deletes its data. */
export async function withChanged<Result>(
  changes: readonly Change[],
  use: (app: () => Framework, reset: () => void) => Promise<Result>,
): Promise<Result> {
  const files = { ...FILES };
  for (const [file, before, after] of changes) {
    assertEquals(files[file]!.split(before).length, 2, before);
    files[file] = files[file]!.replace(before, () => after);
  }
  await using folder = await TestFolder.create(files);
  const reset = () => {
    const store = { invoices: new Map(), lines: [], orders: [], time: 1 };
    Object.assign(globalThis, { store });
  };
  reset();
  return await use(() => new Framework({ apiDir: folder.path }), reset);
}

const ROUTE = "invoices/route.js";
const ITEM = "invoices/[id]/route.js";
const SCHEMAS = "invoices/schemas.js";
const LINES = "invoices/[id]/lines/route.js";

/** The faults, each with its changes. */
export const FAULTS: Readonly<Record<string, readonly Change[]>> = {
  "a redirect that lacks the prefix": [
    ["checkout/route.js", '"/api/orders/"', '"/orders/"'],
  ],
  "a redirect to a path without a route": [
    ["old/[id]/route.js", '"/api/invoices/"', '"/api/invoice/"'],
  ],
  "a redirect to a resource that does not exist": [
    ["checkout/route.js", '"/api/orders/" + id', '"/api/orders/" + id + 1'],
  ],
  "a Location of another resource": [
    [ROUTE, '/invoices/" + id', '/invoices/1"'],
  ],
  "a Location of another route": [
    [ROUTE, '"/api/invoices/" + id', '"/api/orders/o0"'],
    [
      ROUTE,
      "const headers",
      'store().orders[0] ??= { number: "o0", coupon: "" };\n  const headers',
    ],
  ],
  "a member of an envelope that is lost": [
    [
      ROUTE,
      "const headers",
      "store().invoices.set(id, { ...invoice, isPaid: null });\n const headers",
    ],
  ],
  "a member of a nested object that is lost": [
    [
      ROUTE,
      "const headers",
      'store().invoices.set(id, { ...invoice, address: { street: "?" } });\n const headers',
    ],
  ],
  "an item of an array that is lost": [
    [
      ROUTE,
      "const headers",
      "store().invoices.set(id, { ...invoice, tags: invoice.tags.slice(1) });\n const headers",
    ],
  ],
  "a PATCH that resets a member": [
    [
      ITEM,
      "const changes = ",
      "const changes = { note: null, ...body.invoice }; ",
    ],
    [ITEM, " body.invoice;\n", "\n"],
  ],
  "a PATCH that drops a member": [
    [ITEM, "...changes, id", "isPaid: undefined, ...changes, id"],
  ],
  "a PATCH that ignores 0": [
    [
      ITEM,
      "...changes, id",
      "...changes, count: changes.count || old.count, id",
    ],
  ],
  "a PATCH that ignores null": [
    [ITEM, "...changes, id", "...changes, note: changes.note ?? old.note, id"],
  ],
  "a PUT that drops a member": [
    [
      "settings/route.js",
      "...validated.body };",
      "...validated.body, theme: store().settings?.theme };",
    ],
  ],
  "a POST that takes 0 for a missing value": [
    [
      ROUTE,
      "...body.invoice, id",
      "...body.invoice, count: body.invoice.count || 5, id",
    ],
  ],
  "lines that an invoice inherits": [
    [ITEM, "store().lines = ", "const rest = "],
  ],
  "a line that is deleted below another invoice": [[
    "invoices/[id]/lines/[lineId]/route.js",
    "const { id } = findLine(params);",
    `find(params);
  const id = Number(params.lineId);
  if (!store().lines.some((line) => line.id === id)) throw new HttpError(404);`,
  ]],
  "lines that a change removes": [[
    ITEM,
    "const changes = ",
    "store().lines = store().lines.filter(({ invoice }) => invoice !== old.id);\n  const changes = ",
  ]],
  "a title that loses its end": [
    [
      SCHEMAS,
      "slug: merged",
      "title: merged.title.slice(0, 9),\n    slug: merged",
    ],
  ],
  "lines of all invoices": [
    [LINES, "invoice === id", "true"],
  ],
  "lines of a deleted invoice": [
    [ITEM, "store().lines = ", "const rest = "],
    [LINES, "{ id } = find(params);", "id = Number(params.id);"],
    [ROUTE, "Math.max(0, ...store().invoices.keys()) + 1", "store().time++"],
  ],
  "a deleted invoice in the list": [
    [ITEM, "store().invoices.delete(id);", "find(params).isDeleted = true;"],
    [SCHEMAS, "if (!invoice)", "if (!invoice || invoice.isDeleted)"],
    [
      SCHEMAS,
      "password: _, ...",
      "password: _, isDeleted: _1, readAt: _2, ...",
    ],
    [SCHEMAS, "({ ...invoice, readAt: now() })", "({ ...invoice })"],
  ],
  "a file name that no header can have": [
    [
      "invoices/[id]/pdf/route.js",
      "encodeURIComponent(invoice.title.toWellFormed())",
      "invoice.title",
    ],
  ],
  "a sum that is not a number": [
    ["totals/route.js", "each.count", "(each.count || NaN)"],
  ],
  "a file of a deleted invoice": [
    ["invoices/[id]/pdf/route.js", "find(params)", '{ title: "x" }'],
  ],
};

/** The operations of the service that "state" follows. */
export const FOLLOWED: readonly string[] = [
  "POST /api/checkout",
  "POST /api/invoices/[id]/lines",
  "POST /api/invoices",
  "PUT /api/settings",
];
