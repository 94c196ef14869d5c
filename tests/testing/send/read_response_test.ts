/** The beginning of an event stream is read like a client reads it. */
import { assertEquals } from "@std/assert";
import { Patience } from "../../../src/testing/patience.ts";
import { readResponse } from "../../../src/testing/send/exchange.ts";

const HEADERS = { "content-type": "text/event-stream" };

/** Reads a stream that sends chunks of bytes, and then stays open. */
async function streamOf(
  chunks: readonly Uint8Array<ArrayBuffer>[],
  patience?: Patience,
): Promise<{ stream: string; isCancelled: boolean }> {
  let isCancelled = false;
  const rest = [...chunks];
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const chunk = rest.shift();
      if (chunk !== undefined) controller.enqueue(chunk);
      return chunk === undefined ? new Promise(() => {}) : undefined;
    },
    cancel() {
      isCancelled = true;
    },
  });
  const response = new Response(body, { headers: HEADERS });
  const { stream } = await readResponse(response, patience);
  return { stream, isCancelled };
}

Deno.test("a character in two chunks is one character", async () => {
  const text = "data: ö\n\n";
  const bytes = new TextEncoder().encode(text);
  // The first byte of "ö" is the last one of its chunk.
  const chunks = [bytes.slice(0, 7), bytes.slice(7)];
  assertEquals(await streamOf(chunks, new Patience()), {
    stream: text,
    isCancelled: true,
  });
});

Deno.test("without patience, the stream is cancelled without reading events", async () => {
  const chunk = new TextEncoder().encode("data: 1\n\n");
  assertEquals(await streamOf([chunk]), { stream: "", isCancelled: true });
});
