import { assert, assertEquals } from "@std/assert";
import { HttpError } from "@bough/framework";
import { events, socket } from "@bough/framework/live";
import { file } from "@bough/framework/uploads";
import type { RequestHandler } from "../../../src/core/request/application.ts";
import { BodyCopy } from "../../../src/dev/inspector/body_copy.ts";
import { Recorder } from "../../../src/dev/inspector/recorder.ts";
import { repeated } from "../../../src/dev/inspector/send.ts";
import { CapturedLog, TestApplication } from "../../support/application.ts";
import { rawRequest } from "../../support/raw_http.ts";
import {
  closePayload,
  frame,
  OPCODE,
  RawSocket,
} from "../../support/raw_socket.ts";
import { delay, until } from "../../support/until.ts";
import { RecordedServer } from "./recorded.ts";

const KIB = 1024;

function post(body: BodyInit, type = "text/plain"): RequestInit {
  return { method: "POST", body, headers: { "content-type": type } };
}

Deno.test("an entry keeps each body of at most 16 KiB, and counts all", async () => {
  await using server = await RecordedServer.of({
    POST: async (request) => new Response((await request.text()).repeat(2)),
  });
  for (const size of [16 * KIB, 16 * KIB + 1, 600 * KIB]) {
    const { request, response } = await server.entryOf(
      "/api",
      post("x".repeat(size)),
    );
    assertEquals([request.body?.size, response?.body?.size], [size, size * 2]);
    const isCut = size > 16 * KIB;
    assertEquals(request.body?.isCut, isCut);
    assertEquals(response?.body?.isCut, true);
    assertEquals(request.body?.text?.length, isCut ? undefined : size);
    assertEquals(response?.body?.text, undefined);
  }
});

Deno.test("the limit of a body does not split a character", () => {
  const text = "a" + "ä".repeat(8 * KIB);
  for (const data of [text, new TextEncoder().encode(text)]) {
    const body = new BodyCopy();
    body.setAll(data);
    assertEquals([body.size, body.isCut], [16 * KIB + 1, true]);
    assertEquals(body.text, text.slice(0, -1));
  }
});

Deno.test("an entry keeps only the size of a binary body", async () => {
  await using server = await RecordedServer.of({
    POST: (request) => request.bytes().then(() => BYTES()),
  });
  const BYTES = () => new Response(new Uint8Array([0xff, 0xfe, 0]));
  const { request, response } = await server.entryOf(
    "/api",
    post(new Uint8Array([0x80, 1, 2]), "image/png"),
  );
  assertEquals(request.body, { type: "image/png", size: 3, isCut: false });
  assertEquals(response?.body, { type: "", size: 3, isCut: false });
});

Deno.test("an entry keeps a small body that the handler did not read", async () => {
  await using server = await RecordedServer.start({
    "middleware.ts": {
      default: () => {
        throw new HttpError(401, "Sign in");
      },
    },
    "route.ts": { POST: () => new Response("in") },
  });
  const small = await server.entryOf("/api", post("the body"));
  assertEquals([small.status, small.request.body?.text], [401, "the body"]);
  assertEquals(small.request.body?.isCut, false);
  const { status } = await rawRequest(
    server.port,
    `POST /api HTTP/1.1\nContent-Length: ${20 * KIB}`,
    "x".repeat(20 * KIB),
  );
  assertEquals(status, 401);
  const long = server.newest();
  assertEquals(long.request.body?.isCut, true);
});

Deno.test("an entry keeps a body that arrives in parts, and the size of a part", async () => {
  const cancelled = Promise.withResolvers<void>();
  await using server = await RecordedServer.start({
    "all/route.ts": {
      POST: async ({ body }) => {
        const parts = await Array.fromAsync(body!);
        return new Response(`${parts.length > 0}`);
      },
    },
    "part/route.ts": {
      POST: async ({ body }) => {
        const reader = body!.getReader();
        await reader.read();
        await reader.cancel();
        cancelled.resolve();
        return new Response("enough");
      },
    },
  });
  const parts = (pause: () => Promise<void>) =>
    ReadableStream.from((async function* () {
      for (const part of ["one ", "two ", "three"]) {
        yield new TextEncoder().encode(part);
        await pause();
      }
    })());
  const all = await server.entryOf("/api/all", post(parts(() => delay(20))));
  assertEquals(all.request.body?.text, "one two three");
  assertEquals(all.request.body?.isCut, false);
  const part = await server.entryOf(
    "/api/part",
    post(parts(() => cancelled.promise)),
  );
  assertEquals(part.request.body, { type: "text/plain", size: 4, isCut: true });
});

