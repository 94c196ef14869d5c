import { dirname, join } from "@std/path";
import { SHELF_ROUTES } from "./cases.ts";

const TYPES = 'import type { FrameworkRequest } from "@bough/framework";';

const SCHEMAS = new URL("./servers/book.ts", import.meta.url).href;
const CHECKED = `export const GET = (): Response => new Response("checked");`;

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
  "headers/schema": `import { Addressed } from "${SCHEMAS}";
export const schema = { get: { headers: Addressed } };
${CHECKED}`,
  "covered/by/one":
    `export const GET = (): Response => new Response("passed");`,
  "checked": `${TYPES}
import { Caller, Search } from "${SCHEMAS}";
export const schema = { get: { query: Search, headers: Caller } };
export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { query, headers } = request.validated;
  return Response.json({ ...query, tenant: headers["x-tenant"] });
}`,
  "list": `import { respond } from "@bough/framework";
import { Books, BOOKS } from "${SCHEMAS}";
export const schema = { get: { response: Books } };
export const GET = (): Response => respond(schema.get, 200, BOOKS);`,
  "files/[...]": `${TYPES}
export function GET(request: FrameworkRequest): Response {
  return new Response(request.wildcardParams!.join("/"));
}`,
};

/** The contract before the middleware of a folder. */
const COVERED = `import type { Middleware } from "@bough/framework";
import { Search } from "${SCHEMAS}";
export const contract = { query: Search };
const pass: Middleware = (_request, next) => next();
export default pass;`;

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
  await Deno.writeTextFile(join(apiDir, "covered/by/middleware.ts"), COVERED);
}
