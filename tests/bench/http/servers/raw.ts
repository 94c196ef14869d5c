/** What is written by hand for these very routes, and nothing else: the limit. */
import { Book } from "./book.ts";

const SHELF = /^\/api\/shelf\d+\/([^/]+)\/book\/([^/]+)\/pages$/;

Deno.serve({ port: Number(Deno.args[0]), onListen: () => {} }, (request) => {
  const { url } = request;
  const start = url.indexOf("/", 8);
  const query = url.indexOf("?", start);
  const path = query === -1 ? url.slice(start) : url.slice(start, query);
  if (request.method === "GET") {
    if (path === "/api/health") return new Response("ok");
    if (path.startsWith("/api/users/")) {
      return Response.json({ id: path.slice(11) });
    }
    if (path === "/api/search") {
      const { searchParams } = new URL(url);
      return Response.json({ q: searchParams.get("q") });
    }
    if (path === "/api/guarded/by/three") return new Response("passed");
    if (path.startsWith("/api/files/")) return new Response(path.slice(11));
    const shelf = SHELF.exec(path);
    if (shelf !== null) return Response.json({ row: shelf[1], book: shelf[2] });
  } else if (request.method === "POST") {
    if (path === "/api/echo") return echo(request);
    if (path === "/api/books") return book(request);
  }
  return new Response("Not Found", { status: 404 });
});

async function echo(request: Request): Promise<Response> {
  return Response.json(await request.json());
}

async function book(request: Request): Promise<Response> {
  const result = Book.safeParse(await request.json());
  return result.success
    ? Response.json({ title: result.data.title })
    : Response.json(result.error, { status: 400 });
}
