/** The messages of a socket with schemas (behaviour 11.3). */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import type { MethodSchema } from "@bough/framework";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../support/application.ts";
import { frame, joined, OPCODE, RawSocket } from "../support/raw_socket.ts";
import {
  delay,
  ECHO,
  type LiveSocket,
  schemaOf,
  socketRoute as route,
  until,
} from "./support.ts";

const { text } = OPCODE;

/** Sends messages to a route, and reads its messages until the socket closes. */
async function talk(
  module: TestModule,
  messages: readonly string[],
  { validateResponses = false, count = messages.length }: {
    validateResponses?: boolean | "warn";
    count?: number;
  } = {},
): Promise<{ received: string[]; logged: string[] }> {
  using log = new CapturedLog();
  const files = { "route.ts": module };
  await using server = await TestApplication.of(files, { validateResponses })
    .serve();
  using socket = await RawSocket.open(server.port, "/api");
  await socket.write(joined(...messages.map((each) => frame(text, each))));
  const received: string[] = [];
  while (received.length < count) {
    received.push(await socket.spell());
    if (/^c(?:lose|ut)/.test(received.at(-1)!)) break;
  }
  return { received, logged: log.lines };
}

/** Sends a value in response to each message. */
// deno-lint-ignore no-explicit-any
const sending = (value: (data: any) => unknown) => ({
  message: (data: unknown, socket: LiveSocket<unknown>) =>
    void socket.send(value(data)),
});
const sent = (value: unknown, schemas: MethodSchema["socket"]) =>
  route(sending(() => value), schemas);
const throwing = schemaOf(() => {
  throw new Error("broken schema");
});
const any = { receive: z.any() };
const keys = z.record(z.string(), z.lazy(() => z.any()));
const FAILED = "close 1011 The server failed";
const NO_JSON = "close 1008 The message is not valid JSON";

