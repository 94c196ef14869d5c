import { getQuery, getRouterParams, H3, readValidatedBody } from "npm:h3@2.0.8";
import { SHELF_ROUTES, withColons } from "../cases.ts";
import { Book } from "./book.ts";

const app = new H3();
app.get("/api/health", () => "ok");
app.get("/api/users/:id", (event) => ({ id: event.context.params!.id }));
app.get("/api/search", (event) => ({ q: getQuery(event).q }));
app.post("/api/echo", async (event) => await event.req.json());
app.post("/api/books", async (event) => {
  const { title } = await readValidatedBody(event, Book);
  return { title };
});
app.get("/api/files/**", (event) => event.url.pathname.slice(11));
for (const route of SHELF_ROUTES) {
  app.get(withColons(route), (event) => {
    const { row, book } = getRouterParams(event);
    return { row, book };
  });
}
Deno.serve(
  { port: Number(Deno.args[0]), onListen: () => {} },
  (request) => app.fetch(request),
);
