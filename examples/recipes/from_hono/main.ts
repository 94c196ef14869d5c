/**
 * The programs of Hono's documentation, as one application. In this folder:
 * `deno run --allow-read=. --allow-net --allow-env=PORT,HOST,USERNAME,PASSWORD main.ts`
 */
import { Framework } from "@bough/framework";
import { honoMiddleware } from "@bough/framework/hono";
import { openapi } from "@bough/framework/openapi";
import { poweredBy } from "hono/powered-by";
import { prettyJSON } from "hono/pretty-json";
import { setCredentials } from "./credentials.ts";

export const app = new Framework({
  apiDir: new URL("./api/", import.meta.url),
  middleware: [honoMiddleware(poweredBy()), honoMiddleware(prettyJSON())],
  onNotFound: () =>
    Response.json({ message: "Not Found", ok: false }, { status: 404 }),
  plugins: [
    openapi({
      info: { title: "Pretty Blog API", version: "1.0.0" },
      securitySchemes: { basic: { type: "http", scheme: "basic" } },
    }),
  ],
});

if (import.meta.main) {
  setCredentials({
    username: Deno.env.get("USERNAME") ?? "",
    password: Deno.env.get("PASSWORD") ?? "",
  });
  await app.serve({ env: true });
}
