/** What becomes of sockets when their server stops (behaviour 11.3). */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { exchange } from "../support/raw_http.ts";
import {
  closePayload,
  frame,
  handshake,
  joined,
  OPCODE,
} from "../support/raw_socket.ts";
import { delay, SocketServer, until } from "./support.ts";

const { text, close } = OPCODE;

/** Makes timers of a second or more a hundred times as fast, and notes them. */
class ShortTimers implements Disposable {
  /** The times that were asked for. */
  readonly seconds: number[] = [];
  readonly #native = globalThis.setTimeout;

  constructor() {
    const shortened = (callback: () => void, milliseconds = 0) => {
      if (milliseconds < 1_000) return this.#native(callback, milliseconds);
      this.seconds.push(milliseconds / 1_000);
      return this.#native(callback, milliseconds / 20);
    };
    globalThis.setTimeout = shortened as unknown as typeof setTimeout;
  }

  [Symbol.dispose](): void {
    globalThis.setTimeout = this.#native;
  }
}

Deno.test("messages that came are handled before the server closes with 1001", async () => {
  const notes: string[] = [];
  const gate = Promise.withResolvers<void>();
  const server = await SocketServer.start({
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
  // It still listens, and tells new sockets to come again.
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
  await server[Symbol.asyncDispose]();
});

Deno.test("many sockets take leave together", async () => {
  let closed = 0;
  const server = await SocketServer.start({
    close: (code) => void (closed += code === 1001 ? 1 : 0),
  });
  const codes = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const socket = new WebSocket(
        `ws://127.0.0.1:${server.server.addr.port}/socket`,
      );
      await new Promise((resolve) => socket.onopen = resolve);
      return socket;
    }),
  );
  const ends = codes.map((socket) =>
    new Promise<number>((resolve) =>
      socket.onclose = ({ code }) => resolve(code)
    )
  );
  await server[Symbol.asyncDispose]();
  assertEquals(await Promise.all(ends), Array(50).fill(1001));
  assertEquals(closed, 50);
});

Deno.test("a handler that does not end holds up the end of the server for 8 seconds at most", async () => {
  const notes: string[] = [];
  const gate = Promise.withResolvers<void>();
  const server = await SocketServer.start({
    message: () => gate.promise,
    close: (code) => void notes.push(`close ${code}`),
  });
  using socket = await server.open();
  await socket.write(frame(text, "a"));
  await delay(20);
  using timers = new ShortTimers();
  const stopped = server.server.shutdown();
  assertEquals(await socket.spell(), "close 1001 The server is stopping");
  await socket.write(frame(close, closePayload(1001)));
  await stopped;
  assertEquals(timers.seconds, [5, 3, 2]);
  // The handler still runs, so `close` waits for it.
  assertEquals(notes, []);
  gate.resolve();
  await until(() => notes.length > 0);
  assertEquals(notes, ["close 1001"]);
  await server[Symbol.asyncDispose]();
});

Deno.test("after a shutdown nothing of a socket is left", async () => {
  // A second application starts with an empty set: sockets of another do not matter.
  for (let round = 0; round < 2; round++) {
    const started = performance.now();
    const server = await SocketServer.start({});
    const socket = await server.open();
    socket[Symbol.dispose]();
    await server[Symbol.asyncDispose]();
    assert(performance.now() - started < 2_000);
  }
});

Deno.test("a socket takes leave once, also where its server is stopped twice", async () => {
  const codes: number[] = [];
  const server = await SocketServer.start({
    message: () => delay(50),
    close: (code) => void codes.push(code),
  });
  const socket = new WebSocket(
    `ws://127.0.0.1:${server.server.addr.port}/socket`,
  );
  await new Promise((resolve) => socket.onopen = resolve);
  const closed = new Promise((resolve) => socket.onclose = resolve);
  socket.send("a");
  await delay(10);
  const started = performance.now();
  await Promise.all([server.server.shutdown(), server.server.shutdown()]);
  assert(performance.now() - started < 2_000);
  assertEquals(codes, [1001]);
  await closed;
  await server[Symbol.asyncDispose]();
});

Deno.test("the signal of app.serve() closes sockets at once", async () => {
  const stop = new AbortController();
  const notes: string[] = [];
  const server = await SocketServer.start({
    message: async () => {
      await delay(20);
      notes.push("done");
    },
    close: (code) => void notes.push(`close ${code}`),
  }, { signal: stop.signal });
  using socket = await server.open();
  using idle = await server.open();
  await socket.write(joined(frame(text, "a"), frame(text, "waits")));
  await delay(10);
  stop.abort();
  assertEquals(await idle.spell(), "close 1001 The server is stopping");
  assertEquals(await socket.spell(), "close 1001 The server is stopping");
  await until(() => notes.length === 3);
  // What waited was dropped.
  await delay(40);
  assertEquals(notes, ["close 1001", "done", "close 1001"]);
  await server.server.finished;
  await server[Symbol.asyncDispose]();
});
