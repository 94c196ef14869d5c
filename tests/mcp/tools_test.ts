import { assertEquals, assertRejects } from "@std/assert";
import { content, negotiate, respond, RouteError } from "@bough/framework";
import { z } from "zod";
import { boughIn } from "../cli/support.ts";
import { CapturedLog, TestFolder } from "../support/application.ts";
import { TestClient } from "./client.ts";
import { create, type Files } from "./support.ts";

const ZOD = `import { z } from "npm:zod@^4.2.0";`;
const READ = `export const GET = () => Response.json("read");`;
const WRITE = `export const POST = () => Response.json("written");`;
const PASS = "export default (_, next) => next();";

/** Files for the command `bough`. */
const TREE = {
  "api/(marked)/middleware.ts": `
    export const contract = { mcp: true, security: [{ key: [] }] }; ${PASS}`,
  "api/(marked)/b/route.ts": `${ZOD}
    const part = z.object({ file: z.file() });
    export const schema = {
      get: { summary: "Reads", response: { 200: z.string() } },
      post: { summary: "Writes", mcp: { name: "write_b" } },
      put: { summary: "Uploads", body: part },
      patch: { mcp: false },
    };
    ${READ} ${WRITE}
    export const PUT = GET, PATCH = GET, HEAD = GET, OPTIONS = GET;`,
  "api/(marked)/b/(reads)/middleware.ts": `
    export const contract = { mcp: false, methods: ["GET"] }; ${PASS}`,
  "api/(marked)/b/(reads)/c/route.ts": `
    export const schema = { post: { description: "Writes" } };
    ${READ} ${WRITE}`,
  // Commands do not know the headers of mcp(), so they omit no tool for a header.
  "api/x/route.ts": `${ZOD}
    const headers = z.object({ "x-tenant": z.string() });
    export const schema = {
      get: { mcp: true, description: "Reads", headers },
    };
    ${READ}`,
};
const GET = () => Response.json("read");

Deno.test("bough routes lists the tools", async () => {
  await using folder = await TestFolder.create(TREE);
  const text = await boughIn(folder.path, "routes");
  const [titles, ...lines] = text.stdout.split("\n");
  const column = titles!.indexOf("TOOLS");
  const shown = lines.flatMap((line) => {
    const [, url] = /(\/api\S*)/.exec(line) ?? [];
    return url === undefined
      ? []
      : [[url, line.slice(column).split(/ {2,}/)[0]!]];
  });
  assertEquals(Object.fromEntries(shown), {
    "/api/b": "getB write_b",
    "/api/b/c": "postBC",
    "/api/x": "getX",
  });
  const json = await boughIn(folder.path, "routes", "--json");
  const routes = JSON.parse(json.stdout) as { path: string; tools: unknown }[];
  assertEquals(routes.find(({ path }) => path === "/api/b")!.tools, {
    get: "getB",
    post: "write_b",
  });
});

Deno.test("Bough omits the second of two tools with one name, even of lazy routes", async () => {
  const route = { schema: { get: { mcp: { name: "x" } } }, GET };
  const files = { "a/route.ts": route, "b/route.ts": route };
  for (const lazy of [false, true]) {
    using log = new CapturedLog();
    const application = create(files, {}, { lazy });
    await using connected = await TestClient.connect(application);
    const { tools } = await connected.client.listTools();
    assertEquals(tools.map(({ name }) => name), ["x"]);
    assertEquals(log.lines, [
      `[bough] MCP: "b/route.ts": GET /api/b is not a tool, since "a/route.ts" has a tool named "x"; set schema.get.mcp to false, or correct this`,
    ]);
  }
});

Deno.test("tools/list returns all tools in path order", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 250 }, (_, index) => [
      `r${String(index).padStart(3, "0")}/route.ts`,
      { schema: { get: { mcp: true } }, GET },
    ]),
  );
  const application = create(files, {
    list: (_request, { path }) => !path.endsWith("0"),
  });
  await using connected = await TestClient.connect(application);
  const { tools, nextCursor } = await connected.client.request({
    method: "tools/list",
    params: {},
  });
  const names = tools.map(({ name }) => name);
  assertEquals([names.length, new Set(names).size], [225, 225]);
  assertEquals([names, nextCursor], [names.toSorted(), undefined]);
});

