/** The messages of a socket with schemas (behaviour 11.3). */
import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { z } from "zod";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../support/application.ts";
import { frame, joined, OPCODE, RawSocket } from "../support/raw_socket.ts";
import {
  delay,
  ECHO,
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

Deno.test("a handler gets the output of receive", async () => {
  const receive = z.object({
    at: z.coerce.date(),
    size: z.number().default(3),
  });
  const { received } = await talk(
    route({
      message: ({ at, size }, socket) =>
        void socket.send(`${at.getFullYear()} ${size}`),
    }, { receive }),
    ['{"at":"2026-01-31T12:00:00.000Z"}'],
  );
  // Without a schema for its direction, a message is sent as it is.
  assertEquals(received, ["text 2026 3"]);
});

Deno.test("a message without a schema for its direction is a string as it is", async () => {
  const { received } = await talk(
    route(
      { message: (data, socket) => void socket.send([data]) },
      { send: z.array(z.string()) },
    ),
    ['{"a":1}'],
  );
  assertEquals(received, ['text ["{\\"a\\":1}"]']);
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

Deno.test("a schema that fails is an error of the server", async () => {
  const throwing = schemaOf(() => {
    throw new Error("broken schema");
  });
  const silent = schemaOf(() => {});
  for (
    const [schemas, expected] of [
      [{ receive: throwing }, "broken schema"],
      [{ receive: silent }, 'The schema of "socket.receive" returned'],
      [{ receive: z.any(), send: throwing }, "broken schema"],
    ] as const
  ) {
    const { received, logged } = await talk(route(ECHO, schemas), ["1"], {
      validateResponses: true,
    });
    assertEquals(received, ["close 1011 The server failed"]);
    const failures = logged.filter((line) => !line.includes("send undeclared"));
    assertEquals(failures.length, 1);
    assertStringIncludes(failures[0]!, expected);
  }
});

Deno.test("malicious JSON closes the socket, and does nothing else", async () => {
  const module = route(
    {
      message: (data, socket) => void socket.send(String(Object.keys(data))),
    },
    { receive: z.record(z.string(), z.lazy(() => z.any())) },
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
    const { received, logged } = await talk(module, [message]);
    assert(received[0]!.startsWith(expected), received[0]);
    assertEquals(logged, []);
  }
});

Deno.test("the close reason of an invalid message is short and says why", async () => {
  const both = z.object({ a: z.string(), b: z.string() });
  const smileys = z.any().refine(() => false, "😀".repeat(50));
  for (
    const [receive, message, expected] of [
      // A reason is cut between characters.
      [smileys, "1", /^close 1008 #: 😀{29}…$/u],
      // Messages are checked even if no handler takes them.
      [z.string(), "1", /^close 1008 #: Invalid input/],
      // A reason has the first error and the number of others.
      [both, '{"a":1,"b":2}', /#\/a: .* \(and 1 more\)/],
    ] as const
  ) {
    const { received } = await talk(route({}, { receive }), [message]);
    assertEquals(received.length, 1);
    assertMatch(received[0]!, expected);
  }
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

Deno.test("a handler that sends an unsendable value fails", async () => {
  const over = (name: string) => `Cannot send ${name} over the socket: send a`;
  for (
    const [schemas, value, message] of [
      [{ receive: z.any() }, null, over("null")],
      [{ receive: z.any() }, 1, over("number")],
      [{ receive: z.any() }, {}, over("object")],
      [
        { send: z.any() },
        undefined,
        "Cannot write undefined as JSON for the socket",
      ],
    ] as const
  ) {
    const { received, logged } = await talk(
      route({ message: (_, socket) => void socket.send(value) }, schemas),
      ["1"],
    );
    assertEquals(received, ["close 1011 The server failed"]);
    assertEquals(logged.length, 1);
    assertStringIncludes(logged[0]!, message);
  }
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
