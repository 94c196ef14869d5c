/** Handlers of a socket, and ways to close it (behaviour 11.3). */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { endOn, type SocketHandlers } from "@bough/framework/live";
import { ClosingHandshake } from "../../src/live/closing.ts";
import { CapturedLog } from "../support/application.ts";
import { FakeTimers } from "../support/fake_timers.ts";
import {
  closePayload,
  frame,
  joined,
  OPCODE,
  type RawSocket,
} from "../support/raw_socket.ts";
import {
  delay,
  type LiveSocket,
  LongTimers,
  SocketServer,
  until,
} from "./support.ts";

const { text, close } = OPCODE;

/** Handlers that note what they do. */
function noting(
  notes: string[],
  handlers: SocketHandlers = {},
): SocketHandlers {
  let opened: LiveSocket | undefined;
  return {
    open: async (socket) => {
      opened = socket;
      notes.push("open");
      await handlers.open?.(socket);
    },
    message: async (data, socket) => {
      notes.push(`message ${data}`);
      await handlers.message?.(data, socket);
      notes.push(`done ${data}`);
    },
    close: async (code, reason, socket) => {
      const whose = socket === opened ? "" : "of another socket";
      notes.push(`close ${code} ${reason} ${whose}`.trim());
      await handlers.close?.(code, reason, socket);
    },
  };
}

/** Closes from the side of the client, and reads the response. */
async function leave(socket: RawSocket, code = 1000): Promise<string> {
  await socket.write(frame(close, closePayload(code)));
  return await socket.spell();
}

Deno.test("handlers run one after another, in the order of the messages", async () => {
  const notes: string[] = [];
  await using server = await SocketServer.start(
    noting(notes, {
      open: () => delay(20),
      message: (data) => delay(data === "a" ? 20 : 1),
    }),
  );
  using socket = await server.open();
  await socket.write(
    joined(frame(text, "a"), frame(text, "b"), frame(text, "c")),
  );
  // Messages before the close are still handled, and `close` waits for them.
  assertEquals(await leave(socket, 4001), "close 4001");
  await until(() => notes.at(-1)!.startsWith("close"));
  assertEquals(notes, [
    "open",
    ...["a", "b", "c"].flatMap((name) => [`message ${name}`, `done ${name}`]),
    "close 4001",
  ]);
});

Deno.test("close runs once, with the socket of open, however the socket ends", async () => {
  const fail = () => {
    throw new Error("mine");
  };
  for (
    const [expected, handlers, act] of [
      ["close 1005", {}, (socket) => socket.write(frame(close))],
      ["close 1006 Unexpected EOF", {}, (socket) => socket[Symbol.dispose]()],
      [
        "close 1006 Invalid UTF-8",
        {},
        (socket) => socket.write(frame(text, new Uint8Array([0xff]))),
      ],
      ["close 1000", { open: (socket) => socket.close() }, leave],
      ["close 3000 why", { open: (s) => s.close(3000, "why") }, leave],
      ["close 1011 The server failed", { open: fail }, leave],
      [
        "close 1011 The server failed",
        { open: () => Promise.try(fail) },
        leave,
      ],
      // The first code counts; later calls change nothing.
      ["close 3000", {
        open: (socket) => {
          socket.close(3000);
          socket.close(3001);
          fail();
        },
      }, leave],
    ] satisfies [
      string,
      SocketHandlers,
      (socket: RawSocket) => unknown,
    ][]
  ) {
    using _log = new CapturedLog();
    const notes: string[] = [];
    await using server = await SocketServer.start(noting(notes, handlers));
    using socket = await server.open();
    await until(() => notes.length > 0);
    await act(socket);
    await until(() => notes.length > 1);
    await delay(20);
    assertEquals(notes, ["open", expected]);
  }
});

Deno.test("the error of a handler closes with 1011, and is logged once, unless onError responds to it (behaviour 8.3, 11.3)", async () => {
  const error = new Error("secret");
  const fails = {
    throws: () => {
      throw error;
    },
    rejects: () => Promise.reject(error),
  };
  for (const step of ["open", "message", "close"] as const) {
    for (const [way, fail] of Object.entries(fails)) {
      for (const responds of [false, true]) {
        using log = new CapturedLog();
        const notes: string[] = [];
        const got: string[] = [];
        await using server = await SocketServer.start({
          close: () => void notes.push("closed"),
          [step]: () => {
            notes.push(step);
            return fail();
          },
        }, {
          onError: (error, { url }) => {
            got.push(`${(error as Error).message} ${new URL(url).pathname}`);
            return responds ? new Response("unsent") : undefined;
          },
        });
        // Deno cuts the connection if a message arrives after the close.
        const first = joined(frame(text, "a"), frame(text, "b"));
        using socket = await server.open({}, first);
        if (step === "close") await leave(socket);
        else assertEquals(await socket.spell(), "close 1011 The server failed");
        await leave(socket).catch(() => {});
        await until(() => got.length > 0);
        await until(() => step === "close" || notes.includes("closed"));
        assertEquals(got, ["secret /socket"], `${step} ${way}`);
        assertEquals(notes, step === "close" ? ["close"] : [step, "closed"]);
        const line =
          `[bough] GET /socket (plugin socket): "${step}" of the socket failed: Error: secret`;
        assertEquals(
          log.lines.map((each) => each.startsWith(line)),
          responds ? [] : [true],
        );
      }
    }
  }
});

