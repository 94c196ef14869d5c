import { z } from "zod";

export const schema = {
  get: {
    summary: "Tell that the process is alive",
    tags: ["health"],
    response: z.object({ status: z.literal("alive") }),
  },
};

/** Liveness: whoever asks in vain should start the process anew. */
export function GET(): Response {
  return Response.json({ status: "alive" });
}
