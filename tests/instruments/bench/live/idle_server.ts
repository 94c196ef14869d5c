/** The server that `idle.ts` fills with streams and sockets. It prints its port. */
import { Framework } from "@bough/framework";
import { events, socket } from "@bough/framework/live";

let streams = 0;
let sockets = 0;
let flooded = 0;

/** An event of 16 KiB. */
const LARGE = "x".repeat(16 * 1024);

const collect = (globalThis as { gc?: () => void }).gc;

const app = new Framework({
  apiPrefix: "",
  manifest: {
    "events/route.ts": {
      GET: (request: never) =>
        events(request, async function* ({ signal }) {
          streams++;
          yield { data: "open" };
          await new Promise((resolve) =>
            signal.addEventListener("abort", resolve)
          );
          streams--;
        }),
    },
    "socket/route.ts": {
      GET: (request: never) =>
        socket(request, {
          open: () => void sockets++,
          close: () => void sockets--,
        }),
    },
    "flood/route.ts": {
      GET: (request: never) =>
        events(request, async function* () {
          for (;; flooded += LARGE.length) yield { data: LARGE };
        }),
    },
    "state/route.ts": {
      GET() {
        collect?.();
        const { heapUsed, rss } = Deno.memoryUsage();
        return Response.json({ heapUsed, rss, streams, sockets, flooded });
      },
    },
  },
});

await app.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => console.log(port),
});
