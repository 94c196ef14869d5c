/** Handlers and generators that throw or return what the types forbid. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { FrameworkRequest } from "@bough/framework";
import { endOn, events } from "@bough/framework/live";
import {
  CapturedLog,
  TestApplication,
  type TestServer,
} from "../support/application.ts";
import {
  closePayload,
  frame,
  joined,
  OPCODE,
  RawSocket,
} from "../support/raw_socket.ts";
import {
  delay,
  LongTimers,
  schemaOf,
  socketRoute,
  SocketServer,
  until,
} from "./support.ts";

const { text, close } = OPCODE;

/** Streams the results of an iterator, whatever they are. */
function stream(next: () => unknown, leave = () => {}): Response {
  const iterable = {
    [Symbol.asyncIterator]: () => ({ next, return: leave }),
  } as unknown as AsyncIterable<{ data: number }>;
  return events(
    new Request("http://localhost/") as FrameworkRequest,
    () => iterable,
  );
}

/** Serves a socket whose sent messages are validated with a function. */
function served(
  handlers: Parameters<typeof socketRoute>[0],
  validate: (value: unknown) => Promise<unknown>,
): Promise<TestServer> {
  const module = socketRoute(handlers, { send: schemaOf(validate) });
  return TestApplication.of({ "route.ts": module }, {
    validateResponses: true,
  }).serve();
}

/** A result whose member throws. */
const throwing = (name: string) =>
  Object.defineProperty({ done: false }, name, {
    get() {
      throw new Error("mine");
    },
  });

Deno.test("an unreadable result of an iterator ends the stream, and is logged (behaviour 11.2)", async () => {
  for (
    const next of [
      () => throwing("then"),
      ...[undefined, null, throwing("done"), throwing("value")]
        .map((result) => () => Promise.resolve(result)),
    ]
  ) {
    using log = new CapturedLog();
    assertEquals(await stream(next).text(), "");
    await delay(1);
    assertEquals(log.lines.length, 1);
    assertStringIncludes(log.lines[0]!, "the stream of events failed");
  }
});

Deno.test("a result without a promise is an event, as in a for await loop", async () => {
  let count = 0;
  const response = stream(() => ({
    done: ++count > 2,
    value: { data: count },
  }));
  assertEquals(await response.text(), "data: 1\n\ndata: 2\n\n");
});

for (const end of ["an error", "an expiry"]) {
  Deno.test(`after ${end} no further message is handled, even if the client has closed (behaviour 11.3, 11.4)`, async () => {
    using log = new CapturedLog();
    const handled: unknown[] = [];
    let closed = 0;
    await using server = await SocketServer.start((request) => {
      const session = new AbortController();
      endOn(request, session.signal);
      return {
        message: async (data) => {
          handled.push(data);
          await delay(20);
          if (data !== "1") return;
          if (end === "an error") throw new Error("mine");
          session.abort();
        },
        close: () => void closed++,
      };
    });
    using socket = await server.open();
    await socket.write(joined(
      ...Array.from({ length: 100 }, (_, index) => frame(text, `${index}`)),
      frame(close, closePayload(1000)),
    ));
    assertEquals(await socket.spell(), "close 1000");
    await until(() => closed === 1);
    assertEquals(handled, ["0", "1"]);
    assertEquals(log.lines.length, end === "an error" ? 1 : 0);
  });
}

Deno.test("an asynchronous schema of sent messages runs once for each message, and its failure is logged once", async () => {
  using log = new CapturedLog();
  let rejected = 0;
  const onRejection = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    rejected++;
  };
  addEventListener("unhandledrejection", onRejection);
  let checks = 0;
  await using server = await served({
    message: (data, socket) =>
      void socket.send(data === "runs" ? checks : data),
  }, (value) => {
    checks++;
    return value === "fail"
      ? Promise.reject(new Error("broken schema"))
      : Promise.resolve({ value });
  });
  using socket = await RawSocket.open(server.port, "/api");
  const runs: number[] = [];
  for (let count = 0; count < 3; count++) {
    await socket.write(frame(text, "runs"));
    runs.push(Number((await socket.spell()).slice("text ".length)));
  }
  assertEquals(runs, [0, 1, 2]);
  await socket.write(frame(text, "fail"));
  assertEquals(await socket.spell(), "close 1011 The server failed");
  await delay(5);
  removeEventListener("unhandledrejection", onRejection);
  const failures = log.lines.filter((line) =>
    !line.includes("send undeclared")
  );
  assertEquals([failures.length, rejected], [1, 0]);
});

Deno.test("an idleTimeout beyond the longest timer does not close the socket", async () => {
  await using server = await SocketServer.start({
    message: (data, socket) => void socket.send(data),
  }, { options: { idleTimeout: 2 ** 33 } });
  using socket = await server.open();
  await delay(50);
  await socket.write(frame(text, "a"));
  assertEquals(await socket.spell(), "text a");
});

Deno.test("a schema that never settles delays a close by one second (behaviour 11.4)", async () => {
  using timers = new LongTimers(20);
  await using server = await served((request) => {
    const session = new AbortController();
    endOn(request, session.signal);
    return {
      message: (data, socket) => {
        socket.send(data);
        session.abort();
      },
    };
  }, () => new Promise(() => {}));
  using socket = await RawSocket.open(server.port, "/api");
  await socket.write(frame(text, "a"));
  assertEquals(
    await socket.spell(),
    "close 1008 The server ended this connection",
  );
  assertEquals(timers.fired[0], 1);
});
