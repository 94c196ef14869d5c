/** The messages of a socket with schemas (behaviour 11.3). */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { CapturedLog, FolderApplication } from "../support/application.ts";
import { frame, joined, OPCODE, RawSocket } from "../support/raw_socket.ts";
import { until } from "./support.ts";

const { text } = OPCODE;

const LIVE = new URL("../../src/live/mod.ts", import.meta.url).href;

/** A route whose socket has these schemas and handlers. */
function route(schemas: string, handlers: string): string {
  return `import { socket } from "${LIVE}";
    import { z } from "npm:zod@^4.1.13";
    export const schema = { get: { socket: ${schemas} } };
    export const GET = (request) => socket(request, ${handlers});`;
}

const ECHO = "{ message: (data, socket) => void socket.send(data) }";

/** What comes back from a route to some messages, until the socket closes. */
async function talk(
  code: string,
  messages: readonly string[],
  { validateResponses = false, count = messages.length }: {
    validateResponses?: boolean | "warn";
    count?: number;
  } = {},
): Promise<{ received: string[]; logged: string[] }> {
  using log = new CapturedLog();
  await using application = await FolderApplication.create(
    { "route.js": code },
    { validateResponses },
  );
  await using server = await application.serve();
  using socket = await RawSocket.open(server.port, "/api");
  await socket.write(joined(...messages.map((each) => frame(text, each))));
  const received: string[] = [];
  while (received.length < count) {
    received.push(await socket.spell());
    if (/^c(?:lose|ut)/.test(received.at(-1)!)) break;
  }
  return { received, logged: log.lines };
}

Deno.test("a handler gets the output of receive", async () => {
  const { received } = await talk(
    route(
      "{ receive: z.object({ at: z.coerce.date(), size: z.number().default(3) }) }",
      `{ message: (data, socket) =>
        void socket.send(data.at.getFullYear() + " " + data.size) }`,
    ),
    ['{"at":"2026-01-31T12:00:00.000Z"}'],
  );
  // Without a schema of its own, what is sent is a text as it is.
  assertEquals(received, ["text 2026 3"]);
});

Deno.test("a direction without a schema is a text as it is", async () => {
  const { received } = await talk(
    route(
      "{ send: z.array(z.string()) }",
      "{ message: (data, socket) => void socket.send([data]) }",
    ),
    ['{"a":1}'],
  );
  assertEquals(received, ['text ["{\\"a\\":1}"]']);
});

Deno.test("messages keep their order where the schema is asynchronous", async () => {
  const slow = `z.object({ wait: z.number() }).refine(async ({ wait }) => {
    await new Promise((resolve) => setTimeout(resolve, wait));
    return wait < 100;
  }, "too long")`;
  const messages = [20, 1, 0, 100, 1].map((wait) => `{"wait":${wait}}`);
  for (const schemas of [`{ receive: ${slow}, send: z.any() }`]) {
    const { received } = await talk(route(schemas, ECHO), messages);
    assertEquals(received, [
      ...messages.slice(0, 3).map((each) => `text ${each}`),
      "close 1008 #: too long",
    ]);
  }
  // What is sent is checked in order, too; what was sent before a close arrives.
  const { received, logged } = await talk(
    route(`{ receive: z.any(), send: ${slow} }`, ECHO),
    messages,
    { validateResponses: true },
  );
  assertEquals(received, [
    ...messages.slice(0, 3).map((each) => `text ${each}`),
    "close 1011 The server failed",
  ]);
  assertEquals(logged.length, 1);
  const closing = await talk(
    route(
      `{ receive: z.any(), send: ${slow} }`,
      "{ message(data, socket) { socket.send(data); socket.close(4000); } }",
    ),
    ['{"wait":20}'],
    { validateResponses: true, count: 2 },
  );
  assertEquals(closing.received, ['text {"wait":20}', "close 4000"]);
});

Deno.test("validateResponses checks what is sent", async () => {
  const code = route(
    "{ send: z.object({ id: z.number(), at: z.date().optional() }) }",
    "{ message: (data, socket) => void socket.send(JSON.parse(data)) }",
  );
  const good = '{"id":1,"at":"2026-01-31T12:00:00.000Z"}';
  const bad = '{"id":"1"}';
  assertEquals(await talk(code, [good, bad, good]), {
    received: [good, bad, good].map((each) => `text ${each}`),
    logged: [],
  });

  const strict = await talk(code, [good, bad, good], {
    validateResponses: true,
  });
  assertEquals(strict.received, [
    `text ${good}`,
    "close 1011 The server failed",
  ]);
  assertEquals(strict.logged.length, 1);
  assertStringIncludes(
    strict.logged[0]!,
    "route.js): a message to the client does not fit its schema: #/id: Invalid input",
  );
  const unnamed = await talk(code, [good, '{"id":1,"hash":"x"}'], {
    validateResponses: true,
  });
  assertStringIncludes(
    unnamed.logged[0]!,
    "does not fit its schema: #/hash: is undeclared",
  );

  const warned = await talk(code, [good, bad, good], {
    validateResponses: "warn",
  });
  assertEquals(
    warned.received,
    [good, bad, good].map((each) => `text ${each}`),
  );
  assertEquals(warned.logged.length, 1);
});

