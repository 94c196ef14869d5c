import type { FrameworkRequest } from "@bough/framework";
import { serveDir } from "@std/http/file-server";
import { fromFileUrl } from "@std/path";

const FOLDER = fromFileUrl(new URL("../../../static/", import.meta.url));

export function GET(request: FrameworkRequest): Promise<Response> {
  return serveDir(request, { fsRoot: FOLDER, urlRoot: "static", quiet: true });
}
