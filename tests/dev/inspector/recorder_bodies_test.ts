import { assert, assertEquals } from "@std/assert";
import { HttpError } from "@bough/framework";
import { events, socket } from "@bough/framework/live";
import { file } from "@bough/framework/uploads";
import type { RequestHandler } from "../../../src/core/request/application.ts";
import { Recorder } from "../../../src/dev/inspector/recorder.ts";
import { repeated } from "../../../src/dev/inspector/send.ts";
import { CapturedLog, TestApplication } from "../../support/application.ts";
import {
  closePayload,
  frame,
  OPCODE,
  RawSocket,
} from "../../support/raw_socket.ts";
import { delay, until } from "../../support/until.ts";
import { RecordedServer } from "./recorded.ts";

const KIB = 1024;

const JSON_TYPE = "application/json";

function post(body: BodyInit, type = JSON_TYPE): RequestInit {
  return { method: "POST", body, headers: { "content-type": type } };
}

Deno.test("an entry keeps JSON of at most 16 KiB, and counts all", async () => {
  await using server = await RecordedServer.of({
    POST: async (request) => Response.json((await request.json()).repeat(2)),
  });
  for (const size of [8 * KIB, 16 * KIB, 16 * KIB + 1, 600 * KIB]) {
    const text = JSON.stringify("x".repeat(size - 2));
    const { request, response } = await server.entryOf("/api", post(text));
    assertEquals(request.body, {
      type: JSON_TYPE,
      size,
      ...(size <= 16 * KIB && { text }),
    });
    assertEquals(response?.body?.size, size * 2 - 2);
    assertEquals(response?.body?.text === undefined, size > 8 * KIB);
  }
});

Deno.test("an entry shows what a reader of Bough has read", async () => {
  const readers: Record<string, (request: Request) => Promise<unknown>> = {
    json: (request) => request.json(),
    text: (request) => request.text(),
    bytes: (request) => request.bytes(),
    clone: (request) => request.clone().json(),
    later: async (request) => {
      await delay(5);
      return request.blob();
    },
    stream: (request) => Array.fromAsync(request.body!),
    nothing: () => Promise.reject(new HttpError(401, "Sign in")),
  };
  await using server = await RecordedServer.start({
    "[name]/route.ts": {
      async POST(request) {
        await readers[request.params.name!]!(request);
        return new Response();
      },
    },
  });
  const text = '{"a":1}';
  for (const name in readers) {
    const { request } = await server.entryOf(`/api/${name}`, post(text));
    const isRead = !["clone", "stream", "nothing"].includes(name);
    const expected = { type: JSON_TYPE, size: 7, ...(isRead && { text }) };
    assertEquals(request.body, expected, name);
  }
  const body = ReadableStream.from([new TextEncoder().encode(text)]);
  const streamed = await server.entryOf("/api/nothing", post(body));
  assertEquals(streamed.request.body, { type: JSON_TYPE });
});

Deno.test("a response is sent before a body that is late", async () => {
  await using server = await RecordedServer.of({
    POST: () => new Response("no", { status: 401 }),
  });
  using connection = await Deno.connect({
    hostname: "127.0.0.1",
    port: server.port,
  });
  const head = `POST /api HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n`;
  await connection.write(new TextEncoder().encode(head));
  await connection.read(new Uint8Array(1_000));
  const { status, duration, request } = server.newest();
  assertEquals([status, request.body?.size], [401, 9]);
  assert(duration < 50, `${duration}`);
});

Deno.test("an entry shows only the type of an upload and of a native stream", async () => {
  await using server = await RecordedServer.of({
    schema: { put: { body: file({ maxSize: "10MiB" }) } },
    async PUT({ validated }) {
      let size = 0;
      for await (const chunk of validated.body.stream) size += chunk.length;
      return Response.json(size);
    },
    GET: async () =>
      new Response((await Deno.open(new URL(import.meta.url))).readable),
  });
  const body = new Uint8Array(5 * KIB * KIB).fill(97);
  const put = await server.entryOf("/api", { method: "PUT", body });
  assertEquals(put.response?.body?.text, `${body.length}`);
  assertEquals(put.request.body, { type: "", size: body.length });
  assertEquals(put.validated, {});
  const { state, response, ended } = await server.entryOf("/api");
  assertEquals([state, response?.body, ended], ["done", undefined, undefined]);
});

