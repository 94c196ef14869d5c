import { assert, assertEquals } from "@std/assert";
import { connect } from "node:http2";
import { CapturedLog, FolderApplication } from "../support/application.ts";
import { rawRequest } from "../support/raw_http.ts";
import { delay, until } from "../support/until.ts";
import { HandClient, readEvents } from "./events_support.ts";

/** What the routes below tell of their streams. */
interface Seen {
  /** How many events were made. */
  made: number;
  /** Why each stream ended, in order. */
  readonly ended: string[];
  /** A request that runs until it is freed. */
  readonly late: Readonly<Record<"begun" | "free", PromiseWithResolvers<void>>>;
}

const seen: Seen = {
  made: 0,
  ended: [],
  late: { begun: Promise.withResolvers(), free: Promise.withResolvers() },
};
(globalThis as { seenOfEvents?: Seen }).seenOfEvents = seen;

function route(body: string, method = "GET"): string {
  return `
    import { endOn, events } from "@bough/framework/live";
    const seen = globalThis.seenOfEvents;
    const delay = (ms) => new Promise((go) => setTimeout(go, ms));
    export const ${method} = async (request) => {
      ${body}
    };`;
}

const stream = (body: string) => `
  return events(request, async function* ({ lastEventId, signal }) {
    try { ${body} } finally { seen.ended.push(signal.reason?.message ?? "done"); }
  });`;

const ROUTES = {
  "waiting/route.js": route(stream(`
    signal.addEventListener("abort", () => seen.ended.push("aborted"));
    await new Promise(() => {});`)),
  "ticks/route.js": route(stream(`
    for (let id = 1; ; id++) { yield { id, data: id }; await delay(20); }`)),
  "endless/route.js": route(stream(`
    for (;;) yield { data: ++seen.made, comment: "x".repeat(1000) };`)),
  "late/route.js": route(
    `seen.late.begun.resolve();
    await seen.late.free.promise;` + stream(`
    for (;;) { yield { data: 1 }; await delay(20); }`),
  ),
  "chat/route.js": route(
    `
    const { prompt } = await request.json();` + stream(`
    for (const word of prompt.split(" ")) yield { data: word };`),
    "POST",
  ),
  "counted/route.js": route(`
    return events(request, async function* ({ lastEventId }) {
      const first = Number(lastEventId ?? 0) + 1;
      for (let id = first; id < first + 3; id++) {
        yield { event: "a name: of its own", id, data: { text: "a\\nb", id } };
      }
      yield { data: "over" };
    }, { retry: 20 });`),
  "plain/route.js": "export const GET = () => new Response('plain');",
  "(guarded)/middleware.js": `
    import { endOn } from "@bough/framework/live";
    export default (request, next) => {
      const milliseconds = Number(request.headers.get("x-milliseconds"));
      endOn(request, new Date(Date.now() + milliseconds));
      endOn(request, globalThis.signOut.signal);
      return next();
    };`,
  "(guarded)/account/route.js": route(stream(`
    for (;;) { yield { data: 1 }; await delay(20); }`)),
};

async function reset(): Promise<void> {
  seen.made = 0;
  seen.ended.length = 0;
  (globalThis as { signOut?: AbortController }).signOut = new AbortController();
  await Promise.resolve();
}

Deno.test("a client that leaves aborts the signal within a second, though no event comes (behaviour 11.4)", async () => {
  await reset();
  using log = new CapturedLog();
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  for (const way of ["socket", "fetch"]) {
    seen.ended.length = 0;
    if (way === "socket") {
      using client = await HandClient.get(server.port, "/api/waiting");
      // The head comes before there is an event.
      assert((await client.read())!.startsWith("HTTP/1.1 200 OK"));
    } else {
      const controller = new AbortController();
      const { body } = await fetch(server.url("/api/waiting"), controller);
      const reading = body!.getReader().read().catch(() => {});
      controller.abort();
      await reading;
    }
    await until(() => seen.ended.length === 1, 1_000);
    assertEquals(seen.ended, ["aborted"]);
  }
  assertEquals(log.lines, []);
});

Deno.test("a client of HTTP/2 that resets a stream aborts its signal alone (behaviour 11.4)", async () => {
  await reset();
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  const session = connect(server.url(""));
  const [waiting, ticking] = ["/api/waiting", "/api/ticks"].map((path) =>
    session.request({ ":path": path })
  );
  let read = "";
  ticking!.on("data", (chunk) => read += chunk);
  await new Promise((resolve) => waiting!.on("response", resolve));
  waiting!.close();
  await until(() => seen.ended.length === 1, 1_000);
  assertEquals(seen.ended, ["aborted"]);
  const before = read.length;
  await until(() => read.length > before, 1_000);
  session.destroy();
  await until(() => seen.ended.length === 2, 1_000);
  assertEquals(seen.ended[1], "The client disconnected");
});

Deno.test("a client that dies in mid-stream ends the generator (behaviour 11.4)", async () => {
  await reset();
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  for (const path of ["/api/ticks", "/api/endless"]) {
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: [
        "eval",
        "--no-config",
        `const { body } = await fetch(Deno.args[0]);
         await body.getReader().read();
         Deno.kill(Deno.pid, "SIGKILL");`,
        server.url(path),
      ],
    }).output();
    assertEquals(stdout.length, 0);
    await until(() => seen.ended.length === 1, 1_000);
    assertEquals(seen.ended.splice(0), ["The client disconnected"]);
  }
});

