import type { FrameworkRequest } from "@bough/framework";

const CHUNK = 16 * 1024;

/** Streams bytes that count up from 0 to 255, again and again. */
export function GET(request: FrameworkRequest<"/downloads/[size]">): Response {
  let rest = Number(request.params.size);
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (rest === 0) return controller.close();
      const size = Math.min(rest, CHUNK);
      controller.enqueue(Uint8Array.from({ length: size }, (_, at) => at));
      rest -= size;
    },
  });
  return new Response(stream, {
    headers: { "content-type": "application/octet-stream" },
  });
}
