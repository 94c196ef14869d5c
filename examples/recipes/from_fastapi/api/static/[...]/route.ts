import type { FrameworkRequest } from "@bough/framework";
import { serveFile } from "@std/http/file-server";
import { fromFileUrl, join } from "@std/path";

const FOLDER = fromFileUrl(new URL("../../../static/", import.meta.url));

/** Serves the files of the folder; the segments are never "..". */
export function GET(request: FrameworkRequest): Promise<Response> {
  return serveFile(request, join(FOLDER, ...request.wildcardParams ?? []));
}
