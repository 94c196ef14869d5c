import type { Bytes } from "../../core/request/content.ts";

/** Observes a stream that Deno sends. */
export interface StreamWatcher {
  /** Called with each chunk. */
  readonly sent: (chunk: unknown) => void;
  /** Called once, with the error if the stream failed. */
  readonly ended: (by: "client" | "server", error?: unknown) => void;
}

/** Returns a stream that passes each chunk on when its reader asks for one. */
export function watched(
  stream: ReadableStream<Bytes>,
  { sent, ended }: StreamWatcher,
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
