/**
 * An application for `deno serve`. The first argument says how the program exports it.
 */
import { draining, Framework, type FrameworkRequest } from "@bough/framework";
import { events, socket } from "@bough/framework/live";
import { BroadcastChannel } from "node:worker_threads";

const [way = ""] = Deno.args;
const thread = crypto.randomUUID();
const heard: string[] = [];

// As in the guide: a channel must not keep the process alive.
const channel = new BroadcastChannel("news");
channel.onmessage = (event) => heard.push((event as MessageEvent).data);
channel.unref();
draining.addEventListener("abort", () => console.log("draining"));

const app = new Framework({
  exitOnUncaughtError: way === "an application that does not survive errors",
  manifest: {
    "events/route.ts": {
      GET: (request: FrameworkRequest) =>
        events(request, async function* ({ signal }) {
          signal.addEventListener("abort", () => console.log("aborted"));
          yield { data: "first" };
          await new Promise(() => {});
        }),
    },
    "raw/route.ts": {
      GET: () =>
        new Response(
          new ReadableStream({
            start(controller) {
              controller.enqueue(new TextEncoder().encode("first"));
              draining.addEventListener("abort", () => controller.close());
            },
          }),
        ),
    },
    "news/route.ts": {
      GET: () => Response.json({ thread, heard }),
      POST: () => {
        channel.postMessage(thread);
        return Response.json({ thread });
      },
    },
    "socket/route.ts": {
      schema: { get: { socket: {} } },
      GET: (request: FrameworkRequest) =>
        socket(request, { close: (code) => console.log(`closed ${code}`) }),
    },
  },
});

if (way === "an application that has started") await app.start();
if (way === "app.fetch") {
  Deno.serve({ hostname: "127.0.0.1", port: 0 }, app.fetch);
}

/** The default export; `deno serve` reads its `fetch`. */
const exported: Deno.ServeDefaultExport = {
  "an object with its fetch": { fetch: app.fetch },
  "a function around it": {
    fetch: (request: Request, info: Deno.ServeHandlerInfo) =>
      app.fetch(request, info),
  },
}[way] ?? app;
export default exported;
