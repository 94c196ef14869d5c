/** Streams of broken or malicious servers. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeTimers } from "../support/fake_timers.ts";
import { delay, until } from "../support/until.ts";
import { eventsOf, stream, torn } from "./events_support.ts";

/** The number of connections of a client to a server in a fake time. */
async function connectionsTo(
  respond: () => Response,
  milliseconds = 400,
): Promise<number> {
  using time = new FakeTimers();
  let connections = 0;
  const leaving = new AbortController();
  const events = eventsOf(() => {
    connections++;
    return respond();
  }, { signal: leaving.signal });
  const reading = (async () => {
    for await (const _ of events);
  })();
  await time.pass(milliseconds);
  leaving.abort(new Error("enough"));
  await assertRejects(() => reading, Error, "enough");
  return connections;
}

Deno.test("the pauses grow after streams that end at once", async () => {
  const retry = "retry: 0\n\n";
  for (
    const [respond, most] of [
      [stream(retry), 25],
      [torn(retry), 25],
      // An event limits them to a second.
      [stream("retry: 0\ndata: 1\n\n"), 8],
    ] as const
  ) {
    const connections = await connectionsTo(respond);
    assert(connections > 1 && connections < most, `${connections}`);
  }
});

Deno.test("the client reconnects at once after a long connection, if the server asks for it", async () => {
  let now = 0;
  const connections = await connectionsTo(() => {
    // Each connection lasts longer than a second.
    Date.now = () => now += 1_001;
    return stream("retry: 0\ndata: 1\n\n")();
  }, 50);
  assert(connections > 20, `${connections}`);
});

Deno.test("a retry above all numbers is a long time", async () => {
  for (const digits of ["9".repeat(400), "999999999999"]) {
    const text = `retry: ${digits}\ndata: 1\n\n`;
    assertEquals(await connectionsTo(stream(text)), 1);
  }
});

Deno.test("an id with control characters ends the loop with an error", async () => {
  for (const character of ["\x01", "\x1f", "\x7f"]) {
    const events = eventsOf(
      stream(`retry: 1\nid: a${character}\ndata: 1\n\n`),
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

Deno.test("the client sends a long id unchanged", async () => {
  const id = "é".repeat(200_000);
  const events = eventsOf((request, count) => {
    if (count === 1) return stream(`retry: 1\nid: ${id}\ndata: 1\n\n`)();
    const { length } = request.headers.get("last-event-id")!;
    return stream(`data: ${length}\n\n`)();
  });
  await events.next();
  assertEquals((await events.next()).value?.data, 400_000);
  await events.return();
});

Deno.test("the loop fails at maxEventSize, and ends the connection", async () => {
  const begins = { line: "data: ", lines: "", comment: ":", field: "" };
  for (const [name, begin] of Object.entries(begins)) {
    let sent = 0;
    let isCancelled = false;
    const more = new TextEncoder().encode(
      name === "lines" ? "data: a\n".repeat(128) : "a".repeat(1_024),
    );
    const events = eventsOf(
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
      ),
      { maxEventSize: 10_000 },
    );
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

Deno.test("maxEventSize restricts each event, not all events together", async () => {
  const events = eventsOf(
    stream(`data: "${"a".repeat(90)}"\n\n`.repeat(1_000)),
    { maxEventSize: 100, resume: false },
  );
  let count = 0;
  for await (const _ of events) count++;
  assertEquals(count, 1_000);
});

Deno.test("idleTimeout also restricts the wait for a response", async () => {
  using time = new FakeTimers();
  const signals: AbortSignal[] = [];
  const respond = (request: Request, count: number) => {
    signals.push(request.signal);
    if (count === 3) return stream("retry: 1\ndata: 3\n\n")();
    return count === 1
      ? stream("retry: 1\ndata: 1\n\n")()
      : new Promise<Response>(() => {});
  };
  const events = eventsOf(respond, { idleTimeout: 30 });
  await events.next();
  const third = events.next();
  await time.pass(1_000);
  assertEquals((await third).value?.data, 3);
  assert(signals[1]!.aborted);
  await events.return();

  const assertSilent = async (next: Promise<unknown>) => {
    const rejected = assertRejects(
      () => next,
      Error,
      'Cannot read events of GET "/": the server was silent for 30 ms',
    );
    await time.pass(30);
    await rejected;
  };
  // The first connection is a call.
  const silent = eventsOf(() => new Promise(() => {}), { idleTimeout: 30 });
  await assertSilent(silent.next());
  // The body of a refusal may hang, too.
  const hanging = eventsOf(
    () =>
      new Response(new ReadableStream(), {
        status: 404,
        headers: { "content-type": "text/plain" },
      }),
    { idleTimeout: 30 },
  );
  await assertSilent(hanging.next());
});

Deno.test("return() does not wait for a response, and cancels a late one", async () => {
  const response = Promise.withResolvers<Response>();
  const events = eventsOf(() => response.promise);
  const next = events.next();
  await delay(5);
  await events.return();
  assertEquals((await next).done, true);
  let isCancelled = false;
  response.resolve(
    stream(new ReadableStream({ cancel: () => void (isCancelled = true) }))(),
  );
  await until(() => isCancelled);
});
