/** For development: `deno task dev` restarts this at every change. */
import { printRouteChanges } from "@bough/framework/dev";
import { app } from "./main.ts";

await printRouteChanges(app);
await app.serve({ env: true });
