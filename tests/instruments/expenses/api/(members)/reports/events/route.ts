import type { FrameworkRequest, RouteSchema } from "@bough/framework";
import { events } from "@bough/framework/live";
import { z } from "zod";
import { Report } from "../../../../schemas.ts";
import { changesAfter } from "../../../../store/changes.ts";
import { store } from "../../../../store/database.ts";
import { viewer } from "../../../../store/users.ts";

export const schema = {
  get: {
    summary: "Watch your reports",
    description:
      "Begins with all reports, or with those that changed after `Last-Event-ID`.",
    events: {
      changed: Report,
      removed: z.strictObject({ id: z.int() }),
    },
  },
} satisfies RouteSchema;

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const data = store.get(request);
  const owner = viewer.get(request).id;
  return events(request, async function* ({ lastEventId = "", signal }) {
    const seen = /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : 0;
    for await (const change of changesAfter(data, owner, seen, signal)) {
      const { revision, id, report } = change;
      yield report === undefined
        ? { event: "removed", id: revision, data: { id } }
        : { event: "changed", id: revision, data: report };
    }
  });
}
