/**
 * Looks at event streams and sockets on the documentation page with a real browser.
 * `deno task test:browser` runs it.
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { openapi } from "@bough/framework/openapi";
import { FolderApplication } from "../../support/application.ts";
import { until } from "../../support/until.ts";
import { openPage } from "./support.ts";

const FILES = {
  "orders/route.ts": `
    import { z } from "npm:zod@^4.1.13";
    const Order = z.object({ id: z.int(), state: z.string() })
      .meta({ id: "Order" });
    export const schema = {
      get: { events: { status: Order, done: z.object({ count: z.int() }) } },
    };
    export function GET() {
      const encoder = new TextEncoder();
      let timer;
      const body = new ReadableStream({
        start(controller) {
          let id = 0;
          const tick = () => {
            const data = JSON.stringify({ id: ++id, state: "sent" });
            controller.enqueue(
              encoder.encode("event: status\\ndata: " + data + "\\n\\n"),
            );
          };
          tick();
          timer = setInterval(tick, 200);
        },
        cancel() {
          clearInterval(timer);
          globalThis.endedStreams = (globalThis.endedStreams ?? 0) + 1;
        },
      });
      return new Response(body, {
        headers: { "content-type": "text/event-stream" },
      });
    }`,
  "chat/route.ts": `
    import { z } from "npm:zod@^4.1.13";
    const Said = z.object({ name: z.string(), text: z.string() })
      .meta({ id: "Said" });
    export const schema = { get: { socket: { receive: z.string(), send: Said } } };
    export const GET = () => new Response("", { status: 426 });`,
};

Deno.test("the page shows events and messages, and reads no stream for ever", async () => {
  await using application = await FolderApplication.create(FILES, {
    plugins: [openapi({ info: { title: "Live", version: "1.0.0" } })],
  });
  await using server = await application.serve();
  const origin = server.url("");
  await using opened = await openPage();
  const { page, messages } = opened;
  await page.goto(`${origin}/docs`);

  const stream = page.locator("#operations-orders-getOrders");
  await stream.locator(".opblock-summary").click();
  const declared = stream.locator(".response[data-code='200']").first();
  await declared.waitFor();
  const example = (await declared.locator(".example").first().textContent())!;
  assertStringIncludes(example, 'event: status\ndata: {"id":1,');
  assertStringIncludes(example, 'event: done\ndata: {"count":1}');
  await declared.getByRole("tab", { name: "Schema" }).click();
  const schema = (await declared.locator(".model-box").first().textContent())!;
  for (const name of ["The data of each event", "status", "done"]) {
    assertStringIncludes(schema, name);
  }

  await stream.getByRole("button", { name: "Execute" }).click();
  const live = stream.locator(".live-responses-table .response").first();
  await live.waitFor({ timeout: 10_000 });
  const read = (await live.textContent())!;
  assertStringIncludes(read, 'data: {"id":1,"state":"sent"}');
  assertStringIncludes(read, "this page stopped reading it");
  const seen = globalThis as { endedStreams?: number };
  await until(() => seen.endedStreams === 1);

  const socket = page.locator("#operations-chat-getChat");
  await socket.locator(".opblock-summary").click();
  const switched = socket.locator(".response[data-code='101']").first();
  await switched.waitFor();
  const shown = (await switched.textContent())!;
  for (const name of ["the WebSocket is open", '"receive"', '"send"', "text"]) {
    assertStringIncludes(shown, name);
  }
  assert(await socket.locator(".socket-note").isVisible());
  assertEquals(
    await socket.getByRole("button", { name: "Execute" }).count(),
    0,
  );
  await page.screenshot({ path: "coverage/docs_live.png", fullPage: true });
  assertEquals(messages, [], "nothing is refused or fails");
});
