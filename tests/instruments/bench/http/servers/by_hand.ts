/** A server that is written by hand for exactly these routes. */
import { Addressed, Book, BOOKS, Caller, Search } from "./book.ts";

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
      if (path === "/api/headers/schema") {
        const host = request.headers.get("host");
        const { success } = Addressed.safeParse({ host });
        return new Response(success ? "checked" : null, {
          status: success ? 200 : 400,
        });
      }
      if (path === "/api/covered/by/one") {
        return search(request.url) === undefined
          ? new Response(null, { status: 400 })
          : new Response("passed");
      }
      if (path === "/api/checked") {
        const { headers } = request;
        const found = search(request.url);
        const { data: caller } = Caller.safeParse({
          authorization: headers.get("authorization"),
          "x-tenant": headers.get("x-tenant"),
        });
        return found === undefined || caller === undefined
          ? new Response(null, { status: 400 })
          : Response.json({ ...found, tenant: caller["x-tenant"] });
      }
      if (path === "/api/list") return Response.json(BOOKS);
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

/** The query that the schema accepts. */
function search(url: string): { q: string; page: number } | undefined {
  const { searchParams } = new URL(url);
  return Search.safeParse({
    q: searchParams.get("q"),
    page: searchParams.get("page"),
  }).data;
}
