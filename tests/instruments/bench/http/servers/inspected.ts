/** Bough with its inspector. */
import { Framework } from "@bough/framework";
import { inspector } from "@bough/framework/dev";

const [port, apiDir] = Deno.args;
const app = new Framework({ apiDir: apiDir! });
await inspector(app);
await app.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  onListen: () => {},
});
