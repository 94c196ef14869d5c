import { assert, assertEquals } from "@std/assert";
import {
  forAgents,
  isListed,
  shortenRequest,
  summarizeRequest,
} from "../../../src/dev/inspector/request_data.ts";
import { entryOf } from "./entry_of.ts";

const OWN = { text: "GET (api/route.ts:1:1)", file: "/api/route.ts", line: 1 };
const OTHER = { text: "other (node:fs)" };

const ENTRY = entryOf({
  status: 500,
  validated: { query: { version: 1, logs: [1], duration: 0.12345 } },
  error: {
    text: "Error: broken hunter2",
    agents: "Error: broken «password»",
    frames: [OTHER, OWN, OTHER],
    cause: { text: "Error: x", frames: [OTHER, OTHER, OTHER, OTHER] },
  },
  logs: Array.from({ length: 30 }, (_, time) => ({
    time,
    level: "info",
    text: "hunter2",
    agents: "x".repeat(5_000),
  })),
  copies: { curl: "curl", test: "Deno.test" },
});

Deno.test("an agent gets a shortened request", () => {
  const { logs, ...rest } = shortenRequest(forAgents(ENTRY));
  const { copies: _, logs: __, ...same } = ENTRY;
  assertEquals(rest, {
    ...same,
    error: {
      text: "Error: broken «password»",
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
  const { problem } = summarizeRequest(forAgents(ENTRY));
  assertEquals(problem, "Error: broken «password»");
  const issue = {
    in: "query",
    pointer: "#/page",
    detail: "Too small",
  } as const;
  const summary = summarizeRequest({ ...ENTRY, issues: [issue] });
  assertEquals(summary.problem, "query#/page: Too small");
});

Deno.test("agents filter requests by method, status, route and text", () => {
  const matches = (filter: Parameters<typeof isListed>[1]) =>
    isListed(forAgents({ ...ENTRY, route: "/api/books" }), filter);
  for (
    const filter of [
      { method: "GET" },
      { status: "500" },
      { status: "5xx" },
      { route: "/api/books" },
      { text: "BROKEN" },
    ]
  ) assert(matches(filter), JSON.stringify(filter));
  for (
    const filter of [
      { method: "POST" },
      { status: "4xx" },
      { route: "/api" },
      // An agent cannot find out a secret by trying texts.
      { text: "hunter2" },
    ]
  ) assert(!matches(filter), JSON.stringify(filter));
});
