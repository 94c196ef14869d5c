import { log } from "../../core/common/log.ts";
import { once } from "../../core/common/values.ts";
import type { Framework } from "../../core/framework.ts";
import type {
  ObservedServer,
  Observer,
  RequestHandler,
} from "../../core/request/application.ts";
import { PathReader } from "../../core/routing/pathname.ts";
import { guarded, isLocal } from "./guard.ts";
import { Recorder } from "./recorder.ts";

/** Records the requests to an application, and answers below the path of the inspector. */
export function createObserver(
  app: Framework,
  { path, editor, secrets }: {
    readonly path: string;
    readonly editor: string;
    readonly secrets: readonly string[];
  },
): Observer {
  const recorder = new Recorder({ secrets });
  const reader = new PathReader();
  const isBelow = (pathname: string) =>
    pathname === path || pathname.startsWith(`${path}/`);
  const isOwn = (url: string) => {
    try {
      return isBelow(reader.read(url).text);
    } catch {
      return false; // a malformed path, which the application rejects
    }
  };

  /** Records requests, except those of the inspector's own page and tools. */
  function inspected(handler: RequestHandler): RequestHandler {
    const handle = recorder.record(handler);
    // While no page is open, a restart loads none of these modules.
    const answer = guarded(once(async () => {
      const { createApi } = await import("./api.ts");
      const context = { app, path, editor, recorder, handle, isOwn };
      return createApi(context).fetch as RequestHandler;
    }));
    return (request, info) =>
      isOwn(request.url) ? answer(request, info) : handle(request, info);
  }

  return Object.assign(recorder, {
    async around(handler: RequestHandler): Promise<ObservedServer> {
      // A lazy route that cannot be imported fails at its first request instead.
      const routes = await app.routes().catch(() => []);
      const hidden = routes.find((route) => isBelow(route.path));
      if (hidden !== undefined) {
        throw new TypeError(
          `Cannot inspect the application: "${hidden.file}" serves "${hidden.path}", where the inspector is; pass another path, as in inspector(app, { path: "/_inspector" })`,
        );
      }
      let handle = handler;
      return {
        handle: (request, info) => handle(request, info),
        listens(origin) {
          if (isLocal(origin)) {
            handle = inspected(handler);
            console.log(`[bough] inspector: ${origin}${path}`);
          } else {
            const message =
              `the inspector is off, since other machines can reach ${origin}; use app.serve({ hostname: "127.0.0.1" }), and unset the variable HOST if env is true`;
            log({ level: "warning", message });
          }
        },
      };
    },
  });
}
