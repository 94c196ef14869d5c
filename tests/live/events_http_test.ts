import { assert, assertEquals } from "@std/assert";
import type { FrameworkRequest } from "@bough/framework";
import { endOn, events, type EventsContext } from "@bough/framework/live";
import { CapturedLog, TestApplication } from "../support/application.ts";
import { FakeTimers } from "../support/fake_timers.ts";
import { delay, until, within } from "../support/until.ts";
import { LongTimers } from "./support.ts";
import { HandClient, readEvents } from "./events_support.ts";

type Generate = (
  context: EventsContext,
) => AsyncGenerator<{ data: unknown; id?: number; comment?: string }>;

/** An application with streams, and notes of what they do. */
function streams() {
  /** The number of events that were made, and the reason why each stream ended. */
  const seen = { made: 0, ended: [] as string[] };
  /** A request that runs until it is freed. */
  const late = {
    begun: Promise.withResolvers<void>(),
    free: Promise.withResolvers<void>(),
  };
  const session = new AbortController();
  const stream = (request: Request, generate: Generate) =>
    events(request as FrameworkRequest, async function* (context) {
      try {
        yield* generate(context);
      } finally {
        seen.ended.push(context.signal.reason?.message ?? "done");
      }
    });
  const ticks: Generate = async function* () {
    for (let id = 1;; id++) {
      yield { id, data: id };
      await delay(20);
    }
  };
  const application = TestApplication.of({
    "waiting/route.ts": {
      GET: (request) =>
        stream(request, async function* ({ signal }) {
          signal.addEventListener("abort", () => seen.ended.push("aborted"));
          yield await new Promise(() => {});
        }),
    },
    "ticks/route.ts": { GET: (request) => stream(request, ticks) },
    "endless/route.ts": {
      GET: (request) =>
        stream(request, async function* () {
          for (;;) yield { data: ++seen.made, comment: "x".repeat(1000) };
        }),
    },
    "late/route.ts": {
      GET: async (request) => {
        late.begun.resolve();
        await late.free.promise;
        return stream(request, ticks);
      },
    },
    "counted/route.ts": {
      GET: (request) =>
        events(request as FrameworkRequest, async function* (context) {
          const first = Number(context.lastEventId ?? 0) + 1;
          for (let id = first; id < first + 3; id++) {
            const data = { text: "a\nb", id };
            yield { event: "a name: of its own", id, data };
          }
          yield { data: "over" };
        }, { retry: 20 }),
    },
    "(guarded)/middleware.ts": {
      default: (request, next) => {
        endOn(request, new Date(Number(request.headers.get("x-expires"))));
        endOn(request, session.signal);
        return next();
      },
    },
    "(guarded)/account/route.ts": {
      GET: (request) =>
        stream(request, async function* ({ signal }) {
          for (const data of [1, 2, 3]) yield { data };
          await new Promise((resolve) => signal.onabort = resolve);
        }),
    },
    "(guarded)/plain/route.ts": { GET: () => new Response("plain") },
  });
  return { application, seen, late, session };
}

Deno.test("a client that disconnects aborts the signal, and the generator returns (behaviour 11.4)", async () => {
  using log = new CapturedLog();
  const { application, seen } = streams();
  await using server = await application.serve();
  const ended: string[] = [];
  for (const path of ["waiting", "ticks", "endless"]) {
    using client = await HandClient.get(server.port, `/api/${path}`);
    // The head comes before there is an event.
    assert((await client.read())!.startsWith("HTTP/1.1 200 OK"));
    if (path !== "waiting") await client.read();
    client[Symbol.dispose]();
    await until(() => seen.ended.length === 1);
    ended.push(...seen.ended.splice(0));
  }
  const controller = new AbortController();
  const { body } = await fetch(server.url("/api/waiting"), controller);
  const reading = body!.getReader().read().catch(() => {});
  controller.abort();
  await reading;
  await until(() => seen.ended.length === 1);
  const gone = "The client disconnected";
  assertEquals([...ended, ...seen.ended], ["aborted", gone, gone, "aborted"]);
  assertEquals(log.lines, []);
});

Deno.test("a client of HTTP/2 that resets a stream aborts its signal alone (behaviour 11.4)", async () => {
  const { application, seen } = streams();
  await using server = await application.serve();
  using client = Deno.createHttpClient({ http1: false });
  const get = (path: string) => fetch(server.url(path), { client });
  const waiting = await get("/api/waiting");
  const ticks = (await get("/api/ticks")).body!.getReader();
  await ticks.read();
  await waiting.body!.cancel();
  await until(() => seen.ended.length === 1);
  assertEquals(seen.ended, ["aborted"]);
  const { done } = await ticks.read();
  assertEquals(done, false);
  await ticks.cancel();
  await until(() => seen.ended.length === 2);
  assertEquals(seen.ended[1], "The client disconnected");
});

