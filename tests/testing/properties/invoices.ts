/**
 * An application of invoices, which keeps what it accepts in legal ways that differ from
 * what was sent, and faults in it that only later requests show.
 */
import { content, HttpError } from "@bough/framework";
import { z } from "zod";
import type { Modules } from "../support.ts";

interface Invoice {
  readonly id: number;
  readonly title: string;
  readonly mail: string;
  readonly password: string;
  readonly note: string | null;
  readonly count: number;
  readonly price: number;
  readonly due: string;
  readonly tags: readonly string[];
  readonly address: { readonly street: string; readonly zip?: string };
  readonly isPaid: boolean;
  readonly version: number;
  /** Whether, or when, an invoice that is kept was deleted. */
  readonly deleted?: boolean | number;
}

// deno-lint-ignore no-explicit-any
type Values = any;

interface Line {
  readonly id: number;
  readonly invoice: number;
  readonly text: string;
}

interface Order {
  readonly number: string;
  readonly coupon: string;
}

interface Settings {
  readonly theme?: string | undefined;
  readonly size: number;
}

class Store {
  readonly invoices = new Map<number, Invoice>();
  lines: Line[] = [];
  readonly orders: Order[] = [];
  settings: Settings | undefined;
  #time = 1;

  clear(): void {
    this.invoices.clear();
    this.lines = [];
    this.orders.length = 0;
    this.settings = undefined;
    this.#time = 1;
  }

  now(): number {
    return this.#time++;
  }

  nextId(): number {
    return Math.max(0, ...this.invoices.keys()) + 1;
  }

  removeLines(invoice: number): void {
    this.lines = this.lines.filter((line) => line.invoice !== invoice);
  }
}

export const store = new Store();

function find({ id }: Readonly<Record<string, string>>): Invoice {
  const invoice = store.invoices.get(Number(id));
  if (!invoice || invoice.deleted) throw new HttpError(404);
  return invoice;
}

/** Stores other values of an invoice. */
export function set(invoice: Invoice, changes: Partial<Invoice>): void {
  store.invoices.set(invoice.id, { ...invoice, ...changes });
}

/** The parts of the application, which a test replaces. */
export const PARTS = {
  nextId: (): number => store.nextId(),
  /** Values of a new invoice, in place of those of the request. */
  created: (values: Values): Values => values,
  onCreated: (_invoice: Invoice): void => {},
  /** The response to a `POST` that creates nothing. */
  existing: (_values: Values): Response | undefined => undefined,
  invoiceLocation: (id: number): string => `/api/invoices/${id}`,
  listed: (): readonly Invoice[] => [...store.invoices.values()],
  /** Values in place of the changes of a `PATCH`. */
  changed: (changes: Values, _old: Invoice): Values => changes,
  /** The identifier of an invoice after a change. */
  moved: ({ id }: Invoice): number => id,
  /** Values in place of those that are stored. */
  merged: (values: Values, _id: number): Values => values,
  remove: ({ id }: Invoice): void => void store.invoices.delete(id),
  removeLines: (id: number): void => store.removeLines(id),
  removed: 204,
  /** The invoice that `GET` shows. */
  read: find,
  shown: ({ password: _, ...invoice }: Invoice): object => ({
    ...invoice,
    readAt: store.now(),
  }),
  /** The invoice whose lines are listed. */
  linesOf: (params: Readonly<Record<string, string>>): number =>
    find(params).id,
  isLineOf: (line: Line, invoice: number): boolean => line.invoice === invoice,
  lineToDelete: (
    params: Readonly<Record<string, string>>,
    findLine: () => Line,
  ): number => (void params, findLine().id),
  pdf: (params: Readonly<Record<string, string>>): { title: string } =>
    find(params),
  fileName: (title: string): string => encodeURIComponent(title.toWellFormed()),
  countOf: ({ count }: Invoice): number => count,
  orderLocation: (number: string): string => `/api/orders/${number}`,
  oldLocation: "/api/invoices/",
  settings: (settings: Settings): Settings => settings,
};

export type Parts = Partial<typeof PARTS>;

