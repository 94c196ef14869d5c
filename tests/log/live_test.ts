import { assertEquals, assertStringIncludes } from "@std/assert";
import type { FrameworkRequest } from "@bough/framework";
import { events } from "@bough/framework/live";
import { accessLog, type AccessLogEntry } from "@bough/framework/log";
import { ECHO, socketRoute } from "../live/support.ts";
import { TestApplication } from "../support/application.ts";
import { FakeClock } from "../support/fake_clock.ts";

/** An application that measures requests, and its log. */
function create() {
  const entries: AccessLogEntry[] = [];
  const next = Promise.withResolvers<void>();
  const application = TestApplication.of({
    "events/route.ts": {
      GET: (request) =>
        events(request as FrameworkRequest, async function* () {
          yield { data: 1 };
          await next.promise;
          yield { data: 2 };
        }),
    },
    "socket/route.ts": socketRoute(ECHO),
  }, {
    middleware: [accessLog({ write: (entry) => void entries.push(entry) })],
    serverTiming: true,
  });
  return { application, entries, next };
}

Deno.test("a stream of events is logged and timed when it begins, and sent at once", async () => {
  using clock = new FakeClock();
  const { application, entries, next } = create();
  await using server = await application.serve();
  const response = await fetch(server.url("/api/events"));
  assertEquals(
    entries.map(({ status, ms, route }) => [status, ms, route]),
    [[200, 0, "/api/events"]],
  );
  const timing = response.headers.get("server-timing")!;
  assertStringIncludes(timing, "total;dur=0.000");

  const reader = response.body!.pipeThrough(new TextDecoderStream())
    .getReader();
  assertEquals((await reader.read()).value, "data: 1\n\n");
  clock.tick(100);
  next.resolve();
  assertEquals((await reader.read()).value, "data: 2\n\n");
  assertEquals((await reader.read()).done, true);
  assertEquals(entries.length, 1, "one line for a request");
});

Deno.test("a socket is logged when it opens", async () => {
  using clock = new FakeClock();
  const { application, entries } = create();
  await using server = await application.serve();
  const socket = new WebSocket(server.url("/api/socket").replace("http", "ws"));
  await new Promise((resolve) => socket.onopen = resolve);
  assertEquals(
    entries.map(({ status, ms, route }) => [status, ms, route]),
    [[101, 0, "/api/socket"]],
  );
  clock.tick(100);
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
