import { memoryStore } from "@bough/framework/protect";

/** Stores the limits of clients and the keys of orders until the shop restarts. */
export const protection = memoryStore();