const text = z.string().trim().max(20);
const New = z.object({
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
const Changes = New.partial().extend({
  count: New.shape.count.unwrap().optional(),
});
const Shown = z.object({ id: z.int() }).loose();
const Envelope = z.object({ invoice: Shown });
const Failure = z.object({ detail: z.string() }).loose();
const Line = z.object({ id: z.int(), invoice: z.int(), text: z.string() });
const Order = z.object({ number: z.string(), coupon: z.string() });
const Settings = z.object({ theme: z.string().max(5), size: z.int() });

const { json } = Response;
const empty = (status: number, location?: string): Response =>
  new Response(null, { status, headers: location ? { location } : {} });

/** The application, with other parts, and only with the files that a pattern matches. */
export function invoices(parts: Parts = {}, pattern = /^/): Modules {
  const part = { ...PARTS, ...parts };
  const put = (
    { id, ...values }: Values,
    old: Partial<Invoice> = {},
  ): Invoice => {
    const merged = part.merged({ ...old, ...values }, id);
    const { mail, tags, price, due } = merged;
    const invoice = {
      note: null,
      createdAt: store.now(),
      ...merged,
      id,
      mail: mail.toLowerCase(),
      tags: [...new Set(tags)].sort(),
      price: Math.round(price * 100) / 100,
      due: new Date(due).toISOString(),
      slug: merged.title.toLowerCase(),
      updatedAt: store.now(),
      version: (old.version ?? 0) + 1,
    };
    store.invoices.set(id, invoice);
    return invoice;
  };
  const findLine = (params: Readonly<Record<string, string>>): Line => {
    const { id } = find(params);
    const line = store.lines.find((line) =>
      line.invoice === id && line.id === Number(params.lineId)
    );
    if (line === undefined) throw new HttpError(404);
    return line;
  };
  const found = { 200: Envelope, 404: Failure };
  const files: Modules = {
    "invoices/route.ts": {
      schema: {
        get: { response: { 200: z.object({ invoices: z.array(Shown) }) } },
        post: {
          body: z.object({ invoice: New }),
          response: { 201: Envelope },
        },
      },
      GET: () => json({ invoices: part.listed().map(part.shown) }),
      POST: ({ validated: { body } }) => {
        const response = part.existing(body.invoice);
        if (response !== undefined) return response;
        const id = part.nextId();
        const invoice = put({ ...part.created(body.invoice), id });
        part.onCreated(invoice);
        return json({ invoice: part.shown(invoice) }, {
          status: 201,
          headers: { location: part.invoiceLocation(id) },
        });
      },
    },
    "invoices/[id]/route.ts": {
      schema: {
        get: { response: found },
        patch: { body: z.object({ invoice: Changes }), response: found },
        delete: { response: { [part.removed]: {}, 404: Failure } },
      },
      GET: ({ params }) => json({ invoice: part.shown(part.read(params)) }),
      PATCH: ({ params, validated: { body } }) => {
        const old = find(params);
        const changes = part.changed(body.invoice, old);
        const invoice = put({ ...changes, id: part.moved(old) }, old);
        return json({ invoice: part.shown(invoice) });
      },
      DELETE: ({ params }) => {
        const invoice = find(params);
        part.remove(invoice);
        part.removeLines(invoice.id);
        return empty(part.removed);
      },
    },
    "invoices/[id]/lines/route.ts": {
      schema: {
        get: { response: { 200: z.array(Line), 404: Failure } },
        post: {
          body: z.object({ text: z.string().max(9) }),
          response: { 201: Line, 404: Failure },
        },
      },
      GET: ({ params }) => {
        const id = part.linesOf(params);
        return json(store.lines.filter((line) => part.isLineOf(line, id)));
      },
      POST: ({ params, validated: { body } }) => {
        const { id: invoice } = find(params);
        const line = { ...body, id: store.now(), invoice };
        store.lines.push(line);
        return json(line, { status: 201 });
      },
    },
    "invoices/[id]/lines/[lineId]/route.ts": {
      schema: {
        get: { response: { 200: {}, 404: Failure } },
        delete: { response: { 204: {}, 404: Failure } },
      },
      GET: ({ params }) => json(findLine(params)),
      DELETE: ({ params }) => {
        const id = part.lineToDelete(params, () => findLine(params));
        store.lines = store.lines.filter((line) => line.id !== id);
        return empty(204);
      },
    },
    "invoices/[id]/pdf/route.ts": {
      schema: {
        get: { response: { 200: content("application/pdf"), 404: Failure } },
      },
      GET: ({ params }) => {
        const name = part.fileName(part.pdf(params).title);
        return new Response("pdf", {
          headers: {
            "content-type": "application/pdf",
            "content-disposition": `attachment; filename*=UTF-8''${name}`,
          },
        });
      },
    },
    "totals/route.ts": {
      schema: {
        get: {
          response: {
            200: z.object({
              mails: z.array(z.string()),
              average: z.number().min(0),
            }),
          },
        },
      },
      GET: () => {
        const all = [...store.invoices.values()];
        const count = all.reduce((sum, each) => sum + part.countOf(each), 0);
        return json({
          mails: all.map(({ mail }) => mail),
          average: count / (all.length || 1),
        });
      },
    },
    "checkout/route.ts": {
      schema: {
        post: {
          body: z.object({ coupon: z.string().max(3) }),
          response: { 303: {} },
        },
      },
      POST: ({ validated: { body } }) => {
        const number = `o${store.orders.length}`;
        store.orders.push({ number, ...body });
        return empty(303, part.orderLocation(number));
      },
    },
    "orders/[orderId]/route.ts": {
      schema: { get: { response: { 200: Order, 404: Failure } } },
      GET: ({ params }) => {
        const order = store.orders
          .find(({ number }) => number === params.orderId);
        if (order === undefined) throw new HttpError(404);
        return json(order);
      },
    },
    "settings/route.ts": {
      schema: {
        get: { response: { 200: Settings } },
        put: { body: Settings, response: { 204: {} } },
      },
      GET: () => json(store.settings ?? { theme: "dark", size: 1 }),
      PUT: ({ validated: { body } }) => {
        store.settings = part.settings({ ...body });
        return empty(204);
      },
    },
    "old/[id]/route.ts": {
      GET: ({ params }) =>
        empty(301, part.oldLocation + encodeURIComponent(params.id!)),
    },
  };
  return Object.fromEntries(
    Object.entries(files).filter(([path]) => pattern.test(path)),
  );
}

export const FAULTS: Readonly<Record<string, Parts>> = {
  "a redirect that lacks the prefix": {
    orderLocation: (number) => `/orders/${number}`,
  },
  "a redirect to a path without a route": { oldLocation: "/api/invoice/" },
  "a redirect to a resource that does not exist": {
    orderLocation: (number) => `/api/orders/${number}1`,
  },
  "a Location of another resource": {
    invoiceLocation: () => "/api/invoices/1",
  },
  "a Location of another route": {
    onCreated: () => void (store.orders[0] ??= { number: "o0", coupon: "" }),
    invoiceLocation: () => "/api/orders/o0",
  },
  "a member of an envelope that is lost": {
    onCreated: (invoice) => set(invoice, { isPaid: null as never }),
  },
  "a member of a nested object that is lost": {
    onCreated: (invoice) => set(invoice, { address: { street: "?" } }),
  },
  "an item of an array that is lost": {
    onCreated: (invoice) => set(invoice, { tags: invoice.tags.slice(1) }),
  },
  "a PATCH that resets a member": {
    changed: (changes) => ({ note: null, ...changes }),
  },
  "a PATCH that drops a member": {
    changed: (changes) => ({ isPaid: undefined, ...changes }),
  },
  "a PATCH that ignores 0": {
    changed: (changes, { count }) => ({
      ...changes,
      count: changes.count || count,
    }),
  },
  "a PATCH that ignores null": {
    changed: (changes, { note }) => ({
      ...changes,
      note: changes.note ?? note,
    }),
  },
  "a PUT that drops a member": {
    settings: (settings) => ({ ...settings, theme: store.settings?.theme }),
  },
  "a POST that takes 0 for a missing value": {
    created: (values) => ({ ...values, count: values.count || 5 }),
  },
  "lines that an invoice inherits": { removeLines: () => {} },
  "a line that is deleted below another invoice": {
    lineToDelete: (params) => {
      find(params);
      const id = Number(params.lineId);
      if (store.lines.some((line) => line.id === id)) return id;
      throw new HttpError(404);
    },
  },
  "lines that a change removes": {
    changed: (changes, { id }) => {
      store.removeLines(id);
      return changes;
    },
  },
  "a title that loses its end": {
    merged: (values) => ({ ...values, title: values.title.slice(0, 9) }),
  },
  "lines of all invoices": { isLineOf: () => true },
  "lines of a deleted invoice": {
    removeLines: () => {},
    linesOf: ({ id }) => Number(id),
    nextId: () => store.now(),
  },
  "a deleted invoice in the list": {
    remove: (invoice) => set(invoice, { deleted: true }),
    shown: ({ password: _, deleted: _1, ...invoice }) => invoice,
  },
  "a file name that no header can have": { fileName: (title) => title },
  "a sum that is not a number": { countOf: ({ count }) => count || NaN },
  "a deleted invoice that fails": {
    read: ({ id }) => store.invoices.get(Number(id))!,
  },
  "a file of a deleted invoice": { pdf: () => ({ title: "x" }) },
};

/** The operations of the service that "state" follows. */
export const FOLLOWED: readonly string[] = [
  "POST /api/checkout",
  "POST /api/invoices/[id]/lines",
  "POST /api/invoices",
  "PUT /api/settings",
];
