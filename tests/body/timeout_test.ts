import { assert, assertEquals, assertThrows } from "@std/assert";
import { Framework } from "@bough/framework";
import { FolderApplication } from "../support/application.ts";
import { exchange } from "../support/raw_http.ts";

const FILES = {
  "json/route.ts":
    "export const POST = async (request) => Response.json(await request.json());",
  "checked/route.ts": `
    import { z } from "npm:zod@^4.1.13";
    export const schema = { post: { body: z.unknown() } };
    export const POST = () => new Response("read");`,
  "caught/route.ts": `
    export async function POST(request) {
      try { await request.text(); } catch (error) { return new Response("caught " + error.status); }
    }`,
};

const TIMEOUT = 300;

/** Sends a part of a body, and waits for the answer. */
async function sendPart(
  port: number,
  path: string,
  framing: string,
  part: string,
): Promise<[number, string]> {
  const head = `POST ${path} HTTP/1.1\r\nHost: h\r\n` +
    `Content-Type: application/json\r\n${framing}\r\n\r\n`;
  const { status, body } = await exchange(port, [
    new TextEncoder().encode(head + part),
  ]);
  return [status, body];
}

const FRAMINGS = {
  "with a length": ["Content-Length: 10", "[1"],
  "in chunks": ["Transfer-Encoding: chunked", "2\r\n[1\r\n"],
} as const;

for (const [name, [framing, part]] of Object.entries(FRAMINGS)) {
  Deno.test(`a body ${name} that does not arrive is given up with 408 (behaviour 7.4)`, async () => {
    await using application = await FolderApplication.create(FILES, {
      bodyTimeout: TIMEOUT,
    });
    await using server = await application.serve();
    const start = performance.now();
    const [json, checked, caught] = await Promise.all(
      ["json", "checked", "caught"].map((path) =>
        sendPart(server.port, `/api/${path}`, framing, part)
      ),
    );
    const took = performance.now() - start;
    assert(took >= TIMEOUT && took < 3_000, `${took} ms`);
    for (const [status, body] of [json!, checked!]) {
      assertEquals(status, 408);
      assertEquals(JSON.parse(body).title, "Request Timeout");
    }
    assertEquals(caught, [200, "caught 408"]);
    // The server goes on.
    const response = await fetch(server.url("/api/json"), {
      method: "POST",
      body: "[1]",
    });
    assertEquals(await response.text(), "[1]");
  });
}

Deno.test("a body that comes in time is read, however slowly (behaviour 7.4)", async () => {
  await using application = await FolderApplication.create(FILES, {
    bodyTimeout: 5_000,
  });
  await using server = await application.serve();
  const parts = ["[1", ",2", "]"];
  const body = new ReadableStream({
    async pull(controller) {
      await new Promise((go) => setTimeout(go, 150));
      const part = parts.shift();
      if (part === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(part));
    },
  });
  const response = await fetch(server.url("/api/json"), {
    method: "POST",
    body,
  });
  assertEquals(await response.json(), [1, 2]);
});

Deno.test("a body is given up in process, and behind another server, too", async () => {
  await using application = await FolderApplication.create(FILES, {
    bodyTimeout: TIMEOUT,
  });
  const response = await application.fetch("/api/json", {
    method: "POST",
    body: new ReadableStream({ pull: () => new Promise(() => {}) }),
  });
  assertEquals(response.status, 408);
  await response.body?.cancel();

  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    application.app.fetch,
  );
  const [framing, part] = FRAMINGS["with a length"];
  const [status] = await sendPart(
    server.addr.port,
    "/api/json",
    framing,
    part,
  );
  assertEquals(status, 408);
});

Deno.test("new Framework() refuses a bodyTimeout that is none", () => {
  for (const bodyTimeout of [0, -1, NaN]) {
    assertThrows(
      () => new Framework({ apiDir: "api", bodyTimeout }),
      TypeError,
      "bodyTimeout must be a number of milliseconds above 0",
    );
  }
});
