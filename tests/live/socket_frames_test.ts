/** Frames that a client writes by hand (behaviour 11.3). */
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { CapturedLog, TestApplication } from "../support/application.ts";
import {
  closePayload,
  frame,
  joined,
  OPCODE,
  RawSocket,
} from "../support/raw_socket.ts";
import {
  delay,
  ECHO,
  LongTimers,
  socketRoute,
  SocketServer,
} from "./support.ts";

const { text, binary, ping, continuation, close } = OPCODE;

const Text = z.object({ text: z.string().max(10) });

const ROUTES = {
  "raw/route.ts": socketRoute(ECHO, undefined, { maxMessage: 1000 }),
  "typed/route.ts": socketRoute(ECHO, { receive: Text, send: Text }),
};

const JSON_TEXT = '{"text":"a"}';

/** By name: the route, the bytes of one write, and the frames that come back. */
const CASES: Readonly<
  Record<string, readonly ["raw" | "typed", Uint8Array, readonly string[]]>
> = {
  "a text": ["raw", frame(text, "hello"), ["text hello"]],
  "an empty text": ["raw", frame(text), ["text "]],
  "bytes": ["raw", frame(binary, "bytes"), ["binary bytes"]],
  "fragments with a ping between them": [
    "raw",
    joined(
      frame(text, "he", { final: false }),
      frame(ping, "now"),
      frame(continuation, "llo"),
    ),
    ["pong now", "text hello"],
  ],
  "a character in two fragments": [
    "raw",
    joined(
      frame(text, new Uint8Array([0xc3]), { final: false }),
      frame(continuation, new Uint8Array([0xa9])),
    ),
    ["text é"],
  ],
  "a text as large as may be": [
    "raw",
    frame(text, "é".repeat(500)),
    [`text ${"é".repeat(500)}`],
  ],
  "a text of one byte more": [
    "raw",
    frame(text, "é".repeat(500) + "a"),
    ["close 1009 A message may have 1000 bytes at most"],
  ],
  "fragments that are too large together": [
    "raw",
    joined(
      frame(text, "a".repeat(600), { final: false }),
      frame(continuation, "a".repeat(600)),
    ),
    ["close 1009 A message may have 1000 bytes at most"],
  ],
  "too many bytes, then more messages": [
    "raw",
    joined(frame(binary, new Uint8Array(1001)), frame(text, "b"), frame(text)),
    ["close 1009 A message may have 1000 bytes at most"],
  ],
  "JSON": ["typed", frame(text, JSON_TEXT), [`text ${JSON_TEXT}`]],
  "no JSON": [
    "typed",
    frame(text, "{"),
    ["close 1008 The message is not valid JSON"],
  ],
  "an empty text for JSON": [
    "typed",
    frame(text),
    ["close 1008 The message is not valid JSON"],
  ],
  "JSON that does not fit": [
    "typed",
    frame(text, '{"text":"longer than ten"}'),
    ["close 1008 #/text: Too big: expected string to have <=10 characters"],
  ],
  "JSON that does not fit, between others": [
    "typed",
    joined(frame(text, JSON_TEXT), frame(text, "1"), frame(text, JSON_TEXT)),
    [
      `text ${JSON_TEXT}`,
      "close 1008 #: Invalid input: expected object, received number",
    ],
  ],
  "JSON in a binary message": [
    "typed",
    frame(binary, JSON_TEXT),
    ["close 1003 Messages must be JSON in text frames"],
  ],
  "a close": ["raw", frame(close, closePayload(1000)), ["close 1000"]],
  "a close of an application": [
    "raw",
    frame(close, closePayload(4000, "mine")),
    ["close 4000 mine"],
  ],
  "a close without a code": ["raw", frame(close), ["close"]],
  "a message after a close": [
    "raw",
    joined(frame(close, closePayload(1000)), frame(text, "late")),
    ["close 1000"],
  ],
};

