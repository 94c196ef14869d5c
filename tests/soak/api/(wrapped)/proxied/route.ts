import type { FrameworkRequest } from "@bough/framework";

/** Passes on the response of another route of the same server. */
export function GET(request: FrameworkRequest): Promise<Response> {
  return fetch(new URL("/api/static", request.url), {
    // A server that is to stop would wait for the connections that it keeps itself.
    headers: { connection: "close" },
  });
}
