import type { FrameworkRequest, RoutePermissions } from "@bough/framework";

export const permissions = { net: ["127.0.0.1"] } satisfies RoutePermissions;

/** Passes on the response of another route of the same server. */
export function GET(request: FrameworkRequest): Promise<Response> {
  return fetch(new URL("/api/static", request.url), {
    // A server that is to stop would wait for the connections that it keeps itself.
    headers: { connection: "close" },
  });
}
