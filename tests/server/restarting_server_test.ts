import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { RestartingServer } from "../../src/server/restarting_server.ts";
import { CapturedLog, TestFolder } from "../support/application.ts";
import { DenoProcess, freePort } from "../support/process.ts";
import {
  closePayload,
  frame,
  OPCODE,
  RawSocket,
} from "../support/raw_socket.ts";
import { until } from "../support/until.ts";

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
      // As that of Deno does.
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

/** Puts servers that a test rules over in the place of Deno's. */
class FakeDeno implements Disposable {
  /** Every server that was started, the last one last. */
  readonly servers: FakeServer[] = [];
  /** How often it cannot listen from now on. */
  refusals = 0;
  readonly log = new CapturedLog();
  readonly #serve = Deno.serve;
  #started = Promise.withResolvers<void>();

  constructor() {
    const serve = (options: Deno.ServeTcpOptions): FakeServer => {
      if (this.refusals-- > 0) throw new Deno.errors.AddrInUse("taken");
      const server = new FakeServer(options);
      this.servers.push(server);
      this.#started.resolve();
      return server;
    };
    Object.assign(Deno, { serve });
  }

  /** Waits for the next server. */
  async started(): Promise<FakeServer> {
    this.#started = Promise.withResolvers<void>();
    await this.#started.promise;
    return this.servers.at(-1)!;
  }

