/**
 * The backend of RealWorld:
 * `deno run --allow-read --allow-net --allow-env=PORT,HOST main.ts`.
 */
import { Framework } from "@bough/framework";
import { honoMiddleware } from "@bough/framework/hono";
import { openapi } from "@bough/framework/openapi";
import { cors } from "hono/cors";
import { errors } from "./errors.ts";
import { Database, viewer } from "./store/database.ts";

/** Creates the application over a database. */
export function createApp(
  db: Database = new Database(),
  validateResponses = false,
): Framework {
  return new Framework({
    apiDir: new URL("./api/", import.meta.url),
    errors,
    validateResponses,
    // Any page may call the API: it uses no cookies.
    middleware: [honoMiddleware(cors()), (request, next) => {
      viewer.set(request, { db, id: 0 });
      return next();
    }],
    plugins: [openapi({
      info: { title: "Conduit on Bough", version: "1.1.0" },
      security: [],
      securitySchemes: {
        Token: { type: "apiKey", name: "Authorization", in: "header" },
      },
    })],
  });
}

if (import.meta.main) {
  const [file = ":memory:"] = Deno.args;
  using db = new Database(file);
  const server = await createApp(db).serve({ env: true });
  await server.finished;
}
