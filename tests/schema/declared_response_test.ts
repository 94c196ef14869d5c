import {
  assert,
  assertEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { content } from "@bough/framework";
import { CapturedLog, FolderApplication } from "../support/application.ts";

const LIBRARIES: Readonly<Record<string, string>> = {
  zod: `
    import { z } from "npm:zod@^4.1.13";
    const Location = z.object({ location: z.string().min(2) });
    const Text = z.string().meta({ id: "Text" });
    const Event = z.object({ at: z.date(), name: z.string() });
    const Either = z.union([z.object({ at: z.date() }), z.object({ count: z.number() })]);
    const Count = z.object({ count: z.number() });`,
  valibot: `
    import * as v from "npm:valibot@^1.2.0";
    import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
    const Location = form(v.object({ location: v.pipe(v.string(), v.minLength(2)) }));
    const Text = form(v.string());
    const Event = v.object({ at: v.date(), name: v.string() });
    const Either = form(v.union([v.object({ at: v.date() }), v.object({ count: v.number() })]));
    const Count = form(v.object({ count: v.number() }));`,
  arktype: `
    import { type } from "npm:arktype@^2.2.9";
    const Location = type({ location: "string >= 2" });
    const Text = type("string");
    const Event = type({ at: "Date", name: "string" });
    const Either = type({ at: "Date" }).or({ count: "number" });
    const Count = type({ count: "number" });`,
};

/** What is declared, what is sent, and what is wrong with it; `""` if nothing is. */
const CASES: readonly (readonly [string, string, string])[] = [
  // Media types.
  [
    '{ 200: content("application/pdf") }',
    'sent("%PDF", "Application/PDF; v=2")',
    "",
  ],
  [
    '{ 200: content("application/pdf") }',
    'sent("%PDF", "image/png")',
    'the content type is "image/png" instead of "application/pdf"; send the declared type, or declare content("image/png")',
  ],
  [
    '{ 200: content("application/pdf") }',
    "new Response(null)",
    "the body is missing",
  ],
  [
    '{ 200: content("application/pdf") }',
    "new Response(new Uint8Array(1))",
    'the content type is missing; set the header content-type to "application/pdf"',
  ],
  ['{ 200: content("image/*") }', 'sent("", "image/webp")', ""],
  [
    '{ 200: content("image/*") }',
    'sent("", "imagery/webp")',
    'instead of "image/*"',
  ],
  ['{ 200: content("*/*") }', 'sent("", "a/b")', ""],
  [
    '{ 200: content("*/*") }',
    "new Response(new Uint8Array(1))",
    "the content type is missing",
  ],
  [
    '{ 200: content("text/event-stream") }',
    'sent(endless(), "text/event-stream")',
    "",
  ],
  [
    '{ 200: content("text/csv; header=present") }',
    'sent("a,b", "text/csv;charset=utf-8")',
    "",
  ],
  [
    '{ 200: content("application/vnd.x+json", Count) }',
    `sent('{"count":1}', "application/vnd.x+json")`,
    "",
  ],
  [
    '{ 200: content("application/vnd.x+json", Count) }',
    `sent('{"count":"1"}', "application/vnd.x+json")`,
    'at "#/count" ',
  ],
  [
    '{ 200: content("application/vnd.x+json", Count) }',
    "Response.json({ count: 1 })",
    'the content type is "application/json" instead of "application/vnd.x+json"',
  ],
  ['{ 200: content("text/csv", Text) }', 'sent("a,b", "text/csv")', ""],
  ["{ 200: Text }", 'new Response("text")', ""],
  [
    "{ 200: Text }",
    'Response.json("text")',
    'the content type is "application/json" instead of "text/plain"',
  ],
  [
    "{ 200: Text }",
    'sent("<p>", "text/html")',
    'the content type is "text/html" instead of "text/plain"',
  ],
  [
    "{ 200: Problem }",
    "Response.json({ type: 'a', title: 'b', status: 404 })",
    'the content type is "application/json" instead of "application/problem+json"',
  ],
  // Bodies that are none.
  ["{ 200: {} }", "new Response(null)", ""],
  ["{ 200: {} }", 'new Response("")', ""],
  [
    "{ 200: {} }",
    'new Response("text")',
    "the body is undeclared; declare one, or send null",
  ],
  [
    "{ 200: {} }",
    'sent(endless(), "text/event-stream")',
    "the body is undeclared",
  ],
  // Headers.
  [
    "{ 200: { headers: Location } }",
    'new Response(null, { headers: { Location: "/1" } })',
    "",
  ],
  [
    "{ 200: { headers: Location } }",
    "new Response(null)",
    'does not fit its schema: header "location" ',
  ],
  [
    "{ 200: { headers: Location } }",
    'new Response(null, { headers: { location: "/" } })',
    'header "location" ',
  ],
  [
    "{ 200: { headers: Location, body: Count } }",
    "Response.json({ count: 1 })",
    'header "location" ',
  ],
  [
    "{ 200: { headers: Location, body: Count } }",
    'Response.json({ count: "" })',
    'at "#/count" ',
  ],
  ["{ 200: { body: Count } }", "Response.json({ count: 1 })", ""],
  // Dates, which JSON sends as texts.
  ["Event", 'Response.json({ at: new Date(0), name: "Open day" })', ""],
  [
    "Event",
    "Response.json({ at: new Date(8.64e15), name: new Date(0).toJSON() })",
    "",
  ],
  ["Event", 'Response.json({ at: "tomorrow", name: "Z" })', 'at "#/at" '],
  [
    "Event",
    'Response.json({ at: "2026-02-30T00:00:00.000Z", name: "" })',
    'at "#/at" ',
  ],
  ["Event", "Response.json({ at: new Date(0), name: 5 })", 'at "#/name" '],
  ["Count", "Response.json({ count: new Date(0) })", 'at "#/count" '],
  ["Either", "Response.json({ at: new Date(0) })", ""],
  ["Either", "Response.json({ count: 1 })", ""],
  [
    "Either",
    "Response.json({ count: new Date(0) })",
    "does not fit its schema: at ",
  ],
];

for (const [library, source] of Object.entries(LIBRARIES)) {
  Deno.test(`validateResponses checks all that a response declares: ${library}`, async () => {
    const routes = CASES.map(([declared, response], index) =>
      [
        `case${index}/route.ts`,
        `import { content } from "@bough/framework";
        import { Problem } from "@bough/framework/openapi";
        ${source}
        const sent = (body, type) => new Response(body, { headers: { "content-type": type } });
        const endless = () => new ReadableStream({ pull: (c) => c.enqueue(new TextEncoder().encode("data: 1\\n\\n")) });
        export const schema = { get: { response: ${declared} } };
        export const GET = () => ${response};`,
      ] as const
    );
    await using application = await FolderApplication.create(
      Object.fromEntries(routes),
      { validateResponses: "warn" },
    );
    for (const [index, [declared, response, fault]] of CASES.entries()) {
      using log = new CapturedLog();
      const { body } = await application.fetch(`/api/case${index}`);
      await body?.cancel();
      const name = `${declared} ${response}`;
      if (fault === "") assertEquals(log.lines, [], name);
      else assertStringIncludes(log.lines.join("\n"), fault, name);
    }
  });
}

Deno.test("the message about a text is about the text, though it was tried as a date", async () => {
  await using application = await FolderApplication.create({
    "route.ts": `import { z } from "npm:zod@^4.1.13";
      const Event = z.object({ at: z.date(), count: z.number() });
      export const schema = { get: { response: z.array(Event) } };
      export const GET = () => Response.json([{ at: new Date(0), count: new Date(0) }, { at: new Date(0), count: 1 }]);`,
  }, { validateResponses: "warn" });
  using log = new CapturedLog();
  await (await application.fetch("/api")).body?.cancel();
  assertEquals(log.lines.length, 1);
  assertStringIncludes(
    log.lines[0]!,
    'its schema: at "#/0/count" Invalid input: expected number, received string',
  );
  assertEquals(log.lines[0]!.includes("#/0/at"), false);
});

Deno.test("the stream of a response that is refused ends", async () => {
  await using application = await FolderApplication.create({
    "route.ts": `
      export const schema = { get: { response: { 200: {} } } };
      export const GET = () => new Response(new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(1)),
        cancel: () => void globalThis.cancelled.push("cancelled"),
      }));`,
  }, { validateResponses: true });
  const cancelled: string[] = [];
  Object.assign(globalThis, { cancelled });
  using _log = new CapturedLog();
  assertEquals((await application.fetch("/api")).status, 500);
  assertEquals(cancelled, ["cancelled"]);
  delete (globalThis as { cancelled?: unknown }).cancelled;
});

Deno.test("a schema of headers that gives neither a value nor issues is named in the log", async () => {
  await using application = await FolderApplication.create({
    "route.ts": `
      const headers = { "~standard": { version: 1, vendor: "test", validate: () => 5 } };
      export const schema = { get: { response: { 200: { headers } } } };
      export const GET = () => new Response(null);`,
  }, { validateResponses: true });
  using log = new CapturedLog();
  assertEquals((await application.fetch("/api")).status, 500);
  assertStringIncludes(
    log.lines.join(),
    'The schema of "headers" returned a number',
  );
});

Deno.test("the response to HEAD is checked without a body", async () => {
  await using application = await FolderApplication.create({
    "route.ts": `import { z } from "npm:zod@^4.1.13";
      import { content } from "@bough/framework";
      export const schema = { head: { response: {
        200: { body: z.object({ a: z.string() }), headers: z.object({ etag: z.string() }) },
      } } };
      export const HEAD = ({ url }) => new Response(null, { headers: url.includes("?") ? {} : { etag: "1" } });`,
  }, { validateResponses: true });
  using log = new CapturedLog();
  const statusOf = async (target: string) =>
    (await application.fetch(target, { method: "HEAD" })).status;
  assertEquals(await statusOf("/api"), 200);
  assertEquals(await statusOf("/api?wrong"), 500);
  assertStringIncludes(log.lines.join(), 'header "etag" Invalid input');
});

Deno.test("a schema without a JSON form is sent as JSON or as a text", async () => {
  const any =
    `{ "~standard": { version: 1, vendor: "mine", validate: (value) => ({ value }) } }`;
  await using application = await FolderApplication.create({
    "route.ts": `export const schema = { get: { response: ${any} } };
      export const GET = ({ url }) => new Response("1", { headers: { "content-type": url.split("?")[1] } });`,
  }, { validateResponses: true });
  using log = new CapturedLog();
  const statuses = [];
  for (const type of ["application/json", "text/html", "image/png"]) {
    const response = await application.fetch(`/api?${type}`);
    statuses.push(response.status);
    await response.body?.cancel();
  }
  assertEquals(statuses, [200, 200, 500]);
  assertStringIncludes(log.lines.join(), 'the content type is "image/png"');
});

Deno.test("a content type that a client chose makes no long line", async () => {
  await using application = await FolderApplication.create({
    "route.ts": `import { z } from "npm:zod@^4.1.13";
      export const schema = { post: { response: z.object({}) } };
      export const POST = async (request) =>
        new Response("x", { headers: { "content-type": await request.text() } });`,
  }, { validateResponses: "warn" });
  using log = new CapturedLog();
  const response = await application.fetch("/api", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: `image/${"x".repeat(100_000)}`,
  });
  await response.body?.cancel();
  assertEquals(log.lines.length, 1);
  assert(log.lines[0]!.length < 1_000, `${log.lines[0]!.length} characters`);
});

Deno.test("content() refuses what is no media type", () => {
  assertEquals(content("text/csv; header=present").schema, undefined);
  for (
    const type of ["", "pdf", "a/b/c", "a/ b", "text/", "/csv", "text/csv,a/b"]
  ) {
    assertThrows(
      () => content(type),
      TypeError,
      `Cannot declare content of type "${type}": not a media type; write a type such as "application/pdf"`,
    );
  }
});
