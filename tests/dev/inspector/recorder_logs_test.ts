/** Alone: it replaces `console`, which the other tests of a process use. */
import { assertEquals, assertMatch } from "@std/assert";
import { delay, until } from "../../support/until.ts";
import { RecordedServer } from "./recorded.ts";

/** The lines that `console` prints. */
const printed: string[] = [];
for (const method of ["log", "warn", "error"] as const) {
  console[method] = (...values: unknown[]) => {
    printed.push(values.join(" "));
  };
}

Deno.test("a log belongs to the request that caused it", async () => {
  await using server = await RecordedServer.start({
    "[id]/route.ts": {
      async GET({ params: { id } }) {
        console.log("begin %s", id, { id });
        await delay(id === "1" ? 30 : 5);
        await new Promise((go) => queueMicrotask(() => go(console.warn(id))));
        return new Response(id);
      },
    },
  });
  const before = printed.length;
  await Promise.all(["1", "2", "3"].map(async (id) => {
    await (await server.fetch(`/api/${id}`)).text();
  }));
  const { requests } = server.recorder.list();
  assertEquals(
    requests.map(({ url, logs }) =>
      [url, ...logs.map(({ level, text }) => `${level} ${text}`)].join(", ")
    ).sort(),
    ["1", "2", "3"].map((id) =>
      `/api/${id}, log begin ${id} { id: '${id}' }, warn ${id}`
    ),
  );
  for (const { logs: [begin, end] } of requests) {
    assertEquals(begin!.time <= end!.time, true);
  }
  assertEquals(printed.length - before, 6);
});

Deno.test("a log without a value is a log", async () => {
  await using server = await RecordedServer.of({
    GET() {
      console.log(undefined);
      console.log();
      return new Response("ok");
    },
  });
  const { logs } = await server.entryOf("/api");
  assertEquals(logs.map(({ text }) => text), ["undefined", ""]);
});

Deno.test("work after the response still logs to its request", async () => {
  const go = Promise.withResolvers<void>();
  await using server = await RecordedServer.of({
    GET(request) {
      request.waitUntil(
        go.promise.then(() => console.log("sent by", request.method)),
      );
      return new Response("ok");
    },
  });
  const { version } = await server.entryOf("/api");
  go.resolve();
  await until(() => server.newest().logs.length > 0);
  const { logs, state, version: later } = server.newest();
  assertEquals([logs[0]!.text, state], ["sent by GET", "done"]);
  assertEquals(later > version, true);
});

Deno.test("a log of Bough appears once", async () => {
  await using server = await RecordedServer.of({
    GET() {
      throw new Error("Something is wrong");
    },
  });
  const before = printed.length;
  const { logs } = await server.entryOf("/api");
  assertEquals(logs.map(({ level }) => level), ["error"]);
  assertMatch(
    logs[0]!.text,
    /^GET \/api \(route.ts\) failed: Error: Something/,
  );
  assertEquals(printed.length - before, 1);
  assertEquals(printed.at(-1), `[bough] ${logs[0]!.text}`);
});

Deno.test("console prints a value that cannot be inspected as before", async () => {
  await using server = await RecordedServer.of({
    GET() {
      const value = {
        [Symbol.for("nodejs.util.inspect.custom")]() {
          console.log("inside");
          throw new Error("not to be inspected");
        },
        toString: () => "a value",
      };
      console.log(value);
      return new Response("ok");
    },
  });
  const before = printed.length;
  const { status, logs } = await server.entryOf("/api");
  assertEquals([status, logs], [200, []]);
  assertEquals(printed.slice(before), ["inside", "a value"]);
});

Deno.test("an entry keeps the last 200 logs, and the lengths of long ones", async () => {
  await using server = await RecordedServer.of({
    GET() {
      for (let n = 0; n < 250; n++) {
        console.log(`${n} ${"x".repeat(n % 2 === 0 ? 16_000 : 20_000)}`);
      }
      return new Response("ok");
    },
  });
  const { logs } = await server.entryOf("/api");
  assertEquals(logs.length, 200);
  assertMatch(logs[0]!.text, /^50 x{16000}$/);
  assertEquals(logs[1]!.text, "20003 characters");
});

Deno.test("a log outside of requests belongs to none", async () => {
  await using server = await RecordedServer.of({
    GET: () => new Response("ok"),
  });
  const { logs } = await server.entryOf("/api");
  console.log("outside");
  assertEquals(logs, []);
  assertEquals(server.newest().logs, []);
});
