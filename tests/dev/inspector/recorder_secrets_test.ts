import { assert, assertEquals } from "@std/assert";
import { events } from "@bough/framework/live";
import { HttpError } from "@bough/framework";
import { z } from "zod";
import { CapturedLog, type TestModule } from "../../support/application.ts";
import { delay, until } from "../../support/until.ts";
import {
  shortenRequest,
  summarizeRequest,
} from "../../../src/dev/inspector/request_data.ts";
import { postJson, RecordedServer } from "./recorded.ts";
import { assertCpuTime } from "../../support/cpu_time.ts";

const SECRET = "hunter2-7f3a9c";

// The recorder, which patches `console` once, prints to this method.
console.debug = () => {};

function assertNowhere(value: unknown, secret = SECRET): void {
  assertEquals(JSON.stringify(value).includes(secret), false);
}

Deno.test("a placeholder replaces a secret everywhere in its entry", async () => {
  using _log = new CapturedLog();
  await using server = await RecordedServer.start({
    "[id]/route.ts": {
      schema: {
        post: {
          query: z.object({ q: z.string() }),
          body: z.object({ password: z.string(), name: z.int() }),
        },
      },
      POST: () => new Response("never"),
      async PUT(request) {
        console.log("signing in with", await request.json());
        throw new Error(`Wrong password ${SECRET}`, { cause: SECRET });
      },
    },
  });
  const init = postJson({ password: SECRET, name: "Ada" }, {
    "x-copy": SECRET,
  });
  for (const method of ["POST", "PUT"]) {
    const entry = await server.entryOf(`/api/${SECRET}?q=${SECRET}`, {
      ...init,
      method,
    });
    assertNowhere(entry);
    assertNowhere(server.recorder.list());
    assertEquals(entry.secrets, ["password"]);
    assertEquals(entry.url, "/api/«password»?q=«password»");
    assertEquals(entry.request.body?.text?.includes("Ada"), true);
  }
});

Deno.test("placeholders replace credentials, and values of further names", async () => {
  await using server = await RecordedServer.of({
    GET: () =>
      Response.json({ licence: SECRET, id: 7 }, {
        headers: { "set-cookie": "session=abcdef12345; Path=/" },
      }),
  }, { secrets: ["licence"] });
  const entry = await server.entryOf("/api", {
    headers: {
      authorization: "Bearer abc.def.ghi",
      cookie: "session=98765432",
    },
  });
  for (const secret of [SECRET, "abc.def.ghi", "98765432", "abcdef12345"]) {
    assertNowhere(entry, secret);
  }
  assertEquals(entry.response?.body?.text?.includes('"id":7'), true);
});

Deno.test("a running request shows only its summary", async () => {
  const go = Promise.withResolvers<void>();
  await using server = await RecordedServer.start({
    "[id]/route.ts": {
      async POST(request) {
        console.log(await request.text());
        await go.promise;
        return new Response("ok");
      },
    },
  });
  // Lets the server end even if the test fails.
  using _end = { [Symbol.dispose]: go.resolve };
  const response = server.fetch(`/api/7?token=${SECRET}`, {
    method: "POST",
    body: `The password is ${SECRET}`,
    headers: { authorization: SECRET },
  });
  await until(() => server.recorder.list().requests.length === 1);
  await until(() => server.newest().route !== undefined);
  const entry = server.newest();
  assertNowhere(entry);
  assertEquals(entry.state, "running");
  assertEquals([entry.method, entry.route], ["POST", "/api/[id]"]);
  assertEquals(entry.url, "/api/7?token=«authorization»");
  assertEquals([entry.request.headers, entry.logs], [[], []]);
  assertEquals(entry.status, undefined);
  go.resolve();
  await (await response).text();
  assertEquals(server.newest().state, "done");
});

Deno.test("a running request hides the secrets that its parts name", async () => {
  const go = Promise.withResolvers<void>();
  await using server = await RecordedServer.start({
    "[id]/route.ts": {
      async POST(request) {
        await request.text();
        await go.promise;
        return new Response("ok");
      },
    },
  });
  // Lets the server end even if the test fails.
  using _end = { [Symbol.dispose]: go.resolve };
  const named: Readonly<Record<string, RequestInit>> = {
    "a header": { headers: { "x-api-key": SECRET } },
    "a cookie": { headers: { cookie: `sid=${SECRET}` } },
    "Basic authentication": {
      headers: { authorization: `Basic ${btoa(`ada:${SECRET}`)}` },
    },
    "JSON": postJson({ password: SECRET }),
    "a form": { body: new URLSearchParams({ password: SECRET }) },
  };
  for (const [index, [title, init]] of Object.entries(named).entries()) {
    const path = `/api/${SECRET}?q=${SECRET}`;
    const response = server.fetch(path, { method: "POST", ...init });
    void response.then((response) => response.text());
    const newest = () => server.recorder.list().requests[0];
    await until(() => newest()?.id === index + 1);
    // A body arrives later than its headers.
    await until(() => !newest()!.url.includes(SECRET)).catch(() => {});
    assertEquals(newest()!.state, "running", title);
    assertNowhere(server.recorder.list());
  }
});

