/**
 * A server for resumable uploads, with tus 1.0 (https://tus.io/protocols/resumable-upload)
 * and its extensions creation, expiration, checksum and termination:
 * `deno run --allow-read --allow-write=uploads --allow-net main.ts`
 */
import { Framework } from "@bough/framework";
import { openapi } from "@bough/framework/openapi";
import { Uploads, uploads } from "./uploads.ts";

/** Creates an application that keeps its uploads in a folder. */
export function createApp(folder: string): Framework {
  const store = new Uploads(folder);
  return new Framework({
    apiDir: new URL("./api/", import.meta.url),
    middleware: [(request, next) => {
      uploads.set(request, store);
      return next();
    }],
    plugins: [openapi({ info: { title: "Uploads", version: "1.0.0" } })],
  });
}

export const app: Framework = createApp("uploads");

if (import.meta.main) await app.serve();
