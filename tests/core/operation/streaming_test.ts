import { assert, assertEquals } from "@std/assert";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import { rawRequest, sendAndLeave } from "../../support/raw_http.ts";
import { delay } from "../../support/until.ts";
import { firstMessage } from "./support.ts";

const started = Promise.withResolvers<void>();
const cancelled = Promise.withResolvers<void>();

const ROUTES: Readonly<Record<string, TestModule>> = {
  "stream/route.ts": {
    GET: () =>
      new Response(
        ReadableStream.from(["chunk3", "chunk2", "chunk1"])
          .pipeThrough(new TextEncoderStream()),
      ),
  },
  "endless/route.ts": {
    GET() {
      let timer: ReturnType<typeof setInterval>;
      return new Response(
        new ReadableStream({
          start(controller) {
            timer = setInterval(
              () => controller.enqueue(new Uint8Array(10)),
              5,
            );
          },
          cancel() {
            clearInterval(timer);
            cancelled.resolve();
          },
        }),
      );
    },
  },
  "chat/[room]/route.ts": {
    GET(request) {
      if (request.headers.get("upgrade") !== "websocket") {
        return new Response("upgrade, please", { status: 426 });
      }
      const { socket, response } = Deno.upgradeWebSocket(request);
      const { room } = request.params;
      socket.onmessage = ({ data }) => socket.send(`${room}: ${data}`);
      return response;
    },
  },
  "echo/route.ts": { POST: ({ body }) => new Response(body) },
  "abort/route.ts": {
    async GET({ signal }) {
      started.resolve();
      await new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    },
  },
  "read/route.ts": {
    POST: async (request) => new Response(await request.text()),
  },
};
const application = TestApplication.of(ROUTES);

Deno.test("a streamed response arrives chunk by chunk, and a handler can pass on a streamed request (behaviour 6.1)", async () => {
  await using server = await application.serve();
  const streamed = await rawRequest(server.port, "GET /api/stream HTTP/1.1");
  assertEquals(streamed.headers.get("transfer-encoding"), "chunked");
  assertEquals(streamed.body, "chunk3chunk2chunk1");
  const response = await fetch(server.url("/api/echo"), {
    method: "POST",
    body: ReadableStream.from(["a", "b", "c"])
      .pipeThrough(new TextEncoderStream()),
  });
  assertEquals(await response.text(), "abc");
});

Deno.test("a handler can upgrade to a WebSocket, and has its params (behaviour 6.1)", async () => {
  await using server = await application.serve();
  const plain = await fetch(server.url("/api/chat/lobby"));
  assertEquals(plain.status, 426);
  await plain.body?.cancel();
  const message = await firstMessage(server.url("/api/chat/lobby"), "hi");
  assertEquals(message, "lobby: hi");
});

Deno.test("if the client disconnects, the stream is cancelled, and nothing is logged (behaviour 8.4)", async () => {
  using log = new CapturedLog();
  await using server = await application.serve();
  const controller = new AbortController();
  const response = await fetch(server.url("/api/endless"), {
    signal: controller.signal,
  });
  const reader = response.body!.getReader();
  await reader.read();
  controller.abort();
  await reader.closed.catch(() => {});
  await cancelled.promise;
  // Deno cancels no body of a response that was collected as garbage.
  assert(response.ok);
  assertEquals(log.lines, []);
});

Deno.test("if the client disconnects, request.signal is aborted, and nothing is logged (behaviour 8.4)", async () => {
  using log = new CapturedLog();
  await using server = await application.serve();
  const controller = new AbortController();
  const response = fetch(server.url("/api/abort"), {
    signal: controller.signal,
  }).then(() => "received", () => "aborted");
  await started.promise;
  controller.abort();
  assertEquals(await response, "aborted");
  await delay(100);
  // Deno itself warns about the use of the signal.
  assertEquals(log.lines.filter((line) => !line.startsWith("Deno.serve")), []);
});

Deno.test("if the client disconnects while it sends a body, nothing is logged (behaviour 8.4)", async () => {
  using log = new CapturedLog();
  await using server = await application.serve();
  await sendAndLeave(
    server.port,
    "POST /api/read HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc",
  );
  await delay(100);
  assertEquals(log.lines, []);
});
