/**
 * A server for Git LFS (https://github.com/git-lfs/git-lfs/tree/main/docs/api), with the
 * batch API and basic transfers, for repositories with names such as `team/site`:
 * `deno run --allow-read --allow-write=objects --allow-net main.ts`
 */
import { Framework } from "@bough/framework";
import { openapi } from "@bough/framework/openapi";
import { errors } from "./schemas.ts";
import { LfsStore, store } from "./store.ts";

/** Creates an application that keeps its objects in a folder. */
export function createApp(folder: string): Framework {
  const objects = new LfsStore(folder);
  return new Framework({
    apiDir: new URL("./api/", import.meta.url),
    errors,
    invalidParams: 404,
    middleware: [(request, next) => {
      store.set(request, objects);
      return next();
    }],
    plugins: [openapi({ info: { title: "Git LFS", version: "1.0.0" } })],
    rewrite: toRoute,
  });
}

/** `/team/site.git/info/lfs/objects/batch` is `/api/team%2Fsite/objects/batch`. */
function toRoute({ url }: Request): string | undefined {
  const [, name, rest] =
    /^\/(.+)\.git\/info\/lfs(\/.*)$/.exec(new URL(url).pathname) ?? [];
  return name && `/api/${name.replaceAll("/", "%2F")}${rest}`;
}

export const app: Framework = createApp("objects");

if (import.meta.main) await app.serve();
