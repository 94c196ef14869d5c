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

if (way.includes("started")) await app.start();
if (way.includes("fetch")) {
  Deno.serve({ hostname: "127.0.0.1", port: 0 }, app.fetch);
}
export default app;
