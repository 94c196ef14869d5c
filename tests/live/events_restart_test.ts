import { assert, assertEquals, assertMatch } from "@std/assert";
import { HandClient, startServer } from "./events_support.ts";

Deno.test("SIGTERM ends streams when listening stops, and not before (behaviour 11.4)", async () => {
  await using process = await startServer({ shutdownDelay: 200 });
  using client = await HandClient.get(process.port, "/api/orders");
  await client.read();
  const start = performance.now();
  process.kill("SIGTERM");
  let end = "";
  for (;;) {
    const text = await client.read();
    if (text === undefined) break;
    end = (end + text).slice(-100);
  }
  const time = performance.now() - start;
  assert(time >= 190, `it ended ${time} ms after the signal`);
  // The whole last event, and the end of a chunked body.
  assertMatch(end, /\nid: \d+\n\n\r\n0\r\n\r\n$/);
  const { code, output } = await process.outcome();
  assertEquals(code, 0);
  assert(output.includes("finally: The server stopped listening"), output);
  assert(!output.includes("cut off"), output);
});

Deno.test("a stream whose reader pauses is cut off after shutdownTimeout (behaviour 11.4)", async () => {
  await using process = await startServer({ shutdownTimeout: 300 });
  using client = await HandClient.get(process.port, "/api/large");
  await client.readUntil("data: ");
  process.kill("SIGTERM");
  const { code, output } = await process.outcome();
  assertEquals(code, 1);
  assert(output.includes("the server cut off"), output);
});
