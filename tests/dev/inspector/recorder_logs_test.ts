import { assert, assertEquals, assertMatch } from "@std/assert";
import { log } from "../../../src/core/common/log.ts";
import { forAgents } from "../../../src/dev/inspector/request_data.ts";
import { Recorder } from "../../../src/dev/inspector/recorder.ts";
import { CapturedLog } from "../../support/application.ts";
import { delay, until } from "../../support/until.ts";
import { RecordedServer } from "./recorded.ts";

function warn(message: string): void {
  log({ level: "warning", message });
}

Deno.test("a log of Bough belongs to the request that caused it", async () => {
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
  await Promise.all(["1", "2", "3"].map(async (id) => {
    await (await server.fetch(`/api/${id}`)).text();
  }));
  warn("outside");
  const { requests } = server.recorder.list();
  assertEquals(
    requests.map(({ url, logs }) =>
      [url, ...logs.map(({ level, text }) => `${level} ${text}`)].join(", ")
    ).sort(),
    ["1", "2", "3"].map((id) =>
      `/api/${id}, warning begin ${id}, warning ${id}`
    ),
  );
  for (const { logs: [begin, end] } of requests) {
    assert(begin!.time <= end!.time);
  }
  assertEquals(log.lines.length, 10);
});

Deno.test("an entry has each log once, with any number of servers", async () => {
  using _log = new CapturedLog();
  const recorder = new Recorder({ secrets: [] });
  const respond = () => {
    warn("once");
    return new Response("ok");
  };
  const [handle] = [recorder.record(respond), recorder.record(respond)];
  await handle(new Request("http://localhost/"));
  const [{ logs } = {}] = recorder.list().requests;
  assertEquals(logs?.map(({ text }) => text), ["once"]);
});

Deno.test("an entry has the log of its error, once", async () => {
  using log = new CapturedLog();
  await using server = await RecordedServer.of({
    GET() {
      throw new Error("Something is wrong");
    },
  });
  const { logs } = await server.entryOf("/api");
  assertEquals(logs.map(({ level }) => level), ["error"]);
  assertMatch(
    logs[0]!.text,
    /^GET \/api \(route.ts\) failed: Error: Something/,
  );
  assertEquals(log.lines, [`[bough] ${logs[0]!.text}`]);
});

Deno.test("work after the response still logs to its request", async () => {
  using _log = new CapturedLog();
  const go = Promise.withResolvers<void>();
  await using server = await RecordedServer.of({
    GET(request) {
      request.waitUntil(go.promise.then(() => warn("late hunter2")));
      return new Response("ok");
    },
  });
  const { version } = await server.entryOf("/api", {
    headers: { authorization: "hunter2" },
  });
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
      return new Response("ok");
    },
  });
  const { logs } = await server.entryOf("/api");
  assertEquals(logs.length, 200);
  assertMatch(logs[0]!.text, /^50 x{16000}$/);
  assertEquals(logs[1]!.text, "20003 characters");
});
