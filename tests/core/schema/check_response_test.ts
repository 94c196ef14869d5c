import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { z } from "zod";
import { CapturedLog, TestApplication } from "../../support/application.ts";
import { schemaOf } from "../../support/schema_of.ts";

const Book = z.object({ title: z.string(), cents: z.number().default(1) });

/** The response of a handler, and what its request logs. */
async function outcome(
  create: () => Response,
  validateResponses: boolean | "warn",
  method: "get" | "put" | "head" = "get",
): Promise<unknown[]> {
  const application = TestApplication.of({
    "books/[id]/route.ts": {
      schema: {
        get: { response: { 200: Book, 404: z.object({ why: z.string() }) } },
        put: { response: Book },
        head: { response: Book },
      },
      GET: create,
      PUT: create,
    },
  }, { validateResponses });
  using log = new CapturedLog();
  const response = await application.fetch("/api/books/7", {
    method: method.toUpperCase(),
  });
  return [response.status, await response.text(), log.lines.join("\n")];
}

const good = () => Response.json({ title: "Emma" });
const bad = () => Response.json({ title: 5, cents: "x" });
const missing = () => Response.json({ why: 404 }, { status: 404 });

Deno.test('an invalid response is replaced with 500, or sent with "warn"; its route and errors are logged (behaviour 7.7)', async () => {
  const problem = {
    ...{ type: "about:blank", title: "Internal Server Error", status: 500 },
  };
  for (
    const [create, status, fault] of [
      [
        bad,
        200,
        'with status 200 does not fit its schema: at "#/title" Invalid input: expected string, received number; at "#/cents" Invalid input',
      ],
      [
        missing,
        404,
        'with status 404 does not fit its schema: at "#/why" Invalid input',
      ],
    ] as const
  ) {
    const sent = await create().text();
    assertEquals(await outcome(create, false), [status, sent, ""]);
    for (
      const [option, expected] of [
        [true, [500, JSON.stringify(problem)]],
        ["warn", [status, sent]],
      ] as const
    ) {
      const [found, body, log] = await outcome(create, option);
      assertEquals<unknown>([found, body], expected);
      const place = "[bough] GET /api/books/[id] (books/[id]/route.ts)";
      assertStringIncludes(String(log), place);
      assertStringIncludes(String(log), fault);
    }
  }
});

Deno.test("valid, thrown and undeclared responses are sent unchanged (behaviour 7.7)", async () => {
  const thrown = () => {
    throw bad();
  };
  const created = () => Response.json({}, { status: 201 });
  for (const create of [good, thrown, created]) {
    assertEquals(await outcome(create, true), await outcome(create, false));
  }
  // A single schema declares status 200.
  const statuses = [];
  for (const create of [good, bad, missing]) {
    statuses.push((await outcome(create, true, "put"))[0]);
  }
  assertEquals(statuses, [200, 500, 404]);
  // The response of GET to HEAD.
  assertEquals((await outcome(good, true, "head"))[0], 200);
});

Deno.test("validateResponses reports the first hundred issues, each shortened", async () => {
  const lists = z.record(z.string(), z.array(z.string()));
  const application = TestApplication.of({
    "route.ts": {
      schema: { get: { response: lists } },
      GET: () =>
        Response.json({ ["k".repeat(100_000)]: Array(10_000).fill(0) }),
    },
  }, { validateResponses: "warn" });
  using log = new CapturedLog();
  const response = await application.fetch("/api");
  await response.body?.cancel();
  const [line] = log.lines as [string];
  assert(line.length < 64 * 1024, `${line.length} characters`);
  assertMatch(line, /at "#" Invalid input[^;]*; and 9900 more$/);
});

Deno.test('validateResponses: "warn" logs one line, whatever the client sends (behaviour 8.5)', async () => {
  const response = schemaOf(({ text }: { text: string }) => ({
    issues: [{ message: text, path: [text] }],
  }));
  const application = TestApplication.of({
    "route.ts": {
      schema: { post: { response, sendUndeclared: true } },
      POST: async (request) => Response.json(await request.json()),
    },
  }, { validateResponses: "warn" });
  using log = new CapturedLog();
  const text = "x\n[bough] forged\u2028\x1b[2J\x9b\u202e";
  const sent = await application.fetch("/api", {
    method: "POST",
    body: JSON.stringify({ text }),
  });
  assertEquals(await sent.json(), { text });
  assertEquals(log.lines.length, 1);
  assertMatch(log.lines[0]!, /^[\x20-\x7e]+$/);
});