Deno.test("waiting messages are limited in number and in size", async () => {
  const full = "close 1008 Too many messages wait";
  const large = "b".repeat(20);
  for (
    const [options, expected, ...batches] of [
      [{ maxQueued: 2 }, "text done", ["a", "b", "c"], ["d", "e", "f"]],
      [{ maxQueued: 2 }, full, ["a", "b", "c", "d"]],
      [{ maxQueuedBytes: 20 }, "text done", ["a", large], ["c", large]],
      [{ maxQueuedBytes: 20 }, full, ["a", "b".repeat(10), "c".repeat(11)]],
    ] as const
  ) {
    let gate = Promise.withResolvers<void>();
    let handled = 0;
    let sent = 0;
    await using server = await SocketServer.start({
      message: async (_, socket) => {
        await gate.promise;
        if (++handled === sent) socket.send("done");
      },
    }, { options });
    using socket = await server.open();
    for (const batch of batches) {
      gate = Promise.withResolvers<void>();
      sent += batch.length;
      await socket.write(joined(...batch.map((each) => frame(text, each))));
      if (expected !== full) {
        await delay(20);
        gate.resolve();
      }
      assertEquals(await socket.spell(), expected, JSON.stringify(options));
    }
    gate.resolve();
    await leave(socket);
    if (expected === full) assertEquals(handled, 1);
  }
});

Deno.test("a message beyond maxBuffered is refused, and closes the socket", async () => {
  const chunk = "a".repeat(64 * 1024);
  const results: boolean[] = [];
  let seen: LiveSocket | undefined;
  await using server = await SocketServer.start({
    open: async (socket) => {
      seen = socket;
      // The client reads nothing; the kernel takes a few megabytes.
      while (results.length < 1_000 && results.at(-1) !== false) {
        results.push(socket.send(chunk));
        await delay(0);
      }
      assertEquals(socket.signal.aborted, true);
    },
  }, { options: { maxBuffered: 256 * 1024 } });
  {
    using _socket = await server.open();
    await until(() => results.at(-1) === false);
    assert(results.length < 1_000);
    assert(seen!.bufferedAmount <= 256 * 1024);
    assertEquals(seen!.send("more"), false);
  }
  await using large = await SocketServer.start({
    open: (socket) => {
      results.push(socket.send(new Uint8Array(9)), socket.send("é".repeat(5)));
    },
  }, { options: { maxBuffered: 8 } });
  using socket = await large.open();
  assertEquals(await socket.spell(), "close 1013 The client reads too slowly");
  assertEquals(results.splice(-2), [false, false]);
});

Deno.test("an unsendable value causes a TypeError, and a forbidden code a RangeError", async () => {
  const errors: string[] = [];
  await using server = await SocketServer.start({
    open: (socket) => {
      for (const value of [{ a: 1 }, null, undefined, 1]) {
        const send = () => socket.send(value as unknown as string);
        errors.push(assertThrows(send, Error).name);
      }
      for (const code of [0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 1.5]) {
        errors.push(assertThrows(() => socket.close(code), Error).name);
      }
      socket.send(new Uint8Array([104, 105]).subarray(1));
      socket.send(new Uint8Array([104, 105]).buffer);
      socket.close(4999, "é".repeat(100));
    },
  });
  using socket = await server.open();
  assertEquals(await socket.spell(), "binary i");
  assertEquals(await socket.spell(), "binary hi");
  assertEquals(await socket.spell(), `close 4999 ${"é".repeat(60)}…`);
  assertEquals(
    errors,
    [...Array(4).fill("TypeError"), ...Array(9).fill("RangeError")],
  );
});

