/** The first version of the official client, which most agents use. */
import { assertEquals, assertMatch } from "@std/assert";
import { Client } from "npm:@modelcontextprotocol/sdk@^1.32.0/client/index.js";
import { StreamableHTTPClientTransport } from "npm:@modelcontextprotocol/sdk@^1.32.0/client/streamableHttp.js";
import { create } from "./support.ts";

Deno.test("SDK 1 takes results and errors of tools that describe their results", async () => {
  await using server = await create().serve();
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(server.url("/mcp")), {
      requestInit: { headers: { authorization: "Bearer s3cret" } },
    }) as Parameters<typeof client.connect>[0],
  );
  try {
    // The client checks the results of tools that it has listed.
    const { tools } = await client.listTools();
    assertEquals(tools.length, 3);
    const found = await client.callTool({
      name: "getBooksByBookId",
      arguments: { params: { bookId: 2 } },
    });
    assertEquals(found.structuredContent, {
      status: 200,
      body: { id: 2, title: "Emma" },
    });
    for (
      const [name, args, status] of [
        ["getBooksByBookId", { params: { bookId: "x" } }, 400],
        ["getBooksByBookId", { params: { bookId: "a/b" } }, 400],
        ["replace_book", { params: { bookId: 2 }, body: {} }, 400],
        ["search", { query: {}, other: 1 }, 400],
      ] as const
    ) {
      const result = await client.callTool({ name, arguments: args });
      assertEquals(result.isError, true);
      const [{ text }] = result.content as [{ text: string }];
      assertMatch(text, new RegExp(`"status":${status}`));
    }
  } finally {
    await client.close();
  }
});
