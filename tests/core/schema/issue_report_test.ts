import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { z } from "zod";
import { problem } from "../../../src/core/errors.ts";
import { IssueReport } from "../../../src/core/schema/run_schema.ts";
import type { SchemaPart } from "../../../src/core/types/schema.ts";
import { CapturedLog, TestApplication } from "../../support/application.ts";
import { codePoint } from "../../support/code_point.ts";

const LARGEST = 64 * 1024;

const POST = () => new Response();
const numbers = z.record(z.string(), z.array(z.number()));
/** A string with 16 checks. */
const Tag = Array.from({ length: 16 }, (_, index) => index + 1)
  .reduce((tag, length) => tag.min(length), z.string());

const APPLICATION = TestApplication.of({
  "lists/route.ts": {
    schema: { post: { body: z.record(z.string(), z.array(z.string())) } },
    POST,
  },
  "exact/route.ts": { schema: { post: { body: z.strictObject({}) } }, POST },
  "parts/[id]/route.ts": {
    schema: {
      post: {
        params: z.object({ id: z.uuid() }),
        query: numbers,
        headers: numbers,
        body: numbers,
      },
    },
    POST,
  },
  "tags/route.ts": {
    schema: { get: { query: z.record(z.string(), z.array(Tag)) } },
    GET: () => new Response(),
  },
});

interface Reported {
  readonly status: number;
  readonly bytes: number;
  readonly errors: readonly {
    readonly in: string;
    readonly pointer: string;
    readonly detail: string;
  }[];
  readonly issueCount?: number;
}

async function reported(response: Response): Promise<Reported> {
  const bytes = await response.bytes();
  const problem = JSON.parse(new TextDecoder().decode(bytes));
  return { bytes: bytes.length, ...problem };
}

/** Sends a body that must get a 400 without a line in the log. */
async function rejected(path: string, body: string): Promise<Reported> {
  using log = new CapturedLog();
  const headers = { "content-type": "application/json" };
  const outcome = await reported(
    await APPLICATION.fetch(path, { method: "POST", body, headers }),
  );
  assertEquals(log.lines, []);
  assertEquals(outcome.status, 400);
  assert(outcome.bytes <= LARGEST, `${outcome.bytes} bytes`);
  return outcome;
}

function zeros(count: number): string {
  return Array(count).fill(0).join();
}

Deno.test("a response reports the first 100 issues, and the number of all (behaviour 7.1)", async () => {
  for (const count of [1, 99, 100]) {
    const few = await rejected("/api/lists", `{"a":[${zeros(count)}]}`);
    assertEquals(few.errors.length, count);
    assertEquals(few.issueCount, undefined);
  }
  const many = await rejected("/api/lists", `{"a":[${zeros(1_000)}]}`);
  assertEquals(many.errors.length, 100);
  assertEquals(many.errors[99]!.pointer, "#/a/99");
  assertEquals(many.issueCount, 1_000);
});

Deno.test("a response reports and counts the issues of all parts together (behaviour 7.1)", async () => {
  const query = Array(60).fill("a=x").join("&");
  const { errors, issueCount } = await reported(
    await APPLICATION.fetch(`/api/parts/7?${query}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-a": "1" },
      body: '{"a":["x","y"],"b":[' + Array(60).fill('""').join() + "]}",
    }),
  );
  const counts = Object.groupBy(errors, (error) => error.in);
  assertEquals(
    [counts.params, counts.query, counts.headers, counts.body].map((issues) =>
      issues?.length
    ),
    [1, 60, 2, 37],
  );
  assertEquals(issueCount, 1 + 60 + 2 + 62);
});

Deno.test("a pointer that would be too long ends at the parent of the value, and half a surrogate pair is replaced", async () => {
  const long = "é".repeat(400);
  const { errors } = await rejected(
    "/api/lists",
    `{"a b":[1],"${long}":[2],"${"x".repeat(950)}":[${
      zeros(2)
    }],"\\ud800":"x"}`,
  );
  assertEquals(errors.map(({ pointer }) => pointer.slice(0, 12)), [
    ...["#/a%20b/0", "#", "#/xxxxxxxxxx", "#/xxxxxxxxxx", "#/%EF%BF%BD"],
  ]);
  for (const { pointer } of errors) assert(pointer.length <= 1_000);
  // The key is not repeated for each issue below it.
  const key = "k".repeat(100_000);
  const many = await rejected("/api/lists", `{"${key}":[${zeros(100_000)}]}`);
  assertEquals([many.errors.length, many.issueCount], [100, 100_000]);
});

Deno.test("Bough shortens a detail that repeats input of the client", async () => {
  for (const char of ["a", "é", "\u{1f600}", "\\u0001", "\\ud800"]) {
    const { errors } = await rejected(
      "/api/exact",
      `{"${char.repeat(100_000)}":1}`,
    );
    const { detail } = errors[0]!;
    assertEquals(detail.length, 2_000);
    assert(detail.startsWith("Unrecognized key"), detail.slice(0, 50));
    assert(detail.endsWith("…") && detail.isWellFormed());
  }
});

Deno.test("Bough responds with 400 if a validator overflows the stack (behaviour 7.6)", async () => {
  const detail = "Too large to be checked";
  const { errors } = await rejected("/api/lists", `{"a":[${zeros(250_000)}]}`);
  assertEquals(errors, [{ in: "body", pointer: "#", detail }]);
  using log = new CapturedLog();
  const query = Array(16_000).fill("tag").join("&");
  const outcome = await reported(await APPLICATION.fetch(`/api/tags?${query}`));
  assertEquals(outcome.errors, [{ in: "query", pointer: "#", detail }]);
  assertEquals([outcome.status, log.lines], [400, []]);
});

Deno.test("a problem stays below 64 KiB, whatever issues a schema finds", async () => {
  const text = fc.oneof(
    fc.string({ unit: codePoint, maxLength: 50 }),
    fc.tuple(
      fc.string({ unit: codePoint, minLength: 1, maxLength: 3 }),
      fc.nat(5_000),
    )
      .map(([unit, times]) => unit.repeat(times)),
    fc.constantFrom("\u0001", "\ud800", "\u2028", "\u{1f600}", "~", "/")
      .map((unit) => unit.repeat(3_000)),
  );
  const issue = fc.record({
    message: text,
    path: fc.array(fc.oneof(text, fc.nat(), text.map((key) => ({ key }))), {
      maxLength: 20,
    }),
  });
  const parts = fc.constantFrom<SchemaPart>(
    "params",
    "query",
    "headers",
    "body",
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(parts, fc.array(issue, { maxLength: 80 })), {
        maxLength: 4,
      }),
      async (results) => {
        const report = new IssueReport();
        for (const [part, issues] of results) report.add(part, issues);
        const response = problem(report.error());
        const { bytes, errors, issueCount } = await reported(response);
        assert(bytes < LARGEST, `${bytes} bytes`);
        const count = results.reduce(
          (sum, [, issues]) => sum + Math.max(issues.length, 1),
          0,
        );
        assertEquals(issueCount ?? errors.length, count);
        assertEquals(errors.length > 0, count > 0);
        for (const { pointer, detail } of errors) {
          assert(/^#(?:\/(?:[\w.!*'()-]|~[01]|%[0-9A-F]{2})*)*$/.test(pointer));
          assert(detail.isWellFormed());
        }
      },
    ),
    { numRuns: 200 },
  );
});
