import type { FrameworkRequest, RouteSchema } from "@bough/framework";
import { events } from "@bough/framework/live";
import { z } from "zod";

export const schema = {
  get: { events: { "time-update": z.string() } },
} satisfies RouteSchema;

/** `streamSSE()`: sends the time each second, until the client disconnects. */
export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  return events(request, async function* ({ signal }) {
    for (let id = 0; !signal.aborted; id++) {
      const data = `It is ${new Date().toISOString()}`;
      yield { event: "time-update", id, data };
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 1_000);
        signal.addEventListener("abort", () => {
          clearTimeout(timer);
          resolve();
        }, { once: true });
      });
    }
  });
}
