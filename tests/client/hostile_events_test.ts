/** Streams of servers that are broken, or mean harm. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { createClient, type StreamOptions } from "@bough/framework/client";
import { z } from "zod";
import { shortestTime } from "../../src/client/events.ts";
import { delay, until } from "../live/support.ts";

const manifest = {
  "route.ts": {
    schema: { get: { events: { message: z.unknown() } } },
    GET: () => new Response(),
  },
};

/** A client of a server that is a function. */
function eventsOf(
  respond: (request: Request, count: number) => Response | Promise<Response>,
  options: StreamOptions & { readonly signal?: AbortSignal } = {},
) {
  let count = 0;
  return createClient<typeof manifest>({
    fetch: (request) => respond(request, ++count),
  }).events("/", options);
}

function stream(body: BodyInit | null): Response {
  return new Response(body, {
    headers: { "content-type": "text/event-stream" },
  });
}

/** How often a client connects to a server in 400 ms. */
async function connectionsTo(respond: () => Response): Promise<number> {
  let connections = 0;
  const leaving = new AbortController();
  const events = eventsOf(() => {
    connections++;
    return respond();
  }, { signal: leaving.signal });
  const reading = (async () => {
    for await (const _ of events);
  })();
  await delay(400);
  leaving.abort(new Error("enough"));
  await assertRejects(() => reading, Error, "enough");
  return connections;
}

Deno.test("streams that end at once, or break, without an event are further and further apart", async () => {
  const broken = () =>
    new ReadableStream({
      start: (controller) =>
        controller.enqueue(new TextEncoder().encode("retry: 0\n\n")),
      pull: (controller) => controller.error(new TypeError("garbage")),
    }, { highWaterMark: 0 });
  for (const body of [() => "retry: 0\n\n", broken]) {
    const connections = await connectionsTo(() => stream(body()));
    assert(connections > 1 && connections < 25, `${connections}`);
  }
});

Deno.test("streams that end at once after an event are further and further apart, up to a second", async () => {
  const connections = await connectionsTo(() =>
    stream("retry: 0\ndata: 1\n\n")
  );
  assert(connections > 1 && connections < 8, `${connections}`);
  assertEquals(
    [0, 1, 2, 6, 7, 2_000].map(shortestTime),
    [0, 20, 40, 640, 1_000, 1_000],
  );
});

Deno.test("a connection that has lasted is followed by another at once, where the server says so", async () => {
  const real = Date.now;
  let now = 0;
  Date.now = () => now;
  try {
    const connections = await connectionsTo(() => {
      now += 1_001;
      return stream("retry: 0\ndata: 1\n\n");
    });
    assert(connections > 20, `${connections}`);
  } finally {
    Date.now = real;
  }
});

Deno.test("a retry that no number holds is a long time, not none", async () => {
  for (const digits of ["9".repeat(400), "999999999999"]) {
    const text = `retry: ${digits}\ndata: 1\n\n`;
    assertEquals(await connectionsTo(() => stream(text)), 1);
  }
});

Deno.test("an id that no header can hold ends the loop with an error", async () => {
  for (const character of ["\x01", "\x1f", "\x7f"]) {
    const events = eventsOf(() =>
      stream(`retry: 1\nid: a${character}\ndata: 1\n\n`)
    );
    await events.next();
    const error = await assertRejects(() => events.next(), RangeError);
    assertEquals(
      error.message,
      `Cannot continue GET "/": a header cannot contain the id ${
        JSON.stringify(`a${character}`)
      }`,
    );
  }
});

Deno.test("a long id is sent as it is", async () => {
  const id = "é".repeat(200_000);
  const events = eventsOf((request, count) => {
    if (count === 1) return stream(`retry: 1\nid: ${id}\ndata: 1\n\n`);
    const { length } = request.headers.get("last-event-id")!;
    return stream(`data: ${length}\n\n`);
  });
  await events.next();
  assertEquals((await events.next()).value?.data, 400_000);
  await events.return();
});

Deno.test("an event that does not end is thrown at maxEventSize, and the connection left", async () => {
  const begins = { line: "data: ", lines: "", comment: ":", field: "" };
  for (const [name, begin] of Object.entries(begins)) {
    let sent = 0;
    let isCancelled = false;
    const more = new TextEncoder().encode(
      name === "lines" ? "data: a\n".repeat(128) : "a".repeat(1_024),
    );
    const events = eventsOf(() =>
      stream(
        new ReadableStream({
          start: (controller) =>
            controller.enqueue(
              new TextEncoder().encode(`id: 1\ndata: 1\n\n${begin}`),
            ),
          pull(controller) {
            sent += more.length;
            controller.enqueue(more);
          },
          cancel: () => void (isCancelled = true),
        }),
      ), { maxEventSize: 10_000 });
    assertEquals((await events.next()).value?.data, 1);
    await assertRejects(
      () => events.next(),
      RangeError,
      'Cannot continue GET "/": an event has more than 10000 characters',
    );
    assert(sent >= 10_000 && sent < 100_000, `${name}: ${sent}`);
    assert(isCancelled);
  }
});

Deno.test("events that end are not too large together", async () => {
  const events = eventsOf(
    () => stream(`data: "${"a".repeat(90)}"\n\n`.repeat(1_000)),
    { maxEventSize: 100, resume: false },
  );
  let count = 0;
  for await (const _ of events) count++;
  assertEquals(count, 1_000);
});

Deno.test("a server that does not respond is left after idleTimeout, too", async () => {
  const signals: AbortSignal[] = [];
  const respond = (request: Request, count: number) => {
    signals.push(request.signal);
    if (count === 3) return stream("retry: 1\ndata: 3\n\n");
    return count === 1
      ? stream("retry: 1\ndata: 1\n\n")
      : new Promise<Response>(() => {});
  };
  const events = eventsOf(respond, { idleTimeout: 30 });
  await events.next();
  assertEquals((await events.next()).value?.data, 3);
  assert(signals[1]!.aborted);
  await events.return();

  // The first connection is a call.
  const silent = eventsOf(() => new Promise(() => {}), { idleTimeout: 30 });
  await assertRejects(
    () => silent.next(),
    Error,
    'Cannot read events of GET "/": the server was silent for 30 ms',
  );
  // The body of a refusal may hang as well.
  const hanging = eventsOf(
    () =>
      new Response(new ReadableStream(), {
        status: 404,
        headers: { "content-type": "text/plain" },
      }),
    { idleTimeout: 30 },
  );
  await assertRejects(
    () => hanging.next(),
    Error,
    'Cannot read events of GET "/": the server was silent for 30 ms',
  );
});

Deno.test("return() does not wait for a response; one that comes is cancelled", async () => {
  const response = Promise.withResolvers<Response>();
  const events = eventsOf(() => response.promise);
  const next = events.next();
  await delay(5);
  await events.return();
  assertEquals((await next).done, true);
  let isCancelled = false;
  response.resolve(
    stream(new ReadableStream({ cancel: () => void (isCancelled = true) })),
  );
  await until(() => isCancelled);
});
