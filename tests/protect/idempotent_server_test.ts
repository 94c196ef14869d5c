/** Requests with keys to a server. */
import { assertEquals } from "@std/assert";
import { TestServer } from "../support/application.ts";
import { rawRequest } from "../support/raw_http.ts";
import { until } from "../support/until.ts";
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

Deno.test("a request that opens a socket cannot have a key", async () => {
  const shop = new Shop(
    {},
    (request) => Deno.upgradeWebSocket(request).response,
  );
  await using server = await TestServer.start(shop.app);
  const { status } = await rawRequest(
    server.port,
    `POST /api/payments HTTP/1.1
Connection: upgrade
Upgrade: WebSocket
Sec-WebSocket-Version: 13
Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
Idempotency-Key: k-1`,
  );
  assertEquals([status, shop.runs], [400, 0]);
});
