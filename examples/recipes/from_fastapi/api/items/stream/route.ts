import type { FrameworkRequest, RouteSchema } from "@bough/framework";
import { events } from "@bough/framework/live";
import { Item, items } from "../../../items.ts";

export const schema = { get: { events: { item: Item } } } satisfies RouteSchema;

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  return events(request, async function* () {
    for (const item of items.values()) {
      yield { event: "item", data: item };
    }
  });
}
