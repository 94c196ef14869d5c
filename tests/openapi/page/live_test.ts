import type { DocumentedResponse } from "@bough/framework/openapi";
import { assertEquals } from "@std/assert";
import { shownDocument } from "../../../src/openapi/page/page.ts";
import { z } from "zod";
import { content } from "@bough/framework";
import { documentOf, routeOf } from "../support.ts";

/** The content of a response to `GET /api/a` on the page. */
async function shown(
  get: object,
  status: number,
): Promise<DocumentedResponse["content"]> {
  const { document } = await documentOf({ "a/route.ts": routeOf({ get }) });
  const { responses } = shownDocument(document).paths["/api/a"]!.get!;
  return (responses[status] as DocumentedResponse).content;
}

Deno.test("the page lists the events of a stream by name", async () => {
  const events = {
    status: z.object({ id: z.int() }),
    message: z.literal("Hello"),
  };
  const media = await shown({ events }, 200);
  const { schema } = media!["text/event-stream"]!;
  assertEquals(Object.keys(schema!.properties as object), [
    "status",
    "message",
  ]);
});

Deno.test("the page does not change a stream with unknown events", async () => {
  const plain = await shown(
    { response: { 200: content("text/event-stream") } },
    200,
  );
  assertEquals(plain?.["text/event-stream"]?.schema, { type: "string" });
  const { "text/event-stream": media } = (await shown({ events: {} }, 200))!;
  assertEquals(media!.schema!.type, "string");
});

Deno.test("the page shows the messages of a socket as the content of the 101", async () => {
  const socket = { receive: z.string(), send: z.object({ id: z.int() }) };
  const media = await shown({ socket }, 101);
  const { schema } = media!["WebSocket"]!;
  assertEquals(Object.keys(schema!.properties!), ["receive", "send"]);
  assertEquals(await shown({ socket: {} }, 101), undefined);
});
