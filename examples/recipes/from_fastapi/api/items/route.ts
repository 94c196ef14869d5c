import {
  type FrameworkRequest,
  HttpError,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { Item, items } from "../../items.ts";

export const schema = {
  get: {
    summary: "Read items",
    query: z.object({
      q: z.string().max(50).optional(),
      tag: z.array(z.string()).max(10), // ?tag=a&tag=b
      offset: z.coerce.number().int().min(0).default(0),
      limit: z.coerce.number().int().min(1).max(100).default(100),
    }),
    response: z.array(Item),
  },
  post: { body: Item, response: { 201: Item, 409: Problem } },
} satisfies RouteSchema;

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { q = "", tag, offset, limit } = request.validated.query;
  const found = [...items.values()].filter(({ name, tags }) =>
    name.includes(q) && tag.every((one) => tags.includes(one))
  );
  return respond(schema.get, 200, found.slice(offset, offset + limit));
}

export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const item = request.validated.body;
  if (items.has(item.item_id)) throw new HttpError(409, "Item already exists");
  items.set(item.item_id, item);
  const headers = { location: `/items/${item.item_id}` };
  return respond(schema.post, 201, item, { headers });
}