Deno.test("a stream shows its text if it has ended, and who ended it", async () => {
  using _log = new CapturedLog();
  let pulls = 0;
  let isCancelled = false;
  const text = (text: string) => new TextEncoder().encode(text);
  const responses: Record<string, () => ReadableStream> = {
    closed: () => ReadableStream.from([text('["one",'), text('"two"]')]),
    failed: () =>
      new ReadableStream({
        pull(controller) {
          if (pulls++ === 0) return controller.enqueue(text("one"));
          controller.error(new Error("The stream failed"));
        },
      }),
    endless: () =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(text("x".repeat(10 * KIB))),
        cancel: () => void (isCancelled = true),
      }),
  };
  await using server = await RecordedServer.start({
    "[name]/route.ts": {
      GET: ({ params }) =>
        new Response(responses[params.name!]!(), {
          headers: { "content-type": JSON_TYPE },
        }),
    },
  });
  const closed = await server.entryOf("/api/closed");
  assertEquals([closed.state, closed.ended], ["done", { by: "server" }]);
  assertEquals(closed.response?.body, {
    type: JSON_TYPE,
    size: 13,
    text: '["one","two"]',
  });

  const failed = await server.fetch("/api/failed");
  await failed.text().catch(() => {});
  await until(() => server.newest().state === "done");
  const entry = server.newest();
  assertEquals(entry.ended, { by: "server" });
  assertEquals(entry.error?.text, "Error: The stream failed");
  assertEquals(entry.response?.body, { type: JSON_TYPE, size: 3 });

  const endless = await server.fetch("/api/endless");
  const reader = endless.body!.getReader();
  // Until the server has sent more than an entry keeps.
  for (let size = 0; size <= 16 * KIB;) {
    size += (await reader.read()).value!.length;
  }
  assertEquals(server.newest().state, "open");
  await reader.cancel();
  await until(() => server.newest().state === "done");
  assertEquals(server.newest().ended, { by: "client" });
  await until(() => isCancelled);
  assertEquals(server.newest().response?.body?.text, undefined);
});

Deno.test("a stream whose client left has no error and no text", async () => {
  const isCancelled = Promise.withResolvers<void>();
  await using server = await RecordedServer.of({
    GET: () =>
      new Response(
        new ReadableStream({
          start: (controller) =>
            controller.enqueue(new TextEncoder().encode("[1]")),
          pull: () => new Promise(() => {}),
          cancel: () => isCancelled.resolve(),
        }),
        { headers: { "content-type": JSON_TYPE } },
      ),
  });
  const response = await server.fetch("/api");
  const reader = response.body!.getReader();
  await reader.read();
  await reader.cancel();
  await isCancelled.promise;
  await delay(5);
  const { error, ended, response: sent } = server.newest();
  assertEquals([error, ended], [undefined, { by: "client" }]);
  assertEquals(sent?.body, { type: JSON_TYPE, size: 3 });
});

Deno.test("events are messages while the stream is open", async () => {
  const go = Promise.withResolvers<void>();
  await using server = await RecordedServer.of({
    GET: (request) =>
      events(request, async function* () {
        yield { data: { n: 1 } };
        yield { event: "tick", data: "two\nlines" };
        await go.promise;
        yield { data: 3 };
      }),
  });
  const response = await server.fetch("/api");
  const reader = response.body!.getReader();
  await until(() => server.newest().messages.length === 2);
  const open = server.newest();
  assertEquals([open.state, open.ended], ["open", undefined]);
  assertEquals(
    open.messages.map(({ from, text }) => [from, text]),
    [["server", '{"n":1}'], ["server", 'event: tick\n"two\\nlines"']],
  );
  go.resolve();
  while (!(await reader.read()).done);
  await until(() => server.newest().state === "done");
  const { messageCount, ended, response: sent } = server.newest();
  assertEquals([messageCount, ended], [3, { by: "server" }]);
  assertEquals(sent?.body?.text, undefined);
  assert(sent!.body!.size! > 0);
});

Deno.test("a stream keeps the last 200 messages, and counts all", async () => {
  await using server = await RecordedServer.of({
    GET: () =>
      new Response(
        ReadableStream.from([
          new TextEncoder().encode(
            Array.from({ length: 250 }, (_, n) => `data: ${n}\n\n`).join(""),
          ),
        ]),
        { headers: { "content-type": "text/event-stream" } },
      ),
  });
  const { messages, messageCount } = await server.entryOf("/api");
  assertEquals([messages.length, messageCount], [200, 250]);
  assertEquals([messages[0]!.text, messages.at(-1)!.text], ["50", "249"]);
});

Deno.test("a stream omits an event that arrives in parts of over 16 KiB", async () => {
  const parts = [
    `data: 1\n\ndata: "${"x".repeat(17 * KIB)}`,
    '"\n\ndata: 2\n\n',
  ];
  await using server = await RecordedServer.of({
    GET: () =>
      new Response(
        ReadableStream.from(parts.map((it) => new TextEncoder().encode(it))),
        { headers: { "content-type": "text/event-stream" } },
      ),
  });
  const { messages } = await server.entryOf("/api");
  assertEquals(messages.map(({ text }) => text), ["1", "2"]);
});

