import type { FrameworkRequest } from "@bough/framework";
import { events } from "@bough/framework/live";
import { orders } from "../../orders.ts";

export function GET(request: FrameworkRequest): Response {
  return events(request, async function* () {
    for await (const { id, data } of orders(request.url)) {
      yield { event: "order", id, data };
    }
  });
}
