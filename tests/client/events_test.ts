/** Streams of events, as the client reads them. */
import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { createClient, EventsError } from "@bough/framework/client";
import { Framework, type FrameworkRequest } from "@bough/framework";
import { events } from "@bough/framework/live";
import { z } from "zod";
import { delay, until } from "../live/support.ts";

const Count = z.object({ count: z.int(), text: z.string() });
const schema = {
  get: {
    query: z.object({ last: z.coerce.number() }),
    events: { count: Count, message: z.string(), done: z.null() },
  },
  post: {
    body: z.object({ text: z.string() }),
    events: { message: z.string() },
  },
};

/** What the routes below were asked, and what became of their streams. */
let asked: { lastEventId: string | undefined; signal: AbortSignal }[] = [];

const manifest = {
  "counts/[id]/route.ts": {
    schema,
    GET: (
      request: FrameworkRequest<typeof schema.get, "/counts/[id]">,
    ): Response => {
      const { last } = request.validated.query;
      const from = Number(request.headers.get("last-event-id") ?? 0);
      if (from >= last) return new Response(null, { status: 204 });
      return events(request, async function* ({ lastEventId, signal }) {
        asked.push({ lastEventId, signal });
        for (let count = from + 1; count <= last; count++) {
          yield {
            event: "count",
            id: count,
            data: { count, text: `${request.params.id}\r\nü` },
          };
          if (count % 3 === 0) return;
          await Promise.resolve();
        }
      }, { retry: 5 });
    },
    POST: (request: FrameworkRequest<typeof schema.post>): Response =>
      events(request, async function* ({ signal }) {
        asked.push({ lastEventId: undefined, signal });
        yield { data: request.validated.body.text };
        await new Promise(() => {});
      }),
  },
  "guarded/middleware.ts": {
    contract: { response: { 401: z.object({ why: z.string() }) } },
    default: () => Response.json({ why: "no token" }, { status: 401 }),
  },
  "guarded/route.ts": {
    schema: { get: { events: { message: z.string() } } },
    GET: () => new Response(),
  },
};

const app = new Framework({ manifest });
const api = createClient<typeof manifest>({ fetch: app.fetch });

Deno.test("a loop reads the events over several connections, until a 204", async () => {
  asked = [];
  const counts: number[] = [];
  const options = { params: { id: "a b" }, query: { last: 8 } };
  for await (const event of api.events("/counts/[id]", options)) {
    assert(event.event === "count");
    assertEquals(event.data.text, "a b\r\nü");
    assertEquals(event.lastEventId, String(event.data.count));
    counts.push(event.data.count);
  }
  assertEquals(counts, [1, 2, 3, 4, 5, 6, 7, 8]);
  assertEquals(asked.map(({ lastEventId }) => lastEventId), [
    undefined,
    "3",
    "6",
  ]);
});

Deno.test("a stream begins after the id that it is given", async () => {
  const counts: unknown[] = [];
  const options = { params: { id: "a" }, query: { last: 8 }, lastEventId: "6" };
  for await (const { data } of api.events("/counts/[id]", options)) {
    counts.push(data);
  }
  assertEquals(counts.length, 2);
});

Deno.test("a POST sends its body; break and return() end the server's stream", async () => {
  await using server = await serve(app);
  for (const leave of ["break", "return", "return while it waits", "signal"]) {
    for (const fetch of [undefined, app.fetch]) {
      asked = [];
      const over = new AbortController();
      const api = createClient<typeof manifest>({
        baseUrl: `http://127.0.0.1:${server.addr.port}/api`,
        ...(fetch && { fetch }),
      });
      const stream = api.events("/counts/[id]", {
        method: "POST",
        params: { id: "a" },
        body: { text: "hello" },
        signal: over.signal,
      });
      const read: string[] = [];
      const loop = async () => {
        for await (const { data } of stream) {
          read.push(data);
          if (leave === "break") break;
          if (leave === "return") await stream.return();
        }
      };
      const reading = loop();
      await until(() => read.length === 1);
      const begin = performance.now();
      if (leave === "signal") {
        await delay(20);
        over.abort(new Error("enough"));
        await assertRejects(() => reading, Error, "enough");
      } else {
        if (leave === "return while it waits") {
          await delay(20);
          await stream.return();
        }
        await reading;
      }
      assertEquals(read, ["hello"]);
      await until(() => asked[0]!.signal.aborted);
      assert(performance.now() - begin < 1_000, leave);
      assertEquals(asked.length, 1);
      assertEquals(await stream.next(), { done: true, value: undefined });
    }
  }
});

