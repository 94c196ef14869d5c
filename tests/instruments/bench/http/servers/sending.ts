/** Values that a server sends, with and without undeclared members. */
import { Framework } from "@bough/framework";
import { z } from "zod";

const Author = z.object({ id: z.int(), name: z.string() });
const Book = z.object({
  id: z.int(),
  title: z.string(),
  author: Author,
  cents: z.int(),
  tags: z.array(z.string()),
});
const Small = z.object({ id: z.int(), title: z.string() });

const small = { id: 1, title: "Emma" };
const book = {
  ...small,
  author: { id: 7, name: "Jane Austen" },
  cents: 1200,
  tags: ["novel", "classic"],
};
const row = { ...book, hash: "x", author: { ...book.author, hash: "x" } };
const listOf = (each: typeof book) =>
  Array.from({ length: 100 }, (_, id) => ({ ...each, id }));

/** The schema and the value of each path. */
const SENT: readonly (readonly [string, z.ZodType, unknown])[] = [
  ["small", Small, small],
  ["list", z.array(Book), listOf(book)],
  ["small/undeclared", Small, { ...small, hash: "x" }],
  ["list/undeclared", z.array(Book), listOf(row)],
];

/** The schema of a method that sends a value. */
export type Sending = { readonly get: { readonly response: z.ZodType } };

/** Serves the values with Bough, by the given function. */
export async function serveSending(
  send: (schema: Sending, value: never) => Response,
): Promise<void> {
  const routes = SENT.map(([path, response, value]) => {
    const schema: Sending = { get: { response } };
    const GET = () => send(schema, value as never);
    return [`sent/${path}/route.ts`, { schema, GET }] as const;
  });
  const app = new Framework({
    manifest: {
      "health/route.ts": { GET: () => new Response("ok") },
      ...Object.fromEntries(routes),
    },
  });
  await app.serve({ port: Number(Deno.args[0]), onListen: () => {} });
}
