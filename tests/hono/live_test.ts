import { assert, assertEquals } from "@std/assert";
import { compress } from "hono/compress";
import { etag } from "hono/etag";
import { logger } from "hono/logger";
import { requestId } from "hono/request-id";
import { secureHeaders } from "hono/secure-headers";
import { timeout } from "hono/timeout";
import { timing } from "hono/timing";
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import { type HonoMiddleware, honoMiddleware } from "@bough/framework/hono";
import { events } from "@bough/framework/live";
import { TestApplication, type TestModule } from "../support/application.ts";
import { FakeTimers } from "../support/fake_timers.ts";
import { until } from "../support/until.ts";

/** Whether the last stream has ended. */
let isEnded = false;
const ended = () => isEnded;
const DATA = "x".repeat(2000);

const FILES: Readonly<Record<string, TestModule>> = {
  "events/route.ts": {
    GET: (request) =>
      events(request, async function* ({ signal }) {
        isEnded = false;
        yield { event: "one", data: DATA };
        await new Promise((resolve) =>
          signal.addEventListener("abort", resolve)
        );
        isEnded = true;
      }),
  },
  // Without events(), the response has no header that excludes middleware.
  "plain/route.ts": {
    GET: () => {
      isEnded = false;
      const body = new ReadableStream({
        start: (controller) =>
          controller.enqueue(new TextEncoder().encode(`data: ${DATA}\n\n`)),
        cancel: () => void (isEnded = true),
      });
      return new Response(body, {
        headers: { "content-type": "text/event-stream" },
      });
    },
  },
};

function applicationOf(middleware: HonoMiddleware): TestApplication {
  return TestApplication.of(FILES, {
    middleware: [honoMiddleware(middleware)],
  });
}

const SHELF: Readonly<Record<string, () => HonoMiddleware>> = {
  compress: () => compress(),
  etag: () => etag(),
  logger: () => logger(() => {}),
  requestId: () => requestId(),
  secureHeaders: () => secureHeaders(),
  timeout: () => timeout(500),
  timing: () => timing(),
};

for (const [name, create] of Object.entries(SHELF)) {
  Deno.test(`${name}() of Hono delays no event`, async () => {
    await using server = await applicationOf(create()).serve();
    for (const path of ["/api/events", "/api/plain"]) {
      let reader: ReadableStreamDefaultReader<Uint8Array>;
      {
        using timers = new FakeTimers();
        const { status, headers, body } = await fetch(server.url(path), {
          headers: { "accept-encoding": "gzip" },
        });
        const [encoding, tag] = ["content-encoding", "etag"]
          .map((header) => headers.get(header));
        assertEquals([status, encoding, tag], [200, null, null], path);
        reader = body!.getReader();
        const { value } = await reader.read();
        assert(new TextDecoder().decode(value).includes("xxx"));
        // The timeout ends before the stream does.
        await timers.pass(1_000);
        assert(!ended());
      }
      await reader.cancel();
      await until(ended);
    }
  });
}

Deno.test("a response of Hono middleware that replaces a stream ends the stream", async () => {
  const replace = createMiddleware(async (context, next) => {
    await next();
    context.res = new Response("replaced");
  });
  const fail = createMiddleware(async (_, next) => {
    await next();
    throw new HTTPException(503);
  });
  for (const [middleware, status] of [[replace, 200], [fail, 503]] as const) {
    const response = await applicationOf(middleware).fetch("/api/plain");
    assertEquals(response.status, status);
    await response.body?.cancel();
    await until(ended);
  }
});

Deno.test("Hono middleware may set the headers and the status of a stream", async () => {
  const label = createMiddleware(async (context, next) => {
    await next();
    context.header("x-label", "a");
    context.res = new Response(context.res.body, {
      status: 203,
      headers: context.res.headers,
    });
  });
  const response = await applicationOf(label).fetch("/api/plain");
  assertEquals([response.status, response.headers.get("x-label")], [203, "a"]);
  const reader = response.body!.getReader();
  assert((await reader.read()).value!.length > 2000);
  await reader.cancel();
});
