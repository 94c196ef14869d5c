import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import * as v from "valibot";
import { z } from "zod";
import { content } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
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

function endless(): ReadableStream<Uint8Array<ArrayBuffer>> {
  const event = new TextEncoder().encode("data: 1\n\n");
  return new ReadableStream({ pull: (stream) => stream.enqueue(event) });
}

const Count = z.object({ count: z.number() });
const Short = z.object({ name: z.string() });
const DECLARED = {
  json: Count,
  text: { 200: z.string().meta({ id: "Text" }) },
  problem: Problem,
  // Without a JSON Schema, JSON and text are allowed.
  formless: v.object({ count: v.number() }),
  own: schemaOf(),
  pdf: { 200: content("application/pdf") },
  image: { 200: content("IMAGE/*") },
  any: { 200: content("*/*") },
  events: { 200: content("text/event-stream") },
  csv: { 200: content("text/csv; header=present", z.string()) },
  vendor: { 200: content("application/vnd.x+json", Count) },
  nothing: { 200: {} },
  several: {
    200: [
      content("application/json", Count),
      content("text/csv", z.string().startsWith("id,")),
      content("application/vnd.shop.v1+json", Short),
      content("application/vnd.shop.v1+json;form=long", Count),
      content("image/png"),
    ],
  },
} as const;

const GOOD = '{"count":1}';
const WRONG = '{"count":"1"}';
const AT_COUNT = 'at "#/count" Invalid input';
const JSON_TYPES = [
  ...["application/json", "Application/JSON; charset=utf-8"],
  ...["application/Problem+json ; charset=x", "application/vnd.a+b+json"],
  "a/b+json",
];
const TEXT_TYPES = [
  ...[" text/html", "TEXT/plain;charset=utf-8", "text/event-streams"],
];
const OTHER_TYPES = [
  ...["json", "text", "image/png", "application/json-seq", "application/jsonl"],
  ...["application/ld-json", "application/+json", "x-application/json"],
  ...["x-text/html", "image/text/plain", "text/event-stream"],
];
const instead = (type: string, declared: string) =>
  `the content type is "${type}" instead of "${declared}"`;

// deno-fmt-ignore
/** Declarations, responses by content types and body, and their faults. */
const SENT: readonly (readonly [keyof typeof DECLARED, types: string | readonly string[], body: string | null | (() => BodyInit), fault: string])[] = [
  ["json", "application/json", GOOD, ""],
  ["json", "application/json", '{"count":1,"extra":1}', 'with status 200 does not fit its schema: at "#/extra" is undeclared; declare it, or do not send it'],
  ["json", "application/json", "{", "the body is not valid JSON"],
  ["json", "", null, 'at "#" Invalid input: expected object, received undefined'],
  ["json", "text/plain", GOOD, 'at "#" Invalid input: expected object, received string'],
  ["json", "application/problem+json", WRONG, AT_COUNT],
  ["json", "Text/Event-Stream; charset=utf-8", endless, `${instead("text/event-stream", "application/json")}; send the declared type, or declare content("text/event-stream")`],
  ["json", "", "x", 'the content type is missing; set the header content-type to "application/json"'],
  ["text", "text/plain;charset=UTF-8", "text", ""],
  ["text", ["text/html", "application/json"], '"text"', 'instead of "text/plain"'],
  ["problem", "application/json", '{"type":"a","title":"b","status":404}', instead("application/json", "application/problem+json")],
  ["formless", JSON_TYPES, GOOD, ""],
  ["formless", JSON_TYPES, WRONG, 'at "#/count" '],
  ["formless", TEXT_TYPES, GOOD, 'at "#" '],
  // A body that was read would not be valid JSON.
  ...OTHER_TYPES.map((type) => ["formless", type, "{", instead(type, "application/json")] as const),
  ["own", TEXT_TYPES, "1", ""],
  ["pdf", "Application/PDF; v=2", "%PDF", ""],
  ["pdf", "image/png", "", `${instead("image/png", "application/pdf")}; send the declared type, or declare content("image/png")`],
  ["pdf", ["application/pdfs", "x-application/pdf"], "", 'instead of "application/pdf"'],
  ["pdf", "", null, "the body is missing"],
  ["pdf", "", "x", "the content type is missing"],
  ["image", "image/webp; a=b", "", ""],
  ["image", ["images/png", "x-image/png"], "", 'instead of "IMAGE/*"'],
  ["any", "a/b", "", ""],
  ["any", "", "x", "the content type is missing"],
  ["events", "text/event-stream", endless, ""],
  ["csv", "text/csv;charset=utf-8", "a,b", ""],
  ["vendor", "application/vnd.x+json", GOOD, ""],
  ["vendor", "application/vnd.x+json", WRONG, AT_COUNT],
  ["vendor", "application/json", GOOD, instead("application/json", "application/vnd.x+json")],
  ["nothing", "", null, ""],
  ["nothing", "", "", ""],
  ["nothing", "text/plain", "text", "the body is undeclared; declare one, or send null"],
  ["nothing", "text/event-stream", endless, "the body is undeclared"],
  // Of several types, the type of the response selects the schema.
  ["several", ["application/json", "Application/JSON; charset=utf-8"], GOOD, ""],
  ["several", "application/json", WRONG, AT_COUNT],
  ["several", "application/json", '{"name":"E"}', AT_COUNT],
  ["several", ["text/csv", "text/csv; header=present"], "id,title", ""],
  ["several", "text/csv", "title", 'at "#" Invalid string'],
  ["several", "application/vnd.shop.v1+json", '{"name":"E"}', ""],
  ["several", "application/vnd.shop.v1+json", GOOD, 'at "#/name" Invalid input'],
  ["several", "application/vnd.shop.v1+json; FORM=long", GOOD, ""],
  ["several", "application/vnd.shop.v1+json;form=long", '{"name":"E"}', AT_COUNT],
  ["several", "image/png", "x", ""],
  ["several", "image/png", null, "the body is missing"],
  ["several", "text/html", "<p>", 'the content type is "text/html" instead of "application/json" or "text/csv" or'],
  ["several", "", null, 'the content type is missing; set the header content-type to "application/json" or "text/csv" or'],
];

