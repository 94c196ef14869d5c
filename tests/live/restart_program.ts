/** An application with streams. The argument holds the options of its server, as JSON. */
import { Framework, type FrameworkRequest } from "@bough/framework";
import { events } from "@bough/framework/live";

const app = new Framework({
  manifest: {
    "orders/route.ts": {
      /** Sends large events, so that a cut is likely to fall inside of one. */
      GET: (request: FrameworkRequest) =>
        events(request, async function* ({ lastEventId, signal }) {
          try {
            for (let id = Number(lastEventId ?? 0) + 1;; id++) {
              const data = { id, text: "x".repeat(id % 3000) };
              yield { event: "order", id, data };
              if (id % 10 === 0) await new Promise((go) => setTimeout(go, 2));
            }
          } finally {
            console.log("finally:", signal.reason.message);
          }
        }),
    },
    "large/route.ts": {
      /** Sends an event that exceeds the buffers of the system. */
      GET: (request: FrameworkRequest) =>
        events(request, async function* () {
          yield { data: "x".repeat(2 ** 25) };
        }),
    },
  },
});
await app.serve(JSON.parse(Deno.args[0]!));