Deno.test("a socket shows its messages, and who ended it", async () => {
  await using server = await RecordedServer.of({
    GET: (request) =>
      socket(request, {
        open: (socket) => socket.send("hello"),
        message(value, socket) {
          if (value === "bye") socket.close(4000, "Bye");
          else socket.send(JSON.stringify({ got: value }));
        },
      }),
  });
  for (const by of ["client", "server"] as const) {
    using client = await RawSocket.open(server.port, "/api");
    await client.read();
    await client.write(frame(OPCODE.text, "1"));
    await client.read();
    const open = server.newest();
    assertEquals([open.state, open.status], ["open", 101]);
    assertEquals(
      open.messages.map(({ from, text }) => [from, text]),
      [
        ["server", "5 characters"],
        ["client", "1"],
        ["server", '{"got":"1"}'],
      ],
    );
    await client.write(
      by === "client"
        ? frame(OPCODE.close, closePayload(4001, "Enough"))
        : frame(OPCODE.text, "bye"),
    );
    await until(() => server.newest().state === "done");
    const { ended, messageCount } = server.newest();
    assertEquals(
      ended,
      by === "client"
        ? { by, code: 4001, reason: "Enough" }
        : { by, code: 4000, reason: "Bye" },
    );
    assertEquals(messageCount, by === "client" ? 3 : 4);
  }
});

Deno.test("a socket without socket() shows only its upgrade", async () => {
  await using server = await RecordedServer.of({
    GET(request) {
      const { socket, response } = Deno.upgradeWebSocket(request);
      socket.onmessage = ({ data }) => socket.send(data);
      return response;
    },
  });
  using client = await RawSocket.open(server.port, "/api");
  await client.write(frame(OPCODE.text, "a"));
  await client.read();
  const { state, status, messages } = server.newest();
  assertEquals([state, status, messages], ["done", 101, []]);
});

Deno.test("a request whose client disconnected has no status", async () => {
  let entered = false;
  await using server = await RecordedServer.of({
    async GET({ signal }) {
      entered = true;
      await new Promise((_, fail) =>
        signal.addEventListener("abort", () => fail(signal.reason))
      );
      return new Response("never");
    },
  });
  const leaving = new AbortController();
  const { signal } = leaving;
  const left = server.fetch("/api", { signal }).catch(() => {});
  await until(() => entered);
  leaving.abort();
  await left;
  await until(() => server.newest().state === "done");
  assertEquals(server.newest().status, undefined);
});

Deno.test("the recorder records a request from the same process", async () => {
  const recorder = new Recorder({ secrets: [] });
  const { app } = TestApplication.of({
    "route.ts": {
      POST: async (request) => Response.json(await request.json()),
    },
  });
  const handle = recorder.record(app.fetch as RequestHandler);
  const request = new Request("http://localhost/api", post('"sent"'));
  assertEquals(await (await handle(request)).json(), "sent");
  const { request: sent, url } = recorder.get(recorder.idOf(request)!)!;
  assertEquals([url, sent.body?.text], ["/api", '"sent"']);
  assertEquals(sent.headers[0], ["content-type", JSON_TYPE]);
});

Deno.test("a socket ends if its upgrade fails", async () => {
  using _log = new CapturedLog();
  await using server = await RecordedServer.start({
    "middleware.ts": {
      default: async (_request, next) => {
        await next();
        throw new Error("After the upgrade");
      },
    },
    "route.ts": { GET: (request) => socket(request, {}) },
  });
  const client = new WebSocket(server.url("/api"));
  await new Promise((resolve) => client.onclose = client.onerror = resolve);
  await until(() => server.newest().state === "done");
  assertEquals(server.newest().error?.text, "Error: After the upgrade");
});

Deno.test("a body is kept even if the program has looked at it", async () => {
  const TYPED = { "content-type": JSON_TYPE };
  const BYTES = new TextEncoder().encode('"text"');
  const init = { status: 201, headers: { "x-b": "2", ...TYPED } };
  const responses: Record<string, () => Response> = {
    json: () => Response.json("text"),
    text: () => new Response('"text"', { headers: TYPED }),
    bytes: () => new Response(BYTES, { headers: TYPED }),
    jsonHeaders: () => Response.json("text", init),
    textHeaders: () => new Response('"text"', init),
    bytesHeaders: () => new Response(BYTES, init),
  };
  const looked = (name: string) => {
    const response = responses[name]!();
    assert(response.body !== null);
    return response;
  };
  await using server = await RecordedServer.start({
    "body/[name]/route.ts": { GET: ({ params }) => looked(params.name!) },
    "both/[name]/route.ts": {
      GET({ params }) {
        const response = looked(params.name!);
        response.headers.set("x-a", "1");
        return response;
      },
    },
  });
  for (const path of ["body", "both"]) {
    for (const name in responses) {
      const { response, state } = await server.entryOf(`/api/${path}/${name}`);
      const { text, size } = response!.body!;
      assertEquals([name, text, size, state], [name, '"text"', 6, "done"]);
    }
  }
});

Deno.test("a request with a long URL is repeated as it was", async () => {
  await using server = await RecordedServer.start({
    "route.ts": { GET: () => new Response() },
  });
  const path = `/api?ids=${"12,".repeat(8_000)}last`;
  const entry = await server.entryOf(path);
  assertEquals(repeated(entry, {}).url, path);
});
