/** `validateResponses` checks the type of a stream, but not its body (behaviour 7.7). */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { content } from "@bough/framework";
import { z } from "zod";
import { CapturedLog, TestApplication } from "../../support/application.ts";

/** The state of the last stream that the handler created. */
const state = { read: 0, isCancelled: false };

function stream(parts: readonly string[]) {
  const rest = parts.map((part) => new TextEncoder().encode(part));
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const next = rest.shift();
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
  text: () => new Response(stream(["too ", "long"]), text),
  typeless: () => new Response(stream(["{}"])),
  other: () => new Response(stream(["too ", "long"]), { ...text, status: 200 }),
  undeclared: () => new Response(stream(["x", "y"]), { status: 202 }),
  whole: () => new Response(Response.json({ title: 5 }).body, json),
};

function start(): TestApplication {
  Object.assign(state, { read: 0, isCancelled: false });
  const response = {
    200: z.object({ title: z.string() }),
    201: content("text/plain", z.string().max(5)),
    202: {},
  };
  return TestApplication.of({
    "route.ts": {
      schema: { get: { response } },
      GET: ({ url }) => RESPONSES[new URL(url).search.slice(1)]!(),
    },
  }, { validateResponses: true });
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

Deno.test("Bough sends a stream whose body does not fit its schema", async () => {
  using log = new CapturedLog();
  await using server = await start().serve();
  for (const name of ["bad", "broken", "text"]) {
    const sent = await fetch(server.url(`/api?${name}`));
    assertEquals(sent.status, name === "text" ? 201 : 200);
    await sent.text();
  }
  assertEquals(log.lines, []);
});

Deno.test("Bough checks the content type of a stream before it reads the stream", async () => {
  for (
    const [name, fault] of [
      ["typeless", "the content type is missing"],
      ["other", 'the content type is "text/plain" instead of "application/'],
    ] as const
  ) {
    using log = new CapturedLog();
    const response = await start().fetch(`/api?${name}`);
    assertEquals(response.status, 500);
    assertStringIncludes(log.lines[0]!, fault);
    assertEquals(state, { read: 0, isCancelled: true });
  }
});

Deno.test("Bough cancels the stream of a response that may have no body", async () => {
  using _log = new CapturedLog();
  assertEquals((await start().fetch("/api?undeclared")).status, 500);
  assertEquals(state.isCancelled, true);
});

Deno.test("Bough checks a buffered body before it sends the response", async () => {
  using _log = new CapturedLog();
  assertEquals((await start().fetch("/api?whole")).status, 500);
});

Deno.test("Bough does not read the stream of a response to HEAD", async () => {
  const response = await start().fetch("/api?bad", { method: "HEAD" });
  assertEquals([response.status, response.body], [200, null]);
  assertEquals(state, { read: 0, isCancelled: true });
});
