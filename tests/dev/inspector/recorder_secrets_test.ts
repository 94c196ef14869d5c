import { assert, assertEquals } from "@std/assert";
import { events } from "@bough/framework/live";
import { HttpError } from "@bough/framework";
import { z } from "zod";
import { CapturedLog } from "../../support/application.ts";
import { delay, until } from "../../support/until.ts";
import { postJson, RecordedServer } from "./recorded.ts";
import { assertCpuTime } from "../../support/cpu_time.ts";

const SECRET = "hunter2-7f3a9c";

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
  assertEquals(entry.url, "/api/7?token=«token»");
  assertEquals([entry.request.headers, entry.logs], [[], []]);
  assertEquals(entry.status, undefined);
  go.resolve();
  await (await response).text();
  assertEquals(server.newest().state, "done");
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
