import { assert, assertEquals } from "@std/assert";
import { accessLog, type AccessLogEntry } from "@bough/framework/log";
import { FolderApplication } from "../support/application.ts";

const FILES = {
  "events/route.ts": `
    import { events } from "@bough/framework/live";
    export function GET(request) {
      return events(request, async function* () {
        for (let id = 1; id <= 3; id++) {
          yield { id, data: id };
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      });
    }`,
  "socket/route.ts": `
    import { socket } from "@bough/framework/live";
    export function GET(request) {
      return socket(request, {
        message: (message, socket) => socket.send(message),
      });
    }`,
};

/** An application with all that measures requests, and what it logged. */
async function create(): Promise<
  { application: FolderApplication; entries: AccessLogEntry[] }
> {
  const entries: AccessLogEntry[] = [];
  const application = await FolderApplication.create(FILES, {
    middleware: [accessLog({ write: (entry) => void entries.push(entry) })],
    serverTiming: true,
  });
  return { application, entries };
}

Deno.test("a stream of events is logged and timed when it begins, and not held back", async () => {
  const { application, entries } = await create();
  await using _ = application;
  await using server = await application.serve();
  const response = await fetch(server.url("/api/events"));
  assertEquals(entries.length, 1, "before the stream ends");
  const [{ status, ms, route }] = entries as [AccessLogEntry];
  assertEquals([status, route], [200, "/api/events"]);
  assert(ms < 100, `${ms} ms`);
  const [, total] = /total;dur=([\d.]+)/.exec(
    response.headers.get("server-timing")!,
  )!;
  assert(Number(total) < 100, `${total} ms`);

  const arrivals: number[] = [];
  for await (const _ of response.body!) arrivals.push(performance.now());
  assertEquals(arrivals.length, 3);
  assert(arrivals.at(-1)! - arrivals[0]! > 100, "each event came by itself");
  assertEquals(entries.length, 1, "one line for a request");
});

Deno.test("a socket is logged when it opens", async () => {
  const { application, entries } = await create();
  await using _ = application;
  await using server = await application.serve();
  const socket = new WebSocket(server.url("/api/socket").replace("http", "ws"));
  await new Promise((resolve) => socket.onopen = resolve);
  assertEquals(
    entries.map(({ status, route }) => [status, route]),
    [[101, "/api/socket"]],
  );
  assert(entries[0]!.ms < 500);
  const echoed = new Promise<MessageEvent>((resolve) =>
    socket.onmessage = resolve
  );
  socket.send("hello");
  assertEquals((await echoed).data, "hello");
  const closed = new Promise((resolve) => socket.onclose = resolve);
  socket.close();
  await closed;
  assertEquals(entries.length, 1);
});
