/** Sockets of a server that stops (behaviour 11.3). */
import { assertEquals, assertRejects } from "@std/assert";
import { exchange } from "../support/raw_http.ts";
import {
  closePayload,
  frame,
  handshake,
  joined,
  OPCODE,
} from "../support/raw_socket.ts";
import { FakeTimers } from "../support/fake_timers.ts";
import { delay, LongTimers, SocketServer, until } from "./support.ts";

const { text, close } = OPCODE;

Deno.test("handlers get all earlier messages before a stopping server closes with 1001", async () => {
  const notes: string[] = [];
  const gate = Promise.withResolvers<void>();
  await using server = await SocketServer.start({
    message: async (data, socket) => {
      notes.push(`message ${data}`);
      await gate.promise;
      socket.send(`done ${data}`);
    },
    close: async (code, reason) => {
      await delay(10);
      notes.push(`close ${code} ${reason}`);
    },
  });
  using socket = await server.open();
  await socket.write(joined(frame(text, "a"), frame(text, "b")));
  await until(() => notes.length === 1);

  const stopped = server.server.shutdown().then(() => notes.push("stopped"));
  // It still listens, and asks new sockets to come again.
  const { port } = server.server.addr;
  const refused = await exchange(port, [
    new TextEncoder().encode(handshake("/socket")),
  ]);
  assertEquals(refused.status, 503);
  assertEquals(refused.headers.get("retry-after"), "1");
  assertEquals(refused.headers.get("connection"), "close");
  await socket.write(frame(text, "late"));
  await delay(10);
  gate.resolve();
  assertEquals(await socket.spell(), "text done a");
  assertEquals(await socket.spell(), "text done b");
  assertEquals(await socket.spell(), "close 1001 The server is stopping");
  await socket.write(frame(close, closePayload(1001)));
  await stopped;
  assertEquals(notes, [
    "message a",
    "message b",
    "close 1001 The server is stopping",
    "stopped",
  ]);
  assertEquals(await socket.spell(), "cut");
  await assertRejects(() => server.open(), Deno.errors.ConnectionRefused);
});

Deno.test("a server waits for a handler for 8 seconds at most", async () => {
  const notes: string[] = [];
  const gate = Promise.withResolvers<void>();
  let started = false;
  await using server = await SocketServer.start({
    message: () => {
      started = true;
      return gate.promise;
    },
    close: (code) => void notes.push(`close ${code}`),
  });
  using socket = await server.open();
  await socket.write(frame(text, "a"));
  await until(() => started);
  {
    using timers = new FakeTimers();
    const stopped = server.server.shutdown().then(() => notes.push("stopped"));
    const closed = socket.spell().then((close) => notes.push(close));
    await timers.pass(4_999);
    assertEquals(notes, []);
    // The server sends the code once the client has sent nothing for 20 ms.
    await timers.pass(1 + 20);
    await closed;
    await socket.write(frame(close, closePayload(1001)));
    await timers.pass(2_979);
    assertEquals(notes.splice(0), ["close 1001 The server is stopping"]);
    await timers.pass(1);
    await stopped;
    assertEquals(notes.splice(0), ["stopped"]);
  }
  // The handler still runs, so `close` waits for it.
  assertEquals(notes, []);
  gate.resolve();
  await until(() => notes.length > 0);
  assertEquals(notes, ["close 1001"]);
});

Deno.test("a server waits for no socket that has disconnected", async () => {
  using timers = new LongTimers();
  // A second application starts with an empty set: sockets of another do not matter.
  for (let round = 0; round < 2; round++) {
    await using server = await SocketServer.start({});
    using _socket = await server.open();
  }
  assertEquals(timers.fired, []);
});

Deno.test("a server that is stopped twice closes each of many sockets once", async () => {
  const codes: number[] = [];
  await using server = await SocketServer.start({
    message: () => delay(50),
    close: (code) => void codes.push(code),
  });
  const url = `ws://127.0.0.1:${server.server.addr.port}/socket`;
  const sockets = Array.from({ length: 50 }, () => new WebSocket(url));
  const closed = sockets.map((socket) =>
    new Promise<number>((resolve) =>
      socket.onclose = ({ code }) => resolve(code)
    )
  );
  await Promise.all(
    sockets.map((socket) => new Promise((resolve) => socket.onopen = resolve)),
  );
  sockets[0]!.send("a");
  await delay(10);
  using timers = new LongTimers();
  await Promise.all([server.server.shutdown(), server.server.shutdown()]);
  assertEquals(timers.fired, []);
  assertEquals([codes, await Promise.all(closed)], [
    Array(50).fill(1001),
    Array(50).fill(1001),
  ]);
});

Deno.test("the signal of app.serve() closes sockets at once", async () => {
  const stop = new AbortController();
  const gate = Promise.withResolvers<void>();
  const notes: string[] = [];
  await using server = await SocketServer.start({
    message: async (data) => {
      notes.push(`message ${data}`);
      await gate.promise;
    },
    close: (code) => void notes.push(`close ${code}`),
  }, { signal: stop.signal });
  using socket = await server.open();
  using idle = await server.open();
  await socket.write(joined(frame(text, "a"), frame(text, "waits")));
  await until(() => notes.length === 1);
  stop.abort();
  assertEquals(await idle.spell(), "close 1001 The server is stopping");
  assertEquals(await socket.spell(), "close 1001 The server is stopping");
  await until(() => notes.length === 2);
  gate.resolve();
  await until(() => notes.length === 3);
  // The waiting message was dropped.
  await delay(20);
  assertEquals(notes, ["message a", "close 1001", "close 1001"]);
  await server.server.finished;
});
