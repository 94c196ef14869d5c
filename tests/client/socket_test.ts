/** The client opens sockets. */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { createClient } from "@bough/framework/client";
import { Framework, type FrameworkRequest, HttpError } from "@bough/framework";
import {
  type LiveSocket,
  socket,
  type SocketSent,
} from "@bough/framework/live";
import { z } from "zod";
import { delay, until } from "../support/until.ts";

const schema = {
  get: {
    params: z.object({ room: z.string() }),
    query: z.object({ as: z.string().optional() }),
    socket: {
      receive: z.object({ text: z.string(), times: z.int().default(1) }),
      send: z.object({ from: z.string(), text: z.string(), at: z.date() }),
    },
  },
};
type Chat = LiveSocket<SocketSent<typeof schema.get>>;

/** The sockets of the server, the texts that it sent, and the close codes. */
const open: Chat[] = [];
const sent: string[] = [];
const closed: string[] = [];

const manifest = {
  "chat/[room]/route.ts": {
    schema,
    GET(request: FrameworkRequest<typeof schema.get>): Response {
      const { params: { room }, query: { as = "?" } } = request.validated;
      if (room === "closed") throw new HttpError(403, "The room is closed");
      return socket(request, {
        open: (socket) => open.push(socket),
        message({ text, times }, socket) {
          for (let count = 0; count < times; count++) {
            socket.send({ from: `${as}@${room}`, text, at: new Date(0) });
            sent.push(text);
          }
        },
        close: (code, reason) => closed.push(`${code} ${reason}`),
      }, { protocols: ["v2.chat", "v1.chat"] });
    },
  },
  "raw/route.ts": {
    schema: { get: { socket: {} } },
    GET: (request: FrameworkRequest): Response =>
      socket(request, {
        message: (data, socket) => socket.send(data),
      }),
  },
  "odd/route.ts": {
    schema: { get: { socket: { receive: z.string() } } },
    GET: (
      request: FrameworkRequest<{ socket: { receive: z.ZodString } }>,
    ): Response =>
      socket(request, { message: (text, socket) => socket.send(text) }),
  },
};

const app = new Framework({ manifest });

/** Serves the sockets for one test, with a client. */
async function served(): Promise<
  AsyncDisposable & { readonly api: ReturnType<typeof client> }
