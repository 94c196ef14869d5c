import { assert, assertEquals, assertMatch } from "@std/assert";
import { app } from "./main.ts";

Deno.test("a client may send 100 requests a minute; then 429 has Retry-After", async () => {
  const options = { port: 0, hostname: "127.0.0.1", onListen() {} };
  await using server = await app.serve(options);
  const call = async (path: string, headers = {}) => {
    const url = `http://127.0.0.1:${server.addr.port}${path}`;
    const response = await fetch(url, { headers });
    await response.body?.cancel();
    return response;
  };
  const first = await call("/api/time");
  assertEquals(first.status, 200);
  assertEquals(first.headers.get("ratelimit-policy"), '"default";q=100;w=60');
  assertMatch(first.headers.get("ratelimit")!, /^"default";r=99;t=\d+$/);
  for (let count = 2; count < 100; count++) await call("/api/time");
  // Requests without a route count, too.
  assertEquals((await call("/nowhere")).status, 404);
  // Without a proxy, a client cannot choose its address.
  const over = await call("/api/time", { "x-forwarded-for": "192.0.2.1" });
  assertEquals(over.status, 429);
  const seconds = Number(over.headers.get("retry-after"));
  assert(seconds > 0 && seconds <= 60);
});