  [Symbol.dispose](): void {
    Object.assign(Deno, { serve: this.#serve });
    this.log[Symbol.dispose]();
  }
}

const respond = (): Response => new Response("hello");

/** Whether a promise is still waited for after some turns. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol();
  const turns = new Promise((go) => setTimeout(go, 5, pending));
  return await Promise.race([promise, turns]) === pending;
}

const FAILURES: Readonly<Record<string, (server: FakeServer) => void>> = {
  "rejects": ({ ending }) => ending.reject(new Error("Too many open files")),
  "is closed": ({ ending }) => ending.resolve(),
};

for (const [how, fail] of Object.entries(FAILURES)) {
  Deno.test(`a server that ${how} though nobody ended it listens again, on the same address`, async () => {
    using deno = new FakeDeno();
    let listened = 0;
    const server = new RestartingServer({
      hostname: "127.0.0.1",
      port: 0,
      onListen: () => listened++,
    }, respond);
    const first = deno.servers[0]!;
    const { addr } = server;
    fail(first);
    const second = await deno.started();
    assertEquals(server.addr, addr);
    assertEquals([second.options.hostname, second.options.port], [
      "127.0.0.1",
      addr.port,
    ]);
    second.options.onListen?.(addr);
    assertEquals(listened, 0, "it was announced once");
    assertEquals(first.calls, ["shutdown"], "idle connections are let go");
    assert(await isPending(server.finished));
    assert(deno.log.lines[0]!.includes("ended by itself"), deno.log.lines[0]);
    assert(deno.log.lines[1]!.includes("again"), deno.log.lines[1]);
    await server.shutdown();
    await server.finished;
    assertEquals(second.calls, ["shutdown"]);
    assertEquals(deno.servers.length, 2);
  });
}

Deno.test("a server listens again with pauses that double, and start anew only after a while", async () => {
  using deno = new FakeDeno();
  const server = new RestartingServer({ port: 4321 }, respond);
  const pauses = [];
  for (let round = 0; round < 3; round++) {
    const start = performance.now();
    deno.servers.at(-1)!.ending.reject(new Error("Too many open files"));
    if (round === 2) deno.refusals = 1;
    await deno.started();
    pauses.push(performance.now() - start);
  }
  const shortest = [100, 200, 400 + 800];
  for (const [round, pause] of pauses.entries()) {
    assert(pause >= shortest[round]! - 2, String(pauses));
  }
  assert(deno.log.lines.some((line) => line.includes("AddrInUse")));
  await server.shutdown();
});

Deno.test("a server that ended without an error listens again after the shortest pause", async () => {
  using deno = new FakeDeno();
  const server = new RestartingServer({ port: 4321 }, respond);
  for (let round = 0; round < 4; round++) {
    const start = performance.now();
    // As Deno's does after an upgrade whose response was not returned.
    deno.servers.at(-1)!.ending.resolve();
    await deno.started();
    const pause = performance.now() - start;
    assert(round < 3 || pause < 500, `the last round took ${pause} ms`);
  }
  await server.shutdown();
});

Deno.test("a server that is ended does not listen again", async () => {
  for (
    const end of [
      (server: RestartingServer) => server.shutdown(),
      (server: RestartingServer) => server[Symbol.asyncDispose](),
      ({ shutdown }: RestartingServer) => shutdown(),
      (_: RestartingServer, stop: AbortController) => stop.abort(),
    ]
  ) {
    using deno = new FakeDeno();
    const stop = new AbortController();
    const { signal } = stop;
    const server = new RestartingServer({ port: 4321, signal }, respond);
    await end(server, stop);
    await server.finished;
    // Whatever comes later.
    await server.shutdown();
    stop.abort();
    await new Promise((go) => setTimeout(go, 150));
    assertEquals(deno.servers.length, 1);
    assertEquals(deno.log.lines, []);
  }
});

Deno.test("shutdown() waits for what still runs on former servers", async () => {
  using deno = new FakeDeno();
  const server = new RestartingServer({ port: 4321 }, respond);
  const running: PromiseWithResolvers<void>[] = [];
  for (let round = 0; round < 2; round++) {
    const requests = Promise.withResolvers<void>();
    const former = deno.servers.at(-1)!;
    former.shutdown = () => requests.promise;
    former.ending.resolve();
    running.push(requests);
    await deno.started();
  }
  const ended = Promise.race([server.shutdown(), server.finished]);
  assert(await isPending(ended));
  running[1]!.resolve();
  assert(await isPending(ended));
  // Nobody waits for more than its end.
  running[0]!.reject(new Error("Too many open files"));
  await server.shutdown();
  await server.finished;
});

Deno.test("a server that waits to listen again can be ended", async () => {
  for (
    const end of [
      (server: RestartingServer) => server.shutdown(),
      (_: RestartingServer, stop: AbortController) => stop.abort(),
    ]
  ) {
    using deno = new FakeDeno();
    const stop = new AbortController();
    const { signal } = stop;
    const server = new RestartingServer({ port: 4321, signal }, respond);
    deno.servers[0]!.ending.reject(new Error("Too many open files"));
    await isPending(server.finished);
    await end(server, stop);
    await server.finished;
    await new Promise((go) => setTimeout(go, 150));
    assertEquals(deno.servers.length, 1);
  }
});

Deno.test("unref() and ref() hold for the servers to come, and for the pauses", async () => {
  using deno = new FakeDeno();
  const alive = setInterval(() => {}, 1_000);
  const server = new RestartingServer({ port: 4321 }, respond);
  server.unref();
  deno.servers[0]!.ending.reject(new Error("Too many open files"));
  const second = await deno.started();
  assertEquals(second.calls, ["unref"]);
  second.ending.reject(new Error("Too many open files"));
  await isPending(server.finished);
  server.ref();
  assertEquals((await deno.started()).calls, []);
  await server.shutdown();
  clearInterval(alive);
});

Deno.test("a server that cannot listen at the start throws", () => {
  using deno = new FakeDeno();
  deno.refusals = 1;
  assertThrows(
    () => new RestartingServer({ port: 4321 }, respond),
    Deno.errors.AddrInUse,
  );
});

Deno.test("a server that an upgrade without its response ended listens again", async () => {
  using log = new CapturedLog();
  const handler = (request: Request): Response => {
    if (request.headers.has("upgrade")) Deno.upgradeWebSocket(request);
    return new Response("hello");
  };
  await using server = new RestartingServer(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    handler,
  );
  const { port } = server.addr;
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
  socket.onerror = () => {};
  await until(() => log.lines.some((line) => line.includes("again")));
  const response = await fetch(`http://127.0.0.1:${port}/`);
  assertEquals(await response.text(), "hello");
});

const LIVE = new URL("../../src/live/mod.ts", import.meta.url).href;

const FILES = {
  "api/socket/route.js": `import { socket } from "${LIVE}";
    export const schema = { get: { socket: {} } };
    export const GET = (request) => socket(request, {
      message: async () => {
        console.log("taken");
        await new Promise((done) => setTimeout(done, 1_000));
        console.log("handled");
      },
      close: (code) => console.log("closed " + code),
    });`,
  "api/route.js": "export const GET = () => new Response('hello');",
  "api/slow/route.js": `export async function GET() {
    await new Promise((done) => setTimeout(done, 1_500));
    return new Response("slow");
  }`,
};

/** A server whose process may open few files, all of which a client takes. */
class Exhausted implements AsyncDisposable {
  readonly process: DenoProcess;
  readonly url: string;
  /** The response to a request that ran meanwhile. */
  readonly slow: Promise<string>;
  /** Sockets that were open meanwhile: one is idle, the handler of the other waits. */
  readonly live: readonly RawSocket[];
  readonly #sockets: Deno.Conn[];

  private constructor(
    process: DenoProcess,
    url: string,
    { slow, live, sockets }:
      & Pick<Exhausted, "slow" | "live">
      & { sockets: Deno.Conn[] },
  ) {
    this.process = process;
    this.url = url;
    this.slow = slow;
    this.live = live;
    this.#sockets = sockets;
  }

  static async create(
    folder: TestFolder,
    statements: string,
    command: "run" | "serve" = "run",
  ): Promise<Exhausted> {
    const port = freePort();
    await folder.write(
      "main.ts",
      `import { Framework } from "@bough/framework";
      const app = new Framework({ apiDir: "api" });
      ${statements.replace("PORT", String(port))}`,
    );
    const flags = ["--allow-net", "--allow-read"].concat(
      command === "serve" ? [`--port=${port}`, "--host=127.0.0.1"] : [],
    );
    const process = new DenoProcess(folder.path, flags, "main.ts", {
      command,
      descriptors: 80,
    });
    await process.printed("Listening");
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
    const sockets: Deno.Conn[] = [];
    const told = () => process.output.includes("Too many open files");
    for (let attempt = 0; attempt < 500 && !told(); attempt++) {
      try {
        sockets.push(await Deno.connect({ hostname: "127.0.0.1", port }));
      } catch {
        // It does not listen at the moment.
        await new Promise((go) => setTimeout(go, 10));
      }
    }
    return new Exhausted(process, url, { slow, live, sockets });
  }

  /** Lets the client close its sockets. */
  release(): void {
    for (const socket of this.#sockets.splice(0)) socket.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
    for (const socket of this.live) socket[Symbol.dispose]();
    await this.process[Symbol.asyncDispose]();
  }
}

const SERVE = `
  const server = await app.serve({ hostname: "127.0.0.1", port: PORT });
  server.finished.then(() => console.log("finished"));`;

const UNIX = { ignore: Deno.build.os === "windows" };

Deno.test(
  "a server that has no file descriptor left serves again when it has",
  UNIX,
  async () => {
    await using folder = await TestFolder.create(FILES);
    await using server = await Exhausted.create(folder, SERVE);
    const { process, url } = server;
    assertEquals(await server.slow, "slow", "a running request finishes");
    server.release();
    let text;
    await until(async () => {
      text = await fetch(url).then(
        (response) => response.text(),
        () => undefined,
      );
      return text !== undefined;
    });
    assertEquals(text, "hello");
    assert(!process.output.includes("finished"));
    process.kill("SIGTERM");
    const { code, output } = await process.outcome();
    assertEquals(code, 0, output);
    assert(output.includes("finished"), output);
    await assertRejects(() => fetch(url));
  },
);

Deno.test(
  "a server that has no file descriptor left closes its sockets with 1012",
  UNIX,
  async () => {
    await using folder = await TestFolder.create(FILES);
    await using server = await Exhausted.create(folder, SERVE);
    const { process, live } = server;
    for (const socket of live) {
      assertEquals(await socket.spell(), "close 1012 The server restarts");
      assert(!process.output.includes("handled"), "no handler holds it up");
      await socket.write(frame(OPCODE.close, closePayload(1012)));
      assertEquals(await socket.spell(), "cut");
    }
    await process.printed("handled");
    server.release();
    await process.printed("again");
    await until(() => process.output.match(/closed 1012/g)?.length === 2);
    using next = await RawSocket.open(
      Number(new URL(server.url).port),
      "/api/socket",
    );
    await next.write(frame(OPCODE.ping, "there"));
    assertEquals(await next.spell(), "pong there");
  },
);

Deno.test(
  "SIGTERM ends a server that has no file descriptor left",
  UNIX,
  async () => {
    await using folder = await TestFolder.create(FILES);
    await using server = await Exhausted.create(folder, SERVE);
    await server.slow;
    server.process.kill("SIGTERM");
    // Open connections on which nothing was asked do not count as running.
    const { code, output } = await server.process.outcome();
    assertEquals(code, 0, output);
    assert(output.includes("finished"), output);
  },
);

Deno.test(
  "deno serve without file descriptors ends, to be started again",
  UNIX,
  async () => {
    await using folder = await TestFolder.create(FILES);
    const alive = "setInterval(() => {}, 1_000);";
    await using server = await Exhausted.create(
      folder,
      `${alive} export default app;`,
      "serve",
    );
    const timer = setTimeout(() => server.process.kill("SIGKILL"), 10_000);
    const { code, output } = await server.process.outcome();
    clearTimeout(timer);
    assertEquals(code, 1, output);
  },
);
