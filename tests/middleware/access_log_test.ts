import { assert, assertEquals, assertMatch } from "@std/assert";
import { accessLog, type AccessLogEntry } from "@bough/framework/log";
import { CapturedLog, TestApplication } from "../support/application.ts";
import { rawRequest } from "../support/raw_http.ts";

const FILES = {
  "users/[id]/route.ts": `
    export async function GET({ params }) {
      if (params.id === "bad") throw new Error("secret");
      await new Promise((go) => setTimeout(go, 20));
      return new Response("x");
    }`,
};

Deno.test("accessLog() tells of every request, errors and misses among them", async () => {
  const entries: AccessLogEntry[] = [];
  await using application = await TestApplication.create(FILES, {
    middleware: [accessLog({ write: (entry) => void entries.push(entry) })],
  });
  using _ = new CapturedLog();
  await using server = await application.serve();
  for (
    const line of [
      "GET /api/users/42?token=secret",
      "GET /api/users/bad",
      "POST /api/users/42",
      "GET /nothing/%22x",
      "GET /%GG",
    ]
  ) await rawRequest(server.port, `${line} HTTP/1.1`);
  await application.fetch("/api/users/1");

  assertEquals(
    entries.map(({ time: _, ms: _ms, ...rest }) => rest),
    [
      ["GET", "/api/users/42", "/api/users/[id]", 200],
      ["GET", "/api/users/bad", "/api/users/[id]", 500],
      ["POST", "/api/users/42", "/api/users/[id]", 405],
      ["GET", "/nothing/%22x", undefined, 404],
      ["GET", "/%GG", undefined, 400],
      ["GET", "/api/users/1", "/api/users/[id]", 200],
    ].map(([method, path, route, status], index) => ({
      method,
      path,
      ...(route !== undefined && { route }),
      status,
      ...(index < 5 && { client: "127.0.0.1" }),
    })) as never,
  );
  assertMatch(entries[0]!.time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert(entries[0]!.ms >= 15, String(entries[0]!.ms));
});

Deno.test("accessLog() prints one line of JSON for each request", async () => {
  await using application = await TestApplication.create(FILES, {
    middleware: [accessLog()],
  });
  const lines: string[] = [];
  const { log } = console;
  console.log = (line: string) => void lines.push(line);
  try {
    await application.fetch('/api/users/a"\n');
  } finally {
    console.log = log;
  }
  assertEquals(lines.length, 1);
  assertEquals(lines[0]!.includes("\n"), false);
  assertEquals(JSON.parse(lines[0]!).status, 200);
});