Deno.test("an entry keeps a streamed upload, and counts all bytes", async () => {
  await using server = await RecordedServer.of({
    schema: { put: { body: file({ maxSize: "10MiB" }) } },
    async PUT({ validated }) {
      let size = 0;
      for await (const chunk of validated.body.stream) size += chunk.length;
      return Response.json(size);
    },
  });
  const body = new Uint8Array(5 * KIB * KIB).fill(97);
  const init = { method: "PUT", body };
  const { request, response, validated } = await server.entryOf("/api", init);
  assertEquals(response?.body?.text, `${body.length}`);
  assertEquals(request.body?.size, body.length);
  assertEquals(request.body?.text, undefined);
  assertEquals(validated, {
    body: { type: "application/octet-stream", stream: {} },
  });
});

Deno.test("a stream shows its text if it has ended, and who ended it", async () => {
  using _log = new CapturedLog();
  let pulls = 0;
  const text = (text: string) => new TextEncoder().encode(text);
  const responses: Record<string, () => ReadableStream> = {
    closed: () => ReadableStream.from([text("one "), text("two")]),
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
      }),
  };
  await using server = await RecordedServer.start({
    "[name]/route.ts": {
      GET: ({ params }) => new Response(responses[params.name!]!()),
    },
  });
  const closed = await server.entryOf("/api/closed");
  assertEquals([closed.state, closed.ended], ["done", { by: "server" }]);
  assertEquals(closed.response?.body, {
    type: "",
    size: 7,
    text: "one two",
    isCut: false,
  });
  assertEquals(closed.steps.at(-1)?.name, "response");

  const failed = await server.fetch("/api/failed");
  await failed.text().catch(() => {});
  await until(() => server.newest().state === "done");
  const entry = server.newest();
  assertEquals(entry.ended, { by: "server" });
  assertEquals(entry.error?.text, "Error: The stream failed");
  assertEquals(entry.response?.body?.isCut, true);

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
  assertEquals(server.newest().response?.body?.text, undefined);
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
  assert(sent!.body!.size > 0);
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

Deno.test("a socket shows its messages, and who ended it", async () => {
  await using server = await RecordedServer.of({
    GET: (request) =>
      socket(request, {
        open: (socket) => socket.send("hello"),
        message(value, socket) {
          console.log("got", value);
          if (value === "bye") socket.close(4000, "Bye");
          else socket.send(`got ${value}`);
        },
      }),
  });
  for (const by of ["client", "server"] as const) {
    using client = await RawSocket.open(server.port, "/api");
    await client.read();
    await client.write(frame(OPCODE.text, "a"));
    await client.read();
    const open = server.newest();
    assertEquals([open.state, open.status], ["open", 101]);
    assertEquals(
      open.messages.map(({ from, text }) => [from, text]),
      [["server", "hello"], ["client", "a"], ["server", "got a"]],
    );
    await client.write(
      by === "client"
        ? frame(OPCODE.close, closePayload(4001, "Enough"))
        : frame(OPCODE.text, "bye"),
    );
    await until(() => server.newest().state === "done");
    const { ended, messageCount, logs } = server.newest();
    assertEquals(logs[0]?.text, "got a");
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
      POST: async (request) => new Response(await request.text()),
      PUT: () => new Response("unread"),
    },
  });
  const handle = recorder.record(app.fetch as RequestHandler);
  for (const method of ["POST", "PUT"]) {
    const init = { method, body: "the body" };
    const request = new Request("http://localhost/api", init);
    const text = await (await handle(request)).text();
    assertEquals(text, method === "POST" ? "the body" : "unread");
    const { request: sent, url } = recorder.get(recorder.idOf(request)!)!;
    assertEquals([url, sent.body?.text], ["/api", "the body"]);
    assertEquals(sent.headers[0], ["content-type", "text/plain;charset=UTF-8"]);
  }
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
  const init = { status: 201, headers: { "x-b": "2", "x-c": "3" } };
  const responses: Record<string, () => Response> = {
    json: () => Response.json("text"),
    text: () => new Response('"text"'),
    bytes: () => new Response(new TextEncoder().encode('"text"')),
    jsonHeaders: () => Response.json("text", init),
    textHeaders: () => new Response('"text"', init),
    bytesHeaders: () => new Response(new TextEncoder().encode('"text"'), init),
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
