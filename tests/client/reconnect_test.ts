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
  broken,
  eventsOf,
  failed,
  over,
  scripted,
  serve,
  stream,
  torn,
} from "./events_support.ts";

Deno.test("the client reconnects after a temporary status", async () => {
  for (
    const [isTemporary, ...statuses] of [
      [true, 408, 425, 429, 500, 503, 599],
      [false, 200, 400, 404, 409, 426, 499],
    ] as const
  ) {
    for (const status of statuses) {
      using time = new FakeTimers();
      const first = stream("retry: 1\ndata: 1\n\n");
      const { reads } = scripted(first, failed(status), over);
      await time.pass(1_000);
      const read = await reads;
      assertEquals(read.length, isTemporary ? 1 : 2, `${status}: ${read}`);
    }
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

/** The pauses, in seconds, of a client whose random numbers are all the same. */
async function pausesOf(
  random: () => number,
  responses: readonly (() => Response)[],
): Promise<number[]> {
  using time = new FakeTimers();
  using stack = new DisposableStack();
  const { random: own } = Math;
  stack.defer(() => void (Math.random = own));
  Math.random = random;
  const times: number[] = [];
  const { reads } = scripted(...[...responses, over].map((respond) => () => {
    times.push(Date.now() / 1_000);
    return respond();
  }));
  await time.pass(2_000_000);
  await reads;
  return times.slice(1).map((at, index) => at - times[index]!);
}

Deno.test("the pauses between attempts grow, partly at random, and are not shorter than the server asks", async () => {
  const first = stream("data: 1\n\n");
  const none = Array(6).fill(failed(502));
  const retry = (time: number) => stream(`retry: ${time}\ndata: 2\n\n`);
  for (
    const [random, responses, pauses] of [
      [0, [first, broken, ...none], Array(8).fill(3)],
      [1, [first, broken, ...none], [3, 6, 12, 24, 33, 33, 33, 33]],
      [1, [retry(1_000), ...none], [1, 2, 4, 8, 16, 31, 31]],
      [1, [retry(0), ...none], [0.02, 0.1, 0.3, 0.7, 1.5, 3.1, 6.3]],
      [0, [retry(0), ...none], [0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1]],
      [1, [first, broken, retry(40_000), broken], [3, 6, 40, 70]],
    ] as const
  ) {
    const name = `${random}: ${pauses}`;
    const got = await pausesOf(() => random, responses);
    assertEquals(
      got.map((pause) => Math.round(pause * 1e3) / 1e3),
      pauses,
      name,
    );
  }
  // Without a random part, all clients of a failed server would reconnect at once.
  assert(new Set(await pausesOf(Math.random, [first, ...none])).size > 3);
});

Deno.test("Retry-After has seconds or a date", async () => {
  const first = stream("retry: 1\ndata: 1\n\n");
  const date = (seconds: number) => new Date(seconds * 1_000).toUTCString();
  for (
    const [value, expected] of [
      ["2", 2],
      ["120", 120],
      [date(60), 59.98],
      // The date is over, or no time.
      ...["0", date(0), "", "soon"].map((each) => [each, 0.04]),
    ] as const
  ) {
    const responses = [first, failed(503, { "retry-after": `${value}` })];
    const [, pause] = await pausesOf(() => 0, responses);
    assertEquals(Math.round(pause! * 1e3) / 1e3, expected, `${value}`);
  }
});

Deno.test("each event arrives once, wherever the connection breaks", async () => {
  using time = new FakeTimers();
  const all = Array.from(
    { length: 4 },
    (_, index) => `event: n\nid: ${index + 1}\r\ndata: ${index + 1}\r\n: é\n\n`,
  );
  const length = new TextEncoder().encode(all.join("")).length;
  for (let cut = 0; cut <= length; cut++) {
    const sent = [cut, Infinity].map((most) => ({ headers }: Request) => {
      const from = Number(headers.get("last-event-id") ?? 0);
      const text = `retry: 1\n\n${all.slice(from).join("")}`;
      return torn(new TextEncoder().encode(text).slice(0, most))();
    });
    const { reads } = scripted(...sent, over);
    await time.pass(60_000);
    assertEquals(await reads, [1, 2, 3, 4], `cut at ${cut}`);
  }
});

Deno.test("the client leaves a server that is silent for idleTimeout, and reconnects", async () => {
  using time = new FakeTimers();
  const left: number[] = [];
  const signals: AbortSignal[] = [];
  const events = eventsOf(({ signal }, count) => {
    signals.push(signal);
    return stream(
      new ReadableStream({
        start: (controller) =>
          controller.enqueue(
            new TextEncoder().encode(
              `retry: 5\nid: ${count}\ndata: ${count}\n\n`,
            ),
          ),
        cancel: () => void left.push(count),
      }),
    )();
  }, { idleTimeout: 60 });
  const read: unknown[] = [];
  const reading = (async () => {
    for await (const { data } of events) {
      read.push(data);
      if (data === 3) break;
    }
  })();
  await time.pass(59);
  assertEquals([read, left], [[1], []]);
  await time.pass(1_000);
  await reading;
  assertEquals([read, left], [[1, 2, 3], [1, 2, 3]]);
  assertEquals(signals.map(({ aborted }) => aborted), [true, true, true]);
});

Deno.test("heartbeats or an idleTimeout of 0 keep a silent stream open", async () => {
  for (const [beat, idleTimeout] of [[":\n\n", 80], ["", 0]] as const) {
    using time = new FakeTimers();
    let connections = 0;
    let beats = 0;
    const events = eventsOf((_, count) => {
      connections = count;
      return stream(
        new ReadableStream({
          async pull(controller) {
            let text = "";
            while (text === "") {
              await delay(20);
              text = beats++ < 8 ? beat : "data: 1\n\n";
            }
            controller.enqueue(new TextEncoder().encode(text));
          },
        }),
      )();
    }, { idleTimeout });
    const first = events.next();
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
    const broken = client(torn("data: 1\n\n")).events("/", options);
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

Deno.test("each event arrives once, in order, while the server restarts (behaviour 11.4)", async () => {
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
