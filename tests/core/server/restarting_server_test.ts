import { assert, assertEquals } from "@std/assert";
import { RestartingServer } from "../../../src/core/server/restarting_server.ts";
import { CapturedLog } from "../../support/application.ts";
import { FakeTimers } from "../../support/fake_timers.ts";
import {
  closePayload,
  frame,
  OPCODE,
  RawSocket,
} from "../../support/raw_socket.ts";
import { freePort } from "../../support/process.ts";
import { until } from "../../support/until.ts";
import { FOLDER, refusing, ServingProcess, UNIX } from "./support.ts";

/** A server of Deno's that ends when a test says so. */
class FakeServer {
  readonly addr: Deno.NetAddr;
  readonly ending = Promise.withResolvers<void>();
  readonly finished = this.ending.promise;
  readonly calls: string[] = [];

  constructor(readonly options: Deno.ServeTcpOptions) {
    const { hostname = "0.0.0.0", port = 0 } = options;
    this.addr = { transport: "tcp", hostname, port: port || 4321 };
    options.signal?.addEventListener("abort", () => {
      // As Deno's server does.
      if (this.calls.includes("shutdown")) throw new Error("Bad resource ID");
      this.calls.push("cancel");
      this.ending.resolve();
    });
  }

  shutdown(): Promise<void> {
    this.calls.push("shutdown");
    this.ending.resolve();
    return Promise.resolve();
  }

  ref(): void {
    this.calls.push("ref");
  }

  unref(): void {
    this.calls.push("unref");
  }
}

/** Replaces the servers of Deno, and the time, with those of a test. */
class FakeDeno implements Disposable {
  /** Every server that was started, the last one last. */
  readonly servers: FakeServer[] = [];
  /** How often Deno cannot listen from now on. */
  refusals = 0;
  readonly log = new CapturedLog();
  readonly timers = new FakeTimers();
  readonly #serve = Deno.serve;

  constructor() {
    const serve = (options: Deno.ServeTcpOptions): FakeServer => {
      if (this.refusals-- > 0) throw new Deno.errors.AddrInUse("taken");
      const server = new FakeServer(options);
      this.servers.push(server);
      return server;
    };
    Object.assign(Deno, { serve });
  }

  /** Fails the current server as if file descriptors ran out. */
  async fail(): Promise<void> {
    this.servers.at(-1)!.ending.reject(new Error("Too many open files"));
    await this.timers.turn();
  }

  /** Ends the current server, as an upgrade does whose response was not returned. */
  async close(): Promise<void> {
    this.servers.at(-1)!.ending.resolve();
    await this.timers.turn();
  }

  /** Checks that the next server starts after a pause, and not before. */
  async assertPause(milliseconds: number): Promise<void> {
    const { length } = this.servers;
    await this.timers.pass(milliseconds - 1);
    assertEquals(this.servers.length, length);
    await this.timers.pass(1);
    assertEquals(this.servers.length, length + 1);
  }

  /** Whether a promise is pending after a turn of the event loop. */
  async isPending(promise: Promise<unknown>): Promise<boolean> {
    let isPending = true;
    const settle = () => isPending = false;
    promise.then(settle, settle);
    await this.timers.turn();
    return isPending;
  }

