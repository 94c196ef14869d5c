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

const LARGE = "close 1009 A message may have 1000 bytes at most";
const NO_JSON = "close 1008 The message is not valid JSON";
const MISFIT = "close 1008 #: Invalid input: expected object, received number";
const JSON_TEXT = '{"text":"a"}';
const unfinished = (opcode: number, payload: string | Uint8Array) =>
  frame(opcode, payload, { final: false });
const bytes = (...values: number[]) => new Uint8Array(values);

/** By route and name: the bytes of one write, and the frames that come back. */
const CASES: Readonly<
  Record<string, Readonly<Record<string, readonly [Uint8Array, ...string[]]>>>
> = {
  raw: {
    "a text": [frame(text, "hello"), "text hello"],
    "an empty text": [frame(text), "text "],
    "bytes": [frame(binary, "bytes"), "binary bytes"],
    "fragments with a ping between them": [
      joined(
        unfinished(text, "he"),
        frame(ping, "now"),
        frame(continuation, "llo"),
      ),
      "pong now",
      "text hello",
    ],
    "a character in two fragments": [
      joined(unfinished(text, bytes(0xc3)), frame(continuation, bytes(0xa9))),
      "text é",
    ],
    "all bytes": [frame(text, "é".repeat(500)), `text ${"é".repeat(500)}`],
    "a byte too many": [frame(text, "é".repeat(499) + "€"), LARGE],
    "fragments that are too large together": [
      joined(
        unfinished(text, "a".repeat(600)),
        frame(continuation, "a".repeat(600)),
      ),
      LARGE,
    ],
    "too many bytes, then more messages": [
      joined(frame(binary, "a".repeat(1001)), frame(text, "b"), frame(text)),
      LARGE,
    ],
    "no UTF-8": [frame(text, bytes(0x61, 0xff)), "cut"],
    "a close": [frame(close, closePayload(1000)), "close 1000"],
    "a close with a reason": [
      frame(close, closePayload(4000, "mine")),
      "close 4000 mine",
    ],
    "a close without a code": [frame(close), "close"],
    "a message after a close": [
      joined(frame(close, closePayload(1000)), frame(text, "late")),
      "close 1000",
    ],
  },
  typed: {
    "JSON": [frame(text, JSON_TEXT), `text ${JSON_TEXT}`],
    "no JSON": [frame(text, "{"), NO_JSON],
    "an empty text": [frame(text), NO_JSON],
    "JSON that does not fit": [
      frame(text, '{"text":"longer than ten"}'),
      "close 1008 #/text: Too big: expected string to have <=10 characters",
    ],
    "JSON that does not fit, between others": [
      joined(frame(text, JSON_TEXT), frame(text, "1"), frame(text, JSON_TEXT)),
      `text ${JSON_TEXT}`,
      MISFIT,
    ],
    "JSON in a binary message": [
      frame(binary, JSON_TEXT),
      "close 1003 Messages must be JSON in text frames",
    ],
  },
};

Deno.test("Bough responds to frames as the table says", async () => {
  using log = new CapturedLog();
  await using server = await TestApplication.of(ROUTES).serve();
  for (const [route, cases] of Object.entries(CASES)) {
    for (const [name, [written, ...expected]] of Object.entries(cases)) {
      using socket = await RawSocket.open(server.port, `/api/${route}`);
      await socket.write(written);
      const got: string[] = [];
      while (got.length < expected.length) got.push(await socket.spell());
      assertEquals(got, expected, `${route}: ${name}`);
    }
  }
  assertEquals(log.lines, []);
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
