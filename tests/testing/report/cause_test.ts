/** Failures with the same cause share a report. */
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import type { ContractFailure } from "@bough/framework/testing";
import { z } from "zod";
import type { Fault } from "../../../src/testing/checks.ts";
import { failedText, placeText } from "../../../src/core/common/log.ts";
import type { Operation } from "../../../src/testing/operation.ts";
import { causeOf } from "../../../src/testing/report/cause.ts";
import { failureText } from "../../../src/testing/report/report.ts";
import { check } from "../support.ts";

type Given = Partial<ContractFailure & Fault> & {
  readonly middleware?: string[];
};

function cause({ middleware = [], ...given }: Given): string {
  const failure = {
    property: "declared",
    operation: "GET /a",
    file: "a/route.ts",
    expected: "a 200 as declared",
    seen: "a 200",
    requests: [],
    ...given,
  } as unknown as ContractFailure & Fault;
  return causeOf(failure, { route: { middleware } } as unknown as Operation);
}

const MEMBER = { namesMember: true };

const B = { operation: "GET /b", file: "b/route.ts" };

/** The fault of an error that a handler throws. */
function thrown(path: string, thrown: string): Given {
  const place = {
    method: "GET",
    pattern: `/${path}`,
    file: `${path}/route.ts`,
  };
  const seen = `${failedText(placeText(place))}: ${thrown}`;
  return { property: "failure", namesLine: true, place, seen };
}

function request(target: string, body?: string): ContractFailure["requests"] {
  return [{ method: "GET", target, headers: {}, ...(body && { body }) }];
}

const SAME: readonly (readonly [string, Given, Given])[] = [
  [
    "a header that is missing",
    {
      ...MEMBER,
      status: 200,
      seen: 'a 200 that does not fit its schema: header "x-id" Required',
    },
    {
      ...MEMBER,
      status: 200,
      seen: 'a 200 that does not fit its schema: header "x-id" Required',
    },
  ],
  [
    "a header that HEAD does not have, whose values differ",
    {
      property: "methods",
      expected: 'the header "x-id: 1", as with GET',
      seen: 'no header "x-id"',
      kind: "absence",
    },
    {
      property: "methods",
      expected: 'the header "x-id: 2", as with GET',
      seen: 'no header "x-id"',
      kind: "absence",
    },
  ],
  [
    "a member of items, whose indexes differ",
    {
      ...MEMBER,
      seen: 'a 200 that does not fit its schema: at "#/items/0/name" Required',
    },
    {
      ...MEMBER,
      seen: 'a 200 that does not fit its schema: at "#/items/7/name" Required',
    },
  ],
  [
    "a line, with values of the requests in the message",
    {
      ...thrown(
        "a",
        'Error: no "x" of 17, at "lib/db.ts:3"',
      ),
      requests: request("/a/x"),
    },
    {
      ...thrown(
        "b",
        'Error: no "y z" of 3, at "lib/db.ts:3"',
      ),
      requests: request("/b?z=y%20z"),
    },
  ],
  [
    "the line of an exit, in a sentence of any form",
    { property: "failure", namesLine: true, seen: 'an exit in "db.ts:3"' },
    {
      ...B,
      property: "failure",
      namesLine: true,
      seen: 'an exit in "db.ts:3"',
    },
  ],
  [
    "a status of the same middleware",
    {
      expected: "one of the declared statuses: 200",
      seen: "a 401: No token 7",
      middleware: ["middleware.ts"],
    },
    {
      expected: "one of the declared statuses: 200, 404",
      seen: "a 401: No token 8",
      middleware: ["middleware.ts"],
    },
  ],
];

