/** A server that is written by hand for exactly these routes. */
import { Book } from "./book.ts";

export interface BodyHandlers {
  readonly echo: (request: Request) => Promise<Response>;
  readonly book: (request: Request) => Promise<Response>;
}

/** Trusts every body. */
export const TRUSTING: BodyHandlers = {
  async echo(request) {
    return Response.json(await request.json());
  },
  async book(request) {
    const result = Book.safeParse(await request.json());
    return result.success
      ? Response.json({ title: result.data.title })
      : Response.json(result.error, { status: 400 });
  },
};

const SHELF = /^\/api\/shelf\d+\/([^/]+)\/book\/([^/]+)\/pages$/;

/** Serves the routes of all cases on the port of the benchmark. */
export function serveByHand(handlers: BodyHandlers): void {
  Deno.serve(
    { port: Number(Deno.args[0]), onListen: () => {} },
    handleByHand(handlers),
  );
}

function handleByHand(
  { echo, book }: BodyHandlers,
): (request: Request) => Response | Promise<Response> {
  return (request) => {
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
        const { searchParams } = new URL(request.url);
        return Response.json({ q: searchParams.get("q") });
      }
      if (path.startsWith("/api/files/")) return new Response(path.slice(11));
      const shelf = SHELF.exec(path);
      if (shelf !== null) {
        return Response.json({ row: shelf[1], book: shelf[2] });
      }
    } else if (request.method === "POST") {
      if (path === "/api/echo") return echo(request);
      if (path === "/api/books") return book(request);
    }
    return new Response("Not Found", { status: 404 });
  };
}
