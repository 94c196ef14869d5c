import type { FrameworkRequest } from "@bough/framework";
import { localPath, redirect } from "../../redirect.ts";

/** Signs in, and redirects to the page that the user came from: `?next=/api/tasks/1`. */
export function POST(request: FrameworkRequest): Response {
  const { searchParams } = new URL(request.url);
  return redirect(localPath(searchParams.get("next"), "/api/tasks"), 303);
}
