/** Streams and sockets that no route of the served application opens (behaviour 11.4). */
import { assertEquals } from "@std/assert";
import { Framework, type FrameworkRequest } from "@bough/framework";
import type { CommonOptions } from "@bough/framework/types";
import { events, socket } from "@bough/framework/live";
import { CapturedLog, TestFolder } from "../support/application.ts";
import {
  closePayload,
  frame,
  OPCODE,
  RawSocket,
} from "../support/raw_socket.ts";

/** A stream of one event that goes on until it ends. */
function stream(request: Request): Response {
  return events(request as FrameworkRequest, async function* ({ signal }) {
    yield { data: 1 };
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
}

/** An application with some options, and a handler at `/route`. */
async function applicationOf(
  folder: TestFolder,
  { GET = () => new Response(), ...options }: CommonOptions & {
    readonly GET?: (request: FrameworkRequest) => Response | Promise<Response>;
  },
): Promise<Framework> {
  const app = new Framework({
    apiDir: folder.path,
    apiPrefix: "",
    plugins: [{
      name: "test",
      routes: () => [{ path: "/route", handlers: { GET } }],
    }],
    ...options,
  });
  await app.routes();
  return app;
}

const FILES = { "route.js": "export const GET = () => new Response();" };

Deno.test("a stream ends with its server, whoever opens it", async () => {
  await using folder = await TestFolder.create(FILES);
  const inner = await applicationOf(folder, { GET: stream });
  for (
    const [path, options] of [
      ["/route", { GET: stream }],
      ["/route", { GET: (request) => inner.fetch(request) }],
      ["/route", {
        GET: (request) => inner.fetch(request),
        middleware: [(_, next) => next()],
      }],
      ["/route", { middleware: [(request) => stream(request)] }],
      ["/nowhere", { middleware: [(request) => stream(request)] }],
      ["/nowhere", { onNotFound: stream }],
    ] satisfies [string, Parameters<typeof applicationOf>[1]][]
  ) {
    const app = await applicationOf(folder, options);
    const server = await app.serve({ port: 0, onListen() {} });
    const { body } = await fetch(`http://localhost:${server.addr.port}${path}`);
    const reader = body!.getReader();
    await reader.read();
    const reading = reader.read();
    await server.shutdown();
    assertEquals((await reading).done, true);
  }
});

Deno.test("an error of a stream that no route opens is logged with its place", async () => {
  using log = new CapturedLog();
  await using folder = await TestFolder.create(FILES);
  const app = await applicationOf(folder, {
    onNotFound: (request) =>
      events(request as FrameworkRequest, async function* () {
        yield { data: 1 };
        throw new Error("mine");
      }),
  });
  const response = await app.fetch(new Request("http://localhost/nowhere"));
  await response.text();
  assertEquals(
    log.lines[0]!.split("\n")[0],
    "[bough] GET no route (onNotFound): the stream of events failed: Error: mine",
  );
});

Deno.test("a socket takes leave of the server that it came from", async () => {
  await using folder = await TestFolder.create(FILES);
  const open = (request: Request) => socket(request as FrameworkRequest, {});
  const inner = await applicationOf(folder, { GET: open });
  for (
    const options of [
      { GET: (request) => inner.fetch(request) },
      { middleware: [open] },
    ] satisfies Parameters<typeof applicationOf>[1][]
  ) {
    const app = await applicationOf(folder, options);
    const server = await app.serve({ port: 0, onListen() {} });
    using client = await RawSocket.open(server.addr.port, "/route");
    const over = server.shutdown();
    assertEquals(await client.spell(), "close 1001 The server is stopping");
    await client.write(frame(OPCODE.close, closePayload(1001)));
    await over;
  }
});
