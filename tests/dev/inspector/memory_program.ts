/**
 * An application whose requests are recorded, and a second server that shows the memory
 * of the process; run with `--v8-flags=--expose-gc`. Prints both ports.
 */
import { getHeapSnapshot } from "node:v8";
import { Framework, type FrameworkRequest } from "@bough/framework";
import { file } from "@bough/framework/uploads";
import { Recorder } from "../../../src/dev/inspector/recorder.ts";
import { record } from "./recorded.ts";

const collect = (globalThis as { gc?: () => void }).gc!;
const MIB = 1024 * 1024;

/** Collects garbage until timers and promises of earlier requests have ended. */
async function settle(): Promise<void> {
  for (let n = 0; n < 5; n++) {
    await new Promise((go) => setTimeout(go, 50));
    collect();
  }
}

async function sizeOf(stream: ReadableStream<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const chunk of stream) size += chunk.length;
  return size;
}

const app = new Framework({
  manifest: {
    "json/[id]/route.ts": {
      GET: ({ params }: FrameworkRequest) => Response.json(params),
      POST: async (request: FrameworkRequest) => {
        const body = await request.json() as { password?: string };
        request.waitUntil(Promise.resolve(body));
        if (request.params.id === "fail") {
          throw new Error(`Not ${body.password}`, { cause: body });
        }
        return Response.json(body);
      },
    },
    "long/route.ts": {
      GET: () => new Response("x".repeat(100_000)),
      POST: async (request: FrameworkRequest) => {
        const size = (await request.text()).length;
        return new Response(ReadableStream.from([new Uint8Array(size)]));
      },
    },
    "upload/route.ts": {
      schema: { put: { body: file({ maxSize: "4GiB" }) } },
      PUT: async (request: FrameworkRequest) => {
        const { stream } = request.validated.body as { stream: ReadableStream };
        return Response.json(await sizeOf(stream));
      },
    },
    "download/route.ts": {
      GET: (request: FrameworkRequest) => {
        let rest = Number(new URL(request.url).searchParams.get("mib"));
        return new Response(
          new ReadableStream({
            pull(controller) {
              if (rest-- > 0) controller.enqueue(new Uint8Array(MIB));
              else controller.close();
            },
          }),
        );
      },
    },
  },
  onError: () => undefined,
});
const recorder = new Recorder({ secrets: [] });
record(app, recorder);
console.log = console.error = () => {};
const server = await app.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: () => {},
});
const control = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/entries") return Response.json(recorder.list().requests);
    if (pathname === "/rss") return Response.json(Deno.memoryUsage().rss);
    await settle();
    if (pathname === "/heap") {
      return new Response(ReadableStream.from(getHeapSnapshot()));
    }
    const { heapUsed, external } = Deno.memoryUsage();
    return Response.json(heapUsed + external);
  },
);
console.info("ports", server.addr.port, control.addr.port, "end");
