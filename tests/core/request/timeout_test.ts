import { Framework } from "@bough/framework";
import { assertEquals, assertThrows } from "@std/assert";
import { z } from "zod";
import { TestApplication, type TestModule } from "../../support/application.ts";
import { FakeTimers } from "../../support/fake_timers.ts";
import { exchange } from "../../support/raw_http.ts";
import { delay } from "../../support/until.ts";

const FILES: Readonly<Record<string, TestModule>> = {
  "json/route.ts": {
    POST: async (request) => Response.json(await request.json()),
  },
  "checked/route.ts": {
    schema: { post: { body: z.unknown() } },
    POST: () => new Response("read"),
  },
  "caught/route.ts": {
    POST: (request) =>
      request.text().catch(({ status }) => new Response(`caught ${status}`)),
  },
};

/** Sends a part of a body, and waits for the response. */
async function sendPart(
  port: number,
  path: string,
  [framing, part]: readonly [framing: string, part: string],
): Promise<[number, string]> {
  const head = `POST /api/${path} HTTP/1.1\r\nHost: h\r\n` +
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

Deno.test("if a body does not arrive within bodyTimeout, Bough responds with 408 (behaviour 7.4)", async () => {
  using timers = new FakeTimers();
  let requests = 0;
  let responses = 0;
  const application = TestApplication.of(FILES, {
    bodyTimeout: 2_000,
    middleware: [async (_, next) => {
      requests++;
      return await next().finally(() => responses++);
    }],
  });
  await using server = await application.serve();
  const sending = Promise.all(
    Object.values(FRAMINGS).flatMap((framing) =>
      Object.keys(FILES).map((file) =>
        sendPart(server.port, file.split("/")[0]!, framing)
      )
    ),
  );
  while (requests < 6) await timers.turn();
  await timers.pass(1_999);
  assertEquals(responses, 0);
  // The server looks at its deadlines every 500 ms.
  await timers.pass(1_001);
  const found = (await sending).map(([status, body]) => [
    ...[status, status === 408 ? JSON.parse(body).title : body],
  ]);
  const timedOut = [408, "Request Timeout"];
  const each = [timedOut, timedOut, [200, "caught 408"]];
  assertEquals(found, [...each, ...each]);
  // The server continues.
  const init = { method: "POST", body: "[1]" };
  const response = await fetch(server.url("/api/json"), init);
  assertEquals(await response.text(), "[1]");
});

Deno.test("a body that arrives slowly, but within bodyTimeout, is read (behaviour 7.4)", async () => {
  const application = TestApplication.of(FILES, { bodyTimeout: 60_000 });
  await using server = await application.serve();
  const parts = ["[1", ",2", "]"];
  const body = new ReadableStream({
    async pull(controller) {
      await delay(20);
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

Deno.test("bodyTimeout holds behind another server", async () => {
  const { app } = TestApplication.of(FILES, { bodyTimeout: 20 });
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  await using server = Deno.serve(options, app.fetch);
  const { port } = server.addr;
  const [status] = await sendPart(port, "json", FRAMINGS["with a length"]);
  assertEquals(status, 408);
});

Deno.test("new Framework() rejects an invalid bodyTimeout", () => {
  for (const bodyTimeout of [0, -1, NaN]) {
    assertThrows(
      () => new Framework({ apiDir: "api", bodyTimeout }),
      TypeError,
      "bodyTimeout must be a number of milliseconds above 0",
    );
  }
});
