import { Framework } from "@bough/framework";
import { assertEquals, assertThrows } from "@std/assert";
import { z } from "zod";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { firstMessage, throwing } from "./support.ts";

const FILES: Readonly<Record<string, TestModule>> = {
  "plain/[id]/route.ts": {
    GET: () =>
      new Response("plain", { headers: { "server-timing": "db;dur=1" } }),
  },
  "away/route.ts": {
    GET: () => Response.redirect("http://localhost/api/plain/1"),
  },
  "broken/route.ts": throwing(() => new Error("broken")),
};

/** The names of the steps in a response, with its status. */
function stepsOf({ status, headers }: Response): string {
  const header = headers.get("server-timing") ?? "";
  const names = [...header.matchAll(/(\w+);dur=[\d.]+/g)]
    .map(([, name]) => name);
  return [status, ...names].join(" ");
}

Deno.test("serverTiming reports the time of each step of a request", async () => {
  using clock = new FakeClock();
  const validate = async (value: unknown) => {
    await Promise.resolve();
    clock.tick(60);
    return { value };
  };
  const body = { "~standard": { version: 1, vendor: "test", validate } };
  const application = TestApplication.of({
    "middleware.ts": {
      async default(_, next) {
        clock.tick(30);
        return await next();
      },
    },
    "route.ts": {
      schema: { post: { body } },
      async POST() {
        clock.tick(0.1234);
        await Promise.resolve();
        clock.tick(120);
        return new Response("slow");
      },
    },
  }, { serverTiming: true });
  await using server = await application.serve();
  const response = await fetch(server.url("/api"), {
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json" },
  });
  assertEquals(await response.text(), "slow");
  // Each step excludes the others.
  assertEquals(
    response.headers.get("server-timing"),
    "route;dur=0.000, middleware;dur=30.000, validate;dur=60.000, handler;dur=120.123, total;dur=210.123",
  );
});

Deno.test("serverTiming counts the check of a contract as validate", async () => {
  using clock = new FakeClock();
  const slow = {
    "~standard": {
      version: 1 as const,
      vendor: "test",
      validate(value: unknown) {
        clock.tick(10);
        return { value };
      },
    },
  };
  const application = TestApplication.of({
    "middleware.ts": {
      contract: { headers: slow },
      async default(_, next) {
        clock.tick(1);
        return await next();
      },
    },
    "inner/middleware.ts": {
      contract: { headers: slow },
      async default(_, next) {
        clock.tick(2);
        return await next();
      },
    },
    "inner/route.ts": { GET: () => new Response() },
  }, { serverTiming: true });
  const { headers } = await application.fetch("/api/inner");
  assertEquals(
    headers.get("server-timing"),
    "route;dur=0.000, middleware;dur=3.000, validate;dur=20.000, handler;dur=0.000, total;dur=23.000",
  );
});

Deno.test("serverTiming adds to the header of a handler, and to every response", async () => {
  using _log = new CapturedLog();
  const application = TestApplication.of(FILES, { serverTiming: true });
  for (
    const [method, path, expected] of [
      ["GET", "/api/plain/1", "200 db route handler total"],
      ["HEAD", "/api/plain/1", "200 db route handler total"],
      ["PUT", "/api/plain/1", "405 route total"],
      ["GET", "/api/away", "302 route handler total"],
      ["GET", "/api/broken", "500 route handler total"],
      ["GET", "/api/none", "404 total"],
      ["GET", "/api/%FF", "400 total"],
    ] as const
  ) {
    const response = await application.fetch(path, { method });
    await response.body?.cancel();
    assertEquals(stepsOf(response), expected);
  }
});

Deno.test("serverTiming counts the import of a lazy route as a part of the step route", async () => {
  using clock = new FakeClock();
  const app = new Framework({
    manifest: {
      "route.ts": async () => {
        await Promise.resolve();
        clock.tick(50);
        return { GET: () => new Response() };
      },
    },
    serverTiming: true,
  });
  for (const time of ["50.000", "0.000"]) {
    const { headers } = await app.fetch(new Request("http://localhost/api"));
    assertEquals(
      headers.get("server-timing"),
      `route;dur=${time}, handler;dur=0.000, total;dur=${time}`,
    );
  }
});

Deno.test("serverTiming does not change the response of a WebSocket", async () => {
  const application = TestApplication.of({
    "socket/route.ts": {
      GET(request) {
        const { socket, response } = Deno.upgradeWebSocket(request);
        socket.onopen = () => socket.send("open");
        return response;
      },
    },
  }, { serverTiming: true });
  await using server = await application.serve();
  assertEquals(await firstMessage(server.url("/api/socket")), "open");
});

Deno.test("without serverTiming, responses have no such header", async () => {
  const response = await TestApplication.of(FILES).fetch("/api/away");
  assertEquals(response.headers.get("server-timing"), null);
  assertThrows(
    () =>
      new Framework({ apiDir: "api", serverTiming: "yes" as unknown as true }),
    TypeError,
    'serverTiming must be true or false, got "yes"',
  );
});

Deno.test("middleware excludes the check of a response", async () => {
  const response = { 200: z.object({ a: z.number() }) };
  const application = TestApplication.of({
    "route.ts": {
      schema: { get: { response }, post: { response } },
      GET: () => Response.json({ a: 1 }),
      POST: () => Response.json(1),
    },
  }, { serverTiming: true, validateResponses: true });
  using _log = new CapturedLog();
  for (const [method, status] of [["GET", 200], ["POST", 500]] as const) {
    const response = await application.fetch("/api", { method });
    assertEquals(stepsOf(response), `${status} route handler total`);
  }
});
