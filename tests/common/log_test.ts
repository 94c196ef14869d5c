import { assert, assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import {
  inspectSafely,
  logError,
  logWarning,
  printable,
  printableLines,
} from "../../src/common/log.ts";
import { CapturedLog, TestFolder } from "../support/application.ts";
import { HOSTILE } from "../support/hostile.ts";
import { DenoProcess, freePort } from "../support/process.ts";
import { rawRequest } from "../support/raw_http.ts";

Deno.test("logError() tells of every value, however hostile, in one entry (behaviour 8.5)", () => {
  for (const [name, value] of Object.entries(HOSTILE)) {
    using log = new CapturedLog();
    logError("it failed:", value);
    assertEquals(log.lines.length, 1, name);
    assertMatch(log.lines[0]!, /^\[bough\] it failed: \S/, name);
  }
});

Deno.test("logError() tells as much as a value allows", () => {
  const error = HOSTILE["a class that cannot be inspected"];
  assertMatch(inspectSafely(error), /told by its stack\n +at /);
  assertEquals(
    inspectSafely(HOSTILE["a revoked proxy"]),
    "a value that cannot be inspected",
  );
  assertEquals(inspectSafely({ a: 1 }), "{ a: 1 }");
  // What says nothing is told in another way.
  const { inspect } = Deno;
  Object.assign(Deno, { inspect: () => "" });
  try {
    assertEquals(inspectSafely(5), "5");
  } finally {
    Object.assign(Deno, { inspect });
  }
});

Deno.test("logError() tells causes where there is no Deno to inspect them", () => {
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

/** What a client may send to look like another entry, or to hide one. */
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

Deno.test("no text can pass for an entry of its own, hide one or steer a terminal (behaviour 8.5)", () => {
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
      using log = new CapturedLog();
      logError(text, error);
      logWarning(text);
      assertEquals(log.lines.length, 2);
      for (const line of log.lines.join("\n").split("\n")) {
        assert(/^(?:\[bough\] (?!GET)| {2})/.test(line), JSON.stringify(line));
        assert(!/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(line), line);
      }
      assertEquals(log.lines[1]!.includes("\n"), false);
    }
  }
});

Deno.test("logError() prints where console.error was replaced by what throws", () => {
  using _ = new CapturedLog();
  console.error = () => {
    throw new Error("no transport");
  };
  const written: string[] = [];
  const { writeSync } = Deno.stderr;
  Deno.stderr.writeSync = (bytes) => {
    written.push(new TextDecoder().decode(bytes));
    return bytes.length;
  };
  try {
    logError("it failed:", 5);
    Deno.stderr.writeSync = () => {
      throw new Error("closed");
    };
    logError("it failed:", 6);
  } finally {
    Deno.stderr.writeSync = writeSync;
  }
  assertEquals(written, ["[bough] it failed: 5\n"]);
});

Deno.test("no client can forge or hide a line of a server's log (behaviour 8.5)", async () => {
  const port = freePort();
  await using folder = await TestFolder.create({
    "main.ts": `import { Framework } from "@bough/framework";
      import { accessLog } from "@bough/framework/log";
      const app = new Framework({ apiDir: "api", middleware: [accessLog()] });
      await app.serve({ hostname: "127.0.0.1", port: ${port}, onListen() {} });
      console.log("{}");`,
    "api/throw/[text]/route.js": `export function GET({ params }) {
      throw new Error("no such thing: " + params.text);
    }`,
    "api/leave/[text]/route.js": `export function GET({ params }) {
      Promise.reject(params.text);
      setTimeout(() => { throw { text: params.text }; });
      return new Response("ok");
    }`,
  });
  await using process = new DenoProcess(folder.path, [
    "--allow-net",
    "--allow-read",
  ]);
  await process.printed("{}");
  for (const text of FORGED) {
    const target = encodeURIComponent(text);
    await rawRequest(port, `GET /api/throw/${target} HTTP/1.1`);
    await rawRequest(port, `GET /api/leave/${target} HTTP/1.1`);
    // Deno hands a target over as it came, but for what HTTP forbids in it.
    const raw = [...text].filter((each) => each > " " && each !== "\x7f");
    await rawRequest(port, `GET /${raw.join("")} HTTP/1.1`);
  }
  await rawRequest(port, "GET /last HTTP/1.1");
  await process.printed('"/last"');
  // What it prints arrives in two streams: at its end, both are complete.
  process.kill("SIGTERM");
  const { output } = await process.outcome();
  const lines = output.trimEnd().split("\n");
  const entries = lines.filter((line) => line.startsWith("[bough] "));
  assertEquals(entries.length, 3 * FORGED.length);
  for (const line of lines) {
    assert(!/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(line), line);
    if (line.startsWith("{")) JSON.parse(line);
    else assert(/^\[bough\] (?:GET|a promise|an error)|^ {2}/.test(line), line);
  }
});

Deno.test("printable() escapes what breaks a line or steers a terminal", () => {
  for (
    const [text, expected] of [
      ["a\nb\r\tc", "a\\nb\\r\\tc"],
      ["\x00\x1b[31mred\x1b[0m\x07", "\\u0000\\u001b[31mred\\u001b[0m\\u0007"],
      ["\x7f\x80\x9b31m\x9f", "\\u007f\\u0080\\u009b31m\\u009f"],
      ["a\u2028b\u2029c", "a\\u2028b\\u2029c"],
      ["\u061c\u200e\u200f", "\\u061c\\u200e\\u200f"],
      ["\u202a\u202e\u2066\u2069", "\\u202a\\u202e\\u2066\\u2069"],
      ["\ud800x\udc00", "\\ud800x\\udc00"],
    ] as const
  ) assertEquals(printable(text), expected);
});

Deno.test("printable() leaves all other text as it is", () => {
  for (
    const text of [
      "",
      "api/users/[id]/route.ts",
      "C:\\api\\n",
      "café 漢字 👩‍👩‍👧 “quoted”",
      "\u00a0\u200d\u2027\u202f\u206a",
    ]
  ) assertEquals(printable(text), text);
});

Deno.test("printable() gives one line without controls, and JSON stays what it says", () => {
  const text = fc.string({ unit: "binary" });
  const unpaired = fc.array(fc.integer({ min: 0, max: 0xffff }))
    .map((codes) => String.fromCharCode(...codes));
  fc.assert(
    fc.property(fc.oneof(text, unpaired), (text) => {
      const line = printable(text);
      assert(line.isWellFormed());
      assert(!/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(line));
      assertEquals(JSON.parse(printable(JSON.stringify(text))), text);
      assertEquals(printable(line), line);
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("printableLines() keeps line breaks, and indents what follows them", () => {
  assertEquals(
    printableLines("Expected ';'\n\n  const = 1;\r\n[bough] forged\x1b[2J"),
    "Expected ';'\n  \n    const = 1;\\r\n  [bough] forged\\u001b[2J",
  );
});
