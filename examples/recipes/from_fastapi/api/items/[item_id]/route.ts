import {
  type FrameworkRequest,
  HttpError,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { findItem, Item, items } from "../../../items.ts";

export const schema = {
  get: { response: { 200: Item, 404: Problem } },
  put: {
    tags: ["items", "custom"],
    body: Item.omit({ item_id: true }),
    response: { 200: Item, 403: Problem },
  },
} satisfies RouteSchema;

export function GET(request: FrameworkRequest<"/items/[item_id]">): Response {
  return respond(schema.get, 200, findItem(request.params.item_id));
}

export function PUT(
  request: FrameworkRequest<typeof schema.put, "/items/[item_id]">,
): Response {
  const { item_id } = request.params;
  if (item_id !== "plumbus") {
    throw new HttpError(403, "You can only update the item: plumbus");
  }
  const item = { item_id, ...request.validated.body };
  items.set(item_id, item);
  return respond(schema.put, 200, item);
}
