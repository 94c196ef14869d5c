import {
  content,
  type FrameworkRequest,
  HttpError,
  type RoutePermissions,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { serveFile } from "@std/http/file-server";
import { fromFileUrl, join } from "@std/path";

const FOLDER = fromFileUrl(import.meta.resolve("@/covers/"));

export const permissions = { read: [FOLDER] } satisfies RoutePermissions;

/** The maximum length, for a dozen tags. `serveFile` takes seconds for 65,000 spaces. */
const MAX_IF_NONE_MATCH = 1_000;

export const schema = {
  get: {
    summary: "Get the picture of a cover",
    response: {
      200: content("image/svg+xml"),
      304: {},
      404: Problem,
      431: Problem,
    },
  },
};

/**
 * Serves the files below `covers/`. The segments of a wildcard are never `..`, and
 * contain no separators, so the joined path stays inside the folder.
 */
export async function GET(
  request: FrameworkRequest<"/covers/[...]">,
): Promise<Response> {
  const known = request.headers.get("if-none-match") ?? "";
  if (known.length > MAX_IF_NONE_MATCH) {
    throw new HttpError(431, "If-None-Match is too long");
  }
  const segments = request.wildcardParams;
  const path = join(FOLDER, ...segments);
  // `serveFile` throws if a path is too long, or leads below a file.
  const fileInfo = await Deno.stat(path).catch(() => undefined);
  if (!fileInfo?.isFile) {
    throw new HttpError(404, `There is no cover "${segments.join("/")}"`);
  }
  return serveFile(request, path, { fileInfo });
}