const DIFFERENT: typeof SAME = [
  [
    "a status of the same middleware",
    { seen: "a 401", status: 401, middleware: ["middleware.ts"] },
    { seen: "a 403", status: 403, middleware: ["middleware.ts"] },
  ],
  [
    "an expected status",
    { expectedStatus: 401, middleware: ["middleware.ts"] },
    { expectedStatus: 403, middleware: ["middleware.ts"] },
  ],
  ["a property", { ...MEMBER, property: "accepted" }, {
    ...MEMBER,
  }],
  [
    "a status",
    {
      ...MEMBER,
      status: 200,
      seen: 'a 200 that does not fit its schema: header "x-id" Required',
    },
    {
      ...MEMBER,
      status: 201,
      seen: 'a 201 that does not fit its schema: header "x-id" Required',
    },
  ],
  [
    "a member",
    {
      ...MEMBER,
      status: 200,
      seen: 'a 200 that does not fit its schema: at "#/a" Required',
    },
    {
      ...MEMBER,
      status: 200,
      seen: 'a 200 that does not fit its schema: at "#/b" Required',
    },
  ],
  [
    "a header that HEAD does not have",
    {
      property: "methods",
      expected: 'the header "x-id: 1", as with GET',
      seen: 'no header "x-id"',
      kind: "absence",
    },
    {
      property: "methods",
      expected: 'the header "etag: 1", as with GET',
      seen: 'no header "etag"',
      kind: "absence",
    },
  ],
  [
    "a line of a file",
    {
      ...thrown("a", 'Error: x, at "lib/db.ts:3"'),
    },
    {
      ...thrown("b", 'Error: x, at "lib/db.ts:4"'),
    },
  ],
  [
    "a message of one line",
    {
      ...thrown("a", 'Error: no table a, at "lib/db.ts:3"'),
    },
    {
      ...thrown("b", 'Error: no table b, at "lib/db.ts:3"'),
    },
  ],
  [
    "a string that is a name in the requests",
    {
      ...thrown("a", 'Error: no column "title", at "lib/db.ts:3"'),
      requests: request("/a?x=1", '{"title":"b"}'),
    },
    {
      ...thrown("b", 'Error: no column "a", at "lib/db.ts:3"'),
      requests: request("/b?a=1", '{"title":"x"}'),
    },
  ],
  [
    "a cause of an error of one line",
    {
      property: "failure",
      namesLine: true,
      seen: 'Error: x, at "db.ts:3", caused by Error: a, at "a.ts:1"',
    },
    {
      property: "failure",
      namesLine: true,
      seen: 'Error: x, at "db.ts:3", caused by Error: b, at "b.ts:1"',
    },
  ],
  ["a handler, without a place", { property: "failure" }, {
    property: "failure",
  }],
  ["a handler, without middleware", { seen: "a 404" }, { seen: "a 404" }],
  [
    "a middleware",
    { property: "security", seen: "a 200", middleware: ["a/middleware.ts"] },
    { property: "security", seen: "a 200", middleware: ["b/middleware.ts"] },
  ],
  [
    "a resource",
    {
      property: "state",
      expected: '"id": 1',
      seen: '"id": 2',
      middleware: ["middleware.ts"],
    },
    {
      property: "state",
      expected: '"id": 1',
      seen: '"id": 2',
      middleware: ["middleware.ts"],
    },
  ],
];

for (const [name, a, b] of SAME) {
  Deno.test(`one cause has one report: ${name}`, () => {
    assertEquals(cause(a), cause({ ...B, ...b }));
  });
}

for (const [name, a, b] of DIFFERENT) {
  Deno.test(`two causes have two reports: ${name}`, () => {
    assertNotEquals(cause(a), cause({ ...B, ...b }));
  });
}

Deno.test("a header that all responses lack has one report, which lists the operations", async () => {
  const headers = z.object({ "x-id": z.string() });
  const response = { 200: { description: "all", headers } };
  const route = {
    schema: { get: { response }, delete: { response } },
    GET: () => new Response(null),
    DELETE: () => new Response(null),
  };
  const { failures, results } = await check({
    "a/route.ts": route,
    "b/route.ts": route,
  }, { runs: 3 });
  const all = ["GET /api/a", "DELETE /api/a", "GET /api/b", "DELETE /api/b"];
  assertEquals(failures.map(({ operations }) => operations), [all]);
  const [failure] = failures;
  const failed = results.filter(({ failure }) => failure !== undefined);
  assertEquals(failed.map(({ operation }) => operation), all);
  const [first, also] = failureText(failure!).split("\n");
  assert(first!.endsWith("a/route.ts): only declared responses are sent"));
  assertEquals(also, `  also:     ${all.slice(1).join(", ")}`);
  assertEquals(
    failureText(failure!, all[1]),
    "DELETE /api/a: only declared responses are sent: see the report for GET /api/a, which has the same cause",
  );
});