/** Malformed frames, which Deno handles itself; a later version may do better. */
const DENO: typeof CASES = {
  "a text that is not UTF-8": [
    "raw",
    frame(text, new Uint8Array([0x61, 0xff])),
    ["cut"],
  ],
  "fragments that are not UTF-8": [
    "raw",
    joined(
      frame(text, new Uint8Array([0xff]), { final: false }),
      frame(continuation, "a"),
    ),
    ["cut"],
  ],
  "a frame without a mask": [
    "raw",
    frame(text, "a", { masked: false }),
    ["text a"],
  ],
  "a frame with a reserved bit": [
    "raw",
    frame(text, "a", { reserved: 0x40 }),
    ["cut"],
  ],
  "a frame of a reserved kind": ["raw", frame(3, "a"), ["cut"]],
  "a continuation of nothing": ["raw", frame(continuation, "a"), ["cut"]],
  "a message within another": [
    "raw",
    joined(frame(text, "a", { final: false }), frame(text, "b")),
    ["cut"],
  ],
  "a ping in fragments": ["raw", frame(ping, "a", { final: false }), ["cut"]],
  "a ping that is too long": ["raw", frame(ping, "a".repeat(126)), ["cut"]],
  "a close with half a code": ["raw", frame(close, "a"), ["cut"]],
  "a close with a code that may not be sent": [
    "raw",
    frame(close, closePayload(1005)),
    ["close 1002"],
  ],
  "a close whose reason is not UTF-8": [
    "raw",
    frame(close, new Uint8Array([3, 232, 0xff])),
    ["cut"],
  ],
};

async function meet(cases: typeof CASES): Promise<void> {
  using log = new CapturedLog();
  await using server = await TestApplication.of(ROUTES).serve();
  for (const [name, [route, bytes, expected]] of Object.entries(cases)) {
    using socket = await RawSocket.open(server.port, `/api/${route}`);
    await socket.write(bytes);
    for (const each of expected) {
      assertEquals(await socket.spell(), each, name);
    }
  }
  assertEquals(log.lines, []);
}

Deno.test("Bough responds to frames as the table says", () => meet(CASES));

Deno.test("Deno responds to malformed frames as the table says", () =>
  meet(DENO));

Deno.test("Deno buffers fragments without an end, and Bough refuses the whole message", async () => {
  await using server = await TestApplication.of(ROUTES).serve();
  using socket = await RawSocket.open(server.port, "/api/raw");
  const fragment = frame(continuation, new Uint8Array(2 ** 20), {
    final: false,
  });
  await socket.write(frame(binary, "", { final: false }));
  for (let sent = 0; sent < 64; sent++) await socket.write(fragment);
  // The server sent no frame yet: the response to the ping is the first.
  await socket.write(frame(ping, "still there"));
  assertEquals(await socket.spell(), "pong still there");
  await socket.write(frame(continuation));
  assertEquals(
    await socket.spell(),
    "close 1009 A message may have 1000 bytes at most",
  );
});

Deno.test("Deno cuts the connection at a frame of more than 64 MiB", async () => {
  await using server = await TestApplication.of(ROUTES).serve();
  using socket = await RawSocket.open(server.port, "/api/raw");
  // The head alone contains the size.
  const head = new Uint8Array([0x82, 0xff, 0, 0, 0, 0, 4, 0, 0, 1, 0, 0, 0, 0]);
  await socket.write(head);
  assertEquals(await socket.spell(), "cut");
});

Deno.test("Deno keeps a client that reads nothing, and Bough closes its socket", async () => {
  using timers = new LongTimers(20);
  const closed = Promise.withResolvers<number>();
  await using server = await SocketServer.start({
    open: async (socket) => {
      while (socket.send("a".repeat(2 ** 16))) await delay(0);
    },
    close: (code) => closed.resolve(code),
  });
  using socket = await server.open();
  assertEquals(await closed.promise, 1013);
  assertEquals(timers.fired, [2]);
  // Bough does not cut the connection, so the client still gets all earlier messages.
  let last = "";
  do last = await socket.spell(); while (last.startsWith("text"));
  assertEquals(last, "close 1013 The client reads too slowly");
});
