/** Which requests and logs a recorder keeps. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { log } from "../../../src/core/common/log.ts";
import { events } from "@bough/framework/live";
import { forAgents } from "../../../src/dev/inspector/request_data.ts";
import { Recorder } from "../../../src/dev/inspector/recorder.ts";
import { CapturedLog } from "../../support/application.ts";
import { delay, until } from "../../support/until.ts";
import { RecordedServer } from "./recorded.ts";

const ok = () => new Response("ok");

/** Whole numbers, in descending order. */
const downFrom = (last: number, length: number) =>
  Array.from({ length }, (_, index) => last - index);

function warn(message: string): void {
  log({ level: "warning", message });
}

Deno.test("a recorder keeps the last 200 requests, newest first, and those that have not ended", async () => {
  await using server = await RecordedServer.by({
    ok,
    ticks: (request) =>
      events(request, async function* () {
        yield { data: 1 };
        await new Promise((go) => request.signal.addEventListener("abort", go));
      }),
  });
  const { recorder } = server;
  const ids = () => recorder.list().requests.map(({ id }) => id);
  const response = await server.fetch("/api/ticks");
  for (let id = 2; id <= 251; id++) await server.entryOf(`/api/ok?${id}`);
  assertEquals(ids(), [...downFrom(251, 199), 1]);
  assertEquals(recorder.get(1)?.messageCount, 1);
  await response.body!.cancel();
  await until(() => recorder.get(1)?.state === "done");
  await server.entryOf("/api/ok");
  assertEquals(ids(), downFrom(252, 200));
  assertEquals(
    [1, 52, 53, 253].map((id) => recorder.get(id)?.url),
    [undefined, undefined, "/api/ok?53", undefined],
  );
  const { requests, version } = recorder.list();
  assertEquals(requests[0]!.version, version);
});

Deno.test("of requests that still run, the last 200 are kept", () => {
  const recorder = new Recorder({ secrets: [] });
  const handle = recorder.record(() => new Promise(() => {}));
  for (let n = 0; n < 450; n++) handle(new Request("http://localhost/"));
  const ids = recorder.list().requests.map(({ id }) => id);
  assertEquals(ids, downFrom(450, 200));
});

Deno.test("all requests take at most 32 MiB, also while they run", async () => {
  using _log = new CapturedLog();
  const go = Promise.withResolvers<void>();
  await using server = await RecordedServer.of({
    async GET() {
      // About 3 million characters, in 200 lines.
      for (let n = 0; n < 210; n++) warn("x".repeat(16_000));
      await go.promise;
      return ok();
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
    const handle = recorder.record(ok);
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

Deno.test("a log of Bough belongs to the request that caused it, once", async () => {
  using log = new CapturedLog();
  await using server = await RecordedServer.start({
    "[id]/route.ts": {
      async GET({ params: { id = "" } }) {
        warn(`begin ${id}`);
        await delay(id === "1" ? 30 : 5);
        await new Promise<void>((go) => queueMicrotask(() => go(warn(id))));
        console.warn("not of Bough");
        return new Response(id);
      },
    },
  });
  // Each server of the application has such a handler.
  server.recorder.record(ok);
  const ids = ["1", "2", "3"];
  await Promise.all(ids.map(async (id) => {
    await (await server.fetch(`/api/${id}`)).text();
  }));
  warn("outside");
  const { requests } = server.recorder.list();
  assertEquals(
    requests.map(({ url, logs }) =>
      [url, ...logs.map(({ level, text }) => `${level} ${text}`)].join(", ")
    ).sort(),
    ids.map((id) => `/api/${id}, warning begin ${id}, warning ${id}`),
  );
  for (const { logs: [begin, end] } of requests) {
    assert(begin!.time <= end!.time);
  }
  assertEquals(log.lines.length, 10);
});

Deno.test("work after the response still logs to its request", async () => {
  using _log = new CapturedLog();
  const go = Promise.withResolvers<void>();
  await using server = await RecordedServer.of({
    GET(request) {
      request.waitUntil(go.promise.then(() => warn("late hunter2")));
      return ok();
    },
  });
  const headers = { authorization: "hunter2" };
  const { version } = await server.entryOf("/api", { headers });
  go.resolve();
  await until(() => server.newest().logs.length > 0);
  const entry = server.newest();
  assertEquals([entry.logs[0]!.text, entry.state], ["late hunter2", "done"]);
  assert(entry.version > version);
  // The value of the secret is forgotten.
  assert(!JSON.stringify(forAgents(entry)).includes("hunter2"));
});

Deno.test("an entry keeps the last 200 logs, and the lengths of long ones", async () => {
  using _log = new CapturedLog();
  await using server = await RecordedServer.of({
    GET() {
      for (let n = 0; n < 250; n++) {
        warn(`${n} ${"x".repeat(n % 2 === 0 ? 16_000 : 20_000)}`);
      }
      return ok();
    },
  });
  const { logs } = await server.entryOf("/api");
  assertEquals(logs.length, 200);
  assertMatch(logs[0]!.text, /^50 x{16000}$/);
  assertEquals(logs[1]!.text, "20003 characters");
});
