/** Reads uploads in three ways: `server.ts <folder>`; `/peak` reports the highest memory. */
import { Busboy } from "npm:@fastify/busboy@^3.2.6";
import { Framework, type FrameworkRequest } from "@bough/framework";
import { file, form } from "@bough/framework/uploads";
import { Buffer } from "node:buffer";

const folder = Deno.args[0]!;

/** Writes a stream to a file, as by hand, and removes the file. */
async function write(stream: AsyncIterable<Uint8Array>): Promise<number> {
  const path = `${folder}/${crypto.randomUUID()}`;
  let size = 0;
  {
    using file = await Deno.open(path, { write: true, createNew: true });
    for await (const chunk of stream) {
      for (let written = 0; written < chunk.length;) {
        written += await file.write(chunk.subarray(written));
      }
      size += chunk.length;
    }
  }
  await Deno.remove(path);
  return size;
}

async function* read(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  for (;;) {
    const { value } = await reader.read();
    if (value === undefined) return;
    yield value;
  }
}

/** The library of the entry point alone. */
async function bare({ body, headers }: Request): Promise<number> {
  const parser = new Busboy({
    headers: { "content-type": headers.get("content-type")! },
  });
  const writing: Promise<number>[] = [];
  parser.on("file", (_field, stream) => writing.push(write(stream)));
  const finished = new Promise((resolve) => parser.on("finish", resolve));
  for await (const { buffer, byteOffset, byteLength } of read(body!)) {
    const bytes = Buffer.from(buffer, byteOffset, byteLength);
    if (!parser.write(bytes)) {
      await new Promise((resolve) => parser.once("drain", resolve));
    }
  }
  parser.end();
  await finished;
  return (await Promise.all(writing)).reduce((sum, size) => sum + size, 0);
}

const schema = {
  post: { body: form({ files: { photo: file({ maxSize: "4GiB" }) } }) },
};

const app = new Framework({
  manifest: {
    "form/route.ts": {
      schema,
      async POST(request: FrameworkRequest<typeof schema.post>) {
        let size = 0;
        for await (const { stream } of request.validated.body.files) {
          size += await write(stream);
        }
        return Response.json(size);
      },
    },
    "bare/route.ts": {
      POST: async (request: FrameworkRequest) =>
        Response.json(await bare(request)),
    },
    "loop/route.ts": {
      POST: async ({ body }: FrameworkRequest) =>
        Response.json(await write(read(body!))),
    },
    "peak/route.ts": { GET: () => Response.json(peak) },
  },
});

let peak = 0;
setInterval(() => peak = Math.max(peak, Deno.memoryUsage().rss), 10);
await app.serve({
  port: 0,
  hostname: "127.0.0.1",
  onListen: ({ port }) => console.log(port),
});
