import { type FrameworkRequest, HttpError } from "@bough/framework";
import { serveFile } from "@std/http/file-server";
import { fromFileUrl, join, SEPARATOR } from "@std/path";

const FOLDER = await Deno.realPath(
  fromFileUrl(new URL("../../public/", import.meta.url)),
);

/** Serves the files of the folder, and nothing else; `HEAD` comes with it. */
export async function GET(request: FrameworkRequest): Promise<Response> {
  // The segments are never "..", and hold no separator.
  const segments = request.wildcardParams ?? [];
  if (segments.some((segment) => segment.startsWith("."))) {
    throw new HttpError(404); // ".git", ".env"
  }
  const path = join(FOLDER, ...segments);
  const info = await Deno.stat(path).catch(() => undefined);
  if (!info?.isDirectory) return serve(request, path);
  if (new URL(request.url).pathname.endsWith("/")) {
    return serve(request, join(path, "index.html"));
  }
  // With the slash, relative links of the page lead below the folder.
  const location = `/${segments.map(encodeURIComponent).join("/")}/`;
  return new Response(null, { status: 308, headers: { location } });
}

async function serve(request: Request, path: string): Promise<Response> {
  const real = await Deno.realPath(path).catch(() => "");
  if (!real.startsWith(FOLDER + SEPARATOR)) {
    throw new HttpError(404); // there is none, or a link leads out of the folder
  }
  const response = await serveFile(forFile(request), real);
  response.headers.set("x-content-type-options", "nosniff");
  response.headers.set("cache-control", "no-cache"); // asks by ETag each time
  return response;
}

/** The request as `serveFile` can take it. */
function forFile(request: Request): Request {
  const known = request.headers.get("if-none-match") ?? "";
  // `serveFile` takes quadratic time for it.
  if (known.length > 1_000) {
    throw new HttpError(431, "If-None-Match is too long");
  }
  if (!request.headers.has("if-range")) return request;
  // `serveFile` does not know it; its tags are weak, so the whole file is right.
  const headers = new Headers(request.headers);
  headers.delete("range");
  return new Request(request.url, { method: request.method, headers });
}
