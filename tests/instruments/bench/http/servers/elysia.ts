import { Elysia, t } from "npm:elysia@1.4.30";
import { SHELF_ROUTES, withColons } from "../cases.ts";

const app = new Elysia()
  .get("/api/health", () => "ok")
  .get("/api/users/:id", ({ params }) => ({ id: params.id }))
  .get("/api/search", ({ query }) => ({ q: query.q }))
  .post("/api/echo", ({ body }) => body as object)
  .post("/api/books", ({ body }) => ({ title: body.title }), {
    body: t.Object({
      title: t.String({ minLength: 1 }),
      author: t.String({ minLength: 1 }),
      cents: t.Integer({ minimum: 0 }),
      tags: t.Array(t.String()),
    }),
  })
  .get("/api/files/*", ({ params }) => params["*"]);
for (const route of SHELF_ROUTES) {
  app.get(
    withColons(route) as "/:row/:book",
    ({ params: { row, book } }) => ({ row, book }),
  );
}
Deno.serve({ port: Number(Deno.args[0]), onListen: () => {} }, app.fetch);
