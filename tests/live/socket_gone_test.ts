/** What a client that has gone leaves behind (behaviour 11.3). */
import { assertEquals } from "@std/assert";
import { FolderApplication } from "../support/application.ts";
import {
  closePayload,
  frame,
  joined,
  OPCODE,
  RawSocket,
} from "../support/raw_socket.ts";
import { delay, SocketServer, until } from "./support.ts";

const { text, close } = OPCODE;

/** How a client goes without a close frame. */
const CUTS: Readonly<Record<string, (socket: RawSocket) => unknown>> = {
  "ends its connection": (socket) => socket[Symbol.dispose](),
  // Bytes that it has not read make the kernel reset the connection.
  "resets its connection": async (socket) => {
    await socket.write(frame(OPCODE.ping, "pong me"));
    await delay(20);
    socket[Symbol.dispose]();
  },
  "breaks the protocol": (socket) =>
    socket.write(frame(text, new Uint8Array([0xff]))),
  // Its `idleTimeout` is over soon.
  "vanishes": () => {},
};

for (const [how, cut] of Object.entries(CUTS)) {
  Deno.test(`what waits is dropped when a client ${how}, and close runs once`, async () => {
    const notes: string[] = [];
    const gate = Promise.withResolvers<void>();
    await using server = await SocketServer.start({
      message: async (data, socket) => {
        notes.push(`message ${data}`);
        socket.signal.addEventListener("abort", () => notes.push("gone"));
        await gate.promise;
      },
      close: (code) => void notes.push(`close ${code}`),
    }, { options: { idleTimeout: how === "vanishes" ? 60 : 30_000 } });
    using socket = await server.open();
    await socket.write(
      joined(...["a", "b", "c"].map((each) => frame(text, each))),
    );
    await until(() => notes.length > 0);
    await cut(socket);
    await until(() => notes.includes("gone"));
    gate.resolve();
    await until(() => notes.some((note) => note.startsWith("close")));
    await delay(20);
    const code = how === "vanishes" ? 1001 : 1006;
    assertEquals(notes, ["message a", "gone", `close ${code}`]);
  });
}

Deno.test("what a client sent before its close frame is handled, whatever the code", async () => {
  for (
    const [payload, code] of [
      [undefined, 1005],
      [closePayload(1000), 1000],
      [closePayload(1001), 1001],
      [closePayload(4001, "mine"), 4001],
    ] as const
  ) {
    const notes: string[] = [];
    await using server = await SocketServer.start({
      message: async (data) => {
        await delay(10);
        notes.push(`message ${data}`);
      },
      close: (code) => void notes.push(`close ${code}`),
    });
    using socket = await server.open();
    await socket.write(
      joined(frame(text, "a"), frame(text, "b"), frame(close, payload)),
    );
    // It leaves at once, without the response to its close.
    socket[Symbol.dispose]();
    await until(() => notes.length === 3);
    assertEquals(notes, ["message a", "message b", `close ${code}`]);
  }
});

Deno.test("100 clients that are cut off with 900 messages each leave nothing to do", async () => {
  let handled = 0;
  let closed = 0;
  await using server = await SocketServer.start({
    message: async () => {
      handled++;
      await delay(20);
    },
    close: () => void closed++,
  });
  const messages = joined(
    ...Array.from({ length: 900 }, () => frame(text, "small")),
  );
  for (let client = 0; client < 100; client++) {
    using socket = await server.open();
    await socket.write(messages);
  }
  await until(() => closed === 100, 2_000);
  const before = handled;
  await delay(60);
  assertEquals([handled, closed], [before, 100]);
});

Deno.test("what waits for the check of what is sent is dropped with its client", async () => {
  const live = new URL("../../src/live/mod.ts", import.meta.url).href;
  const state = { checks: [] as ((result: unknown) => void)[], left: 0 };
  Object.assign(globalThis, { goneState: state });
  await using application = await FolderApplication.create({
    "route.js": `import { socket } from "${live}";
      const { checks } = goneState;
      const send = { "~standard": { version: 1, vendor: "mine",
        validate: () => new Promise((resolve) => checks.push(resolve)) } };
      export const schema = { get: { socket: { send } } };
      export const GET = (request) => {
        let mine;
        return socket(request, {
          open(socket) {
            mine = socket;
            for (const each of ["a", "b", "c"]) socket.send(each);
          },
          close: () => goneState.left = 1 + mine.bufferedAmount,
        });
      };`,
  }, { validateResponses: true });
  await using server = await application.serve();
  {
    using _socket = await RawSocket.open(server.port, "/api");
    // Of "a": the first one shows that the schema takes its time.
    await until(() => state.checks.length === 2);
  }
  await until(() => state.left > 0);
  assertEquals(state.left, 1);
  for (const settle of state.checks) settle({ value: "a" });
  await delay(20);
  assertEquals(state.checks.length, 2);
});
