import { draining, HttpError, respond } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { isOpen } from "@/store/database.ts";

export const schema = {
  get: {
    summary: "Tell whether requests may be sent here",
    tags: ["health"],
    response: { 200: z.object({ status: z.literal("ready") }), 503: Problem },
  },
};

/**
 * Readiness: after a 503, a load balancer sends requests to other processes. With
 * `app.serve({ shutdownDelay: 5_000 })`, it gets the 503 before the server stops.
 */
export function GET(): Response {
  if (draining.aborted) throw new HttpError(503, "The shop is closing");
  if (!isOpen()) throw new HttpError(503, "The database does not answer");
  return respond(schema.get, 200, { status: "ready" });
}