Deno.test("a signal that has aborted sends nothing", async () => {
  asked = [];
  const stream = api.events("/counts/[id]", {
    params: { id: "a" },
    query: { last: 1 },
    signal: AbortSignal.abort(new Error("too late")),
  });
  await assertRejects(() => stream.next(), Error, "too late");
  assertEquals(asked, []);
});

Deno.test("another response than events is an error, with what the server said", async () => {
  const guarded = api.events("/guarded");
  const error = await guarded.next().catch((error: unknown) => error);
  assert(guarded.isRefusal(error));
  assert(error.result.status === 401);
  assertEquals(error.result.data.why, "no token");
  assertEquals(
    error.message,
    'Cannot read events of GET "/guarded": the response has status 401',
  );
  assertEquals(api.events("/guarded").isRefusal(error), false);
  assertEquals(await guarded.next(), { done: true, value: undefined });

  const wrong = await api.events("/counts/[id]", {
    params: { id: "a" },
    query: { last: "many" },
  }).next().catch((error: unknown) => error);
  assertInstanceOf(wrong, EventsError);
  assertEquals(wrong.result.status, 400);
  assertEquals(wrong.result.problem!.errors![0]!.in, "query");
  assertStringIncludes(wrong.message, "400, ");
  await assertRejects(
    () =>
      api.events("/counts/[id]", { params: { id: "" }, query: { last: 1 } })
        .next(),
    TypeError,
    '"id"',
  );
});

const small = {
  "route.ts": {
    schema: { get: { events: { message: z.unknown() } } },
    GET: () => new Response(),
  },
};

/** A client of responses that are made by hand. */
function scripted(
  ...responses: ((request: Request) => Response | Promise<Response>)[]
): { readonly reads: Promise<unknown[]>; readonly requests: Request[] } {
  const requests: Request[] = [];
  const api = createClient<typeof small>({
    fetch: (request) => {
      requests.push(request);
      return responses[requests.length - 1]!(request);
    },
  });
  async function read(): Promise<unknown[]> {
    const all: unknown[] = [];
    try {
      for await (const { data } of api.events("/")) all.push(data);
    } catch (error) {
      all.push(String(error));
    }
    return all;
  }
  return { reads: read(), requests };
}

const stream = (body: BodyInit | null) => (): Response =>
  new Response(body, {
    headers: { "content-type": "Text/Event-Stream; charset=utf-8" },
  });
const over = () => new Response(null, { status: 204 });
const failed = (status: number, headers?: HeadersInit) => () =>
  new Response("no", { status, ...(headers && { headers }) });
const broken = (): never => {
  throw new TypeError("The network is down");
};

Deno.test("the first connection is a call: what fails is thrown", async () => {
  for (
    const [first, message] of [
      [broken, "TypeError: The network is down"],
      [
        failed(503),
        'EventsError: Cannot read events of GET "/": the response has status 503',
      ],
      [failed(404), "status 404"],
      [
        failed(200),
        'has status 200 and content type "text/plain;charset=UTF-8"',
      ],
    ] as const
  ) {
    const { reads, requests } = scripted(first);
    assertStringIncludes(String(await reads), message);
    assertEquals(requests.length, 1);
  }
});

