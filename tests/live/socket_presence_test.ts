/** Handshakes that do not lead to a socket. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { CapturedLog, FolderApplication } from "../support/application.ts";
import { frame, handshake, OPCODE, RawSocket } from "../support/raw_socket.ts";
import { delay, until } from "./support.ts";

const LIVE = new URL("../../src/live/mod.ts", import.meta.url).href;

/** What happened on the way to the route, how often. */
interface Counts {
  entered: number;
  waited: number;
  reached: number;
}

/** A guard that takes its time, and tells how often its route was reached. */
const FILES = {
  "socket/middleware.js":
    `globalThis.presence = { entered: 0, waited: 0, reached: 0 };
    export default async (request, next) => {
      presence.entered++;
      await new Promise((resolve) => setTimeout(resolve, 100));
      presence.waited++;
      return await next();
    };`,
  "socket/route.js": `import { socket } from "${LIVE}";
    export const schema = { get: { socket: {} } };
    export const GET = (request) => {
      presence.reached++;
      return socket(request, {
        message: (data, socket) => void socket.send(data),
      });
    };`,
};

Deno.test("a client that leaves while a guard waits gets no socket, and holds up no shutdown", async () => {
  await using application = await FolderApplication.create(FILES);
  const server = await application.serve();
  const counts = () => (globalThis as { presence?: Counts }).presence;
  for (let count = 0; count < 5; count++) {
    const connection = await Deno.connect({ port: server.port });
    await connection.write(new TextEncoder().encode(handshake("/api/socket")));
    await until(() => counts()?.entered === count + 1);
    connection.close();
  }
  await until(() => counts()!.waited === 5);
  await delay(5);
  assertEquals(counts()!.reached, 0);
  await server[Symbol.asyncDispose]();
});

Deno.test("a client that waits for a slow guard gets its socket", async () => {
  await using application = await FolderApplication.create(FILES);
  await using server = await application.serve();
  using socket = await RawSocket.open(server.port, "/api/socket");
  await socket.write(frame(OPCODE.text, "a"));
  assertEquals(await socket.spell(), "text a");
});

Deno.test("a handler that does not return its socket ends no server", async () => {
  for (const other of ["new Response()", "Promise.resolve(new Response())"]) {
    using log = new CapturedLog();
    await using application = await FolderApplication.create({
      "route.js": `import { socket } from "${LIVE}";
        export const schema = { get: { socket: {} } };
        export const GET = (request) => {
          socket(request, {});
          return ${other};
        };`,
    });
    await using server = await application.serve();
    using socket = await RawSocket.open(server.port, "/api");
    assertEquals(await socket.spell(), "close 1011 The server failed");
    assertEquals(log.lines.length, 1);
    assertStringIncludes(log.lines[0]!, "return the response of socket()");
  }
});

Deno.test("a client that leaves before its request is passed on gets no socket", async () => {
  for (const isHandler of [true, false]) {
    using _log = new CapturedLog();
    const counts = { waited: 0, reached: 0 };
    Object.assign(globalThis, { passedOn: counts });
    await using inner = await FolderApplication.create({
      "socket/route.js": `import { socket } from "${LIVE}";
        export const schema = { get: { socket: {} } };
        export const GET = (request) => {
          passedOn.reached++;
          return socket(request, {});
        };`,
    });
    await inner.app.start();
    const pass = async (request: Request): Promise<Response> => {
      await delay(100);
      counts.waited++;
      return await inner.app.fetch(request);
    };
    await using outer = await FolderApplication.create(
      isHandler
        ? {
          "[...]/route.js":
            "export const GET = (request) => globalThis.passOn(request);",
        }
        : {},
      isHandler ? {} : { onNotFound: pass },
    );
    Object.assign(globalThis, { passOn: pass });
    const server = await outer.serve();
    const connection = await Deno.connect({ port: server.port });
    await connection.write(new TextEncoder().encode(handshake("/api/socket")));
    await delay(50);
    connection.close();
    await until(() => counts.waited === 1);
    await delay(5);
    assertEquals(counts.reached, 0, `isHandler: ${isHandler}`);
    await server[Symbol.asyncDispose]();
  }
});