Deno.test("several schemas of a part become one argument that satisfies all", async () => {
  const Tag = z.enum(["new", "old"]).meta({ id: "Tag" });
  const application = create({
    "[shop]/middleware.ts": {
      contract: {
        params: z.object({ shop: z.enum(["a", "b"]) }),
        query: z.object({ page: z.string().regex(/^\d+$/).optional() }),
      },
    },
    "[shop]/items/[id]/route.ts": {
      schema: {
        get: {
          params: z.object({
            shop: z.string().min(1),
            id: z.string().meta({ description: "The id" }),
          }),
          query: z.object({ tag: Tag, other: Tag.optional() }),
          mcp: true,
        },
      },
      GET: ({ validated }) => Response.json(validated),
    },
  });
  await using connected = await TestClient.connect(application);
  const { tools: [tool] } = await connected.client.listTools();
  assertEquals(tool!.inputSchema as unknown, {
    type: "object",
    properties: {
      params: {
        type: "object",
        properties: {
          shop: {
            allOf: [
              { type: "string", enum: ["a", "b"] },
              { type: "string", minLength: 1 },
            ],
          },
          id: { type: "string", description: "The id" },
        },
        required: ["shop", "id"],
        additionalProperties: false,
      },
      query: {
        allOf: [
          {
            type: "object",
            properties: { page: { type: "string", pattern: "^\\d+$" } },
          },
          {
            type: "object",
            properties: {
              tag: { $ref: "#/$defs/Tag" },
              other: { $ref: "#/$defs/Tag" },
            },
            required: ["tag"],
          },
        ],
      },
    },
    required: ["params", "query"],
    additionalProperties: false,
    $defs: { Tag: { type: "string", enum: ["new", "old"] } },
  });
  const { structuredContent } = await connected.client.callTool({
    name: tool!.name,
    arguments: {
      params: { shop: "a", id: "7" },
      query: { tag: "new", page: "2" },
    },
  });
  assertEquals(structuredContent, {
    status: 200,
    body: {
      params: { shop: "a", id: "7" },
      query: { page: "2", tag: "new" },
    },
  });
});

Deno.test("a call may omit a list that the query of its route requires (behaviour 7.1)", async () => {
  const query = z.object({ tags: z.array(z.string()) });
  const application = create({
    "route.ts": {
      schema: { get: { query, mcp: { name: "find" } } },
      GET: ({ validated }) => Response.json(validated),
    },
  });
  await using connected = await TestClient.connect(application);
  const { tools: [tool] } = await connected.client.listTools();
  const { required = [], properties } = tool!.inputSchema;
  assertEquals(required, []);
  assertEquals((properties?.query as { required: unknown }).required, []);
  const { structuredContent } = await connected.client.callTool({
    name: "find",
  });
  assertEquals(structuredContent, {
    status: 200,
    body: { query: { tags: [] } },
  });
});

Deno.test("a tool describes its result if each response below 300 has a JSON Schema", async () => {
  const route = (name: string, response: object) => ({
    schema: { get: { mcp: { name }, response } },
    GET,
  });
  const application = create({
    "a/route.ts": route("none", { 404: z.object({}) }),
    "b/route.ts": route("text", { 200: content("text/csv") }),
    "c/route.ts": route("some", { 200: z.string(), 201: content("text/csv") }),
    "d/route.ts": route("all", { 200: z.int32(), 202: {}, 302: {} }),
    "e/route.ts": route("empty", { 204: {} }),
  });
  await using connected = await TestClient.connect(application);
  const { tools } = await connected.client.listTools();
  const way = (properties: object) => ({
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  });
  assertEquals(
    tools.map(({ name, outputSchema }) => [name, outputSchema]) as unknown,
    [
      ["none", undefined],
      ["text", undefined],
      ["some", undefined],
      ["all", {
        type: "object",
        anyOf: [
          way({
            status: { const: 200 },
            body: {
              type: "integer",
              minimum: -(2 ** 31),
              maximum: 2 ** 31 - 1,
            },
          }),
          way({ status: { const: 202 } }),
        ],
      }],
      ["empty", way({ status: { const: 204 } })],
    ],
  );
});

Deno.test("a tool asks for JSON if a response has other types, too (behaviour 10.8)", async () => {
  const get = {
    mcp: { name: "read" },
    response: {
      200: [
        content("text/csv"),
        content("application/vnd.a+json", z.object({ accept: z.string() })),
        content("image/png"),
      ],
    },
  } as const;
  const application = create({
    "a/route.ts": {
      schema: { get },
      GET: (request) => {
        const accept = request.headers.get("accept")!;
        const type = negotiate(request, get, 200);
        return type === "application/vnd.a+json"
          ? respond(get, 200, { accept }, { type })
          : respond(get, 200, accept);
      },
    },
  });
  await using connected = await TestClient.connect(application);
  const { tools } = await connected.client.listTools();
  const { properties } = tools[0]!.outputSchema as Record<string, unknown>;
  assertEquals((properties as Record<string, unknown>).body, {
    type: "object",
    properties: { accept: { type: "string" } },
    required: ["accept"],
    additionalProperties: false,
  });
  const result = await connected.client.callTool({ name: "read" });
  assertEquals(result.structuredContent, {
    status: 200,
    body: { accept: "application/vnd.a+json" },
  });
});

Deno.test("a member mcp of the wrong type prevents startup", async () => {
  const members = [
    "x",
    { name: "a b" },
    { name: "" },
    { name: "x".repeat(129) },
    { title: 1 },
    { hint: true },
  ];
  const wrong: Files = {
    ...Object.fromEntries(
      members.map((mcp, index) => [
        `${index}/route.ts`,
        { schema: { get: { mcp } }, GET },
      ]),
    ),
    "7/middleware.ts": { contract: { mcp: "yes" } },
  };
  const { app } = create({ "route.ts": { GET }, ...wrong });
  const error = await assertRejects(() => app.start(), RouteError);
  assertEquals(error.faults.map(({ path }) => path), Object.keys(wrong));
});
