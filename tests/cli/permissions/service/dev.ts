/** For development: `deno task dev` restarts this module at every change. */
import { printRouteChanges } from "@bough/framework/dev";
import { createApp } from "./app.ts";
import { Services } from "./services.ts";

const services = await Services.open({
  database: ":memory:",
  uploads: "uploads",
  secret: "development",
  mailServer: "127.0.0.1:1025",
});
const app = createApp(services);
await printRouteChanges(app);
await app.serve({ env: true });
