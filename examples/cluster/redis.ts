import { HttpError } from "@bough/framework";
import { createClient, SocketTimeoutError } from "redis";

/** Milliseconds that a request waits for Redis. */
const PATIENCE = 1_000;

/** The connection of this process, which `main.ts` opens and closes. */
export const redis = createClient({
  url: Deno.env.get("REDIS_URL") ?? "redis://127.0.0.1:6379",
  // While Redis is unavailable, commands fail at once, instead of waiting.
  disableOfflineQueue: true,
  maintNotifications: "disabled", // only for Redis Enterprise; reads environment variables
  pingInterval: PATIENCE,
  socket: {
    connectTimeout: PATIENCE,
    socketTimeout: 3 * PATIENCE, // a lost machine closes no connection
    reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, PATIENCE),
  },
});

/** A connection of its own for commands that block. */
export const listener = redis.duplicate();

// Without a listener for errors, an error would end the process.
redis.on("error", ({ message }) => console.error("Redis:", message));
// Redis replies to the listener each second, unless its machine is lost. Requests can
// keep the other connection from its timeout, so the listener replaces that, too.
listener.on("error", (error) => {
  if (!(error instanceof SocketTimeoutError) || !redis.isReady) return;
  redis.destroy();
  redis.connect();
});

/**
 * Waits for a reply of Redis. Rejects with 503 if Redis fails, or takes longer than
 * a second; a command that was sent may then still have an effect.
 */
export async function replyOf<T>(reply: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(late.reject, PATIENCE, new Error("No reply"));
  try {
    return await Promise.race([reply, late.promise]);
  } catch (cause) {
    throw new HttpError(503, "The orders are unavailable; try again", {
      headers: { "retry-after": "1" },
      cause,
    });
  } finally {
    clearTimeout(timer);
  }
}
