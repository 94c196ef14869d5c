/** Checks of a single response. */
import { assertEquals, assertThrows } from "@std/assert";
import { z } from "zod";
import {
  acceptanceFault,
  declarationFault,
  endIfAsked,
  EndOfRun,
  failureOf,
  refusalFault,
  seenOf,
} from "../../src/testing/checks.ts";
import type { Exchange } from "../../src/testing/send/exchange.ts";
import type { Operation } from "../../src/testing/operation.ts";
import { exchange } from "./support.ts";

function operation(further: Record<string, unknown> = {}): Operation {
  return {
    method: "POST",
    route: { middleware: [] },
    schema: { parts: { body: [{}] } },
    responses: new Map(),
    ...further,
  } as unknown as Operation;
}

const ISSUES = ["a", "b", "c", "d"].map((name) => ({
  in: "body",
  pointer: `#/${name}`,
  detail: "is wrong",
}));

Deno.test("a 429, a 503 and a missing response end a run", () => {
  for (const status of [200, 400, 404, 500, 502]) endIfAsked(exchange(status));
  for (const status of [429, 503]) {
    const end = () => endIfAsked(exchange(status));
    assertThrows(end, EndOfRun, `stopped by a ${status} response`);
  }
  const silent = exchange(undefined, undefined, {
    errors: [{ kind: "missing", text: "no response: x" }],
  });
  assertThrows(() => endIfAsked(silent), EndOfRun, "no response: x");
});

Deno.test("a 500 and an error in the log are failures", () => {
  assertEquals(failureOf(exchange(200)), undefined);
  assertEquals(failureOf(exchange(501)), undefined);
  const expected =
    "a status other than 500, and no error or warning in the log";
  const assertion = "assertNotEquals(response.status, 500);";
  const errors = ["one", "two"]
    .map((text) => ({ kind: "logged" as const, text }));
  assertEquals(failureOf(exchange(500)), {
    expected,
    seen: "a 500",
    assertion,
  });
  assertEquals(failureOf(exchange(500, null, { errors })), {
    expected,
    seen: "one",
    kind: "logged",
    assertion,
  });
  assertEquals(failureOf(exchange(200, null, { errors })), {
    expected,
    seen: "one",
    kind: "logged",
    assertion: undefined,
  });
});

Deno.test("a refusal of valid input is found: a 400 with places, and a 413 or a 415", () => {
  const of = (status: number, json?: unknown, further = {}) =>
    acceptanceFault(operation(further), exchange(status, json))?.seen;
  const bodyless = { schema: { parts: { body: [] } } };
  assertEquals(of(200), undefined);
  assertEquals(of(400), undefined);
  assertEquals(of(400, { errors: {} }), undefined);
  assertEquals(of(422, { errors: ISSUES }), undefined);
  assertEquals(of(400, { errors: [] }), "a 400");
  assertEquals(
    of(400, { errors: ISSUES, detail: "not shown" }, bodyless),
    "a 400: body #/a is wrong; body #/b is wrong; body #/c is wrong",
  );
  for (const status of [413, 415]) {
    assertEquals(of(status, { detail: "No" }), `a ${status}: No`);
    assertEquals(of(status, { detail: "No" }, bodyless), undefined);
    assertEquals(of(status, { detail: "No" }, { method: "GET" }), undefined);
  }
});

