import { SdkHttpError } from "@modelcontextprotocol/client";
import { assertEquals, assertRejects } from "@std/assert";
import { NEWEST, REVISIONS, TestClient } from "./client.ts";
import { create } from "./support.ts";

for (const { name: revision, options } of REVISIONS) {
  Deno.test(`the official client lists and calls tools (${revision})`, async () => {
    await using server = await create().serve();
    for (const token of [undefined, "s3cret"]) {
      await using connected = await TestClient.connect(
        server.url("/mcp"),
        { options, ...(token !== undefined && { token }) },
      );
      const { client } = connected;
      assertEquals(client.getNegotiatedProtocolVersion(), revision);
      const { tools, ...list } = await client.listTools();
      assertEquals(
        tools.map(({ name, title, description, annotations }) => ({
          name,
          title,
          description,
          ...annotations,
        })),
        [{
          name: "getBooksByBookId",
          title: "Read a book",
          description: "Read a book",
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
        }, {
          name: "replace_book",
          title: "Replace",
          description: "Replaces a book",
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: true,
        }, {
          name: "search",
          title: undefined,
          description: "Search the books",
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
        }],
      );
      assertEquals(
        [list.ttlMs, list.cacheScope],
        revision === NEWEST ? [60_000, "private"] : [undefined, undefined],
      );

      const found = await client.callTool({
        name: "search",
        arguments: { query: { q: "a b", limit: 3, tag: ["x", "y&z"] } },
      });
      assertEquals(found.isError, false);
      assertEquals(found.structuredContent, {
        status: 200,
        body: ["a b", "3", "x", "y&z"],
      });
      assertEquals(found.content, [
        { type: "text", text: '["a b","3","x","y&z"]' },
      ]);

      const replace = () =>
        client.callTool({
          name: "replace_book",
          arguments: { params: { bookId: 4 }, body: { title: "Lodore" } },
        });
      if (token === undefined) {
        const error = await assertRejects(replace, SdkHttpError);
        assertEquals(error.status, 401);
      } else {
        const { structuredContent } = await replace();
        const body = { id: 4, title: "Lodore" };
        assertEquals(structuredContent, { status: 200, body });
      }
    }
  });
}