Deno.test("a reader that stops reading holds up only itself, and loses nothing (behaviour 11.2)", async () => {
  await reset();
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  using client = await HandClient.get(server.port, "/api/endless");
  await client.readUntil("data: 1\n");
  let made = -1;
  await until(() => {
    const isHeld = made === seen.made;
    made = seen.made;
    return isHeld;
  });
  await delay(50);
  assertEquals(seen.made, made);
  // Some megabytes are the kernel's.
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

Deno.test("HEAD over HTTP has the headers of the stream, and ends (behaviour 11.2)", async () => {
  await reset();
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  const { status, headers, body } = await rawRequest(
    server.port,
    "HEAD /api/ticks HTTP/1.1",
  );
  assertEquals(status, 200);
  assertEquals(headers.get("content-type"), "text/event-stream");
  assertEquals(body, "");
  assertEquals(seen.ended, []);
});

Deno.test("events are not held back to be compressed (behaviour 11.2)", async () => {
  await reset();
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  const response = await fetch(server.url("/api/ticks"), {
    headers: { "accept-encoding": "gzip, br" },
  });
  assertEquals(response.headers.get("content-encoding"), null);
  const first = await readEvents(response.body!).next();
  assertEquals(first.value, { event: "message", data: 1, id: "1" });
});

Deno.test("an EventSource reads the events, and resumes by itself (behaviour 11.2)", async () => {
  await reset();
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
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

Deno.test("POST streams events, too (behaviour 11.2)", async () => {
  await reset();
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  const response = await fetch(server.url("/api/chat"), {
    method: "POST",
    body: JSON.stringify({ prompt: "to be or" }),
    headers: { "content-type": "application/json" },
  });
  const words = await Array.fromAsync(
    readEvents(response.body!),
    ({ data }) => data,
  );
  assertEquals(words, ["to", "be", "or"]);
});

Deno.test("Last-Event-ID that no event can have is a 400 (behaviour 11.2)", async () => {
  await reset();
  await using application = await FolderApplication.create(ROUTES);
  const response = await application.fetch("/api/ticks", {
    headers: { "last-event-id": "a\tb" },
  });
  assertEquals(response.status, 400);
  const { detail } = await response.json();
  assertEquals(
    detail,
    'The header "Last-Event-ID" is not a valid event id',
  );
});

Deno.test("streams end when listening stops, and hold nothing up (behaviour 11.4)", async () => {
  for (const way of ["shutdown", "signal"]) {
    await reset();
    using log = new CapturedLog();
    await using application = await FolderApplication.create(ROUTES);
    const controller = new AbortController();
    const { server, port } = await application.serve(
      way === "signal" ? { signal: controller.signal } : {},
    );
    using waiting = await HandClient.get(port, "/api/waiting");
    await waiting.read();
    using ticking = await HandClient.get(port, "/api/ticks");
    await ticking.readUntil("data: 3\n");
    const start = performance.now();
    if (way === "signal") controller.abort();
    else await server.shutdown();
    await server.finished;
    assert(performance.now() - start < 1_000);
    await until(() => seen.ended.length === 2, 1_000);
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

Deno.test("a stream that a running request opens too late ends at once (behaviour 11.4)", async () => {
  await reset();
  await using application = await FolderApplication.create(ROUTES);
  const server = await application.serve();
  const late = fetch(server.url("/api/late"));
  await seen.late.begun.promise;
  const start = performance.now();
  const shutdown = server.server.shutdown();
  seen.late.free.resolve();
  const response = await late;
  assertEquals(response.status, 200);
  assertEquals(await response.text(), "");
  await shutdown;
  assert(performance.now() - start < 1_000);
});

Deno.test("a token that expires while a stream is open ends it where the guard says so (behaviour 11.4)", async () => {
  await reset();
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  const get = (milliseconds: number) =>
    fetch(server.url("/api/account"), {
      headers: { "x-milliseconds": String(milliseconds) },
    });
  const start = performance.now();
  const { body } = await get(300);
  const got = await Array.fromAsync(readEvents(body!));
  const time = performance.now() - start;
  assert(time > 250 && time < 1_300, `${time} ms`);
  assert(got.length > 2);
  await until(() => seen.ended.length === 1, 1_000);
  assertEquals(seen.ended, ["The time passed to endOn() was reached"]);

  // A token that has expired already, and one that is withdrawn.
  assertEquals(await (await get(-1000)).text(), "");
  const response = await get(1e12);
  const events = readEvents(response.body!);
  await events.next();
  const reading = Array.fromAsync(events);
  (globalThis as { signOut?: AbortController }).signOut!
    .abort(new Error("signed out"));
  await reading;
  await until(() => seen.ended.length === 2, 1_000);
  assertEquals(seen.ended[1], "signed out");
});

Deno.test("endOn() changes nothing for other responses (behaviour 11.4)", async () => {
  await reset();
  await using application = await FolderApplication.create({
    ...ROUTES,
    "(guarded)/plain2/route.js": ROUTES["plain/route.js"],
  });
  const response = await application.fetch("/api/plain2", {
    headers: { "x-milliseconds": "-1" },
  });
  assertEquals(await response.text(), "plain");
});
