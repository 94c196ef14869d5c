import { HttpError } from "@bough/framework";
import { z } from "zod";

export const Item = z.object({
  item_id: z.string().regex(/^[a-z]{1,20}$/),
  name: z.string().min(1).max(50),
  price: z.number().positive().max(1_000_000),
  tags: z.array(z.string().max(20)).max(10),
}).meta({ id: "Item", title: "An item" });

export type Item = z.infer<typeof Item>;

/** In your application, a table. */
export const items = new Map<string, Item>();

/** Stores only the items of the tutorial. */
export function resetItems(): void {
  items.clear();
  for (
    const [item_id, name] of [["plumbus", "Plumbus"], [
      "gun",
      "Portal Gun",
    ]] as const
  ) {
    items.set(item_id, { item_id, name, price: 35.4, tags: [] });
  }
}

/** @throws {HttpError} 404 if there is no such item. */
export function findItem(id: string): Item {
  const item = items.get(id);
  if (item === undefined) throw new HttpError(404, "Item not found");
  return item;
}

resetItems();
