/** The servers of a process that gets a signal (behaviour 9.5). */
import { assertEquals } from "@std/assert";
import { FakeTimers } from "../../support/fake_timers.ts";
import { CapturedLog } from "../../support/application.ts";
import { OpenConnections } from "../../../src/core/request/connections.ts";
import type * as process from "../../../src/core/server/process.ts";

const DAY = 24 * 60 * 60 * 1000;

let count = 0;

/** A process that gets signals from a test, and never ends. */
class FakeProcess implements Disposable {
  /** The code with which the process would have ended. */
  exitCode: number | undefined;
  readonly log = new CapturedLog();
  readonly timers = new FakeTimers();
  readonly listeners = new Map<Deno.Signal, () => void>();
  readonly #module: typeof process;
  readonly #deno = {
    addSignalListener: Deno.addSignalListener,
    removeSignalListener: Deno.removeSignalListener,
    exit: Deno.exit,
  };

  private constructor(module: typeof process) {
    this.#module = module;
    Object.assign(Deno, {
      addSignalListener: (signal: Deno.Signal, listener: () => void) =>
        this.listeners.set(signal, listener),
      removeSignalListener: (signal: Deno.Signal) =>
        this.listeners.delete(signal),
      exit: (code: number) => this.exitCode ??= code,
    });
  }

  static async create(): Promise<FakeProcess> {
    // The module drains once, so each process gets a module of its own.
    const url = `../../../src/core/server/process.ts?${++count}`;
    return new FakeProcess(await import(url));
  }

  get draining(): AbortSignal {
    return this.#module.draining;
  }

  /** Starts a server. */
  serve({ delay = 0, timeout = 10_000 } = {}): FakeServer {
    const server = new FakeServer();
    const { connections } = server;
    const options = { delay, timeout, connections };
    server.remove = this.#module.drainOnSignals(server.shutdown, options);
    return server;
  }

  /** Sends the signal of Ctrl+C, or of a supervisor. */
  async signal(signal: "SIGINT" | "SIGTERM" = "SIGTERM"): Promise<void> {
    // Windows has no SIGTERM.
    const name = [...this.listeners.keys()][signal === "SIGINT" ? 0 : 1]!;
    this.listeners.get(name)!();
    await this.timers.turn();
  }

  [Symbol.dispose](): void {
    Object.assign(Deno, this.#deno);
    this.timers[Symbol.dispose]();
    this.log[Symbol.dispose]();
  }
}

/** A server whose requests run until a test finishes them. */
class FakeServer {
  isListening = true;
  remove: () => void = () => {};
  readonly connections = new OpenConnections();
  readonly #requests = Promise.withResolvers<void>();

