/** For development: `deno task dev` restarts this program after every change. */
import { main as bough } from "@bough/framework/cli";
import { printRouteChanges } from "@bough/framework/dev";
import { app } from "./main.ts";

// Writes the types of the routes, for clients and handlers.
const folder = import.meta.dirname;
await bough(["types", `${folder}/api`, "-o", `${folder}/api.types.ts`]);
await printRouteChanges(app);
await app.serve({ env: true });
