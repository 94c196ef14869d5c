import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { HttpError } from "@bough/framework";
import { z } from "zod";
import type { RequestEntry } from "../../../src/dev/inspector/entry.ts";
import {
  CapturedLog,
  TestFolder,
  type TestModule,
} from "../../support/application.ts";
import { imitatedFrames, IMITATIONS } from "../../support/hostile.ts";
import { postJson, RecordedServer } from "./recorded.ts";

function headerOf(
  message: RequestEntry["request"] | undefined,
  name: string,
): string | undefined {
  return message?.headers.find((header) => header[0] === name)?.[1];
}

Deno.test("an entry shows the route, the steps and the response", async () => {
  await using server = await RecordedServer.start({
    "books/middleware.ts": { default: (_request, next) => next() },
    "books/[id]/route.ts": {
      schema: { get: { deprecated: true, query: z.object({ q: z.string() }) } },
      GET: ({ params }) =>
        Response.json({ id: params.id }, { headers: { "x-a": "1" } }),
    },
  });
  const before = Date.now();
  const entry = await server.entryOf("/api/books/42?q=Emma", {
    headers: { accept: "text/x" },
  });
  assertEquals(entry.state, "done");
  assertEquals([entry.method, entry.url], ["GET", "/api/books/42?q=Emma"]);
  assertEquals(entry.route, "/api/books/[id]");
  assertEquals(entry.file, "books/[id]/route.ts");
  assertEquals([entry.status, entry.isDeprecated], [200, true]);
  assertEquals({ ...entry.params }, { id: "42" });
  assertEquals(entry.validated, { query: { q: "Emma" } });
  assertEquals(headerOf(entry.request, "accept"), "text/x");
  assertEquals(entry.request.body, undefined);
  assertEquals(headerOf(entry.response, "x-a"), "1");
  assertEquals(entry.response?.body, {
    type: "application/json",
    size: 11,
    text: '{"id":"42"}',
  });
  assertEquals(
    entry.steps.map(({ name, file }) => [name, file]),
    [
      ["route", undefined],
      ["middleware", "books/middleware.ts"],
      ["validate", undefined],
      ["handler", undefined],
    ],
  );
  for (const { start, duration } of entry.steps) {
    assert(start >= 0 && duration >= 0 && start + duration <= entry.duration);
  }
  assert(
    Date.parse(entry.time) >= before && Date.parse(entry.time) <= Date.now(),
  );
  assertEquals(entry.ended, undefined);
});

Deno.test("an entry shows each issue, with a pointer to its value", async () => {
  await using server = await RecordedServer.start({
    "books/[id]/route.ts": {
      schema: {
        post: {
          params: z.object({ id: z.uuid() }),
          query: z.object({ tags: z.array(z.literal("new")) }),
          headers: z.object({ "x-size": z.enum(["s", "m"]) }),
          body: z.object({
            title: z.string(),
            "a/b": z.array(z.object({ c: z.int() })),
          }),
        },
      },
      POST: () => new Response("never"),
    },
  });
  const entry = await server.entryOf(
    "/api/books/7?tags=new&tags=old",
    postJson({ title: 7, "a/b": [{ c: "ä" }] }, { "x-size": "xl" }),
  );
  assertEquals(entry.status, 400);
  assertEquals(
    entry.issues.map(({ in: part, pointer }) => [part, pointer]),
    [
      ["params", "#/id"],
      ["query", "#/tags/1"],
      ["headers", "#/x-size"],
      ["body", "#/title"],
      ["body", "#/a~1b/0/c"],
    ],
  );
  assertEquals(
    entry.request.body?.text,
    '{"title":7,"a/b":[{"c":"ä"}]}',
  );
  assertMatch(entry.error!.text, /^HttpError: The request does not fit/);
});

Deno.test("an entry shows an error with its stack and its source", async () => {
  using _log = new CapturedLog();
  await using server = await RecordedServer.of({
    GET() {
      const cause = new TypeError("The cause");
      // This comment is part of the source.
      throw new Error("Something is wrong", { cause });
    },
  });
  const { error, status } = await server.entryOf("/api");
  assertEquals(status, 500);
  assertEquals(error?.text, "Error: Something is wrong");
  const [frame] = error!.frames;
  assertMatch(
    frame!.text,
    /^GET \(tests\/dev\/inspector\/recorder_test\.ts:\d+:\d+\)$/,
  );
  assertEquals(frame!.file, new URL(import.meta.url).pathname);
  const lines = (await Deno.readTextFile(frame!.file!)).split("\n");
  const { line, source } = frame!;
  assertStringIncludes(lines[line! - 1]!, "throw new Error(");
  assertEquals(source?.length, 7);
  assertEquals(source![3], { line: line!, text: lines[line! - 1]! });
  assertEquals(error!.cause?.text, "TypeError: The cause");
  // Frames of Bough have no location.
  const own = error!.frames.filter(({ text }) => text.includes("src/core/"));
  assert(own.length > 0 && own.every(({ file }) => file === undefined));
});

