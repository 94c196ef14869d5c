/** A method that every call would fail to reach is not a tool. */
import { content, type MethodSchema } from "@bough/framework";
import { mcp } from "@bough/framework/mcp";
import {
  idempotent,
  memoryStore,
  preconditions,
} from "@bough/framework/protect";
import { file, form } from "@bough/framework/uploads";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../support/application.ts";
import { TestClient } from "./client.ts";

const done = () => Response.json("done");
const posts = (body: MethodSchema["body"] & object) => ({
  schema: { post: { body, mcp: true } },
  POST: done,
});
const reads = (headers: z.ZodType) => ({
  schema: { get: { headers, mcp: true } },
  GET: done,
});
const tenant = reads(z.object({ "x-tenant": z.string() }));
const contracted = (headers: z.ZodType): Record<string, TestModule> => ({
  "x/middleware.ts": { contract: { headers, mcp: true } },
  "x/route.ts": { GET: done },
});
const image = file({ maxSize: "1MiB", types: ["image/*"], count: [0, 1] });
const json = file({ maxSize: "1MiB", types: ["application/json"] });
const protectedBy = (
  middleware: NonNullable<TestModule["default"]>,
): Record<string, TestModule> => ({
  "x/middleware.ts": { contract: { mcp: true }, default: middleware },
  "x/route.ts": { GET: done, PUT: done, POST: done },
});

const NO_HEADER = (name: string) =>
  `since it requires the header "${name}", which the option "headers" of mcp() does not list`;

/** The files, the omitted methods with their reasons, and the remaining tools. */
const CASES: Readonly<
  Record<string, {
    readonly files: Readonly<Record<string, TestModule>>;
    readonly omitted: readonly string[];
    readonly tools?: readonly string[];
    readonly headers?: readonly string[];
  }>
> = {
  "a form without files": {
    files: { "x/route.ts": posts(form({ files: {} })) },
    omitted: ["POST /api/x is not a tool, since its body is streamed"],
  },
  "a form with fields and optional files": {
    files: {
      "x/route.ts": posts(form({
        fields: z.object({ title: z.string() }),
        files: { image },
      })),
    },
    omitted: ["POST /api/x is not a tool, since its body is streamed"],
  },
  "a body that is a file of JSON": {
    files: { "x/route.ts": posts(json) },
    omitted: ["POST /api/x is not a tool, since its body is streamed"],
  },
  "a required header": {
    files: { "x/route.ts": tenant },
    omitted: [`GET /api/x is not a tool, ${NO_HEADER("x-tenant")}`],
  },
  "a required header that calls pass on": {
    files: { "x/route.ts": tenant },
    omitted: [],
    tools: ["getX"],
    headers: ["X-Tenant"],
  },
  "a required header of a contract": {
    files: contracted(z.object({ cookie: z.string() })),
    omitted: [`GET /api/x is not a tool, ${NO_HEADER("cookie")}`],
  },
  "a required header in an intersection": {
    files: contracted(
      z.object({ accept: z.string() }).and(z.object({ "x-a": z.string() })),
    ),
    omitted: [`GET /api/x is not a tool, ${NO_HEADER("x-a")}`],
  },
  "headers that each call may have": {
    files: contracted(z.object({
      accept: z.string(),
      authorization: z.string(),
      "x-forwarded-for": z.string(),
      "x-tenant": z.string().optional(),
      "x-page": z.string().default("1"),
    })),
    omitted: [],
    tools: ["getX"],
  },
  "a body of declared types without JSON": {
    files: { "x/route.ts": posts(content("text/csv", z.string())) },
    omitted: ["POST /api/x is not a tool, since its body is not JSON"],
  },
  "a body of declared types with JSON": {
    files: {
      "x/route.ts": posts([
        content("text/csv", z.string()),
        content("application/a+json", z.object({ a: z.string() })),
      ]),
    },
    omitted: [],
    tools: ["postX"],
  },
  "a credential that calls do not pass on": {
    files: contracted(z.object({ authorization: z.string() })),
    omitted: [`GET /api/x is not a tool, ${NO_HEADER("authorization")}`],
    headers: [],
  },
  "required keys": {
    files: protectedBy(
      idempotent({ store: memoryStore(), required: true, identity: () => "x" }),
    ),
    omitted: [`POST /api/x is not a tool, ${NO_HEADER("idempotency-key")}`],
    tools: ["getX", "putX"],
  },
  "required preconditions": {
    files: protectedBy(preconditions({ required: true })),
    omitted: [`PUT /api/x is not a tool, ${NO_HEADER("if-match")}`],
    tools: ["getX", "postX"],
  },
  "required preconditions that calls pass on": {
    files: protectedBy(preconditions({ required: true })),
    omitted: [],
    tools: ["getX", "putX", "postX"],
    headers: ["if-none-match"],
  },
  "optional preconditions": {
    files: protectedBy(preconditions()),
    omitted: [],
    tools: ["getX", "putX", "postX"],
  },
};

for (
  const [name, { files, omitted, tools = [], headers }] of Object.entries(CASES)
) {
  Deno.test(`a method is a tool if calls can reach it: ${name} (behaviour 10.8)`, async () => {
    const plugins = [mcp(headers === undefined ? {} : { headers })];
    const app = TestApplication.of(files, { plugins });
    await using server = await app.serve();
    using log = new CapturedLog();
    await using connected = await TestClient.connect(server.url("/mcp"));
    const listed = await connected.client.listTools();
    assertEquals(
      listed.tools.map(({ name }) => name).sort(),
      [...tools].sort(),
    );
    assertEquals(
      log.lines.map((line) =>
        line.replace(/^.*?: (?=[A-Z]+ \/)/, "").replace(
          /; set schema\.\w+\.mcp to false, or correct this$/,
          "",
        )
      ),
      omitted,
    );
  });
}

for (
  const [declared, type] of [
    ["application/a+json", "application/a+json"],
    ["*/*+json", "x-other/x-other+json"],
  ] as const
) {
  Deno.test(`a call sends the first declared type of JSON, and its schema is listed: ${declared}`, async () => {
    const sent = content(declared, z.object({ a: z.string() }));
    const app = TestApplication.of({
      "x/route.ts": {
        schema: {
          post: {
            body: [
              content("text/csv", z.string()),
              sent,
              content("application/*+json", z.number()),
            ],
            mcp: true,
          },
        },
        POST: ({ headers, validated }) =>
          Response.json([headers.get("content-type"), validated.body]),
      },
    }, { plugins: [mcp()] });
    await using server = await app.serve();
    await using connected = await TestClient.connect(server.url("/mcp"));
    const { tools: [tool] } = await connected.client.listTools();
    assertEquals(
      Object.keys(Object(tool?.inputSchema.properties?.body).properties),
      ["a"],
    );
    const { content: [result] } = await connected.client.callTool({
      name: "postX",
      arguments: { body: { a: "1" } },
    }) as { content: { text: string }[] };
    assertEquals(JSON.parse(result!.text), [type, { a: "1" }]);
  });
}
