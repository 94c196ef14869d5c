import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import type { FrameworkRequest } from "@bough/framework";
import { events } from "@bough/framework/live";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../support/application.ts";
import { readEvents } from "./events_support.ts";

Deno.test("a contract declares the refusals of a stream, and not its events (behaviour 11.1)", async () => {
  using log = new CapturedLog();
  const Id = z.object({ id: z.int() });
  const application = TestApplication.of({
    "middleware.ts": {
      contract: { security: [], response: { 200: Id, 404: Id } },
      default: (_request, next) => next(),
    },
    "a/route.ts": {
      schema: { get: { events: { message: z.int() } } },
      GET: (request) =>
        request.url.endsWith("?gone")
          ? Response.json({ id: "none" }, { status: 404 })
          : events(request as FrameworkRequest, async function* () {
            yield { data: 1 };
          }),
    },
  }, { validateResponses: true });
  const response = await application.fetch("/api/a");
  assertEquals(await response.text(), "data: 1\n\n");
  assertEquals(log.lines, []);
  assertEquals((await application.fetch("/api/a?gone")).status, 500);
});

Deno.test("validateResponses checks events (behaviour 11.2)", async () => {
  const at = new Date(0);
  const good = { event: "status", data: { at, text: "a" } };
  const misfit = 'event "status" does not fit its schema: at "#/';
  const faults: [
    sent: { readonly event?: string; readonly data: unknown },
    message: string,
  ][] = [
    [{ ...good, data: { at, text: 5 } }, `${misfit}text" `],
    [
      { ...good, data: { at, text: "a", hash: "x" } },
      `${misfit}hash" is undeclared`,
    ],
    [{ data: "1" }, 'event "message" does not fit its schema: at "#" '],
    [
      { ...good, event: "toString" },
      'event "toString" is not declared; declare it in "events" next to "status", "message"',
    ],
  ];
  const module: TestModule = {
    schema: {
      get: {
        events: {
          status: z.object({ at: z.date(), text: z.string() }),
          message: z.int(),
        },
      },
    },
    GET: (request) =>
      events(request as FrameworkRequest, async function* () {
        yield good;
        yield { id: 5 };
        yield { data: 7 };
        yield faults[Number(new URL(request.url).searchParams.get("fault"))]![
          0
        ];
        yield good;
      }),
  };
  for (const validateResponses of [true, "warn", false] as const) {
    const application = TestApplication.of({ "a/route.ts": module }, {
      validateResponses,
    });
    for (const [index, [, message]] of faults.entries()) {
      using log = new CapturedLog();
      const response = await application.fetch(`/api/a?fault=${index}`);
      const got = await Array.fromAsync(readEvents(response.body!));
      assertEquals(got.length, validateResponses === true ? 2 : 4);
      // Without a check, only a member that was left out is logged.
      const isLess = message.endsWith("undeclared");
      const isLogged = validateResponses !== false || isLess;
      assertEquals(log.lines.length, isLogged ? 1 : 0);
      if (!isLogged) continue;
      assertStringIncludes(
        log.lines[0]!,
        validateResponses === false
          ? 'event "status" is sent without "#/hash", since'
          : message,
      );
      assertMatch(log.lines[0]!, /GET \/api\/a \(.*a\/route\.ts\)/);
    }
  }
});

Deno.test("undeclared members of events are not sent (behaviour 7.9)", async () => {
  const row = { id: 1, hash: "x" };
  // Applications that share schemas have one rule.
  const routeOf = (): TestModule => ({
    schema: { get: { events: { a: z.array(z.object({ id: z.int() })) } } },
    GET: (request) =>
      events(request as FrameworkRequest, async function* () {
        yield { event: "a", data: [row] };
        yield { event: "b", data: [row] };
      }),
  });
  const less = 'event: a\ndata: [{"id":1}]\n\n';
  const whole = `data: [${JSON.stringify(row)}]\n\n`;
  for (
    const [options, sent, logged] of [
      [{}, less + "event: b\n" + whole, 'event "a" is sent without "#/0/hash"'],
      [
        { validateResponses: "warn" },
        less + "event: b\n" + whole,
        "undeclared",
      ],
      [{ sendUndeclared: true }, "event: a\n" + whole + "event: b\n" + whole],
    ] as const
  ) {
    using log = new CapturedLog();
    const application = TestApplication.of({ "route.ts": routeOf() }, options);
    assertEquals(await (await application.fetch("/api")).text(), sent);
    assertStringIncludes(log.lines[0] ?? "", logged ?? "");
  }
});
