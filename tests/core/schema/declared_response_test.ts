import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
import { type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import { content, type StandardSchemaV1 } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import { schemaOf } from "../../support/schema_of.ts";

type Name = "Location" | "Text" | "Count";

const LIBRARIES: Readonly<
  Record<string, Readonly<Record<Name, StandardSchemaV1>>>
> = {
  zod: {
    Location: z.object({ location: z.string().min(2) }),
    Text: z.string().meta({ id: "Text" }),
    Count: z.object({ count: z.number() }),
  },
  valibot: {
    Location: form(
      v.object({ location: v.pipe(v.string(), v.minLength(2)) }),
    ),
    Text: form(v.string()),
    Count: form(v.object({ count: v.number() })),
  },
  arktype: {
    Location: type({ location: "string >= 2" }),
    Text: type("string"),
    Count: type({ count: "number" }),
  },
};

function sent(body: BodyInit, type: string): Response {
  return new Response(body, { headers: { "content-type": type } });
}

function endless(): ReadableStream<Uint8Array<ArrayBuffer>> {
  const event = new TextEncoder().encode("data: 1\n\n");
  return new ReadableStream({ pull: (stream) => stream.enqueue(event) });
}

/** Responses, each with its error; `""` if the response is valid. */
type Responses = readonly (readonly [create: () => Response, fault: string])[];

const instead = (type: string, declared: string) =>
  `the content type is "${type}" instead of "${declared}"`;

/** Responses with media types, all with the same body and the same error. */
const typed = (types: readonly string[], body: string, fault: string) =>
  types.map((type) => [() => sent(body, type), fault] as const);

const JSON_TYPES = [
  ...["application/json", "Application/JSON; charset=utf-8"],
  ...[
    "application/Problem+json ; charset=x",
    "application/vnd.a+b+json",
    "a/b+json",
  ],
];
const TEXT_TYPES = [
  ...[" text/html", "TEXT/plain;charset=utf-8", "text/event-streams"],
];
const OTHER_TYPES = [
  ...["json", "text", "image/png", "application/json-seq", "application/jsonl"],
  ...["application/ld-json", "application/+json", "x-application/json"],
  ...["x-text/html", "image/text/plain", "text/event-stream"],
];

/** The declared responses of a route, and responses that the route sends. */
const CASES: readonly (readonly [
  declare: (schemas: Readonly<Record<Name, StandardSchemaV1>>) => unknown,
  ...Responses,
])[] = [
  // JSON and text.
  [
    ({ Count }) => Count,
    [() => Response.json({ count: 1 }), ""],
    [
      () => Response.json({ count: 1, extra: true }),
      'with status 200 does not fit its schema: at "#/extra" is undeclared; declare it, or do not send it',
    ],
    [() => sent("{", "application/json"), "the body is not valid JSON"],
    [() => new Response(null), 'at "#" '],
    [() => new Response("text"), 'at "#" '],
    ...typed(["application/problem+json"], '{"count":"1"}', 'at "#/count" '),
    [
      () => sent(endless(), "Text/Event-Stream; charset=utf-8"),
      `${
        instead("text/event-stream", "application/json")
      }; send the declared type, or declare content("text/event-stream")`,
    ],
    [
      () => new Response(new Uint8Array(1)),
      'the content type is missing; set the header content-type to "application/json"',
    ],
  ],
  [
    ({ Text }) => ({ 200: Text }),
    [() => new Response("text"), ""],
    ...typed(
      ["text/html", "application/json"],
      '"text"',
      'instead of "text/plain"',
    ),
  ],
  [
    () => Problem,
    [
      () => Response.json({ type: "a", title: "b", status: 404 }),
      instead("application/json", "application/problem+json"),
    ],
  ],
  // Without a JSON Schema, both are allowed.
  [
    () => v.object({ count: v.number() }),
    ...typed(JSON_TYPES, '{"count":1}', ""),
    ...typed(JSON_TYPES, '{"count":"1"}', 'at "#/count" '),
    ...typed(TEXT_TYPES, '{"count":1}', 'at "#" '),
    // A body that was read would not be valid JSON.
    ...OTHER_TYPES.map((type) =>
      [() => sent("{", type), instead(type, "application/json")] as const
    ),
  ],
  [() => schemaOf(), ...typed(TEXT_TYPES, "1", "")],
  // Media types and ranges.
  [
    () => ({ 200: content("application/pdf") }),
    ...typed(["Application/PDF; v=2"], "%PDF", ""),
    ...typed(
      ["image/png"],
      "",
      `${
        instead("image/png", "application/pdf")
      }; send the declared type, or declare content("image/png")`,
    ),
    ...typed(["application/pdfs", "x-application/pdf"], "", "instead of"),
    [() => new Response(null), "the body is missing"],
    [() => new Response(new Uint8Array(1)), "the content type is missing"],
  ],
  [
    () => ({ 200: content("IMAGE/*") }),
    ...typed(["image/webp; a=b"], "", ""),
    ...typed(["images/png", "x-image/png"], "", 'instead of "IMAGE/*"'),
  ],
  [
    () => ({ 200: content("*/*") }),
    ...typed(["a/b"], "", ""),
    [() => new Response(new Uint8Array(1)), "the content type is missing"],
  ],
  [
    () => ({ 200: content("text/event-stream") }),
    [() => sent(endless(), "text/event-stream"), ""],
  ],
  [
    ({ Text }) => ({ 200: content("text/csv; header=present", Text) }),
    ...typed(["text/csv;charset=utf-8"], "a,b", ""),
  ],
  [
    ({ Count }) => ({ 200: content("application/vnd.x+json", Count) }),
    ...typed(["application/vnd.x+json"], '{"count":1}', ""),
    ...typed(["application/vnd.x+json"], '{"count":"1"}', 'at "#/count" '),
    ...typed(
      ["application/json"],
      '{"count":1}',
      instead("application/json", "application/vnd.x+json"),
    ),
  ],
  // Responses without a body.
  [
    () => ({ 200: {} }),
    [() => new Response(null), ""],
    [() => new Response(""), ""],
    [
      () => new Response("text"),
      "the body is undeclared; declare one, or send null",
    ],
    [() => sent(endless(), "text/event-stream"), "the body is undeclared"],
  ],
  // Headers.
  [
    ({ Location }) => ({ 200: { headers: Location } }),
    [() => new Response(null, { headers: { Location: "/1" } }), ""],
    [
      () => new Response(null),
      'does not fit its schema: header "location" ',
    ],
    [
      () => new Response(null, { headers: { location: "/" } }),
      'header "location" ',
    ],
  ],
  [
    ({ Location, Count }) => ({ 200: { headers: Location, body: Count } }),
    [() => Response.json({ count: 1 }), 'header "location" '],
    [() => Response.json({ count: "" }), 'at "#/count" '],
  ],
  [
    ({ Count }) => ({ 200: { headers: schemaOf(() => 5), body: Count } }),
    [() => Response.json({ count: 1 }), 'The schema of "headers" returned a'],
  ],
];

for (const [library, schemas] of Object.entries(LIBRARIES)) {
  Deno.test(`validateResponses checks everything that a response declares (behaviour 7.7): ${library}`, async () => {
    const files = CASES.map(([declare, ...responses], index) => {
      const route: TestModule = {
        schema: { get: { response: declare(schemas) } },
        GET: ({ url }) => responses[Number(new URL(url).search.slice(1))]![0](),
      };
      return [`case${index}/route.ts`, route] as const;
    });
    const application = TestApplication.of(Object.fromEntries(files), {
      validateResponses: "warn",
    });
    await application.app.start();
    for (const [route, [declare, ...responses]] of CASES.entries()) {
      for (const [index, [create, fault]] of responses.entries()) {
        using log = new CapturedLog();
        const { body } = await application.fetch(`/api/case${route}?${index}`);
        await body?.cancel();
        const name = `${declare} ${create} ${index}`;
        if (fault === "") assertEquals(log.lines, [], name);
        else assertStringIncludes(log.lines.join("\n"), fault, name);
      }
    }
  });
}

/** An application with one route, which checks its responses. */
function applicationOf(
  schema: object,
  handler: NonNullable<TestModule["GET"]>,
  validateResponses: true | "warn" = true,
): TestApplication {
  const [method] = Object.keys(schema);
  return TestApplication.of(
    { "route.ts": { schema, [method!.toUpperCase()]: handler } },
    { validateResponses },
  );
}

Deno.test("the error of a string does not mention that Bough tried it as a date", async () => {
  const Event = z.object({ at: z.date(), count: z.number() });
  const at = new Date(0);
  const application = applicationOf(
    { get: { response: z.array(Event) } },
    () => Response.json([{ at, count: at }, { at, count: 1 }]),
    "warn",
  );
  using log = new CapturedLog();
  await (await application.fetch("/api")).body?.cancel();
  assertMatch(
    log.lines.join("\n"),
    /^[^\n]* its schema: at "#\/0\/count" Invalid input: expected number, received string$/,
  );
});

Deno.test("Bough cancels the stream of a response that it replaces", async () => {
  const cancelled: string[] = [];
  const application = applicationOf(
    { get: { response: { 200: {} } } },
    () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(1)),
          cancel: () => void cancelled.push("cancelled"),
        }),
      ),
  );
  using _log = new CapturedLog();
  assertEquals((await application.fetch("/api")).status, 500);
  assertEquals(cancelled, ["cancelled"]);
});

Deno.test("Bough checks the response to HEAD without a body", async () => {
  const body = z.object({ a: z.string() });
  const headers = z.object({ etag: z.string() });
  const application = applicationOf(
    { head: { response: { 200: { body, headers } } } },
    ({ url }) =>
      new Response(null, { headers: url.includes("?") ? {} : { etag: "1" } }),
  );
  using log = new CapturedLog();
  const statusOf = async (target: string) =>
    (await application.fetch(target, { method: "HEAD" })).status;
  assertEquals(await statusOf("/api"), 200);
  assertEquals(await statusOf("/api?wrong"), 500);
  assertStringIncludes(log.lines.join(), 'header "etag" Invalid input');
});

Deno.test("Bough shortens a content type from the client in the log", async () => {
  const application = applicationOf(
    { post: { response: z.object({}) } },
    async (request) => sent("x", await request.text()),
    "warn",
  );
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

Deno.test("content() rejects invalid media types", () => {
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
