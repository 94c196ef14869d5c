/** Sends one request with a key to a handler that never ends. */
import { Framework } from "@bough/framework";
import { idempotent, memoryStore } from "@bough/framework/protect";

const POST = () => new Promise<Response>(() => console.log("runs"));
const protect = idempotent({ store: memoryStore() });
const app = new Framework({
  manifest: { "middleware.ts": { default: protect }, "route.ts": { POST } },
});
const headers = { "idempotency-key": "k-1" };
void app.fetch(
  new Request("http://localhost/api", { method: "POST", headers }),
);
