/** The format of events (HTML, 9.2.6), in every way that chunks may cut it. */
import { assertEquals } from "@std/assert";
import { createEventParser } from "../../src/shared/event_parser.ts";

/** The events of a stream, each as `event|data|id`, and the state of its parser. */
interface Parsed {
  readonly events: readonly string[];
  readonly lastEventId?: string;
  readonly retry?: number;
}

function parsed(chunks: readonly Uint8Array[], begin?: string): Parsed {
  const parser = createEventParser(begin);
  const events = chunks.flatMap((chunk) => parser.read(chunk))
    .map(({ event, data, lastEventId }) => `${event}|${data}|${lastEventId}`);
  const { lastEventId, retry } = parser;
  return {
    events,
    ...(lastEventId !== "" && { lastEventId }),
    ...(retry !== undefined && { retry }),
  };
}

/** The cases of the standard, and those that its rules distinguish. */
const CASES: Readonly<Record<string, readonly [stream: string, Parsed]>> = {
  "an event without a name is a message": ["data: a\n\n", {
    events: ["message|a|"],
  }],
  "an empty name does not count": ["event\ndata: a\n\n", {
    events: ["message|a|"],
  }],
  "an event has a name": ["event: add\ndata: 1\n\n", { events: ["add|1|"] }],
  "a name is for one event": ["event: add\ndata: 1\n\ndata: 2\n\n", {
    events: ["add|1|", "message|2|"],
  }],
  "data may have lines": ["data: YHOO\ndata: +2\ndata: 10\n\n", {
    events: ["message|YHOO\n+2\n10|"],
  }],
  "data may be empty": ["data\n\ndata\ndata\n\ndata:", {
    events: ["message||", "message|\n|"],
  }],
  "one space after the colon is removed": [
    "data:a\n\ndata: b\n\ndata:  c\n\n",
    {
      events: ["message|a|", "message|b|", "message| c|"],
    },
  ],
  "a value may have colons": ["data: a:b: c\n\n", {
    events: ["message|a:b: c|"],
  }],
  "an id stays, until it is empty": [
    "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
    { events: ["message|a|1", "message|b|1", "message|c|"] },
  ],
  "an id without data counts": ["data: a\nid: 1\n\nid: 2\n\n", {
    events: ["message|a|1"],
    lastEventId: "2",
  }],
  "an id with NUL is ignored": ["id: 1\nid: 2\0\ndata: a\n\n", {
    events: ["message|a|1"],
    lastEventId: "1",
  }],
  "a name without data is no event": ["event: add\n\ndata: a\n\n", {
    events: ["message|a|"],
  }],
  "comments are ignored": [":\n\n: data: no\ndata: a\n:\n\n", {
    events: ["message|a|"],
  }],
  "unknown fields are ignored": [
    "Data: no\n data: no\ndatas: no\nmore\ndata: a\n\n",
    { events: ["message|a|"] },
  ],
  "retry is digits": ["retry: 10\n\nretry: 1e3\nretry: -1\nretry:\n\n", {
    events: [],
    retry: 10,
  }],
  "an event without an end does not count": [
    "data: a\nid: 1\n\nevent: add\nid: 2\ndata: b\n",
    { events: ["message|a|1"], lastEventId: "1" },
  ],
  "lines end in CR": ["data: a\rid: 1\r\rdata: b\r\r", {
    events: ["message|a|1", "message|b|1"],
    lastEventId: "1",
  }],
  "lines end in CRLF": ["data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", {
    events: ["message|a\nb|", "message|c|"],
  }],
  "lines may have different ends": [
    "data: a\rdata: b\ndata: c\r\n\ndata: d\r\r\n",
    {
      events: ["message|a\nb\nc|", "message|d|"],
    },
  ],
  "other breaks do not count": ["data: a\u2028\u0085\v\fb\n\n", {
    events: ["message|a\u2028\u0085\v\fb|"],
  }],
  "only the first byte order mark is removed": [
    "\ufeffdata: a\n\n\ufeffdata: b\n\n",
    {
      events: ["message|a|"],
    },
  ],
  "characters have up to four bytes": ["data: é€😀\n\n", {
    events: ["message|é€😀|"],
  }],
};

for (const [name, [stream, expected]] of Object.entries(CASES)) {
  Deno.test(`${name}, however the stream is cut (HTML 9.2.6)`, () => {
    const bytes = new TextEncoder().encode(stream);
    const { lastEventId = expected.events.at(-1)?.split("|").at(-1) } =
      expected;
    const whole = { ...expected, ...(lastEventId && { lastEventId }) };
    assertEquals(parsed([bytes]), whole);
    assertEquals(
      parsed(Array.from(bytes, (byte) => Uint8Array.of(byte))),
      whole,
    );
    for (let cut = 0; cut <= bytes.length; cut++) {
      const chunks = [bytes.slice(0, cut), new Uint8Array(), bytes.slice(cut)];
      assertEquals(parsed(chunks), whole, `cut at ${cut}`);
    }
  });
}

Deno.test("an event is complete at its last byte, not at the next", () => {
  const parser = createEventParser();
  const bytes = new TextEncoder().encode("data: a\r\r");
  assertEquals(parser.read(bytes).length, 1);
  // The line feed belongs to that return, so it does not end another event.
  assertEquals(
    parser.read(new TextEncoder().encode("\ndata: b\n\n")).length,
    1,
  );
});

Deno.test("invalid UTF-8 is replaced", () => {
  const bytes = Uint8Array.of(
    ...new TextEncoder().encode("data: "),
    255,
    10,
    10,
  );
  assertEquals(parsed([bytes]).events, ["message|\ufffd|"]);
});

Deno.test("the id of an earlier stream stays until the next id", () => {
  const bytes = new TextEncoder().encode("data: a\n\nid: 8\ndata: b\n\n");
  assertEquals(parsed([bytes], "7").events, ["message|a|7", "message|b|8"]);
});

Deno.test("a large event in many chunks is split once, not again for each chunk", () => {
  const { split } = String.prototype;
  let characters = 0;
  String.prototype.split = function (...args: unknown[]): string[] {
    characters += this.length;
    return Reflect.apply(split, this, args);
  };
  try {
    const parser = createEventParser();
    parser.read(new TextEncoder().encode("data: "));
    const chunk = new TextEncoder().encode("a".repeat(1024));
    for (let index = 0; index < 2_000; index++) parser.read(chunk);
    const [event] = parser.read(new TextEncoder().encode("\n\n"));
    assertEquals(event!.data.length, 2_000 * 1024);
    assertEquals(characters, "data: \n\n".length + 2_000 * 1024);
  } finally {
    String.prototype.split = split;
  }
});