Deno.test("after that, what may pass is tried again, and what may not is thrown", async () => {
  const { reads, requests } = scripted(
    stream("retry: 1\nid: ü€\ndata: 1\n\n"),
    broken,
    failed(503),
    failed(500),
    failed(429),
    stream("data: 2\n\n"),
    broken,
    stream("id\ndata: 3\n\n"),
    failed(410),
  );
  const read = await reads;
  assertEquals(read.slice(0, -1), [1, 2, 3]);
  assertStringIncludes(String(read.at(-1)), "status 410");
  const ids = requests.map(({ headers }) => headers.get("last-event-id"));
  // The bytes of UTF-8, as browsers send them.
  const id = "\u00c3\u00bc\u00e2\u0082\u00ac";
  assertEquals(ids, [null, id, id, id, id, id, id, id, null]);
  for (const { headers } of requests) {
    assertEquals(headers.get("accept"), "text/event-stream");
  }
});

Deno.test("data that are not JSON end the loop with an error", async () => {
  const { reads } = scripted(stream("event: odd\ndata: {\n\n"));
  assertEquals(await reads, [
    'SyntaxError: Cannot read event "odd" of GET "/": its data are malformed JSON',
  ]);
});

Deno.test("attempts are further and further apart, and never nearer than the server says", async () => {
  using _ = hurriedTime();
  const begin = Date.now();
  const times: number[] = [];
  const noted = (respond: () => Response) => () => {
    times.push((Date.now() - begin) / 1_000);
    return respond();
  };
  const { reads } = scripted(...[
    stream("data: 1\n\n"),
    broken,
    broken,
    ...Array(5).fill(failed(502)),
    failed(503, { "retry-after": "90" }),
    failed(429, {
      "retry-after": new Date(begin + 1_000_000).toUTCString(),
    }),
    stream("retry: 40000\ndata: 2\n\n"),
    broken,
    over,
  ].map(noted));
  assertEquals(await reads, [1, 2]);
  const pauses = times.slice(1).map((at, index) =>
    Math.round((at - times[index]!) * 1_000) / 1_000
  );
  assertEquals(pauses[0], 3);
  for (const [index, most] of [6, 12, 24, 33, 33, 33, 33].entries()) {
    const pause = pauses[index + 1]!;
    assert(pause >= 3 && pause <= most, `${index}: ${pause}`);
  }
  // By chance: not all of them at the shortest or the longest.
  assert(new Set(pauses.slice(1, 8)).size > 3, pauses.join());
  assertEquals(pauses[8], 90);
  assertEquals(Math.round(times[10]!), 1_000);
  assertEquals(pauses[10], 40);
  assert(pauses[11]! > 40 && pauses[11]! <= 70);
});

Deno.test("wherever a connection breaks, no event is lost or doubled", async () => {
  using _ = hurriedTime();
  const all = Array.from(
    { length: 4 },
    (_, index) => `event: n\nid: ${index + 1}\r\ndata: ${index + 1}\r\n: é\n\n`,
  );
  const length = new TextEncoder().encode(all.join("")).length;
  for (let cut = 0; cut <= length; cut++) {
    const sent = [cut, Infinity].map((most) => (request: Request) => {
      const from = Number(request.headers.get("last-event-id") ?? 0);
      const text = `retry: 1\n\n${all.slice(from).join("")}`;
      const bytes = new TextEncoder().encode(text).slice(0, most);
      let isSent = false;
      return stream(
        new ReadableStream({
          pull(controller) {
            if (isSent) controller.error(new TypeError("broken"));
            else controller.enqueue(bytes);
            isSent = true;
          },
        }),
      )();
    });
    const { reads } = scripted(sent[0]!, sent[1]!, over);
    assertEquals(await reads, [1, 2, 3, 4], `cut at ${cut}`);
  }
});

