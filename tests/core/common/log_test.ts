import { assert, assertEquals, assertMatch } from "@std/assert";
import { dirname, fromFileUrl } from "@std/path";
import fc from "fast-check";
import {
  entryText,
  inspectSafely,
  log,
  type LogEntry,
  printable,
  printableLines,
  watchLog,
} from "../../../src/core/common/log.ts";
import { importCopy } from "../../cli/support.ts";
import { CapturedLog, TestFolder } from "../../support/application.ts";
import { HOSTILE, revoked } from "../../support/hostile.ts";
import { DenoProcess } from "../../support/process.ts";
import { rawRequest } from "../../support/raw_http.ts";

/** Characters that break a line or control a terminal. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

const PLACE = { method: "GET", pattern: "/a", file: "a/route.ts" };
const NOTICE = { level: "notice", place: '"a"', message: "b" } as const;

Deno.test("each entry is printed on the console, notices by console.warn()", () => {
  const { error, warn } = console;
  const printed: unknown[][] = [];
  console.error = (...values: unknown[]) => printed.push(["error", ...values]);
  console.warn = (...values: unknown[]) => printed.push(["warn", ...values]);
  try {
    log({ level: "error", place: PLACE, error: 1 });
    log({ level: "error", place: PLACE, message: "a\nb", error: raw("c\nd") });
    log({ level: "error", message: "it failed", error: undefined });
    log({ level: "warning", place: { ...PLACE, pattern: undefined }, message });
    log({ level: "warning", message });
    log(NOTICE);
  } finally {
    Object.assign(console, { error, warn });
  }
  assertEquals(printed, [
    ["error", "[bough] GET /a (a/route.ts) failed: 1"],
    ["error", "[bough] GET /a (a/route.ts): a\\nb: c\n  d"],
    ["error", "[bough] it failed: undefined"],
    ["error", "[bough] GET no route (a/route.ts): x\\ny"],
    ["error", "[bough] x\\ny"],
    ["warn", '[bough] "a": b'],
  ]);
});

const message = "x\ny";

function raw(text: string): object {
  return { [Symbol.for("Deno.customInspect")]: () => text };
}

Deno.test("a listener receives the entries, and decides whether they are printed", () => {
  using captured = new CapturedLog();
  const error = new Error("x");
  const entries: LogEntry[] = [
    { level: "error", place: PLACE, message: "a", error },
    NOTICE,
  ];
  const seen: LogEntry[] = [];
  const kept: LogEntry[] = [];
  {
    using _one = watchLog((entry) => {
      seen.push(entry);
      return entry.level === "notice";
    });
    using _two = watchLog((entry) => {
      kept.push(entry);
      return true;
    });
    entries.forEach(log);
  }
  log({ level: "warning", message });
  assertEquals([seen, kept], [entries, entries]);
  assertEquals(captured.lines, ['[bough] "a": b', "[bough] x\\ny"]);
});

Deno.test("a listener receives what another copy of the package logs", async () => {
  await using folder = await TestFolder.create({});
  const copy = await importCopy(folder);
  const error = new Error("x");
  const GET = () => {
    throw error;
  };
  const app = new copy.Framework({ manifest: { "a/route.ts": { GET } } });
  const request = () => app.fetch(new Request("http://localhost/api/a"));
  using captured = new CapturedLog();
  const entries: LogEntry[] = [];
  {
    using _ = watchLog((entry) => {
      entries.push(entry);
      return false;
    });
    await request();
  }
  assertEquals(captured.lines, []);
  const place = { method: "GET", pattern: "/api/a", file: "a/route.ts" };
  assertEquals(entries, [{ level: "error", place, error }]);
  await request();
  assertEquals(captured.lines, [`[bough] ${entryText(entries[0]!)}`]);
});

Deno.test("an error entry shows as much of a value as possible, even of a malicious one (behaviour 8.5)", () => {
  for (const [name, value] of Object.entries(HOSTILE)) {
    using captured = new CapturedLog();
    log({ level: "error", message: "it failed", error: value });
    assertEquals(captured.lines.length, 1, name);
    assertMatch(captured.lines[0]!, /^\[bough\] it failed: \S/, name);
  }
  const error = HOSTILE["a class that cannot be inspected"];
  assertMatch(inspectSafely(error), /told by its stack\n +at /);
  assertEquals(
    [revoked({}), { a: 1 }].map((value) => inspectSafely(value)),
    ["a value that cannot be inspected", "{ a: 1 }"],
  );
  // An empty result is replaced.
  const { inspect } = Deno;
  Object.assign(Deno, { inspect: () => "" });
  try {
    assertEquals(inspectSafely(5), "5");
  } finally {
    Object.assign(Deno, { inspect });
  }
});

Deno.test("an error entry shows causes without Deno.inspect()", () => {
  const { inspect } = Deno;
  const cyclic = new Error("outer", { cause: new Error("inner") });
  (cyclic.cause as Error).cause = cyclic;
  Object.assign(Deno, { inspect: undefined });
  try {
    assertMatch(
      inspectSafely(cyclic),
      /^Error: outer[^]*Caused by: Error: inner/,
    );
    assertEquals(inspectSafely(cyclic).split("Caused by").length, 4);
    assertMatch(inspectSafely(new Error("x", { cause: 7 })), /Caused by: 7$/);
    assertEquals(inspectSafely("text"), "text");
  } finally {
    Object.assign(Deno, { inspect });
  }
});

/** Input that imitates an entry, or hides an entry. */
const FORGED = [
  "x\n[bough] GET /admin (a.ts) failed: forged",
  "x\r[bough] forged",
  "x\r\n[bough] forged",
  "x\v[bough] forged",
  "x\f[bough] forged",
  "x\x85[bough] forged",
  "x\u2028[bough] forged\u2029[bough] forged",
  "x\x1b[2K\x1b[1G[bough] forged",
  "x\x9b2K[bough] forged",
  "x\b\b\b\x7f[bough] forged",
  "\u202e[hguob] degrof\u2066",
  "x\n\n[bough] forged",
  "%s%o%c",
];

