import type { FrameworkRequest, RouteSchema } from "@bough/framework";
import { events } from "@bough/framework/live";
import { z } from "zod";
import { Order } from "@/schemas.ts";
import { changesAfter, revisionAt } from "@/store/board.ts";

export const schema = {
  get: {
    summary: "Watch the orders",
    description:
      "`cleared` says that the orders which follow are all that are not sent. Then each change comes as it is made, also those that a client missed which connects anew with `Last-Event-ID`.",
    events: { cleared: z.null(), order: Order },
  },
} satisfies RouteSchema;

/** Streams the orders for the page of `board/`. */
export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  return events(request, async function* ({ lastEventId, signal }) {
    const revision = revisionAt(lastEventId);
    if (revision === undefined) yield { event: "cleared", data: null };
    for await (const { id, order } of changesAfter(revision, signal)) {
      yield { event: "order", id, data: order };
    }
  }, { retry: 1_000 });
}
