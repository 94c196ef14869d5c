import type { FrameworkRequest } from "@bough/framework";

/** Keeps no connection: the server would wait for its own when it is to stop. */
const client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });

/** Passes on the response of another route of the same server. */
export function GET(request: FrameworkRequest): Promise<Response> {
  return fetch(new URL("/api/static", request.url), { client });
}
