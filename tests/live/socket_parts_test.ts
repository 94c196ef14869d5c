/** The parts of a socket, one by one (behaviour 11.3, 11.4). */
import { assertEquals } from "@std/assert";
import { ClosingHandshake, exceeds } from "../../src/live/closing.ts";
import { HandlerQueue } from "../../src/live/handler_queue.ts";
import { reportError } from "../../src/live/live_route.ts";
import { CapturedLog } from "../support/application.ts";
import { FakeTimers } from "../support/fake_timers.ts";

Deno.test("a message of exactly the limit does not exceed it", () => {
  for (
    const [data, limit, expected] of [
      [new Uint8Array(4), 4, false],
      [new Uint8Array(5), 4, true],
      [new ArrayBuffer(4), 4, false],
      ["abcd", 4, false],
      ["abcde", 4, true],
      ["€", 3, false],
      ["€", 2, true],
      ["é€", 5, false],
      ["é€", 4, true],
    ] as const
  ) {
    assertEquals(exceeds(data, limit), expected, `${data} of ${limit}`);
  }
});

Deno.test("a queue has space again when a message was handled", async () => {
  let release = () => {};
  const handled: number[] = [];
  const queue = new HandlerQueue({
    handle: (message) => {
      handled.push(message.length);
      return new Promise<void>((resolve) => release = resolve);
    },
    onError: (error) => {
      throw error;
    },
    onIdle: () => {},
  }, { maxQueued: 10, maxQueuedBytes: 100 });
  queue.push("x");
  for (let round = 0; round < 3; round++) {
    assertEquals(queue.push("x".repeat(60)), true, `round ${round}`);
    assertEquals(queue.push("x".repeat(60)), false, `round ${round}`);
    release();
    await new Promise((resolve) => setTimeout(resolve));
  }
  assertEquals(handled, [1, 60, 60, 60]);
  release();
});

Deno.test("a socket is closed when its client is idle", () => {
  using timers = new FakeTimers();
  const closed: number[] = [];
  const socket = { close: (code: number) => void closed.push(code) };
  const handshake = new ClosingHandshake(socket as never, () => {});
  handshake.start(1008, "no");
  for (let message = 0; message < 5; message++) {
    handshake.dropped++;
    timers.tick(19);
    assertEquals(closed, [], `after message ${message}`);
  }
  timers.tick(5);
  assertEquals(closed, [1008]);
  handshake.stop();
});

Deno.test("an error is logged, unless onError responds to it", async () => {
  using log = new CapturedLog();
  const request = new Request("http://localhost/");
  const error = new Error("broken");
  for (
    const [onError, lines] of [
      [undefined, 1],
      [() => undefined, 1],
      [() => Promise.resolve(undefined), 1],
      [() => new Response(), 0],
      [() => Promise.resolve(new Response()), 0],
      [() => Promise.reject(new Error("worse")), 2],
    ] as const
  ) {
    log.lines.length = 0;
    const route = { place: "GET /api", application: { onError } } as never;
    await reportError(error, request, { route, what: "the events" });
    assertEquals(log.lines.length, lines, String(onError));
  }
});
