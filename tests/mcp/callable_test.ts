/** A method that every call would fail to reach is not a tool. */
import { content, type MethodSchema } from "@bough/framework";
import {
  idempotent,
  memoryStore,
  preconditions,
} from "@bough/framework/protect";
import { file, form } from "@bough/framework/uploads";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { CapturedLog, type TestModule } from "../support/application.ts";
import { TestClient } from "./client.ts";
import { create } from "./support.ts";

const done = () => Response.json("done");
const posts = (body: MethodSchema["body"] & object) => ({
  "x/route.ts": { schema: { post: { body, mcp: true } }, POST: done },
});
const gets = (get: MethodSchema) => ({
  "x/route.ts": { schema: { get: { ...get, mcp: true } }, GET: done },
});
const reads = (headers: z.ZodType) => gets({ headers });
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

const STREAMED = "POST: its body is streamed";
const noHeader = (name: string) =>
  `requires the header "${name}", which the option "headers" of mcp() does not list`;
const keyed = idempotent({
  store: memoryStore(),
  required: true,
  identity: () => "x",
});
const versioned = protectedBy(preconditions({ required: true }));

/** The files, the omitted methods with their reasons, and the remaining tools. */
const CASES: Readonly<
  Record<string, {
    readonly files: Readonly<Record<string, TestModule>>;
    readonly omitted?: string;
    readonly tools?: readonly string[];
    readonly headers?: readonly string[];
  }>
> = {
  "a form without files": {
    files: posts(form({ files: {} })),
    omitted: STREAMED,
  },
  "a form with fields and optional files": {
    files: posts(form({
      fields: z.object({ title: z.string() }),
      files: { image },
    })),
    omitted: STREAMED,
  },
  "a body that is a file of JSON": { files: posts(json), omitted: STREAMED },
  "a body with a file": {
    files: posts(z.object({ file: z.file() })),
    omitted: "POST: its body has a file",
  },
  "a body with a date": {
    files: posts(z.object({ at: z.date() })),
    omitted:
      'POST: schema.post.body has a part of type "date", which JSON Schema cannot describe, so the document allows any value there',
  },
  "a stream of events": {
    files: gets({ events: { x: z.string() } }),
    omitted: "GET: it streams events",
  },
  "a socket": {
    files: gets({ socket: {} }),
    omitted: "GET: it opens a socket",
  },
  "an image": {
    files: gets({ response: { 200: content("image/png") } }),
    omitted: 'GET: its response with status 200 is "image/png"',
  },
  "a required header": {
    files: tenant,
    omitted: `GET: it ${noHeader("x-tenant")}`,
  },
  "a required header that calls pass on": {
    files: tenant,
    tools: ["getX"],
    headers: ["X-Tenant"],
  },
  "a required header of a contract": {
    files: contracted(z.object({ cookie: z.string() })),
    omitted: `GET: it ${noHeader("cookie")}`,
  },
  "a required header in an intersection": {
    files: contracted(
      z.object({ accept: z.string() }).and(z.object({ "x-a": z.string() })),
    ),
    omitted: `GET: it ${noHeader("x-a")}`,
  },
  "headers that each call may have": {
    files: contracted(z.object({
      accept: z.string(),
      authorization: z.string(),
      "x-forwarded-for": z.string(),
      "x-tenant": z.string().optional(),
      "x-page": z.string().default("1"),
    })),
    tools: ["getX"],
  },
  "a body of declared types without JSON": {
    files: posts(content("text/csv", z.string())),
    omitted: "POST: its body is not JSON",
  },
  "a body of declared types with JSON": {
    files: posts([
      content("text/csv", z.string()),
      content("application/a+json", z.object({ a: z.string() })),
    ]),
    tools: ["postX"],
  },
  "a credential that calls do not pass on": {
    files: contracted(z.object({ authorization: z.string() })),
    omitted: `GET: it ${noHeader("authorization")}`,
    headers: [],
  },
  "required keys": {
    files: protectedBy(keyed),
    omitted: `POST: it ${noHeader("idempotency-key")}`,
    tools: ["getX", "putX"],
  },
  "required preconditions": {
    files: versioned,
    omitted: `PUT: it ${noHeader("if-match")}`,
    tools: ["getX", "postX"],
  },
  "required preconditions that calls pass on": {
    files: versioned,
    tools: ["getX", "postX", "putX"],
    headers: ["if-none-match"],
  },
  "optional preconditions": {
    files: protectedBy(preconditions()),
    tools: ["getX", "postX", "putX"],
  },
};

Deno.test("a method is a tool if calls can reach it (behaviour 10.8)", async () => {
  for (
    const [name, { files, omitted, tools = [], headers }] of Object.entries(
      CASES,
    )
  ) {
    using log = new CapturedLog();
    const application = create(files, headers && { headers });
    await using connected = await TestClient.connect(application);
    const listed = await connected.client.listTools();
    const names = listed.tools.map(({ name }) => name).sort();
    const reasons = log.lines.map((line) =>
      line.replace(/^.*?: (?=[A-Z]+ \/)/, "").replace(
        / \/api\/x is not a tool, since (.*); set schema\.\w+\.mcp to false, or correct this$/,
        ": $1",
      )
    );
    assertEquals([names, reasons], [tools, omitted ? [omitted] : []], name);
  }
});

for (
  const [declared, type] of [
    ["application/a+json", "application/a+json"],
    ["*/*+json", "x-other/x-other+json"],
  ] as const
) {
  Deno.test(`a call sends the first declared type of JSON, and its schema is listed: ${declared}`, async () => {
    const sent = content(declared, z.object({ a: z.string() }));
    const application = create({
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
    });
    await using connected = await TestClient.connect(application);
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
