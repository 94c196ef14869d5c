/** Bough with a rate limit in memory. */
import { Framework } from "@bough/framework";
import { memoryStore, rateLimit } from "@bough/framework/protect";

const [port, apiDir] = Deno.args;
const limit = { limit: 1_000_000_000, per: 60_000, store: memoryStore() };
const app = new Framework({
  apiDir: apiDir!,
  middleware: [rateLimit(limit)],
});
await app.serve({ port: Number(port), onListen: () => {} });