Deno.test("a response has a declared status, and fits its schema", async () => {
  const schema = z.object({ n: z.int() });
  const bodies = [{ mediaType: undefined, schema }];
  const responses = (...statuses: number[]) =>
    new Map(statuses.map((status) => [status, { bodies }]));
  const of = async (
    seen: Exchange,
    declared = responses(200, 201, 404),
    live: Record<string, unknown> = {},
  ) => {
    const schema = { parts: { body: [] }, ...live };
    const named = { name: "GET /a", responses: declared, schema };
    const fault = await declarationFault(operation(named), seen);
    return fault && [fault.expected, fault.seen, fault.assertion];
  };
  const good = { n: 1 };
  const assertion = 'await assertDeclared(app, "GET /a", response);';
  assertEquals(await of(exchange(200, good)), undefined);
  // Another property reports a 500 and a missing response.
  for (const status of [undefined, 101, 500]) {
    assertEquals(await of(exchange(status, good)), undefined);
  }
  assertEquals(await of(exchange(201, { n: "1" })), [
    "a 201 as declared",
    'a 201 that does not fit its schema: at "#/n" Invalid input: expected number, received string',
    assertion,
  ]);
  const head = { plan: { method: "HEAD", target: "/api/a", headers: {} } };
  assertEquals(await of(exchange(200, undefined, head)), undefined);
  assertEquals((await of(exchange(200)))?.length, 3);
  assertEquals(await of(exchange(202, good)), [
    "one of the declared statuses: 200, 201",
    "a 202",
    assertion,
  ]);
  assertEquals(await of(exchange(409, { detail: "Twice" })), [
    "one of the declared statuses: 404",
    "a 409: Twice",
    assertion,
  ]);
  assertEquals(await of(exchange(409), responses(200)), [
    "a declared status; to allow 409, declare response: { 409: Problem }",
    "a 409",
    assertion,
  ]);
  assertEquals(await of(exchange(200, good), responses(404)), undefined);
  const none = responses();
  assertEquals(await of(exchange(200, good), none), undefined);
  for (const live of [{ events: { value: {} } }, { socket: {} }]) {
    assertEquals(await of(exchange(404), none, live), undefined);
    assertEquals(await of(exchange(499), none, live), undefined);
    assertEquals((await of(exchange(501), none, live))?.[1], "a 501");
  }
  assertEquals(await of(exchange(200, good), undefined, { socket: {} }), [
    "a 426, since the request does not open a WebSocket",
    "a 200",
    "assertEquals(response.status, 426);",
  ]);
  const events = { events: { value: { tick: z.int() } } };
  const streamed = (stream: string) => exchange(200, good, { stream });
  assertEquals(
    await of(streamed("event: tick\ndata: 1\n\n"), undefined, events),
    undefined,
  );
  assertEquals(
    await of(streamed("event: tock\ndata: 1\n\n"), undefined, events),
    [
      "events as declared",
      'an event "tock" that is not declared',
      assertion,
    ],
  );
});

Deno.test("invalid input is refused with the right status and one of its places", () => {
  const plan = { method: "POST", target: "/api/a", headers: {} };
  const of = (
    places: readonly string[],
    seen: Exchange,
    further: Record<string, unknown> = {},
  ) => {
    const refusal = { plan, status: 400, places: new Set(places) };
    const fault = refusalFault(operation(further), refusal, seen);
    return fault && [fault.expected, fault.seen];
  };
  const one = 'a 400 that names "body#/a"';
  assertEquals(of([], exchange(400)), undefined);
  assertEquals(of(["body#/d"], exchange(400, { errors: ISSUES })), undefined);
  assertEquals(of([], exchange(200)), ["a 400", "a 200"]);
  assertEquals(of(["body#/a"], exchange(200, { detail: "Ok" })), [
    one,
    "a 200: Ok",
  ]);
  assertEquals(of(["body#/a"], exchange(undefined)), [one, "no response"]);
  const errors = [{ kind: "logged" as const, text: "late" }];
  assertEquals(
    of(["body#/a"], exchange(undefined, undefined, { errors })),
    [one, "late"],
  );
  assertEquals(of(["body#/a"], exchange(400)), [
    one,
    "a 400 that names no place",
  ]);
  assertEquals(
    of(["a#", "b#", "c#", "d#"], exchange(400, { errors: ISSUES })),
    [
      'a 400 that names one of "a#", "b#", "c#"',
      "a 400 that names body#/a, body#/b, body#/c",
    ],
  );
  // Middleware may refuse a request earlier with a declared status.
  const guarded = { route: { middleware: ["a"] } };
  const responses = new Map([[401, {}], [409, {}]]);
  assertEquals(of([], exchange(401), { ...guarded, responses }), undefined);
  for (
    const [status, further] of [
      [401, guarded],
      [401, { responses }],
      [403, { ...guarded, responses }],
      [409, { ...guarded, responses }],
    ] as const
  ) assertEquals(of([], exchange(status), further), ["a 400", `a ${status}`]);
});

Deno.test("the detail of a problem is a text, and is shortened", () => {
  assertEquals(seenOf(exchange(400)).seen, "a 400");
  assertEquals(seenOf(exchange(400, null)).seen, "a 400");
  assertEquals(seenOf(exchange(400, { detail: 1 })).seen, "a 400");
  assertEquals(seenOf(exchange(400, { detail: "a" })).seen, "a 400: a");
  assertEquals(
    seenOf(exchange(400, { detail: "a".repeat(201) })).seen,
    `a 400: ${"a".repeat(200)}`,
  );
});
