/** Of a stream of events, its beginning is read as a client reads it. */
import { assertEquals } from "@std/assert";
import { readResponse } from "../../../src/testing/send/read_response.ts";

const HEADERS = { "content-type": "text/event-stream" };

/** Reads a stream that sends chunks of bytes, and then stays open. */
async function streamOf(
  chunks: readonly Uint8Array<ArrayBuffer>[],
  eventTime = 1_000,
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
  const { stream } = await readResponse(response, eventTime);
  return { stream, isCancelled };
}

Deno.test("a character that two chunks share is read as one", async () => {
  const text = "data: ö\n\n";
  const bytes = new TextEncoder().encode(text);
  // The first byte of "ö" is the last one of its chunk.
  assertEquals(await streamOf([bytes.slice(0, 7), bytes.slice(7)]), {
    stream: text,
    isCancelled: true,
  });
});

Deno.test("no event is waited for in no time, and the stream is let go", async () => {
  const chunk = new TextEncoder().encode("data: 1\n\n");
  assertEquals(await streamOf([chunk], 0), { stream: "", isCancelled: true });
});
