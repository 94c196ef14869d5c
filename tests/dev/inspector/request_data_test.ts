import { assertEquals } from "@std/assert";
import {
  shortenRequest,
  summarizeRequest,
} from "../../../src/dev/inspector/request_data.ts";
import { entryOf } from "./entry_of.ts";

const OWN = { text: "GET (api/route.ts:1:1)", file: "/api/route.ts", line: 1 };
const OTHER = { text: "other (node:fs)" };

const ENTRY = entryOf({
  status: 500,
  duration: 1.23456,
  steps: [{ name: "handler", start: 0.1234, duration: 1.006 }],
  validated: { query: { version: 1, logs: [1], duration: 0.12345 } },
  error: {
    text: "Error: broken",
    frames: [OTHER, OWN, OTHER],
    cause: { text: "Error: x", frames: [OTHER, OTHER, OTHER, OTHER] },
  },
  logs: Array.from({ length: 30 }, (_, time) => ({
    time,
    level: "info",
    text: "x".repeat(5_000),
  })),
  copies: { curl: "curl", test: "Deno.test" },
});

Deno.test("an agent gets a shortened request", () => {
  const { logs, ...rest } = shortenRequest(ENTRY);
  const { version: _, copies: __, logs: ___, ...same } = ENTRY;
  assertEquals(rest, {
    ...same,
    duration: 1.23,
    steps: [{ name: "handler", start: 0.12, duration: 1.01 }],
    error: {
      text: "Error: broken",
      frames: [OWN],
      cause: { text: "Error: x", frames: [OTHER, OTHER, OTHER] },
    },
  });
  assertEquals(
    logs.map(({ time }) => time),
    ENTRY.logs.slice(10).map((it) => it.time),
  );
  assertEquals(logs[0]!.text.length, 4_000);
});

Deno.test("a list names the first issue of a request, otherwise its error", () => {
  const { problem } = summarizeRequest(ENTRY);
  assertEquals(problem, "Error: broken");
  const issue = {
    in: "query",
    pointer: "#/page",
    detail: "Too small",
  } as const;
  const summary = summarizeRequest({ ...ENTRY, issues: [issue] });
  assertEquals(summary.problem, "query#/page: Too small");
});
