import { assert, assertEquals, assertThrows } from "@std/assert";
import { type FrameworkRequest, HttpError } from "@bough/framework";
import { events } from "@bough/framework/live";
import { CapturedLog, TestApplication } from "../support/application.ts";
import { FakeTimers } from "../support/fake_timers.ts";
import { delay, until } from "../support/until.ts";

/** Streams what a generator yields, without an application. */
function stream(
  generate: () => AsyncIterable<unknown>,
  { init = {}, ...options }: Parameters<typeof events>[2] & {
    readonly init?: RequestInit;
  } = {},
): Response {
  const request = new Request("http://localhost/", init) as FrameworkRequest;
  return events(request, generate as Parameters<typeof events>[1], options);
}

Deno.test("an event is written as clients read it (behaviour 11.2)", async () => {
  const response = stream(async function* () {
    yield { data: "a\nb" };
    yield { event: "message", data: 1 };
    yield { event: "status", id: 0, data: { at: new Date(0) }, retry: 1000 };
    yield { event: " odd:", id: "a b", data: null, comment: "why" };
    yield { id: "checkpoint" };
    yield { comment: "hello" };
  }, { retry: 500 });
  assertEquals(
    await response.text(),
    `retry: 500

data: "a\\nb"

data: 1

event: status
data: {"at":"1970-01-01T00:00:00.000Z"}
id: 0
retry: 1000

: why
event:  odd:
data: null
id: a b

id: checkpoint

: hello

`,
  );
});

Deno.test("an unsendable event ends the stream and is logged (behaviour 11.2)", async () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.itself = cyclic;
  const wrong: [sent: unknown, message: string][] = [
    ["text", 'An event must be an object such as { data }, got "text"'],
    [undefined, "An event must be an object such as { data }, got undefined"],
    [{}, "Cannot send an empty event"],
    [{ event: "done" }, 'Event "done" has no data, so clients would ignore it'],
    [
      { data: () => {} },
      'Cannot write the data of event "message" as JSON',
    ],
    [{ data: cyclic }, "circular"],
    [{ data: 1n }, "BigInt"],
    [{ event: "a\nb", data: 1 }, '"event" must be a string of one line'],
    [{ event: "", data: 1 }, '"event" must be a string of one line, got ""'],
    [{ comment: "a\rb" }, '"comment" must be a string of one line'],
    [{ id: "a\n" }, '"id" must be a number or printable ASCII'],
    [{ id: "" }, '"id" must be'],
    [
      { id: " a" },
      '"id" must be a number or printable ASCII without a space at its ends, got " a"',
    ],
    [{ id: "ü" }, '"id" must be'],
    [{ id: "\0" }, '"id" must be'],
    [{ id: NaN }, '"id" must be'],
    [{ retry: 0 }, '"retry" must be a whole number'],
    [
      { retry: "5" },
      '"retry" must be a whole number of milliseconds above 0, got "5"',
    ],
  ];
  for (const [sent, message] of wrong) {
    using log = new CapturedLog();
    const response = stream(async function* () {
      yield { data: 1 };
      yield sent;
      yield { data: 2 };
    });
    assertEquals(await response.text(), "data: 1\n\n");
    assertEquals(log.lines.length, 1, Deno.inspect(sent));
    assert(log.lines[0]!.includes(message), log.lines[0]);
  }
});

Deno.test("the headers of a stream can be set, except its type (behaviour 11.2)", async () => {
  const { headers } = stream(async function* () {});
  assertEquals(Object.fromEntries(headers), {
    "cache-control": "no-store, no-transform",
    "content-type": "text/event-stream",
    "x-accel-buffering": "no",
  });
  const own = stream(async function* () {}, {
    headers: {
      "cache-control": "private",
      "content-type": "text/plain",
      "x-own": "1",
    },
  });
  assertEquals(Object.fromEntries(own.headers), {
    "cache-control": "private",
    "content-type": "text/event-stream",
    "x-accel-buffering": "no",
    "x-own": "1",
  });
  assertEquals(await own.text(), "");
});