Deno.test("a reader that pauses delays only its own stream, and loses no event (behaviour 11.2)", async () => {
  const { application, seen } = streams();
  await using server = await application.serve();
  using client = await HandClient.get(server.port, "/api/endless");
  await client.readUntil("data: 1\n");
  let made = 0;
  // The generator stops when the buffers of the kernel are full, after some megabytes.
  while (made !== seen.made) {
    made = seen.made;
    await delay(50);
  }
  assert(made < 20_000, `${made} events were made ahead`);
  const other = await fetch(server.url("/api/ticks"));
  for await (const { data } of readEvents(other.body!)) {
    if (data === 5) break;
  }
  const read = await client.readUntil(`data: ${made + 10}\n`);
  const numbers = [...read.matchAll(/^data: (\d+)$/gm)].map(([, id]) => +id!);
  assert(numbers.length > made - 100);
  assertEquals(numbers, numbers.map((_, index) => numbers[0]! + index));
});

Deno.test("events are sent at once, without compression (behaviour 11.2)", async () => {
  await using server = await streams().application.serve();
  const response = await fetch(server.url("/api/ticks"), {
    headers: { "accept-encoding": "gzip, br" },
  });
  assertEquals(response.headers.get("content-encoding"), null);
  const first = await readEvents(response.body!).next();
  assertEquals(first.value, { event: "message", data: 1, id: "1" });
});

Deno.test("an EventSource reads the events, and resumes by itself (behaviour 11.2)", async () => {
  await using server = await streams().application.serve();
  const source = new EventSource(server.url("/api/counted"));
  const read: unknown[] = [];
  source.addEventListener("a name: of its own", (event) => {
    read.push((event as MessageEvent).lastEventId);
    read.push(JSON.parse((event as MessageEvent).data));
  });
  source.addEventListener("message", ({ data }) => read.push(JSON.parse(data)));
  await until(() => read.length >= 14);
  source.close();
  const expected = [1, 2, 3].flatMap((id) => [`${id}`, { text: "a\nb", id }])
    .concat("over")
    .concat([4, 5, 6].flatMap((id) => [`${id}`, { text: "a\nb", id }]))
    .concat("over");
  assertEquals(read.slice(0, 14), expected);
});

Deno.test("streams end when listening stops, and the server does not wait (behaviour 11.4)", async () => {
  for (const way of ["shutdown", "signal"]) {
    using log = new CapturedLog();
    const { application, seen } = streams();
    const controller = new AbortController();
    const { server, port } = await application.serve(
      way === "signal" ? { signal: controller.signal } : {},
    );
    using waiting = await HandClient.get(port, "/api/waiting");
    await waiting.read();
    using ticking = await HandClient.get(port, "/api/ticks");
    await ticking.readUntil("data: 3\n");
    using timers = new LongTimers();
    if (way === "signal") controller.abort();
    else await within(server.shutdown());
    await within(server.finished);
    assertEquals(timers.fired, []);
    await until(() => seen.ended.length === 2);
    assertEquals(seen.ended.toSorted(), [
      "The server stopped listening",
      "aborted",
    ]);
    if (way === "shutdown") {
      // The end of a chunked body: the client knows that nothing was cut off.
      assert((await ticking.readUntil("0\r\n\r\n")).length > 0);
    }
    assertEquals(log.lines, []);
  }
});

Deno.test("a stream that a request opens during shutdown ends at once (behaviour 11.4)", async () => {
  const { application, late } = streams();
  const server = await application.serve();
  const reading = fetch(server.url("/api/late"));
  await late.begun.promise;
  using timers = new LongTimers();
  const shutdown = server.server.shutdown();
  late.free.resolve();
  const response = await reading;
  assertEquals(response.status, 200);
  assertEquals(await response.text(), "");
  await within(shutdown);
  assertEquals(timers.fired, []);
});

Deno.test("a stream ends when the token of its client expires (behaviour 11.4)", async () => {
  const { application, seen, session } = streams();
  await using server = await application.serve();
  using timers = new FakeTimers();
  const get = async (expires: number) => {
    const headers = { "x-expires": String(expires) };
    const { body } = await fetch(server.url("/api/account"), { headers });
    return readEvents(body!);
  };
  const read = async (events: ReturnType<typeof readEvents>) => {
    for (const data of [1, 2, 3]) {
      assertEquals((await events.next()).value?.data, data);
    }
  };
  const expiring = await get(300);
  await read(expiring);
  timers.tick(299);
  await timers.turn();
  assertEquals(seen.ended, []);
  timers.tick(1);
  assertEquals((await expiring.next()).done, true);
  assertEquals(seen.ended, ["The time passed to endOn() was reached"]);

  // The next token has expired already, and the last one is withdrawn.
  assertEquals((await (await get(-1000)).next()).done, true);
  const withdrawn = await get(1e12);
  await read(withdrawn);
  session.abort(new Error("signed out"));
  assertEquals((await withdrawn.next()).done, true);
  assertEquals(seen.ended[1], "signed out");
});

Deno.test("endOn() changes nothing for other responses (behaviour 11.4)", async () => {
  const response = await streams().application.fetch("/api/plain", {
    headers: { "x-expires": "-1" },
  });
  assertEquals(await response.text(), "plain");
});
