import { draining } from "@bough/framework";

/** Does not query Redis: if Redis is unavailable, every process would fail. */
export function GET(): Response {
  return draining.aborted
    ? new Response("draining", { status: 503 })
    : new Response("ready");
}