Deno.test("a schema that fails is the fault of the server", async () => {
  const throwing = `{ "~standard": { version: 1, vendor: "mine",
    validate() { throw new Error("broken schema"); } } }`;
  const silent = `{ "~standard": { version: 1, vendor: "mine",
    validate() {} } }`;
  for (
    const [schemas, expected] of [
      [`{ receive: ${throwing} }`, "broken schema"],
      [`{ receive: ${silent} }`, 'The schema of "socket.receive" returned'],
      [`{ receive: z.any(), send: ${throwing} }`, "broken schema"],
    ] as const
  ) {
    const { received, logged } = await talk(route(schemas, ECHO), ["1"], {
      validateResponses: true,
    });
    assertEquals(received, ["close 1011 The server failed"]);
    assertEquals(logged.length, 1);
    assertStringIncludes(logged[0]!, expected);
  }
});

Deno.test("JSON that is hostile closes the socket, and nothing else", async () => {
  const code = route(
    "{ receive: z.record(z.string(), z.lazy(() => z.any())) }",
    "{ message: (data, socket) => void socket.send(String(Object.keys(data))) }",
  );
  for (
    const [message, expected] of [
      ["[".repeat(30_000), "close 1008 The message is not valid JSON"],
      ["[".repeat(20_000) + "]".repeat(20_000), "close 1008 #: "],
      ['{"__proto__":{"a":1}}', "text "],
      ["1e999", "close 1008 #: "],
      ['"\\ud800"', "close 1008 #: "],
      [`{"${"k".repeat(300)}":`, "close 1008 The message is not valid JSON"],
    ] as const
  ) {
    const { received, logged } = await talk(code, [message]);
    assert(received[0]!.startsWith(expected), received[0]);
    assertEquals(logged, []);
  }
});

Deno.test("a reason is cut between characters", async () => {
  const { received } = await talk(
    route(
      `{ receive: z.any().refine(() => false, "😀".repeat(50)) }`,
      "{}",
    ),
    ["1"],
  );
  assertEquals(received, [`close 1008 #: ${"😀".repeat(29)}…`]);
});

Deno.test("messages are checked also where no handler takes them", async () => {
  const { received } = await talk(route("{ receive: z.string() }", "{}"), [
    "1",
  ]);
  assertStringIncludes(received[0]!, "close 1008 #: Invalid input");
});

Deno.test("a member who breaks a message does not break a broadcast", async () => {
  using log = new CapturedLog();
  await using application = await FolderApplication.create({
    "route.js": route(
      "{ send: z.number() }",
      `((members) => ({
        open: (socket) => void members.add(socket),
        message(data) {
          const sent = [...members].map((each) => each.send(data));
          globalThis.sent = sent;
        },
      }))(globalThis.members ??= new Set())`,
    ),
  }, { validateResponses: true });
  await using server = await application.serve();
  using first = await RawSocket.open(server.port, "/api");
  using second = await RawSocket.open(server.port, "/api");
  const members = () =>
    (globalThis as { members?: Set<unknown> }).members?.size === 2;
  await until(members);
  await first.write(frame(text, "not a number"));
  assertEquals(await first.spell(), "close 1011 The server failed");
  assertEquals(await second.spell(), "close 1011 The server failed");
  assertEquals(log.lines.length, 2);
});

Deno.test("what cannot be sent is an error of the handler", async () => {
  for (
    const [schemas, value, message] of [
      [
        "{ receive: z.any() }",
        "null",
        "Cannot send null over the socket: send a",
      ],
      [
        "{ receive: z.any() }",
        "1",
        "Cannot send number over the socket: send a",
      ],
      [
        "{ receive: z.any() }",
        "{}",
        "Cannot send object over the socket: send a",
      ],
      [
        "{ send: z.any() }",
        "undefined",
        "Cannot write undefined as JSON for the socket",
      ],
    ] as const
  ) {
    const { received, logged } = await talk(
      route(schemas, `{ message: (_, socket) => void socket.send(${value}) }`),
      ["1"],
    );
    assertEquals(received, ["close 1011 The server failed"]);
    assertEquals(logged.length, 1);
    assertStringIncludes(logged[0]!, message);
  }
});

Deno.test("a message with several faults is told the first, and how many more", async () => {
  const { received } = await talk(
    route("{ receive: z.object({ a: z.string(), b: z.string() }) }", ECHO),
    ['{"a":1,"b":2}'],
  );
  assertEquals(received.length, 1);
  assertStringIncludes(received[0]!, "#/a: ");
  assertStringIncludes(received[0]!, " (and 1 more)");
});

Deno.test("a client that had sent more is told why the socket closes", async () => {
  const more = Array.from({ length: 300 }, () => '"more"');
  const { received } = await talk(
    route("{ receive: z.number() }", ECHO),
    ["not JSON", ...more],
  );
  assertEquals(received, ["close 1008 The message is not valid JSON"]);
});
