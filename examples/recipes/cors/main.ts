/**
 * Pages of other origins, with cookies, events and sockets. In this folder:
 * `deno run --allow-read=. --allow-net --allow-env=PORT,HOST main.ts`
 */
import { Framework } from "@bough/framework";
import { honoMiddleware } from "@bough/framework/hono";
import { cors } from "hono/cors";

/**
 * Creates an application that only the pages of some origins may call.
 *
 * @param origins The origins, such as `"https://shop.example.com"`.
 */
export function appFor(origins: readonly string[]): Framework {
  const allowPages = cors({
    origin: [...origins],
    credentials: true, // cookies
    maxAge: 600, // seconds until a browser sends the next preflight request
  });
  return new Framework({
    apiDir: new URL("./api/", import.meta.url),
    middleware: [honoMiddleware(allowPages)],
    trustedOrigins: origins, // for sockets and forms, which CORS does not cover
  });
}

export const app = appFor([
  "https://shop.example.com",
  "https://admin.example.com",
]);

if (import.meta.main) {
  await app.serve({ env: true });
}