Deno.test("no request makes an entry show a file", async () => {
  using _log = new CapturedLog();
  type Read = (
    request: Parameters<NonNullable<TestModule["POST"]>>[0],
  ) => string | Promise<string>;
  const texts: Readonly<Record<string, Read>> = {
    path: ({ params }) => params.text!,
    query: ({ url }) => new URL(url).searchParams.get("q")!,
    header: ({ headers }) => decodeURIComponent(headers.get("x-q")!),
    body: (request) => request.text(),
  };
  const fails: Record<string, (text: string) => unknown> = {
    ...IMITATIONS,
    "a promise that rejects": (text) => Promise.reject(new TypeError(text)),
    "an error of the client": (text) => new HttpError(400, text),
  };
  let fail = fails["a message"]!;
  await using server = await RecordedServer.start(
    Object.fromEntries(
      Object.entries(texts).map(([from, read]): [string, TestModule] => [
        `${from}/[text]/route.ts`,
        {
          async POST(request) {
            throw await fail(await read(request));
          },
        },
      ]),
    ),
  );
  await using folder = await TestFolder.create({ "secret.ts": "hunter2" });
  const body = imitatedFrames(`file://${folder.path}/secret.ts`) +
    imitatedFrames("file:///etc/passwd");
  const text = encodeURIComponent(body);
  for (fail of Object.values(fails)) {
    for (const from in texts) {
      const { error } = await server.entryOf(`/api/${from}/${text}?q=${text}`, {
        method: "POST",
        headers: { "x-q": text },
        body,
      });
      assert(error !== undefined);
      for (let at = error; at !== undefined; at = at.cause!) {
        const files = at.frames.map(({ file = "" }) => file);
        const shown = files.filter((file) => /secret|passwd/.test(file));
        assertEquals(shown, [], `${from} ${fail}`);
      }
    }
  }
});

Deno.test("an entry has the error that the response reports", async () => {
  using _log = new CapturedLog();
  await using server = await RecordedServer.start({
    "thrown/route.ts": {
      GET() {
        throw new HttpError(409, "Taken", {
          errors: [{ in: "body", pointer: "#/name", detail: "Taken" }],
        });
      },
    },
    "response/route.ts": {
      GET() {
        throw new Response("thrown", { status: 418 });
      },
    },
    "text/route.ts": {
      GET() {
        throw "a text";
      },
    },
  });
  const thrown = await server.entryOf("/api/thrown");
  assertEquals(thrown.error?.text, "HttpError: Taken");
  assertEquals(thrown.issues[0]?.pointer, "#/name");
  const response = await server.entryOf("/api/response");
  assertEquals([response.status, response.error], [418, undefined]);
  const text = await server.entryOf("/api/text");
  assertEquals([text.error?.text, text.error?.frames], ['"a text"', []]);
});

Deno.test("a request succeeds even if its values cannot be recorded", async () => {
  using log = new CapturedLog();
  await using server = await RecordedServer.start({
    "[id]/route.ts": {
      GET(request) {
        const params = new Proxy({}, {
          ownKeys() {
            throw new Error("a hostile value");
          },
        });
        const { id } = request.params;
        Object.assign(request, { params });
        return new Response(id === "stream" ? new ReadableStream() : "ok");
      },
    },
    "route.ts": { GET: () => new Response("ok") },
  });
  for (let n = 0; n < 3; n++) {
    assertEquals(await (await server.fetch("/api/1")).text(), "ok");
  }
  const open = await server.fetch("/api/stream");
  const { url } = await server.entryOf("/api");
  await open.body!.cancel();
  assertEquals(server.recorder.list().requests.map(({ url }) => url), [url]);
  const lines = log.lines.filter((line) => line.includes("inspector"));
  assertEquals(lines.length, 1);
});

Deno.test("an entry omits validated values that JSON cannot express, and long ones", async () => {
  const parsed = z.string().transform((text) => {
    if (text === "big") return 1n;
    return text === "date" ? new Date(0) : "x".repeat(20_000);
  });
  await using server = await RecordedServer.of({
    schema: { get: { query: z.object({ a: z.string(), b: parsed }) } },
    GET: () => new Response("ok"),
  });
  const validated = async (b: string) =>
    (await server.entryOf(`/api?a=1&b=${b}`)).validated;
  assertEquals(await validated("big"), {});
  assertEquals(await validated("date"), {
    query: { a: "1", b: "1970-01-01T00:00:00.000Z" },
  });
  assertEquals(await validated("long"), {});
});

Deno.test("requests without a route or a body are recorded", async () => {
  await using server = await RecordedServer.start({
    "stream/route.ts": {
      GET: () => new Response(ReadableStream.from([new Uint8Array(10)])),
    },
  });
  const missing = await server.entryOf("/api/nowhere");
  assertEquals([missing.status, missing.route, missing.file], [
    404,
    undefined,
    undefined,
  ]);
  const head = await server.entryOf("/api/stream", { method: "HEAD" });
  assertEquals([head.method, head.route], ["HEAD", "/api/stream"]);
  assertEquals([head.state, head.ended], ["done", undefined]);
  assertEquals(head.response?.body, undefined);
  const wrong = await server.entryOf("/api/stream", { method: "PATCH" });
  assertEquals([wrong.status, wrong.route], [405, "/api/stream"]);
});

Deno.test("an entry shows that a handler threw undefined", async () => {
  using _log = new CapturedLog();
  await using server = await RecordedServer.start({
    "route.ts": { GET: () => Promise.reject() },
  });
  const { status, error } = await server.entryOf("/api");
  assertEquals([status, error?.text], [500, "undefined"]);
});
