/** For development: `deno task dev` restarts this at every change. */
import { main as bough } from "@bough/framework/cli";
import { printRouteChanges } from "@bough/framework/dev";
import { app } from "./main.ts";

// For clients and handlers: the types of the routes.
const folder = import.meta.dirname;
await bough(["types", `${folder}/api`, "-o", `${folder}/api.types.ts`]);
await printRouteChanges(app);
await app.serve({ env: true });
