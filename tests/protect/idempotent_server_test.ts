/** Requests with keys to a server, and the end of its process. */
import { assertEquals, assertMatch } from "@std/assert";
import { resultWithin } from "../../src/core/common/deadline.ts";
import { TestServer } from "../support/application.ts";
import { until } from "../support/until.ts";
import { Child } from "./child.ts";
import { gate, Shop } from "./support.ts";

function send(server: TestServer, signal?: AbortSignal): Promise<Response> {
  // The host of the requests without a server.
  return fetch(`http://localhost:${server.port}/api/payments`, {
    method: "POST",
    headers: { "idempotency-key": "k-1", "content-type": "application/json" },
    body: "{}",
    ...(signal && { signal }),
  });
}

Deno.test("the client may disconnect while the handler runs", async () => {
  const { handle, open } = gate();
  const shop = new Shop({}, handle);
  await using server = await TestServer.start(shop.app);
  const controller = new AbortController();
  const first = send(server, controller.signal).catch(() => "gone");
  await until(() => shop.runs === 1);
  controller.abort();
  assertEquals(await first, "gone");
  open();
  await until(async () => {
    const response = await send(server);
    const body = await response.text();
    return response.status === 200 && body === '{"run":1}';
  });
  assertEquals(shop.runs, 1);
});

Deno.test("a server that stops stores the responses of running requests", async () => {
  const { handle, open } = gate();
  const shop = new Shop({}, handle);
  await using server = await TestServer.start(shop.app);
  const first = send(server);
  await until(() => shop.runs === 1);
  const stopped = server.server.shutdown();
  open();
  assertEquals(await (await first).json(), { run: 1 });
  await stopped;
  assertEquals(await shop.seen(), '200 {"run":1} again');
});

Deno.test("a request that opens a socket cannot have a key", async () => {
  const shop = new Shop(
    {},
    (request) => Deno.upgradeWebSocket(request).response,
  );
  const { server } = await TestServer.start(shop.app);
  const head = `POST /api/payments HTTP/1.1
host: localhost
connection: upgrade
upgrade: WebSocket
sec-websocket-version: 13
sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==
idempotency-key: k-1

`;
  {
    using connection = await Deno.connect({
      hostname: "127.0.0.1",
      port: server.addr.port,
    });
    const sent = new TextEncoder().encode(head.replaceAll("\n", "\r\n"));
    await connection.write(sent);
    const buffer = new Uint8Array(1000);
    await connection.read(buffer);
    assertMatch(new TextDecoder().decode(buffer), /^HTTP\/1.1 400 /);
  }
  const stopped = server.shutdown().then(() => "stopped");
  assertEquals(await resultWithin(stopped, 30_000), "stopped");
  assertEquals(shop.runs, 0);
});

Deno.test("a process ends although one of its handlers never ends", async () => {
  await using child = new Child("hanging_app.ts");
  assertEquals(await child.read(), "runs");
  assertEquals(await resultWithin(child.ended, 30_000), 0);
});