Deno.test("no string can imitate or hide an entry, or control a terminal (behaviour 8.5)", () => {
  for (const text of FORGED) {
    for (
      const error of [
        new Error(text),
        text,
        { text },
        { [text]: 1 },
        new Error("x", { cause: new Error(text) }),
        new AggregateError([new Error(text)], text),
        Object.assign(new Error("x"), { stack: text, name: text }),
        { [Symbol.for("Deno.customInspect")]: () => text },
        Object.defineProperty(class {}, "name", { value: text }),
        Symbol(text),
      ]
    ) {
      using captured = new CapturedLog();
      log({ level: "error", message: text, error });
      log({ level: "warning", message: text });
      assertEquals(captured.lines.length, 2);
      for (const line of captured.lines.join("\n").split("\n")) {
        assert(/^(?:\[bough\] (?!GET)| {2})/.test(line), JSON.stringify(line));
        assert(!CONTROL.test(line), line);
      }
      assertEquals(captured.lines[1]!.includes("\n"), false);
    }
  }
});

Deno.test("no client can forge or hide a line in the log of a server (behaviour 8.5)", async () => {
  const folder = dirname(fromFileUrl(import.meta.url));
  const flags = ["--allow-net"];
  await using process = new DenoProcess(folder, flags, "log_program.ts");
  await process.printed("}");
  const { port } = JSON.parse(process.output);
  for (const text of FORGED) {
    const target = encodeURIComponent(text);
    await rawRequest(port, `GET /api/throw/${target} HTTP/1.1`);
    await rawRequest(port, `GET /api/leave/${target} HTTP/1.1`);
    // Deno passes a target on as it is, except the characters that HTTP forbids.
    const raw = [...text].filter((each) => each > " " && each !== "\x7f");
    await rawRequest(port, `GET /${raw.join("")} HTTP/1.1`);
  }
  await rawRequest(port, "GET /last HTTP/1.1");
  await process.printed('"/last"');
  // The output arrives in two streams, which are complete when the process has ended.
  process.kill("SIGTERM");
  const { output } = await process.outcome();
  const lines = output.trimEnd().split("\n");
  const entries = lines.filter((line) => line.startsWith("[bough] "));
  assertEquals(entries.length, 3 * FORGED.length);
  for (const line of lines) {
    assert(!CONTROL.test(line), line);
    if (line.startsWith("{")) JSON.parse(line);
    else assert(/^\[bough\] (?:GET|a promise|an error)|^ {2}/.test(line), line);
  }
});

Deno.test("printable() escapes characters that break a line or control a terminal, and keeps all others", () => {
  for (
    const [text, expected = text] of [
      ["a\nb\r\tc", "a\\nb\\r\\tc"],
      ["\x00\x1b[31mred\x1b[0m\x07", "\\u0000\\u001b[31mred\\u001b[0m\\u0007"],
      ["\x7f\x80\x9b31m\x9f", "\\u007f\\u0080\\u009b31m\\u009f"],
      ["a\u2028b\u2029c", "a\\u2028b\\u2029c"],
      ["\u061c\u200e\u200f", "\\u061c\\u200e\\u200f"],
      ["\u202a\u202e\u2066\u2069", "\\u202a\\u202e\\u2066\\u2069"],
      ["\ud800x\udc00", "\\ud800x\\udc00"],
      [""],
      ["C:\\api\\n users/[id]"],
      ["café 漢字 👩‍👩‍👧 “quoted” \u00a0\u200d\u2027\u202f\u206a"],
    ] as const
  ) assertEquals(printable(text), expected);
});

Deno.test("printable() returns one line, and JSON keeps its meaning", () => {
  // `fc.string({ unit: "binary" })` takes a second to prepare its ranges.
  const text = fc.array(fc.integer({ min: 0, max: 0x10ffff }))
    .map((codes) => String.fromCodePoint(...codes).toWellFormed());
  const unpaired = fc.array(fc.integer({ min: 0, max: 0xffff }))
    .map((codes) => String.fromCharCode(...codes));
  fc.assert(
    fc.property(fc.oneof(text, unpaired), (text) => {
      const line = printable(text);
      assert(line.isWellFormed());
      assert(!CONTROL.test(line));
      assertEquals(JSON.parse(printable(JSON.stringify(text))), text);
      assertEquals(printable(line), line);
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("printableLines() keeps line breaks, and indents the lines after them", () => {
  assertEquals(
    printableLines("Expected ';'\n\n  const = 1;\r\n[bough] forged\x1b[2J"),
    "Expected ';'\n  \n    const = 1;\\r\n  [bough] forged\\u001b[2J",
  );
});
