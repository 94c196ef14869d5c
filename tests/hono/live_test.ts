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
import { FolderApplication } from "../support/application.ts";
import { until } from "../support/until.ts";

const FILES = {
  "events/route.ts": `
    import { events } from "@bough/framework/live";
    export function GET(request) {
      return events(request, async function* ({ signal }) {
        globalThis.honoLive = { ended: false };
        try {
          yield { event: "one", data: "x".repeat(2000) };
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
        } finally {
          globalThis.honoLive.ended = true;
        }
      });
    }`,
  // Written by hand, it has no header that keeps middleware away.
  "plain/route.ts": `
    export const GET = () => new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(
          new TextEncoder().encode("data: " + "x".repeat(2000) + "\\n\\n"),
        ),
        cancel: () => { globalThis.honoLive = { ended: true }; },
      }),
      { headers: { "content-type": "text/event-stream" } },
    );`,
};

function ended(): boolean {
  return (globalThis as { honoLive?: { ended: boolean } }).honoLive!.ended;
}

const SHELF: Readonly<Record<string, () => HonoMiddleware>> = {
  compress: () => compress(),
  etag: () => etag(),
  logger: () => logger(() => {}),
  requestId: () => requestId(),
  secureHeaders: () => secureHeaders(),
  timeout: () => timeout(50),
  timing: () => timing(),
};

for (const [name, create] of Object.entries(SHELF)) {
  for (const path of ["/api/events", "/api/plain"]) {
    Deno.test(`${name}() of Hono holds back no event of ${path}`, async () => {
      await using application = await FolderApplication.create(FILES, {
        middleware: [honoMiddleware(create())],
      });
      await using server = await application.serve();
      const response = await fetch(server.url(path), {
        headers: { "accept-encoding": "gzip" },
        signal: AbortSignal.timeout(2_000),
      });
      assertEquals(response.status, 200);
      assertEquals(response.headers.get("content-encoding"), null);
      assertEquals(response.headers.get("etag"), null);
      const reader = response.body!.getReader();
      const { value } = await reader.read();
      assert(new TextDecoder().decode(value).includes("xxx"));
      // The stream outlasts the time-out, which is for the head.
      await new Promise((resolve) => setTimeout(resolve, 80));
      await reader.cancel();
      await until(ended);
    });
  }
}

Deno.test("what a middleware of Hono sends in place of a stream ends the stream", async () => {
  const replace = createMiddleware(async (context, next) => {
    await next();
    context.res = new Response("replaced");
  });
  const refuse = createMiddleware(async (_, next) => {
    await next();
    throw new HTTPException(503);
  });
  for (const [middleware, status] of [[replace, 200], [refuse, 503]] as const) {
    (globalThis as { honoLive?: object }).honoLive = { ended: false };
    await using application = await FolderApplication.create(FILES, {
      middleware: [honoMiddleware(middleware)],
    });
    const response = await application.fetch("/api/plain");
    assertEquals(response.status, status);
    await response.body?.cancel();
    await until(ended);
  }
});

Deno.test("a middleware of Hono may set the headers and the status of a stream", async () => {
  const label = createMiddleware(async (context, next) => {
    await next();
    context.header("x-label", "a");
    context.res = new Response(context.res.body, {
      status: 203,
      headers: context.res.headers,
    });
  });
  await using application = await FolderApplication.create(FILES, {
    middleware: [honoMiddleware(label)],
  });
  const response = await application.fetch("/api/plain");
  assertEquals([response.status, response.headers.get("x-label")], [203, "a"]);
  const reader = response.body!.getReader();
  assert((await reader.read()).value!.length > 2000);
  await reader.cancel();
});
