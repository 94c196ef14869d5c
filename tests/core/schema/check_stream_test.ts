/** How `validateResponses` checks the body of a stream (behaviour 7.7). */
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { content } from "@bough/framework";
import { z } from "zod";
import { CapturedLog, TestApplication } from "../../support/application.ts";
import { delay, until } from "../../support/until.ts";

/** The state of the last stream that the handler created. */
const state = { read: 0, isCancelled: false };

/** A stream of parts, then of one part without an end. */
function stream(parts: readonly string[], endless?: Uint8Array<ArrayBuffer>) {
  const rest = parts.map((part) => new TextEncoder().encode(part));
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const next = rest.shift() ?? endless;
      if (next === undefined) return controller.close();
      state.read += next.length;
      controller.enqueue(next);
    },
    cancel: () => void (state.isCancelled = true),
  }, { highWaterMark: 0 });
}

const json = { headers: { "content-type": "application/json" } };
const text = { status: 201, headers: { "content-type": "text/plain" } };
const RESPONSES: Readonly<Record<string, () => Response>> = {
  good: () => new Response(stream(['{"title":', '"Émma"}']), json),
  bad: () => new Response(stream(['{"title":', "5}"]), json),
  broken: () => new Response(stream(["{"]), json),
  typeless: () => new Response(stream(["{}"])),
  endless: () =>
    new Response(stream(["["], new Uint8Array(65_536).fill(32)), json),
  text: () => new Response(stream(["too ", "long"]), text),
  whole: () => new Response(Response.json({ title: 5 }).body, json),
};

function start(validateResponses: true | "warn" = true): TestApplication {
  Object.assign(state, { read: 0, isCancelled: false });
  const response = {
    200: z.object({ title: z.string() }),
    201: content("text/plain", z.string().max(5)),
  };
  return TestApplication.of({
    "route.ts": {
      schema: { get: { response } },
      GET: ({ url }) => RESPONSES[new URL(url).search.slice(1)]!(),
    },
  }, { validateResponses });
}

Deno.test("Bough sends the parts of a valid stream as they come", async () => {
  const response = await start().fetch("/api?good");
  assertEquals(state.read, 0, "nothing is read ahead");
  const reader = response.body!.getReader();
  await reader.read();
  assertEquals(state.read, 9);
  const rest = await reader.read();
  assertEquals(new TextDecoder().decode(rest.value), '"Émma"}');
  assertEquals((await reader.read()).done, true);
  assertEquals(response.headers.get("content-type"), "application/json");
});

const FAULTS = {
  bad: 'with status 200 does not fit its schema: at "#/title" Invalid input',
  broken: "with status 200 does not fit its schema: the body is not valid JSON",
  text: 'with status 201 does not fit its schema: at "#" Too big',
};

for (const [name, fault] of Object.entries(FAULTS)) {
  Deno.test(`a stream that does not fit its schema ends with an error: ${name}`, async () => {
    const application = start();
    const response = await application.fetch(`/api?${name}`);
    const error = await assertRejects(() => response.text(), Error, fault);
    assertStringIncludes(error.message, "GET /api (");

    using log = new CapturedLog();
    await using server = await application.serve();
    const sent = await fetch(server.url(`/api?${name}`));
    await assertRejects(() => sent.text(), TypeError);
    assertEquals(log.lines.length, 1);
    assertStringIncludes(log.lines[0]!, fault);
  });

  Deno.test(`"warn" sends a stream that does not fit its schema, and logs the error: ${name}`, async () => {
    using log = new CapturedLog();
    const response = await start("warn").fetch(`/api?${name}`);
    await response.text();
    assertEquals(log.lines.length, 1);
    assertStringIncludes(log.lines[0]!, fault);
  });
}

Deno.test("Bough checks the content type of a stream before it reads the stream", async () => {
  using log = new CapturedLog();
  const response = await start().fetch("/api?typeless");
  assertEquals(response.status, 500);
  assertStringIncludes(log.lines[0]!, "the content type is missing");
  assertEquals(state, { read: 0, isCancelled: true });
});

Deno.test("Bough checks a buffered body before it sends the response", async () => {
  using _log = new CapturedLog();
  assertEquals((await start().fetch("/api?whole")).status, 500);
});

Deno.test("Bough neither keeps an endless stream, nor reads it after the client disconnects", async () => {
  using log = new CapturedLog();
  await using server = await start().serve();
  const leaving = new AbortController();
  const { body } = await fetch(server.url(`/api?endless`), leaving);
  const reader = body!.getReader();
  let read = 0;
  while (read < 3_000_000) read += (await reader.read()).value!.length;
  leaving.abort();
  await until(() => state.isCancelled);
  const { read: before } = state;
  await delay(50);
  assertEquals(state.read, before);
  // Deno and the kernel hold the rest in their buffers.
  assert(before < read + 10_000_000, `${before} bytes`);
  assertEquals(log.lines.length, 1);
  assertStringIncludes(
    log.lines[0]!,
    "the response with status 200 is a stream of more than 1 MiB, which is not checked",
  );
});

Deno.test("Bough does not read the stream of a response to HEAD", async () => {
  const response = await start().fetch("/api?bad", { method: "HEAD" });
  assertEquals([response.status, response.body], [200, null]);
  assertEquals(state, { read: 0, isCancelled: true });
});
