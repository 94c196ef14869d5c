/** Sockets whose client disconnects (behaviour 11.3). */
import { assertEquals } from "@std/assert";
import { TestApplication } from "../support/application.ts";
import {
  closePayload,
  frame,
  joined,
  OPCODE,
  RawSocket,
} from "../support/raw_socket.ts";
import {
  delay,
  type LiveSocket,
  schemaOf,
  socketRoute,
  SocketServer,
  until,
} from "./support.ts";

const { text, close } = OPCODE;

/** Ways to disconnect without a close frame. */
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
  Deno.test(`waiting messages are dropped when a client ${how}, and close runs once`, async () => {
    const notes: string[] = [];
    const gate = Promise.withResolvers<void>();
    await using server = await SocketServer.start({
      message: async (data, socket) => {
        notes.push(`message ${data}`);
        socket.signal.addEventListener("abort", () => notes.push("gone"));
        await gate.promise;
      },
      close: (code) => void notes.push(`close ${code}`),
    }, { options: { idleTimeout: how === "vanishes" ? 250 : 30_000 } });
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

Deno.test("messages before a close frame are handled, whatever its code", async () => {
  let notes: string[] = [];
  await using server = await SocketServer.start({
    message: async (data) => {
      await delay(10);
      notes.push(`message ${data}`);
    },
    close: (code) => void notes.push(`close ${code}`),
  });
  for (
    const [payload, code] of [
      [undefined, 1005],
      [closePayload(1000), 1000],
      [closePayload(1001), 1001],
      [closePayload(4001, "mine"), 4001],
    ] as const
  ) {
    notes = [];
    using socket = await server.open();
    await socket.write(
      joined(frame(text, "a"), frame(text, "b"), frame(close, payload)),
    );
    // It disconnects at once, without the response to its close.
    socket[Symbol.dispose]();
    await until(() => notes.length === 3);
    assertEquals(notes, ["message a", "message b", `close ${code}`]);
  }
});

Deno.test("messages that wait for the check of an earlier one are dropped with their client", async () => {
  const checks: ((result: unknown) => void)[] = [];
  let mine: LiveSocket | undefined;
  let left: number | undefined;
  const send = schemaOf(() => new Promise((resolve) => checks.push(resolve)));
  const module = socketRoute({
    open(socket) {
      mine = socket;
      for (const each of ["a", "b", "c"]) socket.send(each);
    },
    close: () => void (left = mine?.bufferedAmount),
  }, { send });
  const application = TestApplication.of({ "route.ts": module }, {
    validateResponses: true,
  });
  await using server = await application.serve();
  {
    using _socket = await RawSocket.open(server.port, "/api");
    await until(() => checks.length === 1);
  }
  await until(() => left !== undefined);
  assertEquals(left, 0);
  for (const settle of checks) settle({ value: "a" });
  await delay(20);
  assertEquals(checks.length, 1);
});