Deno.test("a server that is silent for too long is left for a new connection", async () => {
  const shared = { get: { events: { message: z.int() } } };
  const ends: AbortSignal[] = [];
  const silent = {
    "route.ts": {
      schema: shared,
      GET: (request: FrameworkRequest<typeof shared.get>) =>
        events(request, async function* ({ lastEventId, signal }) {
          ends.push(signal);
          const next = Number(lastEventId ?? 0) + 1;
          yield { id: next, data: next };
          await new Promise(() => {});
        }, { retry: 5, heartbeat: 0 }),
    },
  };
  await using server = await serve(new Framework({ manifest: silent }));
  const api = createClient<typeof silent>({
    baseUrl: `http://127.0.0.1:${server.addr.port}/api`,
  });
  const read: number[] = [];
  for await (const { data } of api.events("/", { idleTimeout: 60 })) {
    read.push(data);
    if (data === 3) break;
  }
  assertEquals(read, [1, 2, 3]);
  assertEquals(ends.length, 3);
  await until(() => ends.every(({ aborted }) => aborted));
});

Deno.test("heartbeats keep a silent stream open, and so does an idleTimeout of 0", async () => {
  let connections = 0;
  for (const beat of [":\n\n", ""]) {
    connections = 0;
    const api = createClient<typeof small>({
      fetch: () => {
        connections++;
        let beats = 8;
        return stream(
          new ReadableStream({
            async pull(controller) {
              let text = "";
              while (text === "") {
                await delay(20);
                text = beats-- > 0 ? beat : "data: 1\n\n";
              }
              controller.enqueue(new TextEncoder().encode(text));
            },
          }),
        )();
      },
    });
    const idleTimeout = beat === "" ? 0 : 80;
    for await (const _ of api.events("/", { idleTimeout })) break;
    assertEquals(connections, 1, JSON.stringify(beat));
  }
});

Deno.test("a POST is not sent again, nor is a GET with resume: false", async () => {
  const both = {
    "route.ts": {
      schema: {
        get: { events: { message: z.int() } },
        post: { events: { message: z.int() } },
      },
      GET: () => new Response(),
      POST: () => new Response(),
    },
  };
  const cut = () =>
    stream(
      new ReadableStream({
        start: (controller) =>
          controller.enqueue(new TextEncoder().encode("data: 1\n\n")),
        pull: (controller) => controller.error(new TypeError("cut off")),
      }, { highWaterMark: 0 }),
    )();
  for (const method of ["GET", "POST"] as const) {
    const options = { method, ...(method === "GET" && { resume: false }) };
    let requests = 0;
    const client = (respond: () => Response) =>
      createClient<typeof both>({
        fetch: () => {
          requests++;
          return respond();
        },
      });
    const whole = client(stream("data: 1\n\n")).events("/", options);
    const read = [];
    for await (const { data } of whole) read.push(data);
    assertEquals(read, [1]);
    const broken = client(cut).events("/", options);
    await broken.next();
    await assertRejects(() => broken.next(), TypeError, "cut off");
    const silent = client(stream(new ReadableStream()))
      .events("/", { ...options, idleTimeout: 20 });
    await assertRejects(
      () => silent.next(),
      Error,
      "silent for 20 ms",
    );
    assertEquals(requests, 3);
  }
  const again = createClient<typeof both>({
    fetch: (request) =>
      request.headers.has("last-event-id")
        ? over()
        : stream("retry: 1\nid: 1\ndata: 1\n\n")(),
  }).events("/", { method: "POST", resume: true });
  const read = [];
  for await (const { data } of again) read.push(data);
  assertEquals(read, [1]);
});

Deno.test("an abort ends the loop in the midst of what has come", async () => {
  const leaving = new AbortController();
  const stream = createClient<typeof small>({
    fetch: () =>
      new Response("data: 1\n\ndata: 2\n\n", {
        headers: { "content-type": "text/event-stream" },
      }),
  }).events("/", { signal: leaving.signal });
  assertEquals((await stream.next()).value?.data, 1);
  leaving.abort(new Error("enough"));
  await assertRejects(() => stream.next(), Error, "enough");
});

