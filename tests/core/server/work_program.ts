/**
 * A program whose `POST /work/[kind]/[count]` passes promises to `waitUntil()`: promises
 * that `end` at the signal `SIGUSR2`, `fail` then, `delay` for a while, or `hang`. Run it with `deno serve`, or
 * with the number of milliseconds of `shutdownTimeout` as the argument. A second argument
 * adds a second server.
 */
import { Framework, type FrameworkRequest } from "@bough/framework";
import { memoryUsed } from "../../support/memory.ts";

const finish = new Promise<void>((resolve) =>
  Deno.addSignalListener("SIGUSR2", resolve)
);

const WORK: Readonly<Record<string, () => Promise<unknown>>> = {
  settle: () => Promise.resolve("x".repeat(100)),
  end: () => finish,
  fail: () => finish.then(() => Promise.reject(new Error("no mail"))),
  delay: async () => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    console.log("sent");
  },
  hang: () => new Promise(() => {}),
};

const app = new Framework({
  manifest: {
    "work/[kind]/[count]/route.ts": {
      /** Starts work, and responds with the bytes of memory in use. */
      async POST(request: FrameworkRequest<"/work/[kind]/[count]">) {
        const { kind, count } = request.params;
        for (let each = 0; each < Number(count); each++) {
          request.waitUntil(WORK[kind]!());
          if (each % 1_000 === 0) await new Promise((go) => setTimeout(go));
        }
        (globalThis as { gc?: () => void }).gc!();
        return new Response(String(memoryUsed()));
      },
    },
  },
});

const [timeout, second] = Deno.args;
if (timeout !== undefined) {
  const shutdownTimeout = Number(timeout);
  const options = { port: 0, hostname: "127.0.0.1", shutdownTimeout };
  const server = await app.serve(options);
  if (second !== undefined) await app.serve({ ...options, onListen() {} });
  await server.finished;
  console.log("finished");
}

export default app;
