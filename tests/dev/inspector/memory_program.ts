/**
 * An application whose requests are recorded, and a second server that shows the memory
 * of the process; run with `--v8-flags=--expose-gc`. Prints both ports.
 */
import { Framework, type FrameworkRequest } from "@bough/framework";
import { file } from "@bough/framework/uploads";
import { Recorder } from "../../../src/dev/inspector/recorder.ts";
import { serveMeasured, settle } from "./measured.ts";
import { record } from "./recorded.ts";

const MIB = 1024 * 1024;

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
await serveMeasured(app, async (path) => {
  if (path === "/entries") return recorder.list().requests;
  if (path === "/rss") return Deno.memoryUsage().rss;
  await settle();
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
});
