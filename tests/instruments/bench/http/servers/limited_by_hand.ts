/** A rate limit written by hand, whose memory is unlimited. */
import { handleByHand } from "./by_hand.ts";

const LIMIT = 1_000_000_000;
const WINDOW = 60_000;

const windows = new Map<string, { count: number; readonly ends: number }>();
const handle = handleByHand({
  echo: async (request) => Response.json(await request.json()),
  book: async (request) => Response.json(await request.json()),
});

Deno.serve(
  { port: Number(Deno.args[0]), onListen: () => {} },
  async (request, { remoteAddr: { hostname } }) => {
    const now = Date.now();
    let window = windows.get(hostname);
    if (window === undefined || window.ends <= now) {
      window = { count: 0, ends: now + WINDOW };
      windows.set(hostname, window);
    }
    const left = Math.max(0, LIMIT - ++window.count);
    const wait = Math.ceil((window.ends - now) / 1000);
    const response = window.count > LIMIT
      ? new Response(null, {
        status: 429,
        headers: { "retry-after": String(wait) },
      })
      : await handle(request);
    response.headers.set("ratelimit", `"default";r=${left};t=${wait}`);
    response.headers.set(
      "ratelimit-policy",
      `"default";q=${LIMIT};w=${WINDOW / 1000}`,
    );
    return response;
  },
);