Deno.test("validateResponses checks the body and the content type that a response declares (behaviour 7.7)", async () => {
  const GET = (request: Request) => {
    const { searchParams } = new URL(request.url);
    const body = SENT[Number(searchParams.get("row"))]![2];
    const type = searchParams.get("type")!;
    return new Response(
      typeof body === "string"
        ? new TextEncoder().encode(body)
        : body?.() ?? null,
      type === "" ? {} : { headers: { "content-type": type } },
    );
  };
  const application = TestApplication.of(
    Object.fromEntries(
      Object.entries(DECLARED).map(([name, response]) => [
        `${name}/route.ts`,
        { schema: { get: { response } }, GET },
      ]),
    ),
    { validateResponses: "warn" },
  );
  using log = new CapturedLog();
  await application.app.start();
  for (const [row, [name, types, body, fault]] of SENT.entries()) {
    for (const type of [types].flat()) {
      log.lines.length = 0;
      const query = new URLSearchParams({ type, row: `${row}` });
      const response = await application.fetch(`/api/${name}?${query}`);
      const what = `${name} ${type} ${body}`;
      if (typeof body === "function") await response.body?.cancel();
      else assertEquals(await response.text(), body ?? "", what);
      assertEquals(log.lines.length, fault === "" ? 0 : 1, what);
      assertStringIncludes(log.lines.join(), fault, what);
    }
  }
});

Deno.test("validateResponses checks declared headers, also of HEAD, which needs no body (behaviour 7.7)", async () => {
  const headers = z.object({ location: z.string().min(2) });
  const application = TestApplication.of({
    "route.ts": {
      schema: {
        get: { response: { 200: { headers }, 201: { headers, body: Count } } },
        post: { response: { 200: { headers: schemaOf(() => 5) } } },
        head: { response: { 200: { headers, body: Count } } },
      },
      GET: (request) => {
        const query = decodeURIComponent(new URL(request.url).search);
        const [location, status, body] = query.slice(1).split(",");
        return new Response(body ?? null, {
          status: Number(status || 200),
          headers: {
            ...location && { Location: location },
            ...body && { "content-type": "application/json" },
          },
        });
      },
      POST: () => new Response(null),
    },
  }, { validateResponses: true });
  const missing = 'does not fit its schema: header "location" ';
  for (
    const [method, query, fault] of [
      ["GET", "/1", ""],
      ["GET", "", missing],
      ["GET", "/", missing],
      ["GET", `,201,${GOOD}`, missing],
      ["GET", `,201,${WRONG}`, 'at "#/count" '],
      ["POST", "", 'The schema of "headers" returned a number'],
      ["HEAD", "/1", ""],
      ["HEAD", "", missing],
    ] as const
  ) {
    using log = new CapturedLog();
    const response = await application.fetch(`/api?${query}`, { method });
    const what = `${method} ${query}`;
    assertEquals(response.status, fault === "" ? 200 : 500, what);
    assertStringIncludes(log.lines.join(), fault, what);
  }
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

Deno.test("Bough shortens a content type from the client in the log", async () => {
  const application = TestApplication.of({
    "route.ts": {
      schema: { post: { response: z.object({}) } },
      POST: async (request) => {
        const headers = { "content-type": await request.text() };
        return new Response("x", { headers });
      },
    },
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
