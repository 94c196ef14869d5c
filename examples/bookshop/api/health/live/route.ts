import { respond } from "@bough/framework";
import { z } from "zod";

export const schema = {
  get: {
    summary: "Tell that the process is alive",
    tags: ["health"],
    response: z.object({ status: z.literal("alive") }),
  },
};

/** Liveness: a supervisor restarts a process that does not respond. */
export function GET(): Response {
  return respond(schema.get, 200, { status: "alive" });
}
