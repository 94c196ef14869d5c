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
import { delay, until } from "../support/until.ts";
import {
  broken,
  failed,
  over,
  scripted,
  serve,
  type small,
  stream,
} from "./events_support.ts";

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
  const next = api.events("/counts/[id]", { ...options, lastEventId: "7" });
  assertEquals((await next.next()).value?.lastEventId, "8");
  await next.return();
  assertEquals(
    asked.map(({ lastEventId }) => lastEventId),
    [undefined, "3", "6", "7"],
  );
});

Deno.test("a POST sends its body, and break, return() or a signal ends the stream on the server (behaviour 11.2, 11.4)", async () => {
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

Deno.test("malformed JSON ends the loop with an error", async () => {
  const { reads } = scripted(stream("event: odd\ndata: {\n\n"));
  assertEquals(await reads, [
    'SyntaxError: Cannot read event "odd" of GET "/": its data are malformed JSON',
  ]);
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
