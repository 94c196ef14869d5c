import {
  type FrameworkRequest,
  HttpError,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { serveFile } from "@std/http/file-server";
import { join, SEPARATOR } from "@std/path";
import { FOLDER } from "../../folder.ts";

export const schema = {
  get: { response: { 404: Problem } },
} satisfies RouteSchema;

/** Serves only the files of the folder, to `GET` and `HEAD`. */
export async function GET(request: FrameworkRequest): Promise<Response> {
  // The segments are never "..", and contain no separators.
  const segments = request.wildcardParams ?? [];
  if (segments.some((segment) => segment.startsWith("."))) {
    throw new HttpError(404); // ".git", ".env"
  }
  const path = join(FOLDER, ...segments);
  const info = await Deno.stat(path).catch(() => undefined);
  if (!info?.isDirectory) return serve(request, path);
  const name = new URL(request.url).pathname.split("/").at(-1);
  if (name === "") return serve(request, join(path, "index.html"));
  // Relative links of a page lead below the folder only if the URL ends with a slash.
  const location = `./${name}/`; // works below any folder and prefix
  return new Response(null, { status: 308, headers: { location } });
}

async function serve(request: Request, path: string): Promise<Response> {
  const real = await Deno.realPath(path).catch(() => "");
  if (!real.startsWith(FOLDER + SEPARATOR)) {
    throw new HttpError(404); // the file is missing, or a link leads out of the folder
  }
  const response = await serveFile(forFile(request), real);
  response.headers.set("x-content-type-options", "nosniff");
  response.headers.set("cache-control", "no-cache"); // browsers send the ETag each time
  return response;
}

/** A copy of the request that `serveFile` handles correctly. */
function forFile(request: Request): Request {
  const known = request.headers.get("if-none-match") ?? "";
  // `serveFile` reads this header in quadratic time.
  if (known.length > 1_000) {
    throw new HttpError(431, "If-None-Match is too long");
  }
  if (!request.headers.has("if-range")) return request;
  // `serveFile` ignores If-Range. Its tags are weak, so send the whole file.
  const headers = new Headers(request.headers);
  headers.delete("range");
  return new Request(request.url, { method: request.method, headers });
}
