import {
  type FrameworkRequest,
  HttpError,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { serveFile } from "@std/http/file-server";
import { fromFileUrl, join } from "@std/path";

const FOLDER = fromFileUrl(new URL("../../../static/", import.meta.url));

export const schema = {
  get: { response: { 404: Problem } },
} satisfies RouteSchema;

/** Serves the files of the folder; the segments are never "..". */
export async function GET(request: FrameworkRequest): Promise<Response> {
  const segments = request.wildcardParams ?? ["index.html"];
  const response = await serveFile(request, join(FOLDER, ...segments));
  if (response.status === 404) throw new HttpError(404);
  return response;
}
