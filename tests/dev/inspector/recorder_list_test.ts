import { assert, assertEquals } from "@std/assert";
import { log } from "../../../src/core/common/log.ts";
import { events } from "@bough/framework/live";
import type { RequestEntry } from "../../../src/dev/inspector/entry.ts";
import { Recorder } from "../../../src/dev/inspector/recorder.ts";
import { CapturedLog, type TestModule } from "../../support/application.ts";
import { until } from "../../support/until.ts";
import { RecordedServer } from "./recorded.ts";

const FILES: Readonly<Record<string, TestModule>> = {
  "books/[id]/route.ts": {
    GET: ({ params }) => Response.json({ id: params.id }),
  },
  "ticks/route.ts": {
    GET: (request) =>
      events(request, async function* () {
        yield { data: 1 };
        await new Promise((resolve) =>
          request.signal.addEventListener("abort", resolve)
        );
      }),
  },
};

function urls(requests: readonly RequestEntry[]): string[] {
  return requests.map(({ url }) => url);
}

Deno.test("a recorder keeps the last 200 requests, newest first", async () => {
  await using server = await RecordedServer.start(FILES);
  for (let id = 1; id <= 250; id++) await server.entryOf(`/api/books/${id}`);
  const { requests, version } = server.recorder.list();
  assertEquals(requests.length, 200);
  assertEquals(
    urls(requests),
    Array.from({ length: 200 }, (_, index) => `/api/books/${250 - index}`),
  );
  assertEquals(requests[0]!.version, version);
  assertEquals(server.recorder.get(50), undefined);
  assertEquals(server.recorder.get(51)?.url, "/api/books/51");
  assertEquals(server.recorder.get(251), undefined);
});

Deno.test("a list has only the entries that changed after a version", async () => {
  await using server = await RecordedServer.start(FILES);
  await server.entryOf("/api/books/1");
  const { version } = server.recorder.list();
  assertEquals(server.recorder.list(version).requests, []);
  await server.entryOf("/api/books/2");
  const later = server.recorder.list(version);
  assertEquals(urls(later.requests), ["/api/books/2"]);
  assertEquals(later.version, later.requests[0]!.version);
});

Deno.test("a request that has not ended outlives those that have", async () => {
  await using server = await RecordedServer.start(FILES);
  const response = await server.fetch("/api/ticks");
  for (let id = 1; id <= 250; id++) await server.entryOf(`/api/books/${id}`);
  const { requests } = server.recorder.list();
  assertEquals([requests.length, requests.at(-1)?.id], [200, 1]);
  assertEquals(server.recorder.get(1)?.messageCount, 1);
  await response.body!.cancel();
  await until(() => server.recorder.get(1)?.state === "done");
  await server.entryOf("/api/books/1");
  assertEquals(server.recorder.get(1), undefined);
});

Deno.test("of requests that still run, the last 200 are kept", () => {
  const recorder = new Recorder({ secrets: [] });
  const handle = recorder.record(() => new Promise(() => {}));
  for (let n = 0; n < 450; n++) handle(new Request("http://localhost/"));
  const ids = recorder.list().requests.map(({ id }) => id);
  assertEquals(ids, Array.from({ length: 200 }, (_, index) => 450 - index));
});

Deno.test("all requests take at most 32 MiB, also while they run", async () => {
  using _log = new CapturedLog();
  const go = Promise.withResolvers<void>();
  await using server = await RecordedServer.of({
    async GET() {
      // About 3 million characters, in 200 lines.
      const message = "x".repeat(16_000);
      for (let n = 0; n < 210; n++) log({ level: "warning", message });
      await go.promise;
      return new Response("ok");
    },
  });
  // Lets the server end even if the test fails.
  using _end = { [Symbol.dispose]: go.resolve };
  const responses = Array.from({ length: 15 }, () => server.fetch("/api"));
  const ids = () => server.recorder.list().requests.map(({ id }) => id);
  await until(() => ids()[0] === 15);
  assertEquals(ids(), [15, 14, 13, 12, 11]);
  go.resolve();
  for (const response of responses) await (await response).text();
  const { requests } = server.recorder.list();
  assertEquals(requests.map(({ logs }) => logs.length), Array(5).fill(200));
  const size = requests.flatMap(({ logs }) => logs)
    .reduce((sum, { text }) => sum + text.length, 0);
  assert(size <= 16 * 1024 * 1024);
});

Deno.test("a request keeps its secrets for at most a second", async () => {
  const recorder = new Recorder({ secrets: [] });
  let isRead = false;
  const request = new Request("http://localhost/");
  Object.defineProperty(request, "params", {
    get: () => (isRead = true, {}),
  });
  await recorder.record(() => new Response("ok"))(request);
  await until(() => isRead);
});

Deno.test("a recorder does not keep the program running", async () => {
  const { setTimeout: set, Deno: { unrefTimer: unref } } = globalThis;
  let [timers, unreferenced] = [0, 0];
  globalThis.setTimeout = ((...args: Parameters<typeof set>) => {
    timers++;
    return set(...args);
  }) as typeof set;
  Deno.unrefTimer = (id) => {
    unreferenced++;
    unref(id);
  };
  try {
    const recorder = new Recorder({ secrets: [] });
    const handle = recorder.record(() => new Response("ok"));
    await handle(new Request("http://localhost/"));
    assertEquals(recorder.list().requests.length, 1);
    assertEquals([timers, unreferenced], [1, 1]);
    await handle(new Request("http://localhost/"));
    await new Promise((go) => set(go, 600));
    assertEquals([timers, unreferenced], [2, 2]);
  } finally {
    globalThis.setTimeout = set;
    Deno.unrefTimer = unref;
  }
});
