import { assert, assertEquals } from "@std/assert";
import { CapturedLog, FolderApplication } from "../support/application.ts";
import { rawRequest, sendAndLeave } from "../support/raw_http.ts";

const ROUTES = {
  "stream/route.js": `export function GET() {
    let rest = 3;
    return new Response(new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode("chunk" + rest));
        if (--rest === 0) controller.close();
      },
    }));
  }`,
  "endless/route.js": `export function GET() {
    let timer;
    return new Response(new ReadableStream({
      start(controller) {
        timer = setInterval(() => controller.enqueue(new Uint8Array(10)), 5);
      },
      cancel() {
        clearInterval(timer);
        globalThis.streamCancelled.resolve();
      },
    }));
  }`,
  "events/route.ts": `
    import { ServerSentEventStream } from "@std/http/server-sent-event-stream";
    export function GET(): Response {
      const events = ReadableStream.from([
        { event: "tick", data: "1" },
        { data: "two\\nlines", id: "2" },
      ]);
      return new Response(events.pipeThrough(new ServerSentEventStream()), {
        headers: { "content-type": "text/event-stream" },
      });
    }`,
  "chat/[room]/route.js": `export function GET(request) {
    if (request.headers.get("upgrade") !== "websocket") {
      return new Response("upgrade, please", { status: 426 });
    }
    const { socket, response } = Deno.upgradeWebSocket(request);
    const { room } = request.params;
    socket.onmessage = ({ data }) => { socket.send(room + ": " + data); };
    return response;
  }`,
  "echo/route.js":
    "export const POST = (request) => new Response(request.body);",
  "abort/route.js": `export async function GET(request) {
    globalThis.handlerStarted.resolve();
    await new Promise((_, reject) => {
      request.signal.addEventListener("abort", () => reject(request.signal.reason));
    });
  }`,
  "read/route.js":
    "export const POST = async (request) => new Response(await request.text());",
};

Deno.test("a streamed response arrives chunk by chunk (behaviour 6.1)", async () => {
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  const answer = await rawRequest(server.port, "GET /api/stream HTTP/1.1");
  assertEquals(answer.headers.get("transfer-encoding"), "chunked");
  assertEquals(answer.body, "chunk3chunk2chunk1");
});

Deno.test("a streamed request goes straight through a handler (behaviour 6.1)", async () => {
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  const answer = await fetch(server.url("/api/echo"), {
    method: "POST",
    body: ReadableStream.from(["a", "b", "c"])
      .pipeThrough(new TextEncoderStream()),
  });
  assertEquals(await answer.text(), "abc");
});

Deno.test("server-sent events are sent with @std/http", async () => {
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  const answer = await fetch(server.url("/api/events"));
  assertEquals(answer.headers.get("content-type"), "text/event-stream");
  const text = await answer.text();
  assert(/event:\s?tick\r?\ndata:\s?1/.test(text), text);
  assert(/data:\s?two\r?\ndata:\s?lines/.test(text), text);
});

Deno.test("a handler upgrades to a WebSocket, with its params (behaviour 6.1)", async () => {
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  const plain = await fetch(server.url("/api/chat/lobby"));
  assertEquals(plain.status, 426);
  await plain.body?.cancel();
  const socket = new WebSocket(
    server.url("/api/chat/lobby").replace("http", "ws"),
  );
  const message = await new Promise((resolve, reject) => {
    socket.onopen = () => socket.send("hi");
    socket.onmessage = ({ data }) => resolve(data);
    socket.onerror = () => reject(new Error("the upgrade failed"));
  });
  assertEquals(message, "lobby: hi");
  const closed = new Promise((resolve) => socket.onclose = resolve);
  socket.close();
  await closed;
});

Deno.test("a client that goes away cancels the stream, and nothing is logged (behaviour 8.4)", async () => {
  using log = new CapturedLog();
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  const global = globalThis as {
    streamCancelled?: PromiseWithResolvers<void>;
  };
  global.streamCancelled = Promise.withResolvers();
  const controller = new AbortController();
  const answer = await fetch(server.url("/api/endless"), {
    signal: controller.signal,
  });
  const reader = answer.body!.getReader();
  await reader.read();
  controller.abort();
  await reader.closed.catch(() => {});
  await global.streamCancelled.promise;
  delete global.streamCancelled;
  // Kept until here: of a response that is collected as garbage, Deno's fetch
  // does not tell the body any more that its request was aborted.
  assert(answer.ok);
  assertEquals(log.lines, []);
});

Deno.test("a client that goes away aborts request.signal, and nothing is logged (behaviour 8.4)", async () => {
  using log = new CapturedLog();
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  const global = globalThis as { handlerStarted?: PromiseWithResolvers<void> };
  global.handlerStarted = Promise.withResolvers();
  const controller = new AbortController();
  const answer = fetch(server.url("/api/abort"), {
    signal: controller.signal,
  }).then(() => "answered", () => "aborted");
  await global.handlerStarted.promise;
  delete global.handlerStarted;
  controller.abort();
  assertEquals(await answer, "aborted");
  await new Promise((go) => setTimeout(go, 100));
  // Deno itself warns whoever uses the signal.
  assertEquals(log.lines.filter((line) => !line.startsWith("Deno.serve")), []);
});

Deno.test("a client that goes away in mid-body is no error (behaviour 8.4)", async () => {
  using log = new CapturedLog();
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  await sendAndLeave(
    server.port,
    "POST /api/read HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc",
  );
  await new Promise((go) => setTimeout(go, 100));
  assertEquals(log.lines, []);
});
