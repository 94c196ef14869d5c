/** A refused change leaves no trace. */
import { assertEquals, assertMatch } from "@std/assert";
import type { ContractFailure } from "@bough/framework/testing";
import { check, found, passesWith } from "../support.ts";

const store = globalThis as {
  shop?: { books: Map<number, unknown>; orders: unknown[]; reads: number };
};

const FILES: Readonly<Record<string, string>> = {
  "books/[bookId]/route.js": `import { z } from "npm:zod@^4.1.13";
import { HttpError } from "@bough/framework";
export const schema = { patch: {
  body: z.object({ title: z.enum(["Emma", "Ivan", "Nana", "Zola"]), stock: z.int().min(0).max(9) }),
  response: { 200: {}, 404: {}, 409: {} },
} };
const find = ({ bookId }) => {
  const book = globalThis.shop.books.get(Number(bookId));
  if (!book) throw new HttpError(404);
  return book;
};
export const GET = ({ params }) => Response.json(find(params));
export const PATCH = ({ params, validated: { body } }) => {
  const book = find(params);
  const isTaken = [...globalThis.shop.books.values()]
    .some(({ id, title }) => id !== book.id && title === body.title);
  if (isTaken) throw new HttpError(409);
  Object.assign(book, body);
  return Response.json(book);
};`,
  "books/route.js":
    `export const GET = () => Response.json([...globalThis.shop.books.values()]);`,
  "orders/route.js": `import { z } from "npm:zod@^4.1.13";
import { HttpError } from "@bough/framework";
export const schema = { post: {
  body: z.object({
    items: z.array(z.object({ bookId: z.int().min(1), count: z.int().min(1).max(9) })).min(1),
  }),
  response: { 201: {}, 409: {}, 422: {} },
} };
export const GET = () => Response.json({ orders: globalThis.shop.orders });
export const POST = ({ validated: { body: { items } } }) => {
  const { books, orders } = globalThis.shop;
  const before = structuredClone([...books]);
  const undo = () => before.forEach(([id, book]) => books.set(id, book));
  const order = { id: orders.length + 1, items };
  for (const { bookId, count } of items) {
    const book = books.get(bookId);
    if (!book || book.stock < count) {
      undo();
      throw new HttpError(book ? 409 : 422);
    }
    book.stock -= count;
  }
  orders.push(order);
  return Response.json(order, { status: 201 });
};`,
};

/** A file, and a text in it with its replacement. */
type Change = readonly [file: string, before: string, after: string];

function filesWith(changes: readonly Change[]) {
  const files = { ...FILES };
  for (const [file, before, after] of changes) {
    assertEquals(files[file]!.split(before).length, 2, before);
    files[file] = files[file]!.replace(before, () => after);
  }
  return files;
}

function reset() {
  const books = ["Emma", "Ivan", "Nana"].map((title, index) =>
    [index + 1, { id: index + 1, title, stock: 9 }] as const
  );
  store.shop = { books: new Map(books), orders: [], reads: 0 };
}

function tracesOf(changes: readonly Change[], seed: number) {
  reset();
  const options = { properties: ["state"], runs: 40, seed, reset } as const;
  return check(filesWith(changes), options);
}

const FAULTS: Readonly<Record<string, readonly [Change, string, RegExp]>> = {
  "an order keeps the copies of its first books": [
    ["orders/route.js", "undo();", ""],
    "POST /api/orders",
    /^"\/api\/books\/\d" as before the 4\d\d from POST \/api\/orders: "stock" \d: /,
  ],
  "an order that fails is in the list": [
    ["orders/route.js", "undo();", "undo();\n      orders.push(order);"],
    "POST /api/orders",
    /^\d+ items at "\/api\/orders", as before the 4\d\d from .*: \d+ items$/,
  ],
  "a change with a title that is taken sets the stock": [
    [
      "books/[bookId]/route.js",
      "if (isTaken)",
      "book.stock = body.stock;\n  if (isTaken)",
    ],
    "PATCH /api/books/[bookId]",
    /^"\/api\/books\/\d" as before the 409 from PATCH .*: "stock" \d: /,
  ],
};

for (const [name, [change, operation, wanted]] of Object.entries(FAULTS)) {
  Deno.test(`${name}: the fault is found`, async () => {
    const report = await tracesOf([change], 1);
    assertEquals(found(report), [`state ${operation}`]);
    const [{ expected, seen, test }] = report.failures as [ContractFailure];
    assertMatch(`${expected}: ${seen}`, wanted);
    const passing = [];
    for (const changes of [[change], []]) {
      reset();
      passing.push(await passesWith(filesWith(changes), test));
    }
    assertEquals(passing, [false, true]);
  });
}

const LEGAL: Readonly<Record<string, readonly Change[]>> = {
  "a shop": [],
  "books that count their readers": [[
    "books/[bookId]/route.js",
    "Response.json(find(params))",
    "Response.json({ ...find(params), reads: globalThis.shop.reads++ })",
  ]],
  "books with a time in seconds": [[
    "books/[bookId]/route.js",
    "Response.json(find(params))",
    "Response.json({ ...find(params), second: Math.floor(performance.now() / 20) })",
  ]],
  "an order of which a part is accepted": [[
    "orders/route.js",
    "undo();\n      throw new HttpError(book ? 409 : 422);",
    "continue;",
  ]],
};

for (const [name, changes] of Object.entries(LEGAL)) {
  Deno.test(`nothing is found in ${name}`, async () => {
    for (const seed of [1, 2]) {
      const { failures } = await tracesOf(changes, seed);
      assertEquals(
        failures.map(({ expected, seen, curl }) => [expected, seen, curl]),
        [],
      );
    }
  });
}