  readonly shutdown = async (): Promise<void> => {
    this.isListening = false;
    await this.connections.close(() => this.#requests.promise);
    await this.connections.workEnded();
  };

  finish(): void {
    this.#requests.resolve();
  }
}

/** A server; its requests end `finish` milliseconds after the signal, or never. */
type Row = { delay?: number; timeout: number; finish?: number };

/** How a process ends after a signal, and the time at which it has cut off requests. */
type End = { code: number; time: number; cut?: number };

/** The servers of a process that gets a signal. */
const SHUTDOWNS: Readonly<Record<string, readonly [Row[], End]>> = {
  "an interval does not keep a drained process alive": [
    [{ timeout: 2_000, finish: 0 }],
    { code: 0, time: 2_000 },
  ],
  "nor with shutdownTimeout: Infinity": [
    [{ timeout: Infinity, finish: 0 }],
    { code: 0, time: 10_000 },
  ],
  "the process cuts off requests that run after shutdownTimeout": [
    [{ delay: 700, timeout: 100 }],
    { code: 1, time: 800, cut: 800 },
  ],
  "the short time of one server does not cut off the requests of another": [
    [{ timeout: 200, finish: 0 }, { timeout: 8_000, finish: 1_000 }],
    { code: 0, time: 8_000 },
  ],
  "the process ends when every server has drained or used up its time": [
    [{ timeout: 300 }, { timeout: 20_000, finish: 900 }],
    { code: 1, time: 900, cut: 300 },
  ],
};

for (const [name, [servers, end]] of Object.entries(SHUTDOWNS)) {
  Deno.test(name, async () => {
    using process = await FakeProcess.create();
    const { code, time, cut } = end;
    const running = servers.map((each) => process.serve(each));
    await process.signal();
    assertEquals(
      process.timers.running.referenced,
      servers[0]!.delay ? 1 : 0,
    );
    let now = 0;
    const passTo = async (time: number) => {
      if (time > now) await process.timers.pass(time - now);
      now = Math.max(now, time);
    };
    for (const [index, { finish }] of servers.entries()) {
      if (finish === undefined) continue;
      await passTo(finish - 1);
      assertEquals(process.exitCode, undefined);
      await passTo(finish);
      running[index]!.finish();
      await process.timers.turn();
    }
    if (now < time) {
      await passTo(time - 1);
      assertEquals(process.exitCode, undefined);
      await passTo(time);
    }
    assertEquals(process.exitCode, code);
    assertEquals(
      process.log.lines,
      cut === undefined ? [] : [
        `[bough] ${cut} ms after the signal to stop, the server cut off requests that were still running`,
      ],
    );
  });
}

Deno.test("a signal aborts draining, and a drained process ends by itself, since no timer keeps it alive", async () => {
  using process = await FakeProcess.create();
  const server = process.serve();
  assertEquals(process.draining.aborted, false);
  await process.signal();
  assertEquals(
    String(process.draining.reason),
    "AbortError: The server received a signal to stop",
  );
  assertEquals(server.isListening, false);
  server.finish();
  await process.timers.pass(9_999);
  assertEquals(process.exitCode, undefined);
  assertEquals(process.timers.running, { timers: 1, referenced: 0 });
});

Deno.test("the process stays alive for work, and after shutdownTimeout logs it by route", async () => {
  using process = await FakeProcess.create();
  const server = process.serve({ timeout: 100 });
  for (const pattern of ["/orders", "/mails", "/orders"]) {
    const file = "api/route.ts";
    const place = { method: "POST", pattern, file };
    server.connections.beginWork(new Promise(() => {}), place);
  }
  await process.signal();
  server.finish();
  await process.timers.pass(99);
  assertEquals(process.timers.running, { timers: 2, referenced: 1 });
  assertEquals(process.exitCode, undefined);
  await process.timers.pass(1);
  assertEquals(process.exitCode, 1);
  const cut =
    "100 ms after the signal to stop, the server cut off running promises of waitUntil()";
  assertEquals(process.log.lines, [
    `[bough] POST /orders (api/route.ts): ${cut}: 2`,
    `[bough] POST /mails (api/route.ts): ${cut}: 1`,
  ]);
});

// The last two are longer than the longest delay of a timer, 24.8 days.
for (const long of [Infinity, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
  Deno.test(`shutdownTimeout: ${long} waits for running requests`, async () => {
    using process = await FakeProcess.create();
    const server = process.serve({ timeout: long });
    await process.signal();
    await process.timers.pass(24 * DAY);
    assertEquals(server.isListening, false);
    server.finish();
    await process.timers.turn();
    assertEquals(process.exitCode, undefined);
  });

  Deno.test(`each server has its own delay, and a second signal ends them all: shutdownDelay: ${long}`, async () => {
    using process = await FakeProcess.create();
    const servers = [0, 700, long].map((delay) =>
      process.serve({ delay, timeout: 0 })
    );
    const listening = () => servers.map(({ isListening }) => isListening);
    await process.signal();
    servers[0]!.finish();
    await process.timers.pass(699);
    assertEquals(listening(), [false, true, true]);
    await process.timers.pass(24 * DAY);
    assertEquals(listening(), [false, false, true]);
    assertEquals(process.exitCode, undefined);
    await process.signal();
    assertEquals(process.exitCode, 1);
  });
}

for (
  const [sender, first, second] of [
    ["Ctrl+C under deno task", "SIGINT", "SIGINT"],
    ["Ctrl+C under Deno's watcher", "SIGINT", "SIGTERM"],
    ["timeout with deno task", "SIGTERM", "SIGTERM"],
  ] as const
) {
  Deno.test(`two signals within 200 ms count as one, as those of ${sender}`, async () => {
    using process = await FakeProcess.create();
    process.serve();
    await process.signal(first);
    await process.timers.pass(199);
    await process.signal(second);
    assertEquals(process.exitCode, undefined);
    await process.timers.pass(1);
    await process.signal(second);
    assertEquals(process.exitCode, 1);
  });
}

Deno.test("the process listens to signals until the last server has ended", async () => {
  using process = await FakeProcess.create();
  const servers = [process.serve(), process.serve()];
  const sizes = servers.map(({ remove }) => {
    remove();
    return process.listeners.size;
  });
  assertEquals(sizes, [2, 0]);
});