Deno.test("a stream without a body is one that ends", async () => {
  const { reads } = scripted(
    stream("retry: 1\ndata: 1\n\n"),
    stream(null),
    over,
  );
  assertEquals(await reads, [1]);
});

Deno.test("over restarts of the server, each event comes once, in order", async () => {
  const shared = { get: { events: { message: z.int() } } };
  let made = 0;
  const restarting = {
    "route.ts": {
      schema: shared,
      GET: (request: FrameworkRequest<typeof shared.get>) =>
        events(request, async function* ({ lastEventId, signal }) {
          for (let next = Number(lastEventId ?? 0) + 1; !signal.aborted;) {
            if (next > made) await delay(1);
            else yield { id: next, data: next++ };
          }
        }, { retry: 20 }),
    },
  };
  const making = setInterval(() => made++, 2);
  let server = await serve(new Framework({ manifest: restarting }));
  const { port } = server.addr;
  const api = createClient<typeof restarting>({
    baseUrl: `http://127.0.0.1:${port}/api`,
  });
  const read: number[] = [];
  const reading = (async () => {
    for await (const { data } of api.events("/")) {
      read.push(data);
      if (data === 500) break;
    }
  })();
  let restarts = 0;
  while (made < 500) {
    await delay(20 + Math.random() * 80);
    await server.shutdown();
    await delay(Math.random() * 40);
    server = await serve(new Framework({ manifest: restarting }), port);
    restarts++;
  }
  await reading;
  clearInterval(making);
  await server.shutdown();
  assertEquals(read, Array.from({ length: 500 }, (_, index) => index + 1));
  assert(restarts > 4, `${restarts}`);
});

Deno.test("a loop that stops to read holds up the server", async () => {
  const shared = { get: { events: { message: z.string() } } };
  let made = 0;
  const large = {
    "route.ts": {
      schema: shared,
      GET: (request: FrameworkRequest<typeof shared.get>) =>
        events(request, async function* () {
          for (; made < 1_000;) {
            made++;
            yield { data: "a".repeat(100_000) };
          }
        }),
    },
  };
  await using server = await serve(new Framework({ manifest: large }));
  const api = createClient<typeof large>({
    baseUrl: `http://127.0.0.1:${server.addr.port}/api`,
  });
  for await (const { data } of api.events("/")) {
    assertEquals(data.length, 100_000);
    // The buffers of the system fill up first.
    for (let before = 0; before < made;) {
      before = made;
      await delay(300);
    }
    break;
  }
  assert(made < 500, `${made}`);
});

/** Makes the clock jump to the next timer as soon as nothing else is to do. */
function hurriedTime(): Disposable {
  const { setTimeout, clearTimeout } = globalThis;
  const { now } = Date;
  const timers = new Map<number, { at: number; callback: () => void }>();
  let time = Math.floor(now() / 1_000) * 1_000;
  let count = 0;
  function jump(): void {
    const [first] = [...timers].sort(([, a], [, b]) => a.at - b.at);
    if (first === undefined) return;
    timers.delete(first[0]);
    time = first[1].at;
    first[1].callback();
  }
  Date.now = () => time;
  globalThis.setTimeout = ((callback: () => void, milliseconds: number) => {
    timers.set(++count, { at: time + milliseconds, callback });
    setTimeout(jump);
    return count;
  }) as unknown as typeof setTimeout;
  globalThis.clearTimeout = (id) => timers.delete(Number(id));
  return {
    [Symbol.dispose]() {
      Object.assign(globalThis, { setTimeout, clearTimeout });
      Date.now = now;
    },
  };
}

/** Serves an application, at a free port if none is told. */
function serve(
  app: Framework,
  port = 0,
): Promise<Deno.HttpServer<Deno.NetAddr>> {
  return app.serve({ hostname: "127.0.0.1", port, onListen() {} });
}
