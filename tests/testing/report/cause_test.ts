/** Failures with the same cause share a report. */
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import type { PropertyName } from "@bough/framework/testing";
import { z } from "zod";
import type { Fault } from "../../../src/testing/checks.ts";
import {
  causeOf,
  type Failure,
  failureText,
} from "../../../src/testing/report/failure.ts";
import { check } from "../support.ts";

type Given = Partial<Fault> & {
  readonly property?: PropertyName;
  readonly operation?: string;
  readonly middleware?: readonly string[];
};

function cause(
  { property = "declared", operation = "GET /a", middleware = [], ...fault }:
    Given,
): string {
  return causeOf({
    property,
    operation: { name: operation, route: { middleware } },
    counterexample: { fault },
  } as unknown as Failure);
}

const B = { operation: "GET /b" };

const MISMATCH = { status: 200, kind: "mismatch", at: ["body#/a"] } as const;
const HEADER = { ...MISMATCH, at: ["headers#/x-id"] };
const GUARDED = { middleware: ["middleware.ts"] };
const EXIT = { property: "failure", kind: "escaped", at: ["db.ts:3"] } as const;

/** A header that HEAD does not have. */
function missing(header: string, value: number): Given {
  return { property: "methods", expected: `${header}: ${value}`, at: [header] };
}

/** A rejection by middleware. */
function rejected(status: number, further: Given = {}): Given {
  return { status, ...GUARDED, ...further };
}

/** The fault of an error that a handler throws, with the lines of the error. */
function thrown(seen: string, ...at: readonly string[]): Given {
  return { property: "failure", kind: "logged", seen, at };
}

const SAME: readonly (readonly [string, Given, Given])[] = [
  ["a header that is missing", HEADER, HEADER],
  ["a header that HEAD lacks", missing("x-id", 1), missing("x-id", 2)],
  [
    "a line, with values of the requests in the message",
    thrown('Error: no "x" of 17, at "lib/db.ts:3"', "lib/db.ts:3"),
    thrown('Error: no "y z" of 3, at "lib/db.ts:3"', "lib/db.ts:3"),
  ],
  [
    "the line of an exit, in a sentence of any form",
    { ...EXIT, seen: "an exit" },
    { ...EXIT, seen: "exit()" },
  ],
  [
    "a status of the same middleware",
    rejected(401, { expected: "one of 200", seen: "a 401: No token 7" }),
    rejected(401, { expected: "one of 200, 404", seen: "a 401: No token 8" }),
  ],
];

const DIFFERENT: typeof SAME = [
  ["a status of the same middleware", rejected(401), rejected(403)],
  [
    "an expected status",
    { expectedStatus: 401, ...GUARDED },
    { expectedStatus: 403, ...GUARDED },
  ],
  [
    "a status that is undeclared, and a body that does not fit",
    rejected(404),
    rejected(404, { kind: "mismatch" }),
  ],
  ["a property", { ...MISMATCH, property: "accepted" }, MISMATCH],
  ["a status", MISMATCH, { ...MISMATCH, status: 201 }],
  ["a member", MISMATCH, { ...MISMATCH, at: ["body#/b"] }],
  ["a header that HEAD lacks", missing("x-id", 1), missing("etag", 1)],
  ["a line of a file", thrown("x", "lib/db.ts:3"), thrown("x", "lib/db.ts:4")],
  [
    "a cause of an error of one line",
    thrown("Error: x, caused by Error: a", "db.ts:3", "a.ts:1"),
    thrown("Error: x, caused by Error: b", "db.ts:3", "b.ts:1"),
  ],
  ["a handler, without a line", thrown("x"), thrown("x")],
  ["a handler, without middleware", { status: 404 }, { status: 404 }],
  [
    "a middleware",
    { property: "security", status: 200, middleware: ["a/middleware.ts"] },
    { property: "security", status: 200, middleware: ["b/middleware.ts"] },
  ],
  [
    "a resource",
    { property: "state", ...GUARDED },
    { property: "state", ...GUARDED },
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

Deno.test("a member of items has one report, whichever item lacks the member", async () => {
  const List = z.array(z.object({ id: z.int() }));
  const schema = { get: { response: { 200: List } } };
  const { failures } = await check({
    "a/route.ts": { schema, GET: () => Response.json([{}]) },
    "b/route.ts": { schema, GET: () => Response.json([{ id: 1 }, {}]) },
    "c/route.ts": { schema, GET: () => Response.json([{ id: 1, no: 1 }]) },
  }, { runs: 3, properties: ["declared"] });
  assertEquals(failures.map(({ operations }) => operations), [
    ["GET /api/a", "GET /api/b"],
    ["GET /api/c"],
  ]);
});

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
