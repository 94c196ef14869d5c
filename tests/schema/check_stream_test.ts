/** How `validateResponses` checks the body of a stream (behaviour 7.7). */
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import type { CommonOptions } from "@bough/framework/types";
import { CapturedLog, FolderApplication } from "../support/application.ts";
import { delay, until } from "../support/until.ts";

/** A stream that the handler of a test makes, and what became of it. */
interface Made {
  read: number;
  isCancelled: boolean;
}

const state: Made = { read: 0, isCancelled: false };
Object.assign(globalThis, { checkedStream: state });

const FILES = {
  "route.ts": `
    import { content } from "@bough/framework";
    import { z } from "npm:zod@^4.1.13";
    const Book = z.object({ title: z.string() });
    export const schema = {
      get: { response: { 200: Book, 201: content("text/plain", z.string().max(5)) } },
    };
    /** A stream of parts, and then of one part for ever. */
    function stream(parts, forever) {
      const rest = parts.map((part) => new TextEncoder().encode(part));
      return new ReadableStream({
        pull(controller) {
          const next = rest.shift() ?? forever;
          if (next === undefined) return controller.close();
          checkedStream.read += next.length;
          controller.enqueue(next);
        },
        cancel: () => void (checkedStream.isCancelled = true),
      }, { highWaterMark: 0 });
    }
    const json = { headers: { "content-type": "application/json" } };
    const BODIES = {
      good: () => new Response(stream(['{"title":', '"Émma"}']), json),
      bad: () => new Response(stream(['{"title":', "5}"]), json),
      broken: () => new Response(stream(["{"]), json),
      typeless: () => new Response(stream(["{}"])),
      endless: () => new Response(stream(["["], new Uint8Array(65_536).fill(32)), json),
      text: () => new Response(stream(["too ", "long"]), { status: 201, headers: { "content-type": "text/plain" } }),
      whole: () => new Response(Response.json({ title: 5 }).body, json),
    };
    export const GET = ({ url }) => BODIES[new URL(url).search.slice(1)]();
  `,
};

async function start(options: CommonOptions): Promise<FolderApplication> {
  Object.assign(state, { read: 0, isCancelled: false });
  return await FolderApplication.create(FILES, options);
}

Deno.test("a stream that fits is sent as it is made", async () => {
  await using application = await start({ validateResponses: true });
  const response = await application.fetch("/api?good");
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
  Deno.test(`a stream that does not fit ends with an error: ${name}`, async () => {
    await using application = await start({ validateResponses: true });
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

  Deno.test(`a stream that does not fit is sent and logged with "warn": ${name}`, async () => {
    await using application = await start({ validateResponses: "warn" });
    using log = new CapturedLog();
    const response = await application.fetch(`/api?${name}`);
    await response.text();
    assertEquals(log.lines.length, 1);
    assertStringIncludes(log.lines[0]!, fault);
  });
}

Deno.test("the content type of a stream is checked before anything is sent, and no byte is read", async () => {
  await using application = await start({ validateResponses: true });
  using log = new CapturedLog();
  const response = await application.fetch("/api?typeless");
  assertEquals(response.status, 500);
  assertStringIncludes(log.lines[0]!, "the content type is missing");
  assertEquals(state, { read: 0, isCancelled: true });
});

Deno.test("a body that was whole before is checked before it is sent", async () => {
  await using application = await start({ validateResponses: true });
  using _log = new CapturedLog();
  assertEquals((await application.fetch("/api?whole")).status, 500);
});

Deno.test("an endless stream is neither kept nor read once its client has left", async () => {
  await using application = await start({ validateResponses: true });
  using log = new CapturedLog();
  await using server = await application.serve();
  const leaving = new AbortController();
  const { body } = await fetch(
    server.url(`/api?endless`),
    leaving,
  );
  const reader = body!.getReader();
  let read = 0;
  while (read < 3_000_000) read += (await reader.read()).value!.length;
  leaving.abort();
  await until(() => state.isCancelled);
  const { read: before } = state;
  await delay(50);
  assertEquals(state.read, before);
  // What the buffers of Deno and the kernel hold.
  assert(before < read + 10_000_000, `${before} bytes`);
  assertEquals(log.lines.length, 1);
  assertStringIncludes(
    log.lines[0]!,
    "the response with status 200 is a stream of more than 1 MiB, which is not checked",
  );
});

Deno.test("the stream of a response to HEAD is not read", async () => {
  await using application = await start({ validateResponses: true });
  const response = await application.fetch("/api?bad", { method: "HEAD" });
  assertEquals([response.status, response.body], [200, null]);
  assertEquals(state, { read: 0, isCancelled: true });
});
