import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import type { CommonOptions } from "@bough/framework/types";
import { CapturedLog, FolderApplication } from "../support/application.ts";

const FILES = {
  "books/[id]/route.ts": `
    import { z } from "npm:zod@^4.1.13";
    const Book = z.object({ title: z.string(), cents: z.number().default(1) });
    export const schema = {
      get: { response: { 200: Book, 404: z.object({ why: z.string() }) } },
      put: { response: Book },
      head: { response: Book },
    };
    const ANSWERS = {
      good: () => Response.json({ title: "Emma" }),
      extra: () => Response.json({ title: "Emma", extra: true }),
      bad: () => Response.json({ title: 5 }),
      text: () => new Response("Emma"),
      twice: () => Response.json({ title: 5, cents: "x" }),
      problem: () => new Response('{"title":5}', { headers: { "content-type": "Application/Problem+JSON ; charset=utf-8" } }),
      marked: () => new Response("<p>", { headers: { "content-type": " text/html;charset=utf-8" } }),
      nothing: () => new Response(null),
      broken: () => new Response("{", { headers: { "content-type": "application/json" } }),
      missing: () => Response.json({ why: 404 }, { status: 404 }),
      undeclared: () => Response.json({}, { status: 201 }),
      bytes: () => new Response(new Uint8Array(3), { headers: { "content-type": "image/png" } }),
      events: () => new Response(new ReadableStream({ start(c) { c.enqueue(new TextEncoder().encode("data: 1\\n\\n")); c.close(); } }),
        { headers: { "content-type": "text/event-stream" } }),
      quiet: () => new Response(new ReadableStream({ start(c) { c.close(); } }),
        { headers: { "content-type": "Text/Event-Stream; charset=utf-8" } }),
      typeless: () => new Response(new Uint8Array(3)),
      lines: () => new Response("{}", { headers: { "content-type": "application/jsonl" } }),
      other: () => new Response("{}", { headers: { "content-type": "x-application/json" } }),
      plus: () => new Response("{}", { headers: { "content-type": "application/+json" } }),
      written: () => new Response("{}", { headers: { "content-type": "image/text/plain" } }),
      thrown: () => { throw Response.json({ title: 5 }); },
    };
    export function GET({ params }) { return ANSWERS[params.id](); }
    export const PUT = GET;
  `,
};

/** What a request comes to, and what it logs. */
async function outcome(
  id: string,
  options: CommonOptions,
  method = "GET",
): Promise<{ status: number; body: string; log: string }> {
  await using application = await FolderApplication.create(FILES, options);
  using log = new CapturedLog();
  const response = await application.fetch(`/api/books/${id}`, { method });
  const body = await response.text();
  return { status: response.status, body, log: log.lines.join("\n") };
}

const FAULTS: Readonly<Record<string, string>> = {
  extra:
    'with status 200 does not fit its schema: at "#/extra" is undeclared; declare it, or do not send it',
  bad: 'with status 200 does not fit its schema: at "#/title" Invalid input',
  text: 'with status 200 does not fit its schema: at "#" Invalid input',
  twice:
    'with status 200 does not fit its schema: at "#/title" Invalid input: expected string, received number; at "#/cents" Invalid input',
  problem:
    'with status 200 does not fit its schema: at "#/title" Invalid input',
  marked:
    'with status 200 does not fit its schema: at "#" Invalid input: expected object, received string',
  nothing: 'with status 200 does not fit its schema: at "#" Invalid input',
  broken: "with status 200 does not fit its schema: the body is not valid JSON",
  missing: 'with status 404 does not fit its schema: at "#/why" Invalid input',
  // What is sent is not what the document says: JSON.
  bytes:
    'the content type is "image/png" instead of "application/json"; send the declared type, or declare content("image/png")',
  events:
    'the content type is "text/event-stream" instead of "application/json"',
  quiet:
    'the content type is "text/event-stream" instead of "application/json"',
  typeless:
    'the content type is missing; set the header content-type to "application/json"',
  lines:
    'the content type is "application/jsonl" instead of "application/json"',
  other:
    'the content type is "x-application/json" instead of "application/json"',
  plus: 'the content type is "application/+json" instead of "application/json"',
  written:
    'the content type is "image/text/plain" instead of "application/json"',
};

for (const [id, fault] of Object.entries(FAULTS)) {
  Deno.test(`validateResponses: true answers 500 to an answer that is ${id}`, async () => {
    const { status, body, log } = await outcome(id, {
      validateResponses: true,
    });
    assertEquals(status, 500);
    assertEquals(body.includes("schema"), false, "nothing internal leaks");
    assertStringIncludes(log, "[bough] GET /api/books/[id] (");
    assertStringIncludes(log, "api/books/[id]/route.ts)");
    assertStringIncludes(log, fault);
  });

  Deno.test(`validateResponses: "warn" sends an answer that is ${id}, and logs`, async () => {
    const { body, log } = await outcome(id, { validateResponses: "warn" });
    const unchecked = await outcome(id, {});
    assertEquals(body, unchecked.body);
    assertEquals(unchecked.log, "");
    assertStringIncludes(log, "[bough] GET /api/books/[id] (");
    assertStringIncludes(log, fault);
  });
}

for (const id of ["good", "undeclared", "thrown"]) {
  Deno.test(`validateResponses: true leaves alone an answer that is ${id}`, async () => {
    const checked = await outcome(id, { validateResponses: true });
    assertEquals(checked, await outcome(id, {}));
  });
}

Deno.test("validateResponses: one schema is for status 200", async () => {
  const bad = await outcome("bad", { validateResponses: true }, "PUT");
  assertEquals(bad.status, 500);
  const missing = await outcome("missing", { validateResponses: true }, "PUT");
  assertEquals(missing.status, 404);
});

Deno.test("validateResponses checks HEAD by the answer of GET", async () => {
  assertEquals(
    (await outcome("good", { validateResponses: true }, "HEAD")).status,
    200,
  );
});

Deno.test("validateResponses tells the first hundred issues, each cut short", async () => {
  await using application = await FolderApplication.create({
    "route.ts": `import { z } from "npm:zod@^4.1.13";
      export const schema = { get: { response: z.record(z.string(), z.array(z.string())) } };
      export const GET = () =>
        Response.json({ ["k".repeat(100_000)]: Array(10_000).fill(0) });`,
  }, { validateResponses: "warn" });
  using log = new CapturedLog();
  const response = await application.fetch("/api");
  await response.body?.cancel();
  const [line] = log.lines as [string];
  assert(line.length < 64 * 1024, `${line.length} characters`);
  assertMatch(line, /at "#" Invalid input[^;]*; and 9900 more$/);
});

Deno.test('validateResponses: "warn" logs one line, whatever a client made of it (behaviour 8.5)', async () => {
  await using application = await FolderApplication.create({
    "route.js": `
      const refuse = ({ text }) => ({ issues: [{ message: text, path: [text] }] });
      export const schema = {
        post: { response: { "~standard": { version: 1, vendor: "test", validate: refuse } } },
      };
      export const POST = async (request) => Response.json(await request.json());`,
  }, { validateResponses: "warn" });
  using log = new CapturedLog();
  const text = "x\n[bough] forged\u2028\x1b[2J\x9b\u202e";
  const response = await application.fetch("/api", {
    method: "POST",
    body: JSON.stringify({ text }),
  });
  assertEquals(await response.json(), { text });
  assertEquals(log.lines.length, 1);
  assertMatch(log.lines[0]!, /^[\x20-\x7e]+$/);
});
