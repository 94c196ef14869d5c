import { errorResponse, HttpError, type Middleware } from "@bough/framework";
import { clientAddress, networkOf } from "./client_address.ts";

/** How often a client may call. */
export interface RateLimit {
  /** The calls in a window. */
  readonly calls: number;
  /** The length of a window, which begins with the first call. */
  readonly seconds: number;
  /** The addresses of our proxies, whose `X-Forwarded-For` counts. */
  readonly proxies?: readonly string[];
  /** How many clients are remembered at most; 100,000 take some 15 MB. */
  readonly clients?: number;
}

/**
 * Limits how often a client can call, and rejects further calls with 429. Responses
 * contain the remaining calls, as the draft "RateLimit header fields for HTTP" of
 * the IETF describes.
 */
export function limitRate(
  { calls, seconds, proxies = [], clients = 100_000 }: RateLimit,
): Middleware {
  // All windows have the same length, so the oldest window ends first.
  const windows = new Map<string, { count: number; readonly ends: number }>();

  function openWindow(client: string): { count: number; ends: number } {
    for (const [oldest, { ends }] of windows) {
      // To limit memory, drop the oldest window if there are too many clients.
      if (ends > Date.now() && windows.size < clients) break;
      windows.delete(oldest);
    }
    const window = { count: 0, ends: Date.now() + seconds * 1000 };
    windows.set(client, window);
    return window;
  }

  return async (request, next) => {
    const client = networkOf(clientAddress(request, proxies));
    let window = windows.get(client);
    if (window === undefined || window.ends <= Date.now()) {
      windows.delete(client);
      window = openWindow(client);
    }
    window.count++;
    const left = Math.max(0, calls - window.count);
    const wait = Math.ceil((window.ends - Date.now()) / 1000);
    const fields = {
      "ratelimit-policy": `"default";q=${calls};w=${seconds}`,
      "ratelimit": `"default";r=${left};t=${wait}`,
    };
    if (window.count > calls) {
      throw new HttpError(429, "Too many requests", {
        headers: { "retry-after": String(wait), ...fields },
      });
    }
    const response = await next().catch((e) => errorResponse(e, request));
    for (const [name, value] of Object.entries(fields)) {
      response.headers.set(name, value);
    }
    return response;
  };
}
