/** Serves handlers that wait, stream and read, and counts those that have not ended. */
import { Framework, type FrameworkRequest } from "@bough/framework";

let waiting = 0;
let streaming = 0;

async function wait({ signal }: FrameworkRequest): Promise<Response> {
  waiting++;
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  waiting--;
  return new Response("too late");
}

function stream(): Response {
  let timer: ReturnType<typeof setInterval>;
  const body = new ReadableStream({
    start(controller) {
      streaming++;
      timer = setInterval(() => controller.enqueue(new Uint8Array(1000)), 10);
    },
    cancel() {
      streaming--;
      clearInterval(timer);
    },
  });
  return new Response(body);
}

/** The number of open files and sockets; 0 if it is unknown. */
function descriptors(): number {
  if (Deno.build.os !== "linux") return 0;
  return [...Deno.readDirSync("/proc/self/fd")].length;
}

const app = new Framework({
  manifest: {
    "wait/route.ts": { GET: wait },
    "stream/route.ts": { GET: stream },
    "read/route.ts": {
      POST: async (request: FrameworkRequest) =>
        new Response(await request.text()),
    },
    "open/route.ts": {
      GET: () =>
        Response.json({ waiting, streaming, descriptors: descriptors() }),
    },
  },
});
await app.serve({ port: 0, hostname: "127.0.0.1" });
