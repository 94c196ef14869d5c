/**
 * Tests event streams and sockets on the documentation page in a real browser.
 * `deno task test:browser` runs it.
 */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { openapi } from "@bough/framework/openapi";
import { z } from "zod";
import { TestApplication, type TestModule } from "../../support/application.ts";
import { until } from "../../support/until.ts";
import { openPage } from "./support.ts";

const Order = z.object({ id: z.int(), state: z.string() })
  .meta({ id: "Order" });
const Said = z.object({ name: z.string(), text: z.string() })
  .meta({ id: "Said" });

let endedStreams = 0;

/** Streams an order every 200 ms, until the client disconnects. */
function streamOrders(): Response {
  let timer: ReturnType<typeof setInterval>;
  const body = new ReadableStream<string>({
    start(controller) {
      let id = 0;
      const tick = () => {
        const data = JSON.stringify({ id: ++id, state: "sent" });
        controller.enqueue(`event: status\ndata: ${data}\n\n`);
      };
      tick();
      timer = setInterval(tick, 200);
    },
    cancel() {
      clearInterval(timer);
      endedStreams++;
    },
  });
  return new Response(body.pipeThrough(new TextEncoderStream()), {
    headers: { "content-type": "text/event-stream" },
  });
}

const FILES: Record<string, TestModule> = {
  "orders/route.ts": {
    schema: {
      get: { events: { status: Order, done: z.object({ count: z.int() }) } },
    },
    GET: streamOrders,
  },
  "chat/route.ts": {
    schema: { get: { socket: { receive: z.string(), send: Said } } },
    GET: () => new Response("", { status: 426 }),
  },
};

Deno.test("the page shows events and messages, and stops reading a stream", async () => {
  const plugins = [openapi({ info: { title: "Live", version: "1.0.0" } })];
  await using server = await TestApplication.of(FILES, { plugins }).serve();
  const origin = server.url("");
  await using opened = await openPage();
  const { page, requests, messages } = opened;
  await page.goto(`${origin}/docs`);

  const stream = page.locator("#operations-orders-getOrders");
  await stream.locator(".opblock-summary").click();
  const declared = stream.locator(".response[data-code='200']").first();
  await declared.waitFor();
  const example = (await declared.locator(".example").first().textContent())!;
  assertEquals(Object.keys(JSON.parse(example)), ["status", "done"]);
  await declared.getByRole("tab", { name: "Schema" }).click();
  const schema = (await declared.locator(".model-box").first().textContent())!;
  for (const name of ["The data of each event", "status", "done"]) {
    assertStringIncludes(schema, name);
  }

  await stream.getByRole("button", { name: "Execute" }).click();
  const live = stream.locator(".live-responses-table .response").first();
  await live.waitFor();
  const read = (await live.textContent())!;
  assertStringIncludes(read, 'data: {"id":1,"state":"sent"}');
  assertStringIncludes(read, "this page stopped reading it");
  await until(() => endedStreams === 1);

  const socket = page.locator("#operations-chat-getChat");
  await socket.locator(".opblock-summary").click();
  const switched = socket.locator(".response[data-code='101']").first();
  await switched.waitFor();
  const shown = (await switched.textContent())!;
  for (const name of ["the WebSocket is open", '"receive"', '"send"', "text"]) {
    assertStringIncludes(shown, name);
  }
  await page.screenshot({ path: "coverage/docs_live.png", fullPage: true });
  assertEquals(
    requests.filter((url) => !url.startsWith(`${origin}/`)),
    [],
    "requests to other origins",
  );
  assertEquals(messages, [], "the page has no errors");
});
