import type { FrameworkRequest } from "@bough/framework";
import { events } from "@bough/framework/live";
import { z } from "zod";
import { nameOf } from "../../visitor.ts";

export const schema = { get: { events: { greeting: z.string() } } };

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  return events(request, async function* () {
    yield { event: "greeting", data: `Hello, ${nameOf(request)}` };
  });
}
