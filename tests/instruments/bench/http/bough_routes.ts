import { dirname, join } from "@std/path";
import { SHELF_ROUTES } from "./cases.ts";

const TYPES = 'import type { FrameworkRequest } from "@bough/framework";';

const SCHEMAS = new URL("./servers/book.ts", import.meta.url).href;

const FILES: Readonly<Record<string, string>> = {
  "health": `export const GET = (): Response => new Response("ok");`,
  "users/[id]": `${TYPES}
export function GET(request: FrameworkRequest): Response {
  return Response.json({ id: request.params.id });
}`,
  "search": `${TYPES}
export function GET(request: FrameworkRequest): Response {
  const { searchParams } = new URL(request.url);
  return Response.json({ q: searchParams.get("q") });
}`,
  "echo": `${TYPES}
export async function POST(request: FrameworkRequest): Promise<Response> {
  return Response.json(await request.json());
}`,
  "books": `${TYPES}
import { Book } from "${SCHEMAS}";
export const schema = { post: { body: Book } };
export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  return Response.json({ title: request.validated.body.title });
}`,
  "files/[...]": `${TYPES}
export function GET(request: FrameworkRequest): Response {
  return new Response(request.wildcardParams!.join("/"));
}`,
};

const SHELF = `${TYPES}
export function GET(request: FrameworkRequest): Response {
  const { row, book } = request.params;
  return Response.json({ row, book });
}`;

/** Writes the routes of all cases as files. */
export async function writeRoutes(apiDir: string): Promise<void> {
  const shelves = SHELF_ROUTES.map((route) => [route, SHELF]);
  for (const [route, code] of [...Object.entries(FILES), ...shelves]) {
    const path = join(apiDir, route!, "route.ts");
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeTextFile(path, code!);
  }
}
