import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { HttpError } from "@bough/framework";
import { z } from "zod";
import { CapturedLog } from "../../support/application.ts";
import { postJson, RecordedServer } from "./recorded.ts";

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
  const { id, version, time, duration, steps, ...entry } = await server.entryOf(
    "/api/books/42?q=Emma",
    { headers: { accept: "text/x" } },
  );
  const { request, response } = entry;
  assertEquals([id, new Map(request.headers).get("accept")], [1, "text/x"]);
  assert(version > 0);
  assertEquals(entry, {
    state: "done",
    method: "GET",
    url: "/api/books/42?q=Emma",
    params: { id: "42" },
    request,
    route: "/api/books/[id]",
    file: "books/[id]/route.ts",
    isDeprecated: true,
    validated: { query: { q: "Emma" } },
    status: 200,
    response: {
      headers: response!.headers,
      body: { type: "application/json", size: 11, text: '{"id":"42"}' },
    },
    issues: [],
    secrets: [],
    logs: [],
    messages: [],
    messageCount: 0,
  });
  assertEquals(request.body, undefined);
  assertEquals(new Map(response!.headers).get("x-a"), "1");
  assertEquals(
    steps.map(({ name, file }) => [name, file]),
    [
      ["route", undefined],
      ["middleware", "books/middleware.ts"],
      ["validate", undefined],
      ["handler", undefined],
    ],
  );
  for (const { start, duration: took } of steps) {
    assert(start >= 0 && took >= 0 && start + took <= duration);
  }
  const arrival = Date.parse(time);
  assert(arrival >= before && arrival <= Date.now());
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
  const body = { title: 7, "a/b": [{ c: "ä" }] };
  const entry = await server.entryOf(
    "/api/books/7?tags=new&tags=old",
    postJson(body, { "x-size": "xl" }),
  );
  assertEquals(
    [entry.status, ...entry.issues.map((issue) => issue.in + issue.pointer)],
    [
      400,
      "params#/id",
      "query#/tags/1",
      "headers#/x-size",
      "body#/title",
      "body#/a~1b/0/c",
    ],
  );
  assertEquals(entry.request.body?.text, JSON.stringify(body));
  assertMatch(entry.error!.text, /^HttpError: The request does not fit/);
});

Deno.test("an entry shows an error with its stack, its source and its log", async () => {
  using log = new CapturedLog();
  await using server = await RecordedServer.of({
    GET() {
      const cause = new TypeError("The cause");
      // This comment is part of the source.
      throw new Error("Something is wrong", { cause });
    },
  });
  const { error, status, logs } = await server.entryOf("/api");
  assertEquals(
    [status, error?.text, error!.cause?.text],
    [500, "Error: Something is wrong", "TypeError: The cause"],
  );
  const { text, file, line, source } = error!.frames[0]!;
  assertMatch(
    text,
    /^GET \(tests\/dev\/inspector\/recorder_test\.ts:\d+:\d+\)$/,
  );
  assertEquals(file, new URL(import.meta.url).pathname);
  const code = (await Deno.readTextFile(file!)).split("\n")[line! - 1]!;
  assertStringIncludes(code, "throw new Error(");
  assertEquals(source?.length, 7);
  assertEquals(source![3], { line: line!, text: code });
  // Frames of Bough have no location.
  const own = error!.frames.filter(({ text }) => text.includes("src/core/"));
  assert(own.length > 0 && own.every(({ file }) => file === undefined));
  assertEquals(logs.map(({ level }) => level), ["error"]);
  assertMatch(
    logs[0]!.text,
    /^GET \/api \(route.ts\) failed: Error: Something/,
  );
  assertEquals(log.lines, [`[bough] ${logs[0]!.text}`]);
});

Deno.test("an entry has the error that the response reports", async () => {
  using _log = new CapturedLog();
  const errors = [{ in: "body", pointer: "#/name", detail: "Taken" }];
  const thrown: Record<string, unknown> = {
    http: new HttpError(409, "Taken", { errors }),
    response: new Response("thrown", { status: 418 }),
    text: "a text",
    nothing: undefined,
  };
  await using server = await RecordedServer.start({
    "[name]/route.ts": {
      GET: ({ params }) => Promise.reject(thrown[params.name!]),
    },
  });
  const shown = async (name: string) => {
    const { status, error, issues } = await server.entryOf(`/api/${name}`);
    return [status, error?.text, error?.frames.length, issues[0]?.pointer];
  };
  const [status, text, frames, pointer] = await shown("http");
  assertEquals([status, text, pointer], [409, "HttpError: Taken", "#/name"]);
  assert(Number(frames) > 0);
  assertEquals(await shown("response"), [418, ...Array(3).fill(undefined)]);
  assertEquals(await shown("text"), [500, '"a text"', 0, undefined]);
  assertEquals(await shown("nothing"), [500, "undefined", 0, undefined]);
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
  const b = z.enum(["big", "date", "long"]).transform((name) =>
    ({ big: 1n, date: new Date(0), long: "x".repeat(20_000) })[name]
  );
  await using server = await RecordedServer.of({
    schema: { get: { query: z.object({ a: z.string(), b }) } },
    GET: () => new Response("ok"),
  });
  for (
    const [name, validated] of Object.entries({
      big: {},
      date: { query: { a: "1", b: "1970-01-01T00:00:00.000Z" } },
      long: {},
    })
  ) {
    const entry = await server.entryOf(`/api?a=1&b=${name}`);
    assertEquals([entry.status, entry.validated], [200, validated], name);
  }
});

Deno.test("requests without a route or a body are recorded", async () => {
  await using server = await RecordedServer.by({
    stream: () => new Response(ReadableStream.from([new Uint8Array(10)])),
  });
  const missing = await server.entryOf("/api/nowhere");
  const { status, route, file } = missing;
  assertEquals([status, route, file], [404, undefined, undefined]);
  const head = await server.entryOf("/api/stream", { method: "HEAD" });
  assertEquals(
    [head.method, head.route, head.state, head.ended, head.response?.body],
    ["HEAD", "/api/stream", "done", undefined, undefined],
  );
  const wrong = await server.entryOf("/api/stream", { method: "PATCH" });
  assertEquals([wrong.status, wrong.route], [405, "/api/stream"]);
});
