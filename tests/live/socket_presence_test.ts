/** Handshakes that do not lead to a socket. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { FrameworkRequest, Middleware } from "@bough/framework";
import { socket } from "@bough/framework/live";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../support/application.ts";
import { frame, handshake, OPCODE, RawSocket } from "../support/raw_socket.ts";
import { delay, ECHO, socketRoute, until } from "./support.ts";

/** A wait on the way to a socket, and counts of what ran. */
class Gate {
  entered = 0;
  passed = 0;
  reached = 0;
  readonly #opened = Promise.withResolvers<void>();

  /** The route behind it. */
  readonly route = socketRoute(() => {
    this.reached++;
    return ECHO;
  }, {});

  open(): void {
    this.#opened.resolve();
  }

  async pass(): Promise<void> {
    this.entered++;
    await this.#opened.promise;
    this.passed++;
  }
}

const OTHER: TestModule = { GET: () => new Response() };

/** An application in which a guard, a handler or `onNotFound` waits at the gate. */
async function waiting(gate: Gate, way: string): Promise<TestApplication> {
  const files = { "other/route.ts": OTHER };
  const inner = { "socket/route.ts": gate.route };
  if (way === "a guard waits") {
    const pass: Middleware = async (_request, next) => {
      await gate.pass();
      return await next();
    };
    const guard = { "socket/middleware.ts": { default: pass } };
    return TestApplication.of({ ...files, ...guard, ...inner });
  }
  const { app } = TestApplication.of(inner);
  await app.start();
  const GET = async (request: Request): Promise<Response> => {
    await gate.pass();
    return await app.fetch(request);
  };
  return way === "a handler passes its request on"
    ? TestApplication.of({ ...files, "[...]/route.ts": { GET } })
    : TestApplication.of(files, { onNotFound: GET });
}

for (
  const way of [
    "a guard waits",
    "a handler passes its request on",
    "onNotFound passes its request on",
  ]
) {
  Deno.test(`clients that disconnect while ${way} get no socket, and shutdown does not wait`, async () => {
    using _log = new CapturedLog();
    const clients = 3;
    const gate = new Gate();
    const server = await (await waiting(gate, way)).serve();
    for (let count = 1; count <= clients; count++) {
      using connection = await Deno.connect({ port: server.port });
      const request = new TextEncoder().encode(handshake("/api/socket"));
      await connection.write(request);
      await until(() => gate.entered === count);
    }
    // When the server responds to a later request, it has seen these connections end.
    const { status } = await fetch(server.url("/api/other"));
    assertEquals(status, 200);
    gate.open();
    await until(() => gate.passed === clients);
    await delay(5);
    assertEquals(gate.reached, 0);
    // After a failure, the server would never shut down.
    await server[Symbol.asyncDispose]();
  });
}

Deno.test("a client that waits for a slow guard gets its socket", async () => {
  const gate = new Gate();
  await using server = await (await waiting(gate, "a guard waits")).serve();
  const opening = RawSocket.open(server.port, "/api/socket");
  await until(() => gate.entered === 1);
  gate.open();
  using socket = await opening;
  await socket.write(frame(OPCODE.text, "a"));
  assertEquals(await socket.spell(), "text a");
});

Deno.test("the server survives a handler that does not return its socket", async () => {
  for (const isAsync of [false, true]) {
    using log = new CapturedLog();
    const module: TestModule = {
      schema: { get: { socket: {} } },
      GET: (request) => {
        socket(request as FrameworkRequest, {});
        return isAsync ? Promise.resolve(new Response()) : new Response();
      },
    };
    await using server = await TestApplication.of({ "route.ts": module })
      .serve();
    using client = await RawSocket.open(server.port, "/api");
    assertEquals(await client.spell(), "close 1011 The server failed");
    assertEquals(log.lines.length, 1);
    assertStringIncludes(log.lines[0]!, "return the response of socket()");
  }
});