/** A route, and messages with the response and what is logged. */
const CASES: readonly (readonly [
  TestModule,
  ...(readonly [message: string, RegExp | string, logged?: string])[],
])[] = [
  // The output of `receive`, and no schema for what is sent.
  [
    route(
      sending(({ at, size }) => `${at.getFullYear()} ${size}`),
      { receive: z.object({ at: z.coerce.date(), size: z.int().default(3) }) },
    ),
    ['{"at":"2026-01-31T12:00:00.000Z"}', "text 2026 3"],
  ],
  // No schema for what is received.
  [
    route(sending((data) => [data]), { send: z.array(z.string()) }),
    ['{"a":1}', 'text ["{\\"a\\":1}"]'],
  ],
  // A schema fails.
  [route(ECHO, { receive: throwing }), ["1", FAILED, "broken schema"]],
  [
    route(ECHO, { receive: schemaOf(() => {}) }),
    ["1", FAILED, 'The schema of "socket.receive" returned'],
  ],
  [route(ECHO, { ...any, send: throwing }), ["1", FAILED, "broken schema"]],
  // Malicious JSON closes the socket, and does nothing else.
  [
    route(sending((data) => String(Object.keys(data))), { receive: keys }),
    ["[".repeat(30_000), NO_JSON],
    ["[".repeat(20_000) + "]".repeat(20_000), /^close 1008 #: /],
    ['{"__proto__":{"a":1}}', /^text /],
    ["1e999", /^close 1008 #: /],
    ['"\\ud800"', /^close 1008 #: /],
    [`{"${"k".repeat(300)}":`, NO_JSON],
  ],
  // A reason is cut between characters; a message needs no handler to be checked.
  [
    route({}, { receive: z.any().refine(() => false, "😀".repeat(50)) }),
    ["1", /^close 1008 #: 😀{29}…$/u],
  ],
  // A reason has the first error and the number of others.
  [
    route({}, { receive: z.object({ a: z.string(), b: z.string() }) }),
    ["1", /^close 1008 #: Invalid input/],
    ['{"a":1,"b":2}', /#\/a: .* \(and 1 more\)/],
  ],
  // A handler sends an unsendable value.
  [sent(null, any), ["1", FAILED, "Cannot send null over the socket: send a"]],
  [sent(1, any), ["1", FAILED, "Cannot send number over the socket: send a"]],
  [sent({}, any), ["1", FAILED, "Cannot send object over the socket: send a"]],
  [
    sent(undefined, { send: z.any() }),
    ["1", FAILED, "Cannot write undefined as JSON for the socket"],
  ],
];

Deno.test("a socket with schemas responds as the table says", async () => {
  const files = CASES.map(([module], index) => [`${index}/route.ts`, module]);
  await using server = await TestApplication.of(Object.fromEntries(files), {
    validateResponses: true,
  }).serve();
  for (const [index, [, ...rows]] of CASES.entries()) {
    for (const [message, expected, logged] of rows) {
      const name = `${index}: ${message.slice(0, 50)}`;
      using log = new CapturedLog();
      using socket = await RawSocket.open(server.port, `/api/${index}`);
      await socket.write(frame(text, message));
      const got = await socket.spell();
      if (typeof expected === "string") assertEquals(got, expected, name);
      else assertMatch(got, expected, name);
      const lines = log.lines.filter((line) =>
        !line.includes("send undeclared")
      );
      assertEquals(lines.length, logged === undefined ? 0 : 1, name);
      assertStringIncludes(lines.join(), logged ?? "", name);
    }
  }
});

Deno.test("messages keep their order if the schema is asynchronous", async () => {
  const slow = z.object({ wait: z.number() }).refine(async ({ wait }) => {
    await delay(wait);
    return wait < 50;
  }, "too long");
  const messages = [20, 1, 0, 50, 1].map((wait) => `{"wait":${wait}}`);
  const valid = messages.slice(0, 3).map((each) => `text ${each}`);
  const { received } = await talk(
    route(ECHO, { receive: slow, send: z.any() }),
    messages,
  );
  assertEquals(received, [...valid, "close 1008 #: too long"]);
  // Sent messages are checked in order, too; those before a close arrive.
  const schemas = { receive: z.any(), send: slow };
  const validateResponses = true;
  const sent = await talk(route(ECHO, schemas), messages, {
    validateResponses,
  });
  assertEquals(sent.received, [...valid, "close 1011 The server failed"]);
  assertEquals(sent.logged.length, 1);
  const closing = await talk(
    route({
      message(data, socket) {
        socket.send(data);
        socket.close(4000);
      },
    }, schemas),
    ['{"wait":20}'],
    { validateResponses, count: 2 },
  );
  assertEquals(closing.received, ['text {"wait":20}', "close 4000"]);
});

Deno.test("validateResponses checks the messages to the client", async () => {
  const module = route(
    { message: (data, socket) => void socket.send(JSON.parse(data)) },
    { send: z.object({ id: z.number(), at: z.date().optional() }) },
  );
  const good = '{"id":1,"at":"2026-01-31T12:00:00.000Z"}';
  const bad = '{"id":"1"}';
  const all = [good, bad, good];
  const received = all.map((each) => `text ${each}`);
  assertEquals(await talk(module, all), { received, logged: [] });

  const strict = await talk(module, all, { validateResponses: true });
  assertEquals(strict.received, [
    `text ${good}`,
    "close 1011 The server failed",
  ]);
  assertEquals(strict.logged.length, 1);
  assertStringIncludes(
    strict.logged[0]!,
    "route.ts): a message to the client does not fit its schema: #/id: Invalid input",
  );
  const unnamed = await talk(module, [good, '{"id":1,"hash":"x"}'], {
    validateResponses: true,
  });
  assertStringIncludes(
    unnamed.logged[0]!,
    "does not fit its schema: #/hash: is undeclared",
  );

  const warned = await talk(module, all, { validateResponses: "warn" });
  assertEquals(warned.received, received);
  assertEquals(warned.logged.length, 1);
});

Deno.test("a member who breaks a message does not break a broadcast", async () => {
  using log = new CapturedLog();
  const members = new Set<{ send(data: unknown): boolean }>();
  const module = route({
    open: (socket) => void members.add(socket),
    message(data) {
      for (const each of members) each.send(data);
    },
  }, { send: z.number() });
  await using server = await TestApplication.of({ "route.ts": module }, {
    validateResponses: true,
  }).serve();
  using first = await RawSocket.open(server.port, "/api");
  using second = await RawSocket.open(server.port, "/api");
  await until(() => members.size === 2);
  await first.write(frame(text, "not a number"));
  assertEquals(await first.spell(), "close 1011 The server failed");
  assertEquals(await second.spell(), "close 1011 The server failed");
  assertEquals(log.lines.length, 2);
});

Deno.test("a client that has sent more messages still gets the close reason", async () => {
  const more = Array.from({ length: 300 }, () => '"more"');
  const { received } = await talk(
    route(ECHO, { receive: z.number() }),
    ["not JSON", ...more],
  );
  assertEquals(received, ["close 1008 The message is not valid JSON"]);
});

Deno.test("undeclared members of messages are not sent (behaviour 7.9)", async () => {
  const send = z.object({
    id: z.int(),
    list: z.array(z.object({ id: z.int() })),
  });
  const row = { id: 1, list: [{ id: 2, hash: "x" }], hash: "x" };
  const module = route({ message: (_, socket) => void socket.send(row) }, {
    send,
  });
  const sent = 'text {"id":1,"list":[{"id":2}]}';
  const less = /a message to the client is sent without "#\/list\/0\/hash"/;
  const undeclared = /does not fit its schema: #\/list\/0\/hash: is undeclared/;
  for (
    const [validateResponses, messages, log] of [
      [false, [sent, sent], [less]],
      ["warn", [sent, sent], [undeclared, undeclared]],
      [true, ["close 1011 "], [undeclared]],
    ] as const
  ) {
    const { received, logged } = await talk(module, ["a", "b"], {
      validateResponses,
    });
    assertEquals(
      received.map((each, index) => each.startsWith(messages[index] ?? "-")),
      messages.map(() => true),
      String(received),
    );
    assertEquals(logged.length, log.length, logged.join("\n"));
    log.forEach((pattern, index) => assertMatch(logged[index]!, pattern));
  }
});
