/** A refused change leaves no trace. */
import { HttpError } from "@bough/framework";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { TestApplication } from "../../support/application.ts";
import {
  assertFound,
  assertSilent,
  check,
  checkFast,
  found,
  type Modules,
  Store,
} from "../support.ts";

interface Book {
  readonly id: number;
  readonly title: string;
  stock: number;
}

interface Order {
  readonly id: number;
  readonly items: readonly {
    readonly bookId: number;
    readonly count: number;
  }[];
}

const books = new Store<Book>();
let orders: Order[] = [];
let reads = 0;

function reset(): void {
  orders = [];
  reads = 0;
  books.clear();
  for (const [index, title] of ["Emma", "Ivan", "Nana"].entries()) {
    books.set(`${index + 1}`, { id: index + 1, title, stock: 9 });
  }
}

/** The parts of a shop that leave traces if a test replaces them. */
const PARTS = {
  /** Whether the items of an order that fails are skipped. */
  skips: false,
  undo: (restore: () => void, _order: Order): void => restore(),
  beforeConflict: (_book: Book, _body: Book): void => {},
  shown: (book: Book): object => book,
};

type Parts = Partial<typeof PARTS>;

function shop(parts: Parts = {}): Modules {
  const part = { ...PARTS, ...parts };
  return {
    "books/[bookId]/route.ts": {
      schema: {
        patch: {
          body: z.object({
            title: z.enum(["Emma", "Ivan", "Nana", "Zola"]),
            stock: z.int().min(0).max(9),
          }),
          response: { 200: {}, 404: {}, 409: {} },
        },
      },
      GET: ({ params }) => Response.json(part.shown(books.find(params.bookId))),
      PATCH: ({ params, validated: { body } }) => {
        const book = books.find(params.bookId);
        const isTaken = [...books.values()]
          .some(({ id, title }) => id !== book.id && title === body.title);
        part.beforeConflict(book, body);
        if (isTaken) throw new HttpError(409);
        Object.assign(book, body);
        return Response.json(book);
      },
    },
    "books/route.ts": { GET: () => Response.json([...books.values()]) },
    "orders/route.ts": {
      schema: {
        post: {
          body: z.object({
            items: z.array(
              z.object({
                bookId: z.int().min(1),
                count: z.int().min(1).max(9),
              }),
            ).min(1),
          }),
          response: { 201: {}, 409: {}, 422: {} },
        },
      },
      GET: () => Response.json({ orders }),
      POST: ({ validated: { body: { items } } }) => {
        const before = structuredClone([...books]);
        const restore = () =>
          before.forEach(([id, book]) => books.set(id, book));
        const order: Order = { id: orders.length + 1, items };
        for (const { bookId, count } of order.items) {
          const book = books.get(`${bookId}`);
          if (book === undefined || book.stock < count) {
            if (part.skips) continue;
            part.undo(restore, order);
            throw new HttpError(book ? 409 : 422);
          }
          book.stock -= count;
        }
        orders.push(order);
        return Response.json(order, { status: 201 });
      },
    },
  };
}

function tracesOf(files: Modules) {
  reset();
  return check(files, { properties: ["state"], runs: 40, seed: 1, reset });
}

const FAULTS: Readonly<Record<string, readonly [Parts, string, RegExp]>> = {
  "an order keeps the copies of its first books": [
    { undo: () => {} },
    "POST /api/orders",
    /^"\/api\/books\/\d" as before the 4\d\d from POST \/api\/orders: "stock" \d: /,
  ],
  "an order that fails is in the list": [
    {
      undo: (restore, order) => {
        restore();
        orders.push(order);
      },
    },
    "POST /api/orders",
    /^\d+ items at "\/api\/orders", as before the 4\d\d from .*: \d+ items$/,
  ],
  "a change with a title that is taken sets the stock": [
    { beforeConflict: (book, { stock }) => void (book.stock = stock) },
    "PATCH /api/books/[bookId]",
    /^"\/api\/books\/\d" as before the 409 from PATCH .*: "stock" \d: /,
  ],
};

for (const [name, [parts, operation, wanted]] of Object.entries(FAULTS)) {
  Deno.test(`${name}: the fault is found`, async () => {
    const [faulty, healthy] = [shop(parts), shop()];
    const report = await tracesOf(faulty);
    assertEquals(found(report), [`state ${operation}`]);
    await assertFound(report, wanted, { faulty, healthy, reset });
  });
}

const LEGAL: Readonly<Record<string, Parts>> = {
  "a shop": {},
  "books that count their readers": {
    shown: (book) => ({ ...book, reads: reads++ }),
  },
  "books with a time in seconds": {
    shown: (book) => ({ ...book, second: Math.floor(performance.now() / 20) }),
  },
  "an order of which a part is accepted": { skips: true },
};

for (const [name, parts] of Object.entries(LEGAL)) {
  Deno.test(`nothing is found in ${name}`, async () => {
    assertSilent(await tracesOf(shop(parts)));
  });
}

Deno.test("an application may serve its root, which has no segments", async () => {
  const files = { ...shop(), "route.ts": { GET: () => new Response("Shop") } };
  reset();
  assertSilent(
    await checkFast(
      () => TestApplication.of(files, { apiPrefix: "" }).app,
      { properties: ["state"], runs: 40, seed: 1, reset },
    ),
  );
});
