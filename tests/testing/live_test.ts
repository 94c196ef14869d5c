/** Event streams and sockets are tested with their own schemas. */
import { HttpError } from "@bough/framework";
import { events, type EventsContext } from "@bough/framework/live";
import { Problem } from "@bough/framework/openapi";
import {
  checkContracts,
  type CheckOptions,
  type ContractReport,
} from "@bough/framework/testing";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import {
  TestApplication,
  type TestModule,
  TestServer,
} from "../support/application.ts";
import { until } from "../support/until.ts";
import { check as checkModules, type Modules } from "./support.ts";

/** The number of streams that were opened, and of those that are open. */
const counts = { opened: 0, open: 0 };

/** Sends the first texts of a stream; returns the timer of later texts. */
type Send = (
  write: (text: string) => void,
  controller: ReadableStreamDefaultController,
) => unknown;

/** Streams texts, and counts the open streams. */
function stream(send: Send): TestModule {
  return {
    schema: {
      get: {
        query: z.object({ from: z.coerce.number().int().optional() }),
        events: {
          status: z.object({ id: z.int(), at: z.date() }),
          message: z.string(),
        },
      },
    },
    GET: () => {
      let timer: unknown;
      const body = new ReadableStream<string>({
        start(controller) {
          counts.opened++;
          counts.open++;
          timer = send((text) => controller.enqueue(text), controller);
        },
        cancel() {
          counts.open--;
          clearInterval(timer as number | undefined);
        },
      });
      return new Response(body.pipeThrough(new TextEncoderStream()), {
        headers: { "content-type": "text/event-stream" },
      });
    },
  };
}

const { schema: SCHEMA } = stream(() => {});

const status = () =>
  `event: status\ndata: {"id":1,"at":"${new Date().toISOString()}"}\n\n`;

const check = (files: Modules, options: CheckOptions = {}) =>
  checkModules(files, { runs: 30, ...options });

function found({ failures }: ContractReport): string[] {
  return failures.map(({ property, seen }) => `${property}: ${seen}`);
}

Deno.test("contract tests read the beginning of streams, and close them", async () => {
  const report = await check({
    "a/route.ts": stream((write) => {
      write(": hello\n\nretry: 10\n\n");
      write(status());
      write('data: "x"\r\n\r\n');
      return setInterval(() => write(status()), 1);
    }),
    "idle/route.ts": stream(() => {}),
  });
  assertEquals(found(report), []);
  assertEquals(counts.open, 0);
  assert(counts.opened > 100);
});

for (
  const [seen, send] of [
    [
      'an event "message" whose data are not JSON',
      (write) => write("data: text\n\n"),
    ],
    // Later events are checked, too.
    ['an event "late" that is not declared', (write) => {
      write(status());
      return setTimeout(() => write("event: late\ndata: 1\n\n"), 2);
    }],
  ] satisfies [string, Send][]
) {
  Deno.test(`a stream may not send ${seen}`, async () => {
    const report = await check({ "a/route.ts": stream(send) }, {
      properties: ["declared"],
    });
    assertEquals(report.failures.length, 1);
    assertStringIncludes(found(report)[0]!, `declared: ${seen}`);
    assertEquals(counts.open, 0);
  });
}

Deno.test("a method with events streams them, or refuses with a 4xx", async () => {
  const foundOf = async (GET: () => Response) =>
    found(await check({ "a/route.ts": { schema: SCHEMA, GET } }));
  const empty = (status: number) => () => new Response(null, { status });
  assertEquals((await foundOf(() => Response.json([]))).length, 1);
  assertEquals(await foundOf(empty(204)), ["declared: a 204"]);
  assertEquals(await foundOf(empty(404)), []);
});

Deno.test("a stream that fails is a failure of the application", async () => {
  const fail: Send = (_, controller) => controller.error(new Error("gone"));
  const report = await check({ "a/route.ts": stream(fail) }, {
    properties: ["failure"],
  });
  assertEquals(found(report), [
    "failure: the stream of events failed: Error: gone",
  ]);
});

const SOCKET = { get: { socket: { receive: z.string(), send: z.string() } } };

const guard = (accepts: (token: string | null) => boolean): TestModule => ({
  contract: { security: [{ bearer: [] }], response: { 401: Problem } },
  default: (request, next) => {
    if (accepts(request.headers.get("authorization"))) return next();
    throw new HttpError(401, "Who?", {
      headers: { "www-authenticate": "Bearer" },
    });
  },
});

const GUARD = guard((token) => token === "Bearer test");
const as = { authorization: "Bearer test" };

Deno.test("a socket and its guard get a request that does not open the socket", async () => {
  const files: Modules = {
    "middleware.ts": GUARD,
    "chat/route.ts": {
      schema: SOCKET,
      GET: () => {
        throw new HttpError(426, "Open a WebSocket here", {
          headers: { upgrade: "websocket" },
        });
      },
    },
  };
  const report = await check(files, { as });
  assertEquals(found(report), []);
  assertEquals(
    report.results.map(({ property }) => property),
    ["failure", "accepted", "declared", "methods", "security", "live"],
  );
  const open = guard((token) => token !== "none");
  assertEquals(
    found(await check({ ...files, "middleware.ts": open }, { as })),
    ["security: a 426: Open a WebSocket here"],
  );
  const plain = { schema: SOCKET, GET: () => new Response("no socket") };
  assertEquals(found(await check({ "chat/route.ts": plain })), [
    "declared: a 200",
  ]);
});

Deno.test("contract tests of a running server close its streams, too", async () => {
  Object.assign(counts, { opened: 0, open: 0 });
  const ticks: Send = (write) => {
    write(status());
    return setInterval(() => write(status()), 20);
  };
  const { app } = TestApplication.of({ "a/route.ts": stream(ticks) });
  await using server = await TestServer.start(app);
  const report = await checkContracts(app, {
    url: server.url(""),
    unsafe: true,
    seed: 11,
    runs: 10,
  });
  assertEquals(found(report), []);
  await until(() => counts.open === 0);
  assert(counts.opened > 10);
});

const aborted = (signal: AbortSignal) =>
  new Promise((resolve) => signal.addEventListener("abort", resolve));

for (
  const [name, generate, seen] of [
    ["", async function* () {
      yield { data: 1 };
      throw new Error("no database");
    }, "no database"],
    [" that cleans up", async function* ({ signal }: EventsContext) {
      try {
        yield { data: 1 };
        await aborted(signal);
      } finally {
        await new Promise((resolve) => setTimeout(resolve));
        // deno-lint-ignore no-unsafe-finally
        throw new Error("not closed");
      }
    }, "not closed"],
  ] as const
) {
  Deno.test(`an error of a generator${name} is a failure of the application`, async () => {
    const report = await check({
      "events/route.ts": {
        GET: (request) => events(request, generate),
      },
    }, { properties: ["failure"], runs: 1 });
    assertEquals(report.failures.length, 1);
    assertStringIncludes(found(report)[0]!, seen);
  });
}
