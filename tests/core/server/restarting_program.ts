/** An application for clients that take all file descriptors. */
import { Framework, type FrameworkRequest } from "@bough/framework";
import { socket } from "@bough/framework/live";
import { freePort } from "../../support/process.ts";

const finish = new Promise<void>((resolve) =>
  Deno.addSignalListener("SIGUSR2", resolve)
);

const app = new Framework({
  manifest: {
    "route.ts": { GET: () => new Response("hello") },
    "slow/route.ts": {
      GET: async () => {
        await finish;
        return new Response("slow");
      },
    },
    "socket/route.ts": {
      schema: { get: { socket: {} } },
      GET: (request: FrameworkRequest) =>
        socket(request, {
          message: async () => {
            console.log("taken");
            await finish;
            console.log("handled");
          },
          close: (code) => console.log(`closed ${code}`),
        }),
    },
  },
});

if (Deno.args[0] === "run") {
  const server = await app.serve({ hostname: "127.0.0.1", port: freePort() });
  server.finished.then(() => console.log("finished"));
} else {
  // Not even a timer keeps the process alive.
  setInterval(() => {}, 1_000);
}

export default app;
