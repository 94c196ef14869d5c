import type { Bytes } from "../../core/request/content.ts";

/**
 * Returns a stream that passes each chunk on when its reader asks for one.
 *
 * @param sent Called with each chunk.
 * @param ended Called once, with the error if the stream failed.
 */
export function watched(
  stream: ReadableStream<Bytes>,
  sent: (chunk: unknown) => void,
  ended: (by: "client" | "server", error?: unknown) => void,
): ReadableStream<Bytes> {
  let reader: ReadableStreamDefaultReader<Bytes> | undefined;
  // If the stream is not sent after all, nothing locks it.
  const open = () => reader ??= stream.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await open().read();
        if (done) {
          ended("server");
          return controller.close();
        }
        sent(value);
        controller.enqueue(value);
      } catch (error) {
        ended("server", error);
        throw error;
      }
    },
    cancel(reason) {
      ended("client");
      return open().cancel(reason);
    },
  }, { highWaterMark: 0 });
}
