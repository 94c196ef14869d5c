/** For development: `deno task dev` restarts this program after every change. */
import { main as bough } from "@bough/framework/cli";
import { inspector, printRouteChanges } from "@bough/framework/dev";
import { app } from "./main.ts";

/** The application, for `bough permissions`. */
export { app };

if (import.meta.main) {
  // Writes the types of the routes, for clients and handlers.
  const folder = import.meta.dirname;
  await bough(["types", `${folder}/api`, "-o", `${folder}/api.types.ts`]);
  await inspector(app); // http://localhost:8000/_bough
  await printRouteChanges(app);
  // The inspector requires an address of this machine. HOST overrides hostname.
  await app.serve({ hostname: "127.0.0.1", env: true });
}
