import {
  type ServerSentEventMessage,
  ServerSentEventStream,
} from "@std/http/server-sent-event-stream";

/** Sends events until the client disconnects. */
export function GET(): Response {
  let timer: ReturnType<typeof setInterval>;
  let count = 0;
  const events = new ReadableStream<ServerSentEventMessage>({
    start(controller) {
      timer = setInterval(() => {
        controller.enqueue({ event: "tick", data: String(count++) });
      }, 2);
    },
    cancel() {
      clearInterval(timer);
    },
  });
  return new Response(events.pipeThrough(new ServerSentEventStream()), {
    headers: { "content-type": "text/event-stream" },
  });
}
