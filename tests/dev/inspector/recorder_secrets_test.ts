/** Placeholders in entries; `secrets_test.ts` shows that no secret stays anywhere. */
import { assert, assertEquals } from "@std/assert";
import { content } from "@bough/framework";
import { z } from "zod";
import { Recorder } from "../../../src/dev/inspector/recorder.ts";
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
