/** The client reads streams of events. */
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
import { FakeTimers } from "../support/fake_timers.ts";
import { delay, until } from "../support/until.ts";

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

/** The streams that the routes below opened. */
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

Deno.test("a loop reads events over several connections, until the status is 204", async () => {
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

Deno.test("lastEventId continues a stream after this event", async () => {
  const counts: unknown[] = [];
  const options = { params: { id: "a" }, query: { last: 8 }, lastEventId: "6" };
  for await (const { data } of api.events("/counts/[id]", options)) {
    counts.push(data);
  }
  assertEquals(counts.length, 2);
});

Deno.test("a POST sends its body, and break, return() or a signal ends the stream on the server", async () => {
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
      assertEquals(asked.length, 1);
      assertEquals(await stream.next(), { done: true, value: undefined });
    }
  }
});

Deno.test("an aborted signal prevents the request", async () => {
  asked = [];
  const stream = api.events("/counts/[id]", {
    params: { id: "a" },
    query: { last: 1 },
    signal: AbortSignal.abort(new Error("too late")),
  });
  await assertRejects(() => stream.next(), Error, "too late");
  assertEquals(asked, []);
});

Deno.test("a response without events is an error with its status and its body", async () => {
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

/** Reads the events of responses, one for each request. */
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

Deno.test("an error of the first connection is thrown", async () => {
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

Deno.test("the client reconnects after a temporary error, and throws another one", async () => {
  using time = new FakeTimers();
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
  await time.pass(60_000);
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

Deno.test("malformed JSON ends the loop with an error", async () => {
  const { reads } = scripted(stream("event: odd\ndata: {\n\n"));
  assertEquals(await reads, [
    'SyntaxError: Cannot read event "odd" of GET "/": its data are malformed JSON',
  ]);
});

Deno.test("the pauses between attempts grow, and are not shorter than the server asks", async () => {
  using time = new FakeTimers();
  const times: number[] = [];
  const noted = (respond: () => Response) => () => {
    times.push(Date.now() / 1_000);
    return respond();
  };
  const { reads } = scripted(...[
    stream("data: 1\n\n"),
    broken,
    broken,
    ...Array(5).fill(failed(502)),
    failed(503, { "retry-after": "90" }),
    failed(429, {
      "retry-after": new Date(1_000_000).toUTCString(),
    }),
    stream("retry: 40000\ndata: 2\n\n"),
    broken,
    over,
  ].map(noted));
  await time.pass(2_000_000);
  assertEquals(await reads, [1, 2]);
  const pauses = times.slice(1).map((at, index) =>
    Math.round((at - times[index]!) * 1_000) / 1_000
  );
  assertEquals(pauses[0], 3);
  for (const [index, most] of [6, 12, 24, 33, 33, 33, 33].entries()) {
    const pause = pauses[index + 1]!;
    assert(pause >= 3 && pause <= most, `${index}: ${pause}`);
  }
  // The pauses are random: they do not all have the shortest or the longest time.
  assert(new Set(pauses.slice(1, 8)).size > 3, pauses.join());
  assertEquals(pauses[8], 90);
  assertEquals(Math.round(times[10]!), 1_000);
  assertEquals(pauses[10], 40);
  assert(pauses[11]! > 40 && pauses[11]! <= 70);
});

Deno.test("each event arrives once, wherever the connection breaks", async () => {
  using time = new FakeTimers();
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
    await time.pass(60_000);
    assertEquals(await reads, [1, 2, 3, 4], `cut at ${cut}`);
  }
});

Deno.test("the client leaves a server that is silent for idleTimeout, and reconnects", async () => {
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
  let connections = 0;
  const api = createClient<typeof silent>({
    baseUrl: `http://127.0.0.1:${server.addr.port}/api`,
    fetch: (request) => {
      connections++;
      return fetch(request);
    },
  });
  using time = new FakeTimers();
  const read: number[] = [];
  const reading = (async () => {
    for await (const { data } of api.events("/", { idleTimeout: 60 })) {
      read.push(data);
      if (data === 3) break;
    }
  })();
  for (const count of [1, 2]) {
    // The network needs real time, in which the fake time stands still.
    while (read.length < count) await time.turn();
    await time.pass(59);
    assertEquals(connections, count);
    while (connections === count) await time.pass(1);
  }
  await reading;
  assertEquals(read, [1, 2, 3]);
  assertEquals([connections, ends.length], [3, 3]);
  while (!ends.every(({ aborted }) => aborted)) await time.turn();
});

Deno.test("heartbeats or an idleTimeout of 0 keep a silent stream open", async () => {
  for (const beat of [":\n\n", ""]) {
    using time = new FakeTimers();
    let connections = 0;
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
    const first = api.events("/", { idleTimeout }).next();
    await time.pass(9 * 20);
    assertEquals((await first).value?.data, 1);
    assertEquals(connections, 1, JSON.stringify(beat));
  }
});

Deno.test("the client does not repeat a POST, or a GET with resume: false", async () => {
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

Deno.test("an abort ends the loop before events that have already arrived", async () => {
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

Deno.test("a stream without a body ends", async () => {
  const { reads } = scripted(
    stream("retry: 1\ndata: 1\n\n"),
    stream(null),
    over,
  );
  assertEquals(await reads, [1]);
});

Deno.test("each event arrives once, in order, while the server restarts", async () => {
  const shared = { get: { events: { message: z.int() } } };
  const restarting = {
    "route.ts": {
      schema: shared,
      GET: (request: FrameworkRequest<typeof shared.get>) =>
        events(request, async function* ({ lastEventId, signal }) {
          for (let next = Number(lastEventId ?? 0) + 1; !signal.aborted;) {
            yield { id: next, data: next++ };
            await delay(1);
          }
        }, { retry: 5 }),
    },
  };
  let server = await serve(new Framework({ manifest: restarting }));
  const { port } = server.addr;
  const api = createClient<typeof restarting>({
    baseUrl: `http://127.0.0.1:${port}/api`,
  });
  const read: number[] = [];
  const reading = (async () => {
    for await (const { data } of api.events("/")) {
      read.push(data);
      if (data === 200) break;
    }
  })();
  for (let restarts = 1; restarts <= 5; restarts++) {
    await until(() => read.length >= restarts * 25);
    await server.shutdown();
    // Every second time, the client finds no server.
    await delay(restarts % 2 * 30);
    server = await serve(new Framework({ manifest: restarting }), port);
  }
  await reading;
  await server.shutdown();
  assertEquals(read, Array.from({ length: 200 }, (_, index) => index + 1));
});

Deno.test("the server waits while the loop does not read", async () => {
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
      await delay(100);
    }
    break;
  }
  assert(made < 500, `${made}`);
});

/** Serves an application, by default on a free port. */
function serve(
  app: Framework,
  port = 0,
): Promise<Deno.HttpServer<Deno.NetAddr>> {
  return app.serve({ hostname: "127.0.0.1", port, onListen() {} });
}
