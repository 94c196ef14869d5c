import { respond, type RouteSchema } from "@bough/framework";
import { z } from "zod";
import type { RequestOf } from "@/api.types.ts";
import { listTags } from "@/store/articles.ts";
import { viewer } from "@/store/database.ts";

export const schema = {
  get: {
    summary: "List the tags",
    access: "public",
    response: z.object({ tags: z.array(z.string()) }),
  },
} satisfies RouteSchema;

export function GET(request: RequestOf<"/tags", "GET">): Response {
  return respond(schema.get, 200, { tags: listTags(viewer.get(request)) });
}