> {
  open.length = sent.length = closed.length = 0;
  const server = await app.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen() {},
  });
  return {
    api: client(server.addr.port),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function client(port: number) {
  const baseUrl = `http://127.0.0.1:${port}/api/`;
  return createClient<typeof manifest>({ baseUrl });
}

Deno.test("a socket sends and receives the JSON of its schemas", async () => {
  await using server = await served();
  const socket = server.api.socket("/chat/[room]", {
    params: { room: "a/b ü" },
    query: { as: "Ada & Co" },
    protocols: ["v1.chat"],
  });
  // A message may wait until the socket is open.
  assert(socket.send({ text: "hello", times: 2 }));
  assertEquals(await socket.opened, "v1.chat");
  assert(socket.send({ text: "ü" }));
  const texts: string[] = [];
  for await (const { from, text, at } of socket) {
    assertEquals(from, "Ada & Co@a/b ü");
    assertEquals(at, "1970-01-01T00:00:00.000Z");
    texts.push(text);
    if (texts.length === 3) break;
  }
  assertEquals(texts, ["hello", "hello", "ü"]);
  assertEquals(await socket.closed, { code: 1000, reason: "" });
  assertEquals(socket.send({ text: "too late" }), false);
  assertEquals(await socket.next(), { done: true, value: undefined });
  await until(() => closed.length === 1);
  assertEquals(closed, ["1000 "]);
});

Deno.test("a socket without schemas sends and receives texts and bytes", async () => {
  await using server = await served();
  const socket = server.api.socket("/raw", { sends: "raw", receives: "raw" });
  socket.send("7");
  socket.send(new Uint8Array([1, 2]));
  socket.send(new Uint8Array([3]).buffer);
  const messages = [];
  for await (const message of socket) {
    messages.push(message);
    if (messages.length === 3) break;
  }
  assertEquals(messages, ["7", new Uint8Array([1, 2]), new Uint8Array([3])]);
});

Deno.test("each direction has its own schema", async () => {
  await using server = await served();
  const socket = server.api.socket("/odd", { receives: "raw" });
  socket.send("a text");
  assertEquals(await socket.next(), { done: false, value: "a text" });
  await socket.return();
});

Deno.test("closed has the code and the reason, and the loop ends", async () => {
  await using server = await served();
  const params = { room: "a" };
  const socket = server.api.socket("/chat/[room]", { params });
  const first = socket.next();
  const second = socket.next();
  await until(() => open.length === 1);
  open[0]!.send({ from: "server", text: "bye", at: new Date() });
  open[0]!.close(4100, "Enough");
  assertEquals((await first).value?.text, "bye");
  assertEquals((await second).done, true);
  assertEquals(await socket.closed, { code: 4100, reason: "Enough" });

  const other = server.api.socket("/chat/[room]", { params });
  await other.opened;
  other.close(4200, "I leave");
  await until(() => closed.length === 2);
  assertEquals(closed[1], "4200 I leave");
  assertEquals(await other.closed, { code: 4200, reason: "I leave" });
  assertThrows(() => other.close(1001), DOMException);

  // The schema of the server rejects the message.
  const wrong = server.api.socket("/chat/[room]", { params });
  wrong.send({ text: "a", times: 1.5 });
  for await (const _ of wrong) assert(false);
  assertEquals((await wrong.closed).code, 1008);
});

Deno.test("messages that arrived before the end can still be read", async () => {
  await using server = await served();
  const params = { room: "a" };
  const socket = server.api.socket("/chat/[room]", { params });
  socket.send({ text: "a", times: 3 });
  await socket.opened;
  await until(() => sent.length === 3);
  open[0]!.close();
  await socket.closed;
  const texts = [];
  for await (const { text } of socket) texts.push(text);
  assertEquals(texts, ["a", "a", "a"]);
});

Deno.test("a failed handshake rejects opened, and the loop throws", async () => {
  await using server = await served();
  const params = { room: "closed" };
  const socket = server.api.socket("/chat/[room]", { params });
  const message = 'Cannot open the socket "/chat/[room]"';
  await assertRejects(() => socket.opened, Error, message);
  assertEquals((await socket.closed).code, 1006);
  await assertRejects(() => socket.next(), Error, message);
  assertEquals((await socket.next()).done, true);
  // Without a reader, the failure is not an uncaught error.
  await server.api.socket("/chat/[room]", { params }).closed;
  const left = server.api.socket("/chat/[room]", { params: { room: "a" } });
  left.close();
  await assertRejects(() => left.opened, Error, message);
  assertThrows(
    () => server.api.socket("/chat/[room]", { params: { room: "" } }),
    TypeError,
    '"room"',
  );
});

Deno.test("too many unread messages close the socket with 4008", async () => {
  await using server = await served();
  const socket = server.api.socket("/chat/[room]", {
    params: { room: "a" },
    maxQueued: 10,
  });
  socket.send({ text: "a", times: 10 });
  await until(() => sent.length === 10);
  await delay(50); // Nothing happens yet.
  assertEquals(closed, []);
  socket.send({ text: "b" });
  assertEquals((await socket.closed).code, 4008);
  assertEquals(closed, ["4008 More than 10 messages are unread"]);
  const texts: string[] = [];
  const error = await assertRejects(async () => {
    for await (const { text } of socket) texts.push(text);
  }, Error);
  assertEquals(texts, Array(10).fill("a"));
  assertEquals(
    error.message,
    'Cannot keep the socket "/chat/[room]" open: more than 10 messages are unread',
  );
});

Deno.test("a message that is not JSON closes the socket with 4007", async () => {
  await using server = await served();
  for (const message of ["{", new Uint8Array([1])]) {
    // The client has the types of another server.
    const socket = server.api.socket("/raw", {
      sends: "raw",
      receives: "json" as "raw",
    });
    socket.send(message);
    await assertRejects(
      () => socket.next(),
      Error,
      'Cannot keep the socket "/raw" open: a message is not valid JSON',
    );
    assertEquals((await socket.closed).code, 4007);
  }
});

Deno.test("a value without JSON is rejected before it is sent", async () => {
  await using server = await served();
  const socket = server.api.socket("/odd", { receives: "raw" });
  assertThrows(
    () => socket.send(undefined as unknown as string),
    TypeError,
    'Cannot write undefined as JSON for the socket "/odd"',
  );
  await socket.opened;
  assertEquals(socket.bufferedAmount, 0);
  await socket.return();
  await socket.closed;
});

Deno.test("the option WebSocket opens the socket, with ws or wss", () => {
  const urls: string[] = [];
  class Noted extends EventTarget {
    constructor(url: string, protocols: string[]) {
      super();
      urls.push([url, ...protocols].join(" "));
    }
  }
  for (
    const baseUrl of ["https://shop.example/api", "http://[::1]:8000", "/v1/"]
  ) {
    const api = createClient<typeof manifest>({
      baseUrl,
      WebSocket: Noted as unknown as typeof WebSocket,
    });
    api.socket("/chat/[room]", {
      params: { room: "1" },
      query: { as: "a b" },
      protocols: ["x", "y"],
    });
    api.socket("/odd", { receives: "raw" });
  }
  assertEquals(urls, [
    "wss://shop.example/api/chat/1?as=a+b x y",
    "wss://shop.example/api/odd",
    "ws://[::1]:8000/chat/1?as=a+b x y",
    "ws://[::1]:8000/odd",
    "ws://localhost/v1/chat/1?as=a+b x y",
    "ws://localhost/v1/odd",
  ]);
});
