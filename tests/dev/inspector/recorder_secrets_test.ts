/** Placeholders in entries; `secrets_test.ts` shows that no secret stays anywhere. */
import { assert, assertEquals } from "@std/assert";
import { content, HttpError } from "@bough/framework";
import { events } from "@bough/framework/live";
import { z } from "zod";
import { forAgents } from "../../../src/dev/inspector/request_data.ts";
import { Recorder } from "../../../src/dev/inspector/recorder.ts";
import { CapturedLog } from "../../support/application.ts";
import { until } from "../../support/until.ts";
import { postJson, RecordedServer } from "./recorded.ts";

const SECRET = "hunter2-7f3a9c";

function assertNowhere(value: unknown): void {
  assert(!JSON.stringify(value).includes(SECRET), JSON.stringify(value));
}

Deno.test("a placeholder replaces a secret, and its value elsewhere in the request", async () => {
  const secret = `a"b ${SECRET}`;
  const sent = encodeURIComponent(SECRET);
  const read = z.object({ login: z.string(), key: z.string() })
    .transform(({ login }) => ({ login, list: [`x ${login}`] }));
  await using server = await RecordedServer.start({
    "[id]/[...]/route.ts": {
      schema: { post: { body: read } },
      POST: ({ validated }) =>
        Response.json({ echo: validated.body, licence: "own" }, {
          headers: { location: `/next/${SECRET}` },
        }),
    },
  }, { secrets: ["licence"] });
  const entry = await server.entryOf(
    `/api/${sent}/a/${sent}?q=${sent}&${sent}&x=a+${sent}`,
    postJson({ login: secret, key: SECRET, dbPassword: secret }, {
      "x-note": `see ${SECRET}`,
      "x-api-key": SECRET,
      "cookie": `sid=${SECRET}`,
    }),
  );
  assertNowhere(entry);
  const login = "«password»";
  const body = { login, list: [`x ${login}`] };
  assertEquals(entry.secrets, ["api-key", "password", "licence", "secret"]);
  assertEquals(
    [entry.status, entry.url, entry.params, entry.wildcardParams],
    [
      200,
      "/api/«api-key»/a/«api-key»?q=«api-key»&«api-key»&x=«secret»",
      { id: "«api-key»" },
      ["a", "«api-key»"],
    ],
  );
  assertEquals(entry.validated?.body, body);
  assertEquals(
    [entry.request.body?.text, entry.response?.body?.text],
    [
      `{"login":"${login}","key":"«api-key»","dbPassword":"${login}"}`,
      JSON.stringify({ echo: body, licence: "«licence»" }),
    ],
  );
  assertEquals(entry.response?.headers[0], ["location", "/next/«api-key»"]);
});

Deno.test("an entry omits the validated body if it omits the text of the body", async () => {
  const query = z.object({ a: z.string() });
  const body = content("text/plain", z.string());
  await using server = await RecordedServer.of({
    schema: { post: { query, body } },
    POST: () => new Response("ok"),
  });
  const entry = await server.entryOf("/api?a=1", {
    method: "POST",
    headers: { "content-type": "text/plain" },
    body: `password=${SECRET}`,
  });
  assertEquals([entry.status, entry.validated], [200, { query: { a: "1" } }]);
});

Deno.test("a request hides its path until its route is known", async () => {
  const ready = Promise.withResolvers<Response>();
  const recorder = new Recorder({ secrets: [] });
  const handle = recorder.record(() => ready.promise);
  const response = handle(new Request(`http://localhost/reset/${SECRET}`));
  assertNowhere(recorder.list());
  ready.resolve(new Response());
  await response;
  assertEquals(recorder.list().requests[0]!.url, `/reset/${SECRET}`);
});

Deno.test("agents do not get the hidden values in errors, logs and issues", async () => {
  using _log = new CapturedLog();
  await using server = await RecordedServer.by({
    async error(request) {
      const { password } = await request.json();
      const cause = new TypeError(`Not ${password}`);
      throw new Error(`Wrong password ${password}`, { cause });
    },
    async http(request) {
      const { password } = await request.json();
      const errors = [
        { in: "body", pointer: "#/password", detail: `Not ${password}` },
        { in: "body", pointer: "#/a/%ff", detail: "Not a", password },
      ];
      throw new HttpError(422, `Not ${password}`, { errors });
    },
  });
  for (const path of ["error", "http"]) {
    const init = postJson({ password: SECRET });
    const entry = await server.entryOf(`/api/${path}`, init);
    // The page shows errors and logs as they are.
    assert(entry.error!.text.includes(SECRET));
    // The response repeats the value in a member with another name.
    assertNowhere([entry.issues, entry.response, forAgents(entry)]);
  }
  assertEquals(server.newest().issues[0]?.detail, "Not «password»");

  // A message of the parser repeats a part of malformed JSON.
  const malformed = { ...postJson(1), body: `{"password":${SECRET}}` };
  const entry = await server.entryOf("/api/http", malformed);
  assertEquals([entry.status, entry.request.body?.text], [400, undefined]);
  assertEquals(forAgents(entry).error?.cause?.text, "SyntaxError");
  assertNowhere(forAgents(entry));
});

Deno.test("placeholders replace secrets in messages of an open stream", async () => {
  const go = Promise.withResolvers<void>();
  await using server = await RecordedServer.of({
    GET: (request) =>
      events(request, async function* () {
        yield { data: { password: SECRET } };
        await go.promise;
        yield { event: "next", data: { token: SECRET, pin: 1234 } };
      }),
  });
  const response = await server.fetch("/api");
  await until(() => server.newest().messages.length === 1);
  assertNowhere(server.newest());
  go.resolve();
  await response.text();
  const { messages, secrets, unrepeatable } = await server.ended();
  assertEquals(
    messages.map(({ text }) => text),
    [
      '{"password":"«password»"}',
      'event: next\n{"token":"«password»","pin":"«pin»"}',
    ],
  );
  assertEquals([secrets, unrepeatable], [["password", "pin"], undefined]);
});

Deno.test("a request whose secret is a number cannot be repeated", async () => {
  await using server = await RecordedServer.of({
    POST: async (request) => Response.json({ pin: await request.json() }),
  });
  const { unrepeatable } = await server.entryOf("/api", postJson({ pin: 12 }));
  assertEquals(unrepeatable, "a secret in its body is not a string");
  const later = await server.entryOf("/api", postJson(12));
  assertEquals(
    [later.response?.body?.text, later.unrepeatable],
    ['{"pin":"«pin»"}', undefined],
  );
});
