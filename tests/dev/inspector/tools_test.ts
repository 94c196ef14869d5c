import { assert, assertEquals } from "@std/assert";
import { Framework } from "@bough/framework";
import { REVISIONS, TestClient } from "../../mcp/client.ts";
import { outcomeOf } from "../../mcp/support.ts";
import { InspectedServer } from "./support.ts";

/** An agent, connected to the tools of an inspector. */
class Agent implements AsyncDisposable {
  readonly #connection: TestClient;

  private constructor(connection: TestClient) {
    this.#connection = connection;
  }

  static async connect(
    server: InspectedServer,
    options: object,
  ): Promise<Agent> {
    const url = server.url("/_bough/mcp");
    return new Agent(await TestClient.connect(url, { options }));
  }

  async tools() {
    return (await this.#connection.client.listTools()).tools;
  }

  /** Calls a tool, and returns the body of its result. */
  // deno-lint-ignore no-explicit-any
  async call(name: string, input: Record<string, unknown> = {}): Promise<any> {
    const { client } = this.#connection;
    return outcomeOf(await client.callTool({ name, arguments: input })).body;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection[Symbol.asyncDispose]();
  }
}

const manifest = {
  "notes/route.ts": {
    GET: () => Response.json([]),
    POST: () => Promise.reject(new Error("The disk is full")),
  },
  "notes/[...]/route.ts": { GET: () => new Response("x".repeat(10_000)) },
};

for (const { name, options } of REVISIONS) {
  Deno.test(`each tool of the inspector responds (${name})`, async () => {
    await using server = await InspectedServer.of(new Framework({ manifest }));
    await using agent = await Agent.connect(server, options);
    const tools = await agent.tools();
    assertEquals(tools.map(({ name }) => name).sort(), [
      "explain_path",
      "list_findings",
      "list_requests",
      "list_routes",
      "send_request",
      "show_request",
    ]);
    for (const { name, description, annotations } of tools) {
      assert(description!.length > 100, name);
      assertEquals(annotations?.readOnlyHint, name !== "send_request");
    }
    // Each session of an agent reads this list.
    assert(JSON.stringify(tools).length < 6_000);

    assertEquals(
      await agent.call("list_routes"),
      [
        ["notes", "GET", "POST"],
        ["notes/[...]", "GET"],
      ].map(([folder, ...methods]) => ({
        path: `/api/${folder}`,
        methods,
        file: `${folder}/route.ts`,
        middleware: [],
      })),
    );
    const [detail, ...others] = await agent.call("list_routes", {
      query: { path: "/api/notes" },
    });
    assertEquals([detail.methods.length, others], [2, []]);

    const { status } = await agent.call("explain_path", {
      query: { method: "DELETE", path: "/api/notes" },
    });
    assertEquals(status, 405);
    const { findings } = await agent.call("list_findings");
    assertEquals(findings, []);

    const failed = await agent.call("send_request", {
      body: { method: "POST", url: "/api/notes", body: "x" },
    });
    assertEquals(failed.status, 500);
    const long = await agent.call("send_request", {
      body: { url: "/api/notes/a" },
    });
    assertEquals(long.response.body.size, 10_000);
    const listed = await agent.call("list_requests", { query: { limit: 1 } });
    assertEquals(listed.map(({ id }: { id: number }) => id), [long.id]);
    const query = { method: "POST", status: "5xx", text: "DISK is full" };
    const [found] = await agent.call("list_requests", { query });
    assertEquals(found, {
      id: failed.id,
      method: "POST",
      url: "/api/notes",
      route: "/api/notes",
      status: 500,
      state: "done",
      duration: found.duration,
      problem: "Error: The disk is full",
    });
    const { file, error } = await agent.call("show_request", {
      params: { id: failed.id },
    });
    assertEquals(
      [file, error.text],
      ["notes/route.ts", "Error: The disk is full"],
    );
    const shown = await agent.call("show_request", { params: { id: long.id } });
    assertEquals(
      [shown.id, shown.url, shown.response.body.size],
      [long.id, "/api/notes/a", 10_000],
    );
    // An agent's context is precious.
    assert(JSON.stringify(shown).length < 5_000);
    const missing = await agent.call("show_request", { params: { id: 99 } });
    assertEquals(missing.status, 404);
  });
}
