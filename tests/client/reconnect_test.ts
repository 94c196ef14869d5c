/** The client reconnects after a stream of events has ended. */
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { Framework, type FrameworkRequest } from "@bough/framework";
import { createClient } from "@bough/framework/client";
import { events } from "@bough/framework/live";
import { z } from "zod";
import { FakeTimers } from "../support/fake_timers.ts";
import { freePort } from "../support/process.ts";
import { delay, until } from "../support/until.ts";
import {
  readEvents,
  retryAfterOf,
  wait,
  waitingTime,
} from "../../src/client/events.ts";
import {
  broken,
  failed,
  over,
  scripted,
  serve,
  type small,
  stream,
} from "./events_support.ts";

Deno.test("the time grows with each failure, partly at random", () => {
  const { random } = Math;
  try {
    Math.random = () => 1;
    const times = (retry: number) =>
      [0, 1, 2, 3, 20].map((failures) => waitingTime(retry, failures));
    assertEquals(times(1_000), [1_000, 2_000, 4_000, 8_000, 31_000]);
    assertEquals(times(0), [0, 100, 300, 700, 30_000]);
    assertEquals(waitingTime(Infinity, 0), Infinity);
    Math.random = () => 0;
    assertEquals(times(1_000), Array(5).fill(1_000));
  } finally {
    Math.random = random;
  }
});

Deno.test("Retry-After has seconds or a date", () => {
  const { now } = Date;
  const after = (value?: string) =>
    retryAfterOf(
      new Response(null, {
        headers: value === undefined ? {} : { "retry-after": value },
      }),
    );
  const date = "Sat, 14 Mar 2026 09:30:00 GMT";
  try {
    for (
      const [left, expected] of [[-1, 0], [0, 0], [1, 1], [60_000, 60_000]]
    ) {
      Date.now = () => Date.parse(date) - left!;
      assertEquals(after(date), expected);
    }
  } finally {
    Date.now = now;
  }
  assertEquals([after("2"), after("0"), after("120")], [2_000, 0, 120_000]);
  for (const value of [undefined, "", "soon", "-1", "1.5x"]) {
    assertEquals(after(value), 0, value);
  }
});

/** Whether a client reconnects after a response without events. */
async function isTemporary(status: number): Promise<boolean> {
  const responses = [
    new Response("retry: 1\ndata: 1\n\n", {
      headers: { "content-type": "text/event-stream" },
    }),
    new Response(null, { status }),
    new Response(null, { status: 204 }),
  ];
  let count = 0;
  const events = readEvents({
    method: "GET",
    path: "/",
    connect: () => Promise.resolve(responses[count++]!),
  });
  const { random } = Math;
  Math.random = () => 0;
  try {
    for await (const _ of events);
    return true;
  } catch (error) {
    assert(events.isRefusal(error));
    return false;
  } finally {
    Math.random = random;
  }
}

Deno.test("the client reconnects after a temporary status", async () => {
  for (const status of [408, 425, 429, 500, 503, 599]) {
    assertEquals(await isTemporary(status), true, `${status}`);
  }
  for (const status of [200, 400, 404, 409, 426, 499]) {
    assertEquals(await isTemporary(status), false, `${status}`);
  }
});

Deno.test("a wait ends with its time, its signal or its work", async () => {
  const { signal } = new AbortController();
  using time = new FakeTimers();
  let isOver = false;
  const over = wait(20, signal).then((result) => {
    isOver = true;
    return result;
  });
  await time.pass(19);
  assertEquals(isOver, false);
  await time.pass(1);
  assertEquals(await over, undefined);
  assertEquals(await wait(60_000, signal, Promise.resolve(7)), 7);
  assertEquals(await wait(60_000, AbortSignal.abort()), undefined);
  const leaving = new AbortController();
  const waiting = wait(Infinity, leaving.signal);
  leaving.abort();
  assertEquals(await waiting, undefined);
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
  const port = freePort();
  let server = await serve(new Framework({ manifest: restarting }), port);
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
