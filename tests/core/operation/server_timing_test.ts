/** The option `serverTiming`. */
import { Framework } from "@bough/framework";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { firstMessage, throwing } from "./support.ts";

const response = { 200: z.object({ a: z.number() }) };
const FILES: Readonly<Record<string, TestModule>> = {
  "plain/[id]/route.ts": {
    GET: () =>
      new Response("plain", { headers: { "server-timing": "db;dur=1" } }),
  },
  "away/route.ts": {
    GET: () => Response.redirect("http://localhost/api/plain/1"),
  },
  "broken/route.ts": throwing(() => new Error("broken")),
  "checked/route.ts": {
    schema: { get: { response }, post: { response } },
    GET: () => Response.json({ a: 1 }),
    POST: () => Response.json(1),
  },
  "socket/route.ts": {
    GET(request) {
      const { socket, response } = Deno.upgradeWebSocket(request);
      socket.onopen = () => socket.send("open");
      return response;
    },
  },
};

Deno.test("serverTiming reports the time of each step of a request", async () => {
  using clock = new FakeClock();
  const taking = (milliseconds: number) => ({
    "~standard": {
      version: 1 as const,
      vendor: "test",
      async validate(value: unknown) {
        await Promise.resolve();
        clock.tick(milliseconds);
        return { value };
      },
    },
  });
  const level = (milliseconds: number): TestModule => ({
    contract: { headers: taking(10) },
    async default(_, next) {
      clock.tick(milliseconds);
      return await next();
    },
  });
  const route: TestModule = {
    schema: { post: { body: taking(60) } },
    async POST() {
      clock.tick(0.1234);
      await Promise.resolve();
      clock.tick(120);
      return new Response("slow");
    },
  };
  const app = new Framework({
    manifest: {
      "middleware.ts": level(1),
      "inner/middleware.ts": level(2),
      async "inner/route.ts"() {
        await Promise.resolve();
        clock.tick(50);
        return route;
      },
    },
    serverTiming: true,
  });
  await using server = await new TestApplication(app).serve();
  // The import of a lazy route is a part of the step `route`.
  for (const [time, total] of [["50.000", "253.123"], ["0.000", "203.123"]]) {
    const response = await fetch(server.url("/api/inner"), {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json" },
    });
    assertEquals(await response.text(), "slow");
    // Each step excludes the others; the check of a contract is a part of `validate`.
    assertEquals(
      response.headers.get("server-timing"),
      `route;dur=${time}, middleware;dur=3.000, validate;dur=80.000, handler;dur=120.123, total;dur=${total}`,
    );
  }
});

Deno.test("serverTiming adds to the header of a handler, and to every response except an upgrade", async () => {
  using _log = new CapturedLog();
  const application = TestApplication.of(FILES, {
    serverTiming: true,
    validateResponses: true,
  });
  await using server = await application.serve();
  for (
    const [method, path, expected] of [
      ["GET", "/api/plain/1", "200 db route handler total"],
      ["HEAD", "/api/plain/1", "200 db route handler total"],
      ["PUT", "/api/plain/1", "405 route total"],
      ["GET", "/api/away", "302 route handler total"],
      ["GET", "/api/broken", "500 route handler total"],
      ["GET", "/api/none", "404 total"],
      ["GET", "/api/%FF", "400 total"],
      // The check of a response is not a step.
      ["GET", "/api/checked", "200 route handler total"],
      ["POST", "/api/checked", "500 route handler total"],
    ] as const
  ) {
    const { status, headers, body } = await application.fetch(path, { method });
    await body?.cancel();
    const names = headers.get("server-timing")!.matchAll(/(\w+);dur=[\d.]+/g);
    const steps = [...names].map(([, name]) => name);
    assertEquals([status, ...steps].join(" "), expected, `${method} ${path}`);
  }
  assertEquals(await firstMessage(server.url("/api/socket")), "open");
  const without = await TestApplication.of(FILES).fetch("/api/away");
  assertEquals(without.headers.get("server-timing"), null);
});
