/** Streams and sockets that middleware, a handler or another application opens. */
import { assertEquals } from "@std/assert";
import type { FrameworkRequest } from "@bough/framework";
import type { CommonOptions } from "@bough/framework/types";
import { events, socket } from "@bough/framework/live";
import { CapturedLog, TestApplication } from "../support/application.ts";
import {
  closePayload,
  frame,
  OPCODE,
  RawSocket,
} from "../support/raw_socket.ts";

/** A stream of one event that lasts until it is ended. */
function stream(request: Request): Response {
  return events(request as FrameworkRequest, async function* ({ signal }) {
    yield { data: 1 };
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
}

const open = (request: Request) => socket(request as FrameworkRequest, {});

type Options = CommonOptions & {
  readonly GET?: (request: Request) => Response | Promise<Response>;
};

/** An application with some options, and a handler at `/route`. */
function applicationOf(
  { GET = () => new Response(), ...options }: Options,
): TestApplication {
  const files = { "route/route.ts": { GET } };
  return TestApplication.of(files, { apiPrefix: "", ...options });
}

Deno.test("a stream ends with its server, wherever it was opened (behaviour 11.4)", async () => {
  const { app: inner } = applicationOf({ GET: stream });
  for (
    const [path, options] of [
      ["/route", { GET: stream }],
      ["/route", { GET: (request) => inner.fetch(request) }],
      ["/route", {
        GET: (request) => inner.fetch(request),
        middleware: [(_, next) => next()],
      }],
      ["/route", { middleware: [stream] }],
      ["/nowhere", { middleware: [stream] }],
      ["/nowhere", { onNotFound: stream }],
    ] satisfies [string, Options][]
  ) {
    const server = await applicationOf(options).serve();
    const { body } = await fetch(server.url(path));
    const reader = body!.getReader();
    await reader.read();
    const reading = reader.read();
    await server[Symbol.asyncDispose]();
    assertEquals((await reading).done, true);
  }
});

Deno.test("an error of a stream that onNotFound opens is logged with its place", async () => {
  using log = new CapturedLog();
  const application = applicationOf({
    onNotFound: (request) =>
      events(request as FrameworkRequest, async function* () {
        yield { data: 1 };
        throw new Error("mine");
      }),
  });
  const response = await application.fetch("/nowhere");
  await response.text();
  assertEquals(
    log.lines[0]!.split("\n")[0],
    "[bough] GET no route (onNotFound): the stream of events failed: Error: mine",
  );
});

Deno.test("a server closes the sockets that other applications or middleware opened (behaviour 11.4)", async () => {
  const { app: inner } = applicationOf({ GET: open });
  for (
    const options of [
      { GET: (request) => inner.fetch(request) },
      { middleware: [open] },
    ] satisfies Options[]
  ) {
    const server = await applicationOf(options).serve();
    using client = await RawSocket.open(server.port, "/route");
    const over = server[Symbol.asyncDispose]();
    assertEquals(await client.spell(), "close 1001 The server is stopping");
    await client.write(frame(OPCODE.close, closePayload(1001)));
    await over;
  }
});
