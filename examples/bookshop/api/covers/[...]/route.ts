import type { FrameworkRequest, RoutePermissions } from "@bough/framework";
import { fileResponses, sendFile } from "@bough/framework/files";
import { fromFileUrl, join } from "@std/path";

const FOLDER = fromFileUrl(import.meta.resolve("@/covers/"));

export const permissions = { read: [FOLDER] } satisfies RoutePermissions;

export const schema = {
  get: {
    summary: "Get the picture of a cover",
    response: fileResponses("image/svg+xml"),
  },
};

/**
 * Serves the files below `covers/`. The segments of a wildcard are never `..`, and
 * contain no separators, so the joined path stays inside the folder.
 */
export async function GET(
  request: FrameworkRequest<"/covers/[...]">,
): Promise<Response> {
  const segments = request.wildcardParams;
  return await sendFile(request, join(FOLDER, ...segments));
}