Deno.test("invalid options are refused", () => {
  const heartbeat =
    "heartbeat must be a number of milliseconds, or 0 to disable heartbeats";
  const retry = "retry must be a whole number of milliseconds above 0";
  for (
    const [options, message] of [
      [{ heartbeat: -1 }, `${heartbeat}, got -1`],
      [{ heartbeat: NaN }, `${heartbeat}, got NaN`],
      [{ heartbeat: "5" }, `${heartbeat}, got "5"`],
      [{ retry: 0 }, `${retry}, got 0`],
      [{ retry: 1.5 }, `${retry}, got 1.5`],
    ] as const
  ) {
    const open = () => stream(async function* () {}, options as object);
    assertThrows(open, TypeError, message);
  }
});

Deno.test("Last-Event-ID becomes lastEventId (behaviour 11.2)", async () => {
  const open = (id?: string) =>
    events(
      new Request("http://localhost/", {
        headers: id === undefined ? {} : { "last-event-id": id },
      }) as FrameworkRequest,
      async function* ({ lastEventId }) {
        yield { data: lastEventId ?? null };
      },
    );
  for (const id of [undefined, "", "7", "a b~"]) {
    const expected = `data: ${JSON.stringify(id || null)}\n\n`;
    assertEquals(await open(id).text(), expected);
  }
  for (const wrong of ["ü", "a\tb", "\x01", "\x7f"]) {
    const { status, message } = assertThrows(() => open(wrong), HttpError);
    const expected = 'The header "Last-Event-ID" is not a valid event id';
    assertEquals([status, message], [400, expected]);
  }
});

Deno.test("HEAD and an unread response start no generator (behaviour 11.2)", async () => {
  let started = 0;
  for (const method of ["HEAD", "GET"]) {
    const { headers, body } = stream(async function* () {
      started++;
      yield { data: 1 };
    }, { init: { method } });
    assertEquals(headers.get("content-type"), "text/event-stream");
    assertEquals(body === null, method === "HEAD");
    await delay(20);
    await body?.cancel();
    assertEquals(started, 0, method);
  }
});

Deno.test("the generator continues only when the reader reads (behaviour 11.2)", async () => {
  let made = 0;
  const response = stream(async function* () {
    for (;;) yield { data: ++made };
  });
  const reader = response.body!.getReader();
  for (const expected of [1, 2, 3]) {
    await reader.read();
    await delay(10);
    assertEquals(made, expected);
  }
  await reader.cancel();
});

Deno.test("heartbeats come while the reader waits, and do not accumulate or ask for events (behaviour 11.2)", async () => {
  using timers = new FakeTimers();
  let asked = 0;
  const next = Promise.withResolvers<void>();
  const iterator = {
    async next() {
      asked++;
      if (asked === 2) await next.promise;
      return { done: asked > 2, value: { data: asked } };
    },
  };
  const response = stream(
    () => ({ [Symbol.asyncIterator]: () => iterator }),
    { heartbeat: 20 },
  );
  const reader = response.body!.getReader();
  const read = async () =>
    new TextDecoder().decode((await reader.read()).value);
  assertEquals(await read(), "data: 1\n\n");
  for (let beat = 0; beat < 3; beat++) {
    const reading = read();
    await timers.pass(20);
    assertEquals(await reading, ":\n\n");
    await timers.pass(100);
  }
  assertEquals(asked, 2);
  next.resolve();
  await timers.pass(50);
  assertEquals([await read(), await read()], ["data: 2\n\n", ""]);
});

Deno.test("no heartbeats come if they are disabled or too rare (behaviour 11.2)", async () => {
  for (const heartbeat of [0, Infinity, 2 ** 40]) {
    using timers = new FakeTimers();
    const response = stream(async function* () {
      await delay(50);
      yield { data: 1 };
    }, { heartbeat });
    const text = response.text();
    await timers.pass(50);
    assertEquals(await text, "data: 1\n\n");
  }
});