  [Symbol.dispose](): void {
    Object.assign(Deno, { serve: this.#serve });
    this.timers[Symbol.dispose]();
    this.log[Symbol.dispose]();
  }
}

const respond = (): Response => new Response("hello");

for (const how of ["fail", "close"] as const) {
  Deno.test(`a server listens again on the same address if it ends by itself (${how})`, async () => {
    using deno = new FakeDeno();
    let listened = 0;
    const server = new RestartingServer({
      hostname: "127.0.0.1",
      port: 0,
      onListen: () => listened++,
    }, respond);
    const { addr } = server;
    await deno[how]();
    await deno.assertPause(100);
    const [first, second] = deno.servers;
    assertEquals(server.addr, addr);
    assertEquals([second!.options.hostname, second!.options.port], [
      "127.0.0.1",
      addr.port,
    ]);
    second!.options.onListen?.(addr);
    assertEquals(listened, 0, "it was announced once");
    assertEquals(first!.calls, ["shutdown"], "idle connections are closed");
    assert(await deno.isPending(server.finished));
    assert(deno.log.lines[0]!.includes("ended by itself"), deno.log.lines[0]);
    assert(deno.log.lines[1]!.includes("again"), deno.log.lines[1]);
    await server.shutdown();
    await server.finished;
    assertEquals(second!.calls, ["shutdown"]);
    assertEquals(deno.servers.length, 2);
  });
}

Deno.test("the pauses of a server double up to 5 s, and shorten once a server has lasted", async () => {
  using deno = new FakeDeno();
  const server = new RestartingServer({ port: 4321 }, respond);
  const pauses = [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000];
  for (const pause of pauses) {
    await deno.fail();
    await deno.assertPause(pause);
  }
  await deno.timers.pass(5_001);
  await deno.fail();
  await deno.assertPause(100);
  await deno.fail();
  deno.refusals = 1;
  await deno.assertPause(200 + 400);
  assert(deno.log.lines.some((line) => line.includes("AddrInUse")));
  // A server that ended without an error can listen.
  for (let round = 0; round < 2; round++) {
    await deno.close();
    await deno.assertPause(100);
  }
  await server.shutdown();
});

/** Ways to end a server. */
const ENDS: readonly ((
  server: RestartingServer,
  stop: AbortController,
) => unknown)[] = [
  (server) => server.shutdown(),
  (server) => server[Symbol.asyncDispose](),
  ({ shutdown }) => shutdown(),
  (_, stop) => stop.abort(),
];

for (const isWaiting of [false, true]) {
  const when = isWaiting ? " while it waits to listen again" : "";
  Deno.test(`a server that the program ends${when} does not listen again`, async () => {
    for (const end of ENDS) {
      using deno = new FakeDeno();
      const stop = new AbortController();
      const { signal } = stop;
      const server = new RestartingServer({ port: 4321, signal }, respond);
      if (isWaiting) await deno.fail();
      await end(server, stop);
      await server.finished;
      await server.shutdown();
      stop.abort();
      await deno.timers.pass(10_000);
      assertEquals(deno.servers.length, 1);
      assertEquals(deno.log.lines.length, isWaiting ? 1 : 0);
    }
  });
}

Deno.test("shutdown() waits for the requests that run on former servers", async () => {
  using deno = new FakeDeno();
  const server = new RestartingServer({ port: 4321 }, respond);
  const running: PromiseWithResolvers<void>[] = [];
  for (let round = 0; round < 2; round++) {
    const requests = Promise.withResolvers<void>();
    const former = deno.servers.at(-1)!;
    former.shutdown = () => requests.promise;
    running.push(requests);
    await deno.close();
    await deno.assertPause(100);
  }
  const ended = Promise.race([server.shutdown(), server.finished]);
  assert(await deno.isPending(ended));
  running[1]!.resolve();
  assert(await deno.isPending(ended));
  // An error of a former server counts as its end.
  running[0]!.reject(new Error("Too many open files"));
  await server.shutdown();
  await server.finished;
});

Deno.test("unref() and ref() apply to later servers, and to the pauses", async () => {
  using deno = new FakeDeno();
  const server = new RestartingServer({ port: 4321 }, respond);
  server.unref();
  await deno.fail();
  assertEquals(deno.timers.running, { timers: 1, referenced: 0 });
  await deno.assertPause(100);
  assertEquals(deno.servers.at(-1)!.calls, ["unref"]);
  await deno.fail();
  server.ref();
  assertEquals(deno.timers.running, { timers: 1, referenced: 1 });
  await deno.assertPause(200);
  assertEquals(deno.servers.at(-1)!.calls, []);
  await server.shutdown();
});

Deno.test("a server listens again after an upgrade without its response ended it", async () => {
  using log = new CapturedLog();
  const handler = (request: Request): Response => {
    if (request.headers.has("upgrade")) Deno.upgradeWebSocket(request);
    return new Response("hello");
  };
  await using server = new RestartingServer(
    { hostname: "127.0.0.1", port: freePort(), onListen: () => {} },
    handler,
  );
  const { port } = server.addr;
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
  socket.onerror = () => {};
  await until(() => log.lines.some((line) => line.includes("again")));
  const response = await fetch(`http://127.0.0.1:${port}/`);
  assertEquals(await response.text(), "hello");
});

/** Starts a server whose process may open few files, with a request and two sockets. */
async function startLimited(command: "run" | "serve") {
  const flags = ["--allow-net", "--allow-read"]
    .concat(command === "serve" ? ["--port=0", "--host=127.0.0.1"] : []);
  const process = new ServingProcess(FOLDER, flags, "restarting_program.ts", {
    command,
    args: [command],
    descriptors: 80,
  });
  const { port } = await process.listen();
  const url = `http://127.0.0.1:${port}/api`;
  assertEquals(await (await fetch(url)).text(), "hello");
  const slow = fetch(`${url}/slow`)
    .then((response) => response.text(), () => "cut off");
  const live = await Promise.all([
    RawSocket.open(port, "/api/socket"),
    RawSocket.open(port, "/api/socket"),
  ]);
  await live[1].write(frame(OPCODE.text, "wait"));
  await process.printed("taken");
  return { process, url, slow, live };
}

/** Connects until a server reports that no file descriptor is left. */
async function exhaust(process: ServingProcess): Promise<DisposableStack> {
  const connections = new DisposableStack();
  await until(async () => {
    try {
      connections.use(await Deno.connect({ port: process.port }));
    } catch {
      // The server does not listen at the moment.
    }
    return process.output.includes("Too many open files");
  });
  return connections;
}

Deno.test(
  "without file descriptors, a server closes its sockets with 1012, and serves again when it has some",
  UNIX,
  async () => {
    const { process, url, slow, live } = await startLimited("run");
    await using _process = process;
    using connections = await exhaust(process);
    for (const socket of live) {
      assertEquals(await socket.spell(), "close 1012 The server restarts");
      await socket.write(frame(OPCODE.close, closePayload(1012)));
      assertEquals(await socket.spell(), "cut");
    }
    assert(!process.output.includes("handled"), "it waits for no handler");
    process.kill("SIGUSR2");
    await process.printed("handled");
    assertEquals(await slow, "slow");
    connections.dispose();
    await process.printed("again");
    await until(() => process.output.match(/closed 1012/g)?.length === 2);
    using next = await RawSocket.open(process.port, "/api/socket");
    await next.write(frame(OPCODE.ping, "there"));
    assertEquals(await next.spell(), "pong there");
    // A socket without a close frame would keep Deno alive for seconds.
    await next.write(frame(OPCODE.close));
    assertEquals(await next.spell(), "close");
    assertEquals(await (await fetch(url)).text(), "hello");
    assert(!process.output.includes("finished"));
    process.kill("SIGTERM");
    const { code, output } = await process.outcome();
    assertEquals(code, 0, output);
    assert(output.includes("finished"), output);
    await refusing(process.port);
  },
);

Deno.test(
  "without file descriptors, deno serve ends, to be started again",
  UNIX,
  async () => {
    const { process } = await startLimited("serve");
    await using _process = process;
    using _connections = await exhaust(process);
    const { code, output } = await process.outcome();
    assertEquals(code, 1, output);
  },
);
