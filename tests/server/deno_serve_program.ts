/**
 * An application for `deno serve`. The first argument says how the program exports it.
 */
import { draining, Framework, type FrameworkRequest } from "@bough/framework";
import { events, socket } from "@bough/framework/live";

const [way = ""] = Deno.args;
const thread = crypto.randomUUID();
const heard: string[] = [];
let channel: BroadcastChannel | undefined;

/**
 * The channel to the other threads, opened at the first request for news. An open
 * channel keeps the process alive, and `draining` aborts only in a thread that has
 * received a request.
 */
function openChannel(): BroadcastChannel {
  if (channel !== undefined) return channel;
  channel = new BroadcastChannel("news");
  channel.onmessage = ({ data }) => heard.push(data);
  draining.addEventListener("abort", () => channel?.close());
  return channel;
}

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
      GET: () => {
        openChannel();
        return Response.json({ thread, heard });
      },
      POST: () => {
        openChannel().postMessage(thread);
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
