import type { FrameworkRequest, RoutePermissions } from "@bough/framework";

export const permissions = { net: ["127.0.0.1"] } satisfies RoutePermissions;

/** Passes on the response of another route of the same server. */
export function GET(request: FrameworkRequest): Promise<Response> {
  return fetch(new URL("/api/static", request.url), {
    // A stopping server would wait for its own idle connections.
    headers: { connection: "close" },
  });
}