/** Texts of a request that are cut, or were, in which a secret is at the limit. */
const LIMITED: Readonly<Record<string, (text: string) => TestModule>> = {
  "a body of the response": (text) => ({ POST: () => new Response(text) }),
  "a stream": (text) => ({
    POST: () =>
      new Response(
        ReadableStream.from([text]).pipeThrough(
          new TextEncoderStream(),
        ),
      ),
  }),
  "a log": (text) => ({
    POST() {
      console.debug(text);
      return new Response("ok");
    },
  }),
  "an event": (text) => ({
    POST: (request) =>
      events(request, async function* () {
        yield { data: text };
      }),
  }),
  "an error": (text) => ({
    POST() {
      throw new Error(text);
    },
  }),
  "a cause": (text) => ({
    POST() {
      throw new Error("x", { cause: { text } });
    },
  }),
  "an issue": (text) => ({
    schema: { post: { query: z.object({ q: z.string().max(1) }) } },
    POST: () => new Response(text),
  }),
  "a validated value": () => ({
    schema: { post: { query: z.object({ q: z.string() }) } },
    POST: () => new Response("ok"),
  }),
  "a body of the request": () => ({
    async POST(request) {
      await request.text();
      return new Response("ok");
    },
  }),
};

Deno.test("no text ends within a secret", async (test) => {
  using _log = new CapturedLog();
  const LIMITS = [300, 1_000, 4_000, 16_384];
  for (const [title, route] of Object.entries(LIMITED)) {
    await test.step(title, async () => {
      for (const limit of LIMITS) {
        for (const before of [1, 6, SECRET.length - 1]) {
          const text = "x".repeat(limit - before) + SECRET + "y".repeat(100);
          await using server = await RecordedServer.of(route(text));
          const entry = await server.entryOf(`/api?q=${text}`, {
            method: "POST",
            headers: { "x-api-key": SECRET },
            body: text,
          });
          for (const shown of [entry, shortenRequest(entry)]) {
            const part = SECRET.slice(0, Math.max(before, 3));
            assertNowhere(shown, part);
          }
          assertNowhere(summarizeRequest(entry), SECRET.slice(0, 3));
        }
      }
    });
  }
});

Deno.test("a text that was shown does not end within a later secret", async () => {
  const text = "x".repeat(16 * 1024 - 6) + SECRET + "y".repeat(100);
  await using server = await RecordedServer.of({
    GET: (request) =>
      events(request, async function* () {
        yield { data: { text } };
        yield { data: { password: SECRET } };
      }),
  });
  const { messages } = await server.entryOf("/api");
  assertEquals(messages[1]!.text, '{"password":"«password»"}');
  assertNowhere(messages, SECRET.slice(0, 4));
});

Deno.test("placeholders replace secrets in messages of an open stream", async () => {
  const go = Promise.withResolvers<void>();
  await using server = await RecordedServer.of({
    GET: (request) =>
      events(request, async function* () {
        yield { data: { echo: SECRET, password: "other-secret" } };
        await go.promise;
        yield { data: "other-secret" };
      }),
  });
  const response = await server.fetch("/api", {
    headers: { authorization: `Bearer ${SECRET}` },
  });
  await until(() => server.newest().messages.length === 1);
  const [message] = server.newest().messages;
  assertEquals(
    message!.text,
    '{"echo":"«authorization»","password":"«password»"}',
  );
  go.resolve();
  await response.text();
  await until(() => server.newest().state === "done");
  const { messages, secrets } = server.newest();
  assertEquals(messages[1]!.text, '"«password»"');
  assertEquals(secrets, ["authorization", "password"]);
});

Deno.test("a late log cannot show a secret", async () => {
  const steps = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  await using server = await RecordedServer.of({
    GET(request) {
      request.waitUntil(
        steps[0]!.promise.then(() => console.log("at work", SECRET)),
      );
      steps[1]!.promise.then(() => console.log("detached", SECRET));
      return new Response("ok");
    },
  });
  await server.entryOf("/api", { headers: { authorization: SECRET } });
  steps[0]!.resolve();
  await until(() => server.newest().logs.length > 0);
  assertEquals(server.newest().logs[0]!.text, "at work «authorization»");
  // After the work, the values were removed, so no text could be checked.
  await delay(0);
  steps[1]!.resolve();
  await delay(5);
  assertEquals(server.newest().logs.length, 1);
});

Deno.test("an issue names a secret, and hides its value", async () => {
  await using server = await RecordedServer.start({
    "route.ts": {
      schema: {
        post: { body: z.object({ password: z.string().min(100) }) },
      },
      POST: () => new Response("never"),
    },
    "thrown/route.ts": {
      POST() {
        throw new HttpError(400, `Not ${SECRET}`);
      },
    },
  });
  const init = postJson({ password: SECRET });
  const entry = await server.entryOf("/api", init);
  assertEquals(entry.issues[0]?.pointer, "#/password");
  assert(entry.issues[0]!.value!.includes("«password»"));
  assertNowhere(entry);
  const thrown = await server.entryOf("/api/thrown", init);
  assertEquals(thrown.error?.text, "HttpError: Not «password»");
  assertNowhere(thrown);
});

Deno.test("a stream of tokens takes linear time, and shows none of them", async () => {
  const padding = "x".repeat(5_000);
  const tokens = Array.from({ length: 300 }, (_, n) => `token-${n}-${SECRET}`);
  await using server = await RecordedServer.start({
    "route.ts": {
      GET: (request) =>
        events(request, async function* () {
          yield { data: tokens };
          for (const token of tokens) yield { data: { token, padding } };
        }),
    },
  });
  // Searching all messages again for each token would take half a minute.
  await assertCpuTime(5_000, async () => {
    const entry = await server.entryOf("/api");
    assertEquals(entry.messageCount, 301);
    assertNowhere(entry);
  });
});
