import { ADMIN_TOKEN } from "../../examples/bookshop/admin_token.ts";

const LODORE = { title: "Lodore", author: "Mary Shelley", cents: 800 };
const STAFF = { authorization: `Bearer ${ADMIN_TOKEN}` };

/** Sends the requests that the inspector and the board show. */
export async function sendRequests(origin: string): Promise<void> {
  const send = async (line: string, body?: unknown, own = {}) => {
    const [method, path] = line.split(" ");
    const response = await fetch(`${origin}${path}`, {
      method: method!,
      headers: { "content-type": "application/json", ...own },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    await response.bytes();
  };
  const order = async (name: string, ...books: [id: number, count: number][]) =>
    await send("POST /api/orders", {
      email: `${name}@example.com`,
      items: books.map(([bookId, count]) => ({ bookId, count })),
    });
  await send("GET /api/health/ready");
  await send("GET /api/books");
  await order("ada", [1, 2]);
  await order("grace", [2, 1], [1, 1]);
  await order("alan", [3, 4]);
  await order("mary", [3, 1]);
  await order("edsger", [2, 1]);
  await order("barbara", [3, 2]);
  for (const id of [1, 2, 3, 4]) {
    await send(`PUT /api/orders/${id}/status`, { status: "packed" }, STAFF);
  }
  await send("PUT /api/stock/2", { stock: 9 }, STAFF);
  await send("PUT /api/stock/4", { stock: 4 });
  await send("GET /api/books/99");
  await send("POST /api/books/1/reviews", { stars: 6, text: "" });
  await send("POST /api/books", LODORE);
  await send("PATCH /api/books/5", { cents: 700 });
  await send("POST /api/books", LODORE);
  await send("GET /api/books/5");
  await send("DELETE /api/books/5");
  await send("GET /api/authors");
  await send("GET /api/orders/6");
  await send("GET /api/books?limit=2");
}
