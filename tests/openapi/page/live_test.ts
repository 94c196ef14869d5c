import type { DocumentedResponse } from "@bough/framework/openapi";
import { assertEquals } from "@std/assert";
import { withExamples } from "../../../src/openapi/page/page.ts";
import { documentOf, ZOD } from "../support.ts";

/** The content of a response to `GET /api/a`, as the page shows it. */
async function shown(
  schema: string,
  status: number,
): Promise<DocumentedResponse["content"]> {
  const { document } = await documentOf({
    "a/route.ts": `import { content } from "@bough/framework"; ${ZOD}
      export const schema = { get: ${schema} };
      export const GET = () => new Response();`,
  });
  const { get } = withExamples(document).paths["/api/a"]!;
  return (get!.responses[status] as DocumentedResponse).content;
}

Deno.test("the page shows a stream as its events by name, with a text as it is sent", async () => {
  const content = await shown(
    `{ events: {
      status: z.object({ id: z.int() }),
      message: z.literal("Hello"),
    } }`,
    200,
  );
  const { schema, example } = content!["text/event-stream"]!;
  assertEquals(
    example,
    'event: status\ndata: {"id":1}\n\ndata: "Hello"',
  );
  assertEquals(Object.keys(schema!.properties as object), [
    "status",
    "message",
  ]);
});

Deno.test("the page leaves a stream as it is of whose events nothing is known", async () => {
  const plain = await shown(
    `{ response: { 200: content("text/event-stream") } }`,
    200,
  );
  assertEquals(plain?.["text/event-stream"]?.schema, { type: "string" });
  const { "text/event-stream": media } = (await shown("{ events: {} }", 200))!;
  assertEquals(media!.schema!.type, "string");
});

Deno.test("the page shows the messages of a socket, as the content of the 101", async () => {
  const content = await shown(
    `{ socket: { receive: z.string(), send: z.object({ id: z.int() }) } }`,
    101,
  );
  const { schema, example } = content!["WebSocket"]!;
  assertEquals(Object.keys(example as object), ["receive", "send"]);
  const { receive, send } = schema!.properties as Record<
    string,
    { description: string }
  >;
  assertEquals(
    [receive!.description, send!.description],
    ["A message from the client, as JSON", "A message to the client, as JSON"],
  );
  assertEquals(await shown("{ socket: {} }", 101), undefined);
});
