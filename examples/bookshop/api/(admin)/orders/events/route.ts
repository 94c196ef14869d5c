import type { FrameworkRequest, RouteSchema } from "@bough/framework";
import { events } from "@bough/framework/live";
import { z } from "zod";
import { Order } from "@/schemas.ts";
import { changesAfter, revisionAt } from "@/store/board.ts";

/** The maximum number of sent orders that come first, as many as the board shows. */
const MOST_SENT = 20;

export const schema = {
  get: {
    summary: "Watch the orders",
    description:
      "`cleared` says that the orders which follow are all that are not sent, and the last sent ones if the cookie `sent` is `show`. Then each change comes as it is made, also those that a client missed which connects anew with `Last-Event-ID`.",
    cookies: z.object({ sent: z.enum(["show", "hide"]).default("hide") }),
    events: { cleared: z.null(), order: Order },
  },
} satisfies RouteSchema;

/** Streams the orders for the page of `board/`. */
export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const sent = request.validated.cookies.sent === "show" ? MOST_SENT : 0;
  return events(request, async function* ({ lastEventId, signal }) {
    const revision = revisionAt(lastEventId);
    if (revision === undefined) yield { event: "cleared", data: null };
    const changes = changesAfter(revision, { sent, signal });
    for await (const { id, order } of changes) {
      yield { event: "order", id, data: order };
    }
  }, { retry: 1_000 });
}
