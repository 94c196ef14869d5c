import type { FrameworkRequest, RouteSchema } from "@bough/framework";
import { z } from "zod";
import { several } from "../../several.ts";

export const schema = {
  get: {
    query: z.object({
      tag: several(z.string().min(1)), // ?tag=new&tag=old
      year: several(z.coerce.number<string>().int()),
      sort: z.enum(["title", "year"]).default("title"), // once, or not at all
    }),
  },
} satisfies RouteSchema;

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { tag, year, sort } = request.validated.query;
  return Response.json({ tag, year, sort });
}
