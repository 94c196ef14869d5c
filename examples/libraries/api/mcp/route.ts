import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

const mcp = createMcpHandler(() => {
  const server = new McpServer({ name: "greetings", version: "1.0.0" });
  server.registerTool(
    "greet",
    { inputSchema: z.object({ name: z.string() }) },
    ({ name }) => ({ content: [{ type: "text", text: `Hello, ${name}!` }] }),
  );
  return server;
});

const handler = (request: Request): Promise<Response> => mcp.fetch(request);

export { handler as DELETE, handler as GET, handler as POST };
