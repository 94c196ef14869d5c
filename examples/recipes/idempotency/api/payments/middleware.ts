import { idempotent, memoryStore } from "@bough/framework/protect";

/** With several processes, use `sqliteStore()` or your own store. */
export default idempotent({ store: memoryStore(), required: true });
