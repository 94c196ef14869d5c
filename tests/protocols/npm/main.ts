/** An npm registry in memory: `deno run --allow-read --allow-net main.ts`. */
import { Framework } from "@bough/framework";
import { errors } from "./errors.ts";
import { Registry, registry } from "./registry.ts";

/** Creates an application over a registry. */
export function createApp(packages: Registry): Framework {
  return new Framework({
    apiDir: new URL("./api/", import.meta.url),
    apiPrefix: "",
    errors,
    middleware: [(request, next) => {
      registry.set(request, packages);
      return next();
    }],
    validateResponses: true,
  });
}

export const app: Framework = createApp(new Registry());

if (import.meta.main) await app.serve();