Deno.test("a cancelled stream aborts the signal, and the generator returns (behaviour 11.4)", async () => {
  using log = new CapturedLog();
  const seen: string[] = [];
  const request = new Request("http://localhost/") as FrameworkRequest;
  const waiting = events(request, async function* ({ signal }) {
    try {
      yield { data: 1 };
      await new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    } finally {
      seen.push(`waiting ${signal.reason.name}`);
    }
  });
  const yielding = events(request, async function* ({ signal }) {
    try {
      for (;;) yield { data: 1 };
    } finally {
      seen.push(`yielding ${signal.reason.message}`);
    }
  });
  for (const response of [waiting, yielding]) {
    const reader = response.body!.getReader();
    await reader.read();
    void reader.read(); // Now the first generator waits.
    await delay(5);
    await reader.cancel();
  }
  await until(() => seen.length === 2);
  assertEquals(seen, [
    "waiting AbortError",
    "yielding The client disconnected",
  ]);
  assertEquals(log.lines, []);
});

Deno.test("a cancelled stream does not wait for its generator, which returns later (behaviour 11.4)", async () => {
  using log = new CapturedLog();
  const never = Promise.withResolvers<void>();
  let finished = false;
  const response = stream(async function* () {
    try {
      await never.promise;
      yield { event: "too late to be checked" };
    } finally {
      finished = true;
    }
  });
  const reader = response.body!.getReader();
  const reading = reader.read();
  await delay(5);
  await reader.cancel();
  assert((await reading).done);
  assertEquals(finished, false);
  never.resolve();
  await until(() => finished);
  assertEquals(log.lines, []);
});

Deno.test("an error of the generator is logged once, and ends the stream (behaviour 11.2)", async () => {
  const { proxy: unreadable, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const error of [new Error("the shelf fell"), unreadable]) {
    for (const late of [false, true]) {
      using log = new CapturedLog();
      const response = stream(async function* () {
        if (late) yield { data: 1 };
        await delay(1);
        throw error;
      });
      assertEquals(await response.text(), late ? "data: 1\n\n" : "");
      assertEquals(log.lines.length, 1);
      const isNamed = log.lines[0]!.includes("the shelf fell");
      assertEquals(isNamed, error !== unreadable, log.lines[0]);
    }
  }
});

Deno.test("onError gets an error of the generator, and may prevent the log entry (behaviour 8.3, 11.2)", async () => {
  const GET = (request: Request) =>
    events(request as FrameworkRequest, async function* () {
      yield { data: 1 };
      throw new Error("the shelf fell");
    });
  for (
    const [handle, lines] of [
      [() => undefined, 1],
      [() => Promise.resolve(undefined), 1],
      [() => new Response("unsent"), 0],
      [() => Promise.resolve(new Response("unsent")), 0],
      [() => Promise.reject(new Error("no collector")), 2],
      [() => {
        throw new Error("no collector");
      }, 2],
    ] as const
  ) {
    using log = new CapturedLog();
    const got: string[] = [];
    const application = TestApplication.of({ "a/route.ts": { GET } }, {
      onError: (error, request) => {
        got.push(`${(error as Error).message} ${request.url}`);
        return handle();
      },
    });
    const response = await application.fetch("/api/a");
    assertEquals(await response.text(), "data: 1\n\n");
    assertEquals(got, ["the shelf fell http://localhost/api/a"]);
    await delay(5);
    assertEquals(log.lines.length, lines, String(handle));
  }
});

Deno.test("an error while the generator cleans up is logged (behaviour 11.2)", async () => {
  using log = new CapturedLog();
  const response = stream(async function* () {
    try {
      for (;;) yield { data: 1 };
    } finally {
      // deno-lint-ignore no-unsafe-finally
      throw new Error("the cursor is gone");
    }
  });
  const reader = response.body!.getReader();
  await reader.read();
  await reader.cancel();
  await until(() => log.lines.length > 0);
  assert(log.lines[0]!.includes("the cursor is gone"), log.lines[0]);
});

Deno.test("any async iterable is streamed, and another value is logged", async () => {
  using log = new CapturedLog();
  const fromStream = stream(() => ReadableStream.from([{ data: 1 }]));
  assertEquals(await fromStream.text(), "data: 1\n\n");
  for (
    const wrong of [() => [{ data: 1 }], () => undefined, () => {
      throw new Error("at once");
    }]
  ) {
    const response = stream(wrong as unknown as () => AsyncIterable<unknown>);
    assertEquals(await response.text(), "");
  }
  assertEquals(log.lines.length, 3);
});
