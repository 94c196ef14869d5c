/** Serves handlers that are quick, slow, streaming and hanging, until a signal. */
import { draining, Framework } from "@bough/framework";
import { delay } from "../support/until.ts";

/** The bytes of each response. */
export const SIZE = 50_000;

function stream(): Response {
  let rest = 50;
  const body = new ReadableStream({
    async pull(controller) {
      await delay(10);
      controller.enqueue(new Uint8Array(SIZE / 50));
      if (--rest === 0) controller.close();
    },
  });
  return new Response(body);
}

if (import.meta.main) {
  draining.addEventListener("abort", () => console.log("draining"));
  const app = new Framework({
    manifest: {
      "quick/route.ts": { GET: () => new Response("x".repeat(SIZE)) },
      "slow/route.ts": {
        GET: async () => {
          await delay(500);
          return new Response("x".repeat(SIZE));
        },
      },
      "stream/route.ts": { GET: stream },
      "hang/route.ts": {
        GET: () => {
          console.log("hanging");
          return new Promise<Response>(() => {});
        },
      },
    },
  });
  // Only a second signal ends a handler that hangs.
  await app.serve({
    port: 0,
    hostname: "127.0.0.1",
    shutdownTimeout: 3_600_000,
  });
}
