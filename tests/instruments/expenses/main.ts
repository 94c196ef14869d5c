/**
 * A service for expense reports: `deno run -A main.ts`. Its database is in memory.
 */
import { Framework } from "@bough/framework";
import { openapi } from "@bough/framework/openapi";
import { store } from "./store/database.ts";
import { createStore } from "./store/seed.ts";

/** Creates an application with new data. */
export function createApp(): Framework {
  const data = createStore();
  return new Framework({
    apiDir: new URL("./api/", import.meta.url),
    middleware: [(request, next) => {
      store.set(request, data);
      return next();
    }],
    plugins: [openapi({
      info: { title: "Expenses", version: "1.0.0" },
      security: [],
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
    })],
  });
}

export const app: Framework = createApp();

if (import.meta.main) await app.serve({ env: true });
