import {
  type FrameworkRequest,
  HttpError,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { serveFile } from "@std/http/file-server";
import { fromFileUrl, join, SEPARATOR } from "@std/path";

const FOLDER = await Deno.realPath(
  fromFileUrl(new URL("../../../static/", import.meta.url)),
);

export const schema = {
  get: { response: { 404: Problem, 431: Problem } },
} satisfies RouteSchema;

/** Serves the files of the folder; the segments are never "..". */
export async function GET(request: FrameworkRequest): Promise<Response> {
  const segments = request.wildcardParams ?? ["index.html"];
  const path = await Deno.realPath(join(FOLDER, ...segments)).catch(() => "");
  const isHidden = segments.some((segment) => segment.startsWith("."));
  // A link may lead out of the folder.
  if (isHidden || !path.startsWith(FOLDER + SEPARATOR)) {
    throw new HttpError(404);
  }
  const known = request.headers.get("if-none-match") ?? "";
  // `serveFile` reads this header in quadratic time.
  if (known.length > 1_000) throw new HttpError(431);
  const response = await serveFile(request, path);
  if (response.status === 404) throw new HttpError(404); // a folder
  return response;
}
