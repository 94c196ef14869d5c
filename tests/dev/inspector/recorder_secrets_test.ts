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

Deno.test("placeholders replace the secrets of a request and its response", async () => {
  await using server = await RecordedServer.start({
    "reset/[token]/route.ts": {
      schema: {
        post: {
          query: z.object({ api_key: z.string() }),
          body: z.object({ password: z.string(), licence: z.string() }),
        },
      },
      POST: ({ validated }) =>
        Response.json({ ...validated.body, id: 7 }, {
          headers: { "set-cookie": `session=${SECRET}; Path=/` },
        }),
    },
  }, { secrets: ["licence"] });
  const entry = await server.entryOf(
    `/api/reset/${SECRET}?api_key=${SECRET}`,
    postJson({ password: SECRET, licence: `${SECRET}-2` }, {
      authorization: `Bearer ${SECRET}`,
      cookie: `sid=${SECRET}`,
    }),
  );
  assertNowhere(entry);
  assertEquals(entry.status, 200);
  assertEquals(entry.secrets, ["token", "licence"]);
  assertEquals(entry.url, "/api/reset/«token»?api_key=«token»");
  assertEquals(
    entry.response?.body?.text,
    '{"password":"«token»","licence":"«licence»","id":7}',
  );
  assertEquals(entry.validated?.body, {
    password: "«token»",
    licence: "«licence»",
  });
});

Deno.test("a placeholder replaces a value that is hidden elsewhere", async () => {
  const secret = `a"b ${SECRET}`;
  const sent = encodeURIComponent(SECRET);
  const read = z.object({ login: z.string(), key: z.string() })
    .transform(({ login }) => ({ login, list: [`x ${login}`] }));
  await using server = await RecordedServer.start({
    "[id]/[...]/route.ts": {
      schema: { post: { body: read } },
      POST: ({ validated }) =>
        Response.json({ echo: validated.body }, {
          headers: { location: `/next/${SECRET}` },
        }),
    },
  });
  const entry = await server.entryOf(
    `/api/${sent}/a/${sent}?q=${sent}&${sent}&x=a+${sent}`,
    postJson({ login: secret, key: SECRET, dbPassword: secret }, {
      "x-note": `see ${SECRET}`,
      "x-api-key": SECRET,
    }),
  );
  assertNowhere(entry);
  assertEquals(entry.status, 200);
  assertEquals(
    entry.url,
    "/api/«api-key»/a/«api-key»?q=«api-key»&«api-key»&x=«secret»",
  );
  assertEquals(entry.params, { id: "«api-key»" });
  assertEquals(entry.wildcardParams, ["a", "«api-key»"]);
  assertEquals(entry.validated?.body, {
    login: "«password»",
    list: ["x «password»"],
  });
  assertEquals(
    [entry.request.body?.text, entry.response?.body?.text],
    [
      '{"login":"«password»","key":"«api-key»","dbPassword":"«password»"}',
      '{"echo":{"login":"«password»","list":["x «password»"]}}',
    ],
  );
  assertEquals(entry.response?.headers[0], ["location", "/next/«api-key»"]);
});

Deno.test("an entry omits the validated body if it omits the text of the body", async () => {
  await using server = await RecordedServer.of({
    schema: {
      post: {
        query: z.object({ a: z.string() }),
        body: content("text/plain", z.string()),
      },
    },
    POST: () => new Response("ok"),
  });
  const entry = await server.entryOf("/api?a=1", {
    method: "POST",
    headers: { "content-type": "text/plain" },
    body: `password=${SECRET}`,
  });
  assertEquals([entry.status, entry.validated], [200, { query: { a: "1" } }]);
});

Deno.test("a running request hides its secrets, and what is not known yet", async () => {
  const go = Promise.withResolvers<void>();
  await using server = await RecordedServer.start({
    "[token]/route.ts": {
      async POST(request) {
        await request.text();
        await go.promise;
        return new Response("ok");
      },
    },
  });
  // Lets the server end even if the test fails.
  using _end = { [Symbol.dispose]: go.resolve };
  const response = server.fetch(
    `/api/${SECRET}?key=1&token=${SECRET}`,
    postJson({ password: SECRET }, { "x-api-key": SECRET }),
  );
  const newest = () => server.recorder.list().requests[0];
  await until(() => newest()?.request.body?.text !== undefined);
  const entry = newest()!;
  assertNowhere(entry);
  assertEquals([entry.state, entry.status], ["running", undefined]);
  assertEquals(entry.url, "/api/«token»?key=1&token=«token»");
  go.resolve();
  await (await response).text();
  assertEquals(server.newest().state, "done");
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
  await using server = await RecordedServer.start({
    "error/route.ts": {
      async POST(request) {
        const { password } = await request.json();
        const cause = new TypeError(`Not ${password}`);
        throw new Error(`Wrong password ${password}`, { cause });
      },
    },
    "http/route.ts": {
      async POST(request) {
        const { password } = await request.json();
        const errors = [
          { in: "body", pointer: "#/password", detail: `Not ${password}` },
          { in: "body", pointer: "#/a/%ff", detail: "Not a", password },
        ];
        throw new HttpError(422, `Not ${password}`, { errors });
      },
    },
  });
  for (const path of ["error", "http"]) {
    const init = postJson({ password: SECRET });
    const entry = await server.entryOf(`/api/${path}`, init);
    // The page shows errors and logs as they are.
    assert(entry.error!.text.includes(SECRET));
    assertNowhere(entry.issues);
    // The response repeats the value in a member with another name.
    assertNowhere(entry.response);
    assertNowhere(forAgents(entry));
  }
  const [first] = server.newest().issues;
  assertEquals(first?.detail, "Not «password»");
});

Deno.test("agents do not get a part of malformed JSON", async () => {
  await using server = await RecordedServer.of({
    POST: async (request) => Response.json(await request.json()),
  });
  const entry = await server.entryOf("/api", {
    ...postJson(1),
    body: `{"password":${SECRET}}`,
  });
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
  await until(() => server.newest().state === "done");
  const { messages, secrets, unrepeatable } = server.newest();
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
  assertEquals(later.response?.body?.text, '{"pin":"«pin»"}');
  assertEquals(later.unrepeatable, undefined);
});
