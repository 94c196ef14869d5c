import type { Bytes } from "../../core/request/content.ts";
import type { BodyCopy } from "./body_copy.ts";
import { sentBody } from "./deno_inner.ts";

/** Observes a stream that Deno sends. */
export interface StreamWatcher {
  /** Called with each chunk. */
  readonly sent: (chunk: unknown) => void;
  /** Called once, with the error if the stream failed. */
  readonly ended: (by: "client" | "server", error?: unknown) => void;
}

/**
 * Copies the body of a response.
 *
 * @param watch Creates the watcher of a stream.
 * @returns Whether the body is a stream, which continues.
 */
export function tapResponse(
  response: Response,
  copy: BodyCopy,
  watch: () => StreamWatcher,
): boolean {
  const body = sentBody(response);
  if (typeof body === "string" || body instanceof Uint8Array) {
    copy.setAll(body);
    return false;
  }
  const stream = body?.streamOrStatic;
  if (!(stream instanceof ReadableStream) || stream.locked) return false;
  // The body of a request, which `RequestTap` watches, is sent without JavaScript.
  if (Object.hasOwn(stream, "getReader")) return false;
  body!.streamOrStatic = watched(stream, watch());
  return true;
}

/** Returns a stream that passes each chunk on, and reports it to the watcher. */
function watched(
  stream: ReadableStream<Bytes>,
  { sent, ended }: StreamWatcher,
): ReadableStream<Bytes> {
  const reader = stream.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
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
      return reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}