Deno.test("the signal of a socket aborts when its client disconnects, and its reason is not logged", async () => {
  using log = new CapturedLog();
  const notes: string[] = [];
  await using server = await SocketServer.start({
    message: async (_, socket) => {
      notes.push(`before ${socket.signal.aborted}`);
      await new Promise((_, reject) => {
        const { signal } = socket;
        signal.onabort = () => reject(signal.reason);
      });
    },
    close: (code) => void notes.push(`close ${code}`),
  });
  {
    using socket = await server.open();
    await socket.write(frame(text, "a"));
    await until(() => notes.length > 0);
  }
  await until(() => notes.length > 1);
  assertEquals(notes, ["before false", "close 1006"]);
  assertEquals(log.lines, []);
});

Deno.test("endOn() closes a socket with 1008, and drops waiting messages", async () => {
  const session = new AbortController();
  const notes: string[] = [];
  await using server = await SocketServer.start((request) => {
    endOn(request, session.signal, { closeReason: "The session is over" });
    return noting(notes, { message: () => delay(20) });
  });
  using socket = await server.open();
  await socket.write(joined(frame(text, "a"), frame(text, "b")));
  await until(() => notes.length === 2);
  session.abort("SELECT secret");
  assertEquals(await socket.spell(), "close 1008 The session is over");
  await leave(socket).catch(() => {});
  await until(() => notes.at(-1)!.startsWith("close"));
  assertEquals(notes, [
    "open",
    "message a",
    "done a",
    "close 1008 The session is over",
  ]);
});

Deno.test("the client does not get the reason of the signal", async () => {
  const reasons = ["SELECT secret", new Error("secret"), undefined, ""];
  const closed: string[] = [];
  await using server = await SocketServer.start((request) => {
    endOn(request, AbortSignal.abort(reasons[closed.length]));
    return {
      open: () => void closed.push("open"),
      close: (code, reason) => void closed.push(`close ${code} ${reason}`),
    };
  });
  for (const [index] of reasons.entries()) {
    using socket = await server.open();
    const expected = "close 1008 The server ended this connection";
    assertEquals(await socket.spell(), expected);
    await leave(socket).catch(() => {});
    await until(() => closed.length > index);
    assertEquals(closed[index], expected);
  }
});

Deno.test("a silent client gets a ping, and a close if it does not respond", async () => {
  await using server = await SocketServer.start({}, {
    options: { idleTimeout: 100 },
  });
  using socket = await server.open();
  assertEquals(await socket.spell(), "ping ");
  assertEquals(await socket.spell(), "close 1001 No response from ping frame.");
});

Deno.test("close runs 2 seconds after the code if the client does not respond", async () => {
  using timers = new LongTimers(20);
  const notes: string[] = [];
  await using server = await SocketServer.start(
    noting(notes, { message: (_, socket) => socket.close(4000, "go") }),
  );
  using socket = await server.open();
  await socket.write(frame(text, "a"));
  assertEquals(await socket.spell(), "close 4000 go");
  await until(() => notes.at(-1)!.startsWith("close"));
  assertEquals(notes.at(-1), "close 4000 go");
  assertEquals(timers.fired, [2]);
});

Deno.test("the code is sent once the client is idle for 20 ms, or after a second (behaviour 11.3)", () => {
  using timers = new FakeTimers();
  const closed: string[] = [];
  const close = (code: number) => void closed.push(`${code} at ${Date.now()}`);
  for (const [code, messages] of [[1008, 5], [1009, 100]] as const) {
    const handshake = new ClosingHandshake({ close } as never, () => {});
    handshake.start(code, "no");
    for (let message = 0; message < messages; message++) {
      handshake.dropped++;
      timers.tick(19);
    }
    timers.tick(40);
    handshake.stop();
  }
  const end = 5 * 19 + 40;
  assertEquals(closed, ["1008 at 100", `1009 at ${end + 1_020}`]);
});

Deno.test("a client that continues sending still gets the code", async () => {
  await using server = await SocketServer.start({
    message: (_, socket) => socket.close(4000, "enough"),
  });
  await Promise.all(Array.from({ length: 20 }, async (_, round) => {
    using socket = await server.open();
    const some = Array.from({ length: 1 + round * 5 }, () => frame(text, "a"));
    await socket.write(joined(...some));
    assertEquals(await socket.spell(), "close 4000 enough");
  }));
});

Deno.test("handlers may read the method, headers and URL of the request", async () => {
  await using server = await SocketServer.start((request) => ({
    open: (socket) =>
      void socket.send(
        [request.method, request.headers.get("x-mine"), request.pattern].join(),
      ),
    message: (_, socket) => void socket.send(new URL(request.url).pathname),
  }));
  using socket = await server.open({ "x-mine": "1" });
  assertEquals(await socket.spell(), "text GET,1,/socket");
  await socket.write(frame(text, "a"));
  assertEquals(await socket.spell(), "text /socket");
});
