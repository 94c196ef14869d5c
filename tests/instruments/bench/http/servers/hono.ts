import { zValidator } from "npm:@hono/zod-validator@0.9.1";
import { Hono } from "npm:hono@4.13.19";
import { SHELF_ROUTES, withColons } from "../cases.ts";
import { Book } from "./book.ts";

const app = new Hono();
app.get("/api/health", (c) => c.text("ok"));
app.get("/api/users/:id", (c) => c.json({ id: c.req.param("id") }));
app.get("/api/search", (c) => c.json({ q: c.req.query("q") }));
app.post("/api/echo", async (c) => c.json(await c.req.json()));
app.post("/api/books", zValidator("json", Book), (c) => {
  return c.json({ title: c.req.valid("json").title });
});
app.get("/api/files/*", (c) => c.text(c.req.path.slice(11)));
for (const route of SHELF_ROUTES) {
  app.get(withColons(route) as "/:row/:book", (c) => {
    const { row, book } = c.req.param();
    return c.json({ row, book });
  });
}
Deno.serve({ port: Number(Deno.args[0]), onListen: () => {} }, app.fetch);
