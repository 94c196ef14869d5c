/** Checks of a single response. */
import { assertEquals } from "@std/assert";
import { z } from "zod";
import {
  acceptanceFault,
  declarationFault,
  refusalFault,
  seenOf,
} from "../../src/testing/checks.ts";
import type { Operation } from "../../src/testing/operation.ts";
import { exchange } from "./support.ts";

type Further = Record<string, unknown>;

const operation = (further: Further = {}): Operation =>
  ({
    name: "GET /a",
    method: "POST",
    route: { middleware: [] },
    hasBody: true,
    schema: { parts: {} },
    responses: new Map(),
    ...further,
  }) as unknown as Operation;

const ISSUES = ["a", "b", "c", "d"].map((name) => ({
  in: "body",
  pointer: `#/${name}`,
  detail: "is wrong",
}));
const BODYLESS = { hasBody: false };

Deno.test("a refusal of valid input is found: a 400 with places, and a 413 or a 415", () => {
  const detail = { detail: "No" };
  for (
    const [status, json, further, seen] of [
      [200, undefined, {}, undefined],
      [400, undefined, {}, undefined],
      [400, { errors: {} }, {}, undefined],
      [422, { errors: ISSUES }, {}, undefined],
      [400, { errors: [] }, {}, "a 400"],
      [
        400,
        { errors: ISSUES, detail: "not shown" },
        BODYLESS,
        "a 400: body #/a is wrong; body #/b is wrong; body #/c is wrong",
      ],
      ...[413, 415].flatMap((status) =>
        [
          [status, detail, {}, `a ${status}: No`],
          [status, detail, BODYLESS, undefined],
        ] as const
      ),
    ] as const
  ) {
    const fault = acceptanceFault(operation(further), exchange(status, json));
    assertEquals(fault?.seen, seen, `${status} ${JSON.stringify(further)}`);
  }
});

const bodies = [{ mediaType: undefined, schema: z.object({ n: z.int() }) }];
const declared = (...statuses: number[]) => ({
  responses: new Map(statuses.map((status) => [status, { bodies }])),
});
const live = (kind: object) => ({ schema: { parts: { body: [] }, ...kind } });
const ALL = declared(200, 201, 404);
const HEAD = { plan: { method: "HEAD", target: "/api/a", headers: {} } };
const EVENTS = live({ events: { value: { tick: z.int() } } });
const SOCKET = live({ socket: {} });

Deno.test("a response has a declared status, and fits its schema", async () => {
  const good = { n: 1 };
  for (
    const [name, seen, further, expected] of [
      ["a declared one", exchange(200, good), ALL],
      // Another property reports a 500 and a missing response.
      ...[undefined, 101, 500].map((status) =>
        [`${status}`, exchange(status, good), ALL] as const
      ),
      ["HEAD", exchange(200, undefined, HEAD), ALL],
      [
        "a mismatch",
        exchange(201, { n: "1" }),
        ALL,
        [
          "a 201 as declared",
          'a 201 that does not fit its schema: at "#/n" Invalid input: expected number, received string',
        ],
      ],
      ["a success", exchange(202, good), ALL, [
        "one of the declared statuses: 200, 201",
        "a 202",
      ]],
      ["a rejection", exchange(409, { detail: "Twice" }), ALL, [
        "one of the declared statuses: 404",
        "a 409: Twice",
      ]],
      ["no rejection is declared", exchange(409), declared(200), [
        "a declared status; to allow 409, declare response: { 409: Problem }",
        "a 409",
      ]],
      ["no success is declared", exchange(200, good), declared(404)],
      ["nothing is declared", exchange(200, good), declared()],
      ...[EVENTS, SOCKET].flatMap((each) =>
        [
          ["a 404 of a live route", exchange(404), each],
          ["a 499 of a live route", exchange(499), each],
        ] as const
      ),
      [
        "events",
        exchange(200, good, { stream: "event: tick\ndata: 1\n\n" }),
        { ...ALL, ...EVENTS },
      ],
      [
        "another event",
        exchange(200, good, { stream: "event: tock\ndata: 1\n\n" }),
        { ...ALL, ...EVENTS },
        ["events as declared", 'an event "tock" that is not declared'],
      ],
      ["a socket", exchange(200, good), { ...ALL, ...SOCKET }, [
        "a 426, since the request does not open a WebSocket",
        "a 200",
      ]],
    ] as const
  ) {
    const fault = await declarationFault(
      operation({ ...BODYLESS, ...further }),
      seen,
    );
    assertEquals<unknown>(
      fault && [fault.expected, fault.seen],
      expected,
      name,
    );
    if (fault === undefined) continue;
    assertEquals(
      fault.assertion,
      name === "a socket"
        ? "assertEquals(response.status, 426);"
        : 'await assertDeclared(app, "GET /a", response);',
    );
  }
  for (const each of [EVENTS, SOCKET]) {
    const fault = await declarationFault(operation(each), exchange(501));
    assertEquals(fault?.seen, "a 501");
  }
});

Deno.test("invalid input is refused with the right status and one of its places", () => {
  const plan = { method: "POST", target: "/api/a", headers: {} };
  const one = 'a 400 that names "body#/a"';
  const errors = [{ kind: "logged" as const, text: "late" }];
  // Middleware may refuse a request earlier with a declared status.
  const guarded = { route: { middleware: ["a"] } };
  const responses = new Map([[401, {}], [409, {}]]);
  for (
    const [places, seen, further, expected] of [
      [[], exchange(400), {}],
      [["body#/d"], exchange(400, { errors: ISSUES }), {}],
      [[], exchange(401), { ...guarded, responses }],
      [[], exchange(200), {}, ["a 400", "a 200"]],
      [["body#/a"], exchange(200, { detail: "Ok" }), {}, [one, "a 200: Ok"]],
      [["body#/a"], exchange(undefined), {}, [one, "no response"]],
      [["body#/a"], exchange(undefined, undefined, { errors }), {}, [
        one,
        "late",
      ]],
      [["body#/a"], exchange(400), {}, [one, "a 400 that names no place"]],
      [["a#", "b#", "c#", "d#"], exchange(400, { errors: ISSUES }), {}, [
        'a 400 that names one of "a#", "b#", "c#"',
        "a 400 that names body#/a, body#/b, body#/c",
      ]],
      [[], exchange(401), guarded, ["a 400", "a 401"]],
      [[], exchange(401), { responses }, ["a 400", "a 401"]],
      [[], exchange(403), { ...guarded, responses }, ["a 400", "a 403"]],
      [[], exchange(409), { ...guarded, responses }, ["a 400", "a 409"]],
    ] as const
  ) {
    const refusal = { plan, status: 400, places: new Set<string>(places) };
    const fault = refusalFault(operation(further), refusal, seen);
    assertEquals<unknown>(fault && [fault.expected, fault.seen], expected);
  }
});

Deno.test("the detail of a problem is a text, and is shortened", () => {
  for (const json of [undefined, null, { detail: 1 }]) {
    assertEquals(seenOf(exchange(400, json)).seen, "a 400");
  }
  const long = seenOf(exchange(400, { detail: "a".repeat(201) }));
  assertEquals(long.seen, `a 400: ${"a".repeat(200)}`);
});
