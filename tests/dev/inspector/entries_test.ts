import { assert, assertEquals } from "@std/assert";
import { HttpError } from "@bough/framework";
import { events } from "@bough/framework/live";
import type { RequestEntry } from "../../../src/dev/inspector/entry.ts";
import { Recorder } from "../../../src/dev/inspector/recorder.ts";
import type { TestModule } from "../../support/application.ts";
import { until } from "../../support/until.ts";
import { RecordedServer } from "./recorded.ts";

const MIB = 1024 * 1024;

// The recorder, which patches `console` once, prints to this method.
console.debug = () => {};

const FILES: Readonly<Record<string, TestModule>> = {
  "books/[id]/route.ts": {
    GET: ({ params }) => {
      if (params.id === "0") throw new HttpError(404, "There is no such book");
      return Response.json({ id: params.id });
    },
    POST: () => Response.json({ author: "Austen" }, { status: 201 }),
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

Deno.test("Entries keeps the last 200 requests, newest first", async () => {
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
  assertEquals(server.recorder.list({ after: version }).requests, []);
  await server.entryOf("/api/books/2");
  const later = server.recorder.list({ after: version });
  assertEquals(urls(later.requests), ["/api/books/2"]);
  assertEquals(later.version, later.requests[0]!.version);
});

Deno.test("a list accepts filters for method, status, route and text", async () => {
  await using server = await RecordedServer.start(FILES);
  await server.entryOf("/api/books/0");
  await server.entryOf("/api/books/1");
  await server.entryOf("/api/books/2", { method: "POST" });
  await server.entryOf("/api/nowhere");
  const listed = (filter: Parameters<typeof server.recorder.list>[0]) =>
    urls(server.recorder.list(filter).requests)
      .map((url) => url.split("/").at(-1));
  assertEquals(listed({ method: "POST" }), ["2"]);
  assertEquals(listed({ status: "404" }), ["nowhere", "0"]);
  assertEquals(listed({ status: "2xx" }), ["2", "1"]);
  assertEquals(listed({ route: "/api/books/[id]", status: "4xx" }), ["0"]);
  assertEquals(listed({ text: "AUSTEN" }), ["2"]);
  assertEquals(listed({ text: "no such book" }), ["0"]);
  assertEquals(listed({ limit: 2 }), ["nowhere", "2"]);
});

Deno.test("an open stream stays until it ends", async () => {
  await using server = await RecordedServer.start(FILES);
  const response = await server.fetch("/api/ticks");
  for (let id = 1; id <= 250; id++) await server.entryOf(`/api/books/${id}`);
  const open = () => server.recorder.list({ route: "/api/ticks" }).requests;
  assertEquals(open().map(({ id, state }) => [id, state]), [[1, "open"]]);
  assertEquals(server.recorder.list().requests.length, 201);
  assertEquals(server.recorder.get(1)?.messageCount, 1);
  await response.body!.cancel();
  await until(() => open().length === 0);
  assertEquals(server.recorder.get(1), undefined);
});

Deno.test("of older requests that still run, the last 200 are kept", () => {
  const recorder = new Recorder({ secrets: [] });
  const handle = recorder.record(() => new Promise(() => {}));
  for (let n = 0; n < 450; n++) handle(new Request("http://localhost/"));
  const { requests } = recorder.list();
  assertEquals(
    requests.map(({ id }) => id),
    Array.from({ length: 400 }, (_, index) => 450 - index),
  );
});

Deno.test("all entries take at most 32 MiB, and the oldest lose texts first", async () => {
  await using server = await RecordedServer.start({
    "[id]/route.ts": {
      POST(request) {
        // About 3 MiB, of which 200 lines are kept.
        for (let n = 0; n < 210; n++) console.debug("x".repeat(16_000));
        return new Response(`the body of ${request.params.id}`);
      },
    },
  });
  for (let id = 1; id <= 15; id++) {
    await server.entryOf(`/api/${id}`, { method: "POST", body: "sent" });
  }
  const { requests } = server.recorder.list();
  const size = JSON.stringify(requests).length;
  assert(size > 28 * MIB && size < 33 * MIB);
  const kept = requests.map(({ logs }) => logs.length);
  assertEquals(kept, [...Array(10).fill(200), ...Array(5).fill(0)]);
  const { request, response, status } = requests.at(-1)!;
  assertEquals([status, urls(requests).at(-1)], [200, "/api/1"]);
  for (const [message, size] of [[request, 4], [response!, 13]] as const) {
    assertEquals(message.body, { type: "text/plain", size, isCut: true });
    assert(message.headers.length > 0);
  }
});

Deno.test("the size of replaced requests does not count", async () => {
  await using server = await RecordedServer.start({
    "[id]/route.ts": {
      GET() {
        // 200 requests log 28 MB, all of them 42 MB.
        for (let n = 0; n < 9; n++) console.debug("x".repeat(16_000));
        return new Response("ok");
      },
    },
  });
  for (let id = 1; id <= 300; id++) await server.entryOf(`/api/${id}`);
  const { requests } = server.recorder.list();
  assertEquals(requests.filter(({ logs }) => logs.length === 9).length, 200);
});

Deno.test("a running request that logs a lot is limited as well", async () => {
  const go = Promise.withResolvers<void>();
  await using server = await RecordedServer.of({
    async GET() {
      for (let n = 0; n < 200; n++) console.debug("x".repeat(16_000));
      await go.promise;
      return new Response("ok");
    },
  });
  // Lets the server end even if the test fails.
  using _end = { [Symbol.dispose]: go.resolve };
  const responses = Array.from({ length: 15 }, () => server.fetch("/api"));
  await until(() => server.recorder.list().requests.length === 15);
  go.resolve();
  for (const response of responses) await (await response).text();
  const { requests } = server.recorder.list();
  const size = JSON.stringify(requests).length;
  assert(size > 20 * MIB && size < 33 * MIB);
});
