/**
 * The rest of a body after the response, which only Deno reads. Neither a handler nor
 * Bough can change this. If one of these tests fails with a later version, fix
 * behaviour 7.8 and SECURITY.md.
 */
import { file } from "@bough/framework/uploads";
import { assert, assertEquals } from "@std/assert";
import {
  TestApplication,
  type TestModule,
  type TestServer,
} from "../../support/application.ts";
import { OpenRequest } from "./support.ts";

function beginPut({ port }: TestServer, length: number): Promise<OpenRequest> {
  return OpenRequest.begin(port, "PUT /api/files", "video/mp4", { length });
}

/** Whether a promise is pending for a while. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const waiting = new Promise((go) => setTimeout(go, 100, "waiting"));
  return await Promise.race([promise, waiting]) === "waiting";
}

const GUARDED: Readonly<Record<string, TestModule>> = {
  "files/middleware.ts": {
    default: () => new Response("Log in", { status: 401 }),
  },
  "files/route.ts": {
    schema: { put: { body: file({ maxSize: "2GiB" }) } },
    PUT: () => new Response(),
  },
};

const SLOW: Readonly<Record<string, TestModule>> = {
  "files/route.ts": {
    schema: { put: { body: file({ pause: 20 }) } },
    PUT: async ({ validated }) =>
      new Response(await new Response(validated.body.stream).text()),
  },
};

Deno.test("Bough reads nothing of a body that a guard rejects (behaviour 7.8)", async () => {
  let pulls = 0;
  const body = new ReadableStream({
    pull(controller) {
      pulls++;
      controller.enqueue(new Uint8Array(1024));
    },
  }, { highWaterMark: 0 });
  const response = await TestApplication.of(GUARDED)
    .fetch("/api/files", { method: "PUT", body });
  assertEquals([response.status, pulls], [401, 0]);
});

Deno.test("after the 401 of a guard, Deno accepts the whole body, and then closes (behaviour 7.8)", async () => {
  await using server = await TestApplication.of(GUARDED).serve();
  const chunk = new Uint8Array(1024 * 1024);
  // The buffers of a connection hold less.
  const count = 40;
  using put = await beginPut(server, count * chunk.length);
  const head = await put.read();
  assert(head.startsWith("HTTP/1.1 401"), head);
  assert(head.includes("connection: close"), head);
  for (let i = 0; i < count; i++) await put.send(chunk);
  assertEquals(await put.read(), "");
});

for (
  const [what, files, status] of [
    ["after a 408, ", SLOW, 408],
    ["after a 401 before the whole body, ", GUARDED, 401],
  ] as const
) {
  Deno.test(`${what}only the client closes the connection, and a shutdown waits for it`, async () => {
    const server = await TestApplication.of(files).serve();
    using put = await beginPut(server, 10);
    const head = await put.read();
    assert(head.startsWith(`HTTP/1.1 ${status}`), head);
    assert(head.includes("connection: close"), head);
    const closed = put.read();
    const stopped = server[Symbol.asyncDispose]();
    assert(await isPending(Promise.race([closed, stopped])));
    await put.send(new Uint8Array(10));
    await stopped;
    assertEquals(await closed, "");
  });
}
