import type { FrameworkRequest } from "@bough/framework";

/** Passes on what another route of the same server says. */
export function GET(request: FrameworkRequest): Promise<Response> {
  return fetch(new URL("/api/static", request.url));
}
