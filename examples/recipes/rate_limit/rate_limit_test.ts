import { Framework, HttpError } from "@bough/framework";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { clientAddress, networkOf } from "./client_address.ts";
import { app } from "./main.ts";
import { limitRate, type RateLimit } from "./rate_limit.ts";

const apiDir = new URL("./api/", import.meta.url);

/** Serves the recipe with a limit, and calls it. */
async function withLimit(
  limit: RateLimit,
  test: (
    call: (
      headers?: Record<string, string>,
      path?: string,
    ) => Promise<Response>,
  ) => Promise<void>,
): Promise<void> {
  const app = new Framework({ apiDir, middleware: [limitRate(limit)] });
  const options = { port: 0, hostname: "127.0.0.1", onListen() {} };
  await using server = await app.serve(options);
  await test(async (headers = {}, path = "/api/time") => {
    const url = `http://127.0.0.1:${server.addr.port}${path}`;
    const response = await fetch(url, { headers });
    await response.body?.cancel();
    return response;
  });
}

Deno.test("what is too much is a 429 that says when to come back", async () => {
  await withLimit({ calls: 2, seconds: 60 }, async (call) => {
    const first = await call();
    assertEquals(first.status, 200);
    assertEquals(first.headers.get("ratelimit-policy"), '"default";q=2;w=60');
    assertEquals(first.headers.get("ratelimit"), '"default";r=1;t=60');
    assertEquals((await call({}, "/nowhere")).status, 404); // counts, too
    const third = await call();
    assertEquals(third.status, 429);
    assertMatch(third.headers.get("retry-after")!, /^(?:59|60)$/);
    assertMatch(third.headers.get("ratelimit")!, /^"default";r=0;t=(?:59|60)$/);
  });
});

Deno.test("a response to an error says what is left", async () => {
  const refuse = () => {
    throw new HttpError(403);
  };
  const middleware = [limitRate({ calls: 2, seconds: 60 }), refuse];
  const app = new Framework({ apiDir, middleware });
  const options = { port: 0, hostname: "127.0.0.1", onListen() {} };
  await using server = await app.serve(options);
  const response = await fetch(`http://127.0.0.1:${server.addr.port}/`);
  assertEquals(response.status, 403);
  assertEquals((await response.json()).status, 403);
  assertEquals(response.headers.get("ratelimit"), '"default";r=1;t=60');
});

Deno.test("after its window, a client may call again", async () => {
  await withLimit({ calls: 1, seconds: 60 }, async (call) => {
    await call();
    assertEquals((await call()).status, 429);
    const now = Date.now;
    try {
      Date.now = () => now() + 60_001;
      assertEquals((await call()).status, 200);
      assertEquals((await call()).status, 429);
    } finally {
      Date.now = now;
    }
  });
});

Deno.test("without a proxy, X-Forwarded-For makes nobody another client", async () => {
  await withLimit({ calls: 1, seconds: 60 }, async (call) => {
    assertEquals((await call({ "x-forwarded-for": "192.0.2.1" })).status, 200);
    assertEquals((await call({ "x-forwarded-for": "192.0.2.2" })).status, 429);
  });
});

Deno.test("behind our proxy, the address that it has seen counts", async () => {
  const limit = { calls: 1, seconds: 60, proxies: ["127.0.0.1"] };
  await withLimit(limit, async (call) => {
    const from = async (addresses: string) =>
      (await call({ "x-forwarded-for": addresses })).status;
    assertEquals(await from("192.0.2.1"), 200);
    assertEquals(await from("192.0.2.1"), 429);
    assertEquals(await from("192.0.2.2"), 200);
    // The client wrote the first ones, and the proxy appended the last.
    assertEquals(await from("192.0.2.9, 192.0.2.1"), 429);
    assertEquals(await from("2001:db8::1"), 200);
    assertEquals(await from("2001:db8:0:0:ffff::2"), 429);
    assertEquals(await from("2001:db8:0:1::1"), 200);
    assertEquals((await call()).status, 200); // the proxy itself
  });
});

Deno.test("one client is an address of IPv4, or a network of IPv6", () => {
  for (
    const [address, network] of [
      ["192.0.2.1", "192.0.2.1"],
      ["2001:db8::1", "2001:db8:0:0"],
      ["2001:DB8:0000::1", "2001:db8:0:0"],
      ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
      ["::1", "0:0:0:0"],
      ["::", "0:0:0:0"],
      ["fe80::", "fe80:0:0:0"],
      ["local", "local"],
    ]
  ) {
    assertEquals(networkOf(address!), network);
  }
  const completed = Promise.resolve();
  const tcp = (hostname: string) => ({
    headers: new Headers({ "x-forwarded-for": "::ffff:192.0.2.7" }),
    info: {
      completed,
      remoteAddr: { transport: "tcp", hostname, port: 1 } as const,
    },
  });
  assertEquals(clientAddress(tcp("::ffff:192.0.2.1"), []), "192.0.2.1");
  assertEquals(
    clientAddress(tcp("::ffff:127.0.0.1"), ["127.0.0.1"]),
    "192.0.2.7",
  );
});

Deno.test("the memory for clients is bounded", async () => {
  const limit = limitRate({
    calls: 1,
    seconds: 60,
    proxies: ["127.0.0.1"],
    clients: 10,
  });
  const app = new Framework({ apiDir, middleware: [limit] });
  const remoteAddr = { transport: "tcp", hostname: "127.0.0.1", port: 1 };
  const info = { remoteAddr, completed: Promise.resolve() };
  const call = async (address: string) => {
    const request = new Request("http://localhost/api/time", {
      headers: { "x-forwarded-for": address },
    });
    const response = await app.fetch(
      request,
      info as Deno.ServeHandlerInfo<Deno.NetAddr>,
    );
    await response.body?.cancel();
    return response.status;
  };
  assertEquals(await call("first"), 200);
  assertEquals(await call("first"), 429);
  for (let count = 1; count < 10; count++) await call(`client ${count}`);
  assertEquals(await call("first"), 429);
  await call("one more"); // the oldest one, the first, is forgotten
  assertEquals(await call("client 2"), 429);
  assertEquals(await call("first"), 200);
});

Deno.test("the recipe lets a client call a hundred times a minute", async () => {
  const response = await app.fetch(new Request("http://localhost/api/time"));
  assert((await response.json()).time);
  assertEquals(
    response.headers.get("ratelimit-policy"),
    '"default";q=100;w=60',
  );
});
