import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { content, type Framework } from "@bough/framework";
import { standaloneText } from "../../../src/cli/generate/standalone.ts";
import { boughIn } from "../support.ts";
import { z } from "zod";
import { TestApplication, TestFolder } from "../../support/application.ts";
import { BOOKSHOP } from "../../client/support.ts";

/** The map of the routes, in one line. */
async function mapOf(app: Framework, source: string): Promise<string> {
  const text = standaloneText(await app.routes(), source);
  return text.slice(text.indexOf("export interface Routes"))
    .replaceAll(/\s+/g, " ");
}

Deno.test("standalone types import nothing", async () => {
  await using folder = await TestFolder.create({});
  const api = fromFileUrl(new URL("api", BOOKSHOP));
  const write = () => boughIn(folder.path, "types", api, "--standalone");
  const { stdout } = await write();
  assert(!/\bimport\b/.test(stdout), stdout);
  // A project may have the option "noUnusedLocals".
  assert(!/^(?:interface|type) /m.test(stdout), stdout);
  assertEquals((await write()).stdout, stdout);
});

Deno.test("standalone types merge the contracts of each method with its schema", async () => {
  const GET = () => new Response();
  const wait = Object.assign(
    (_: unknown, next: () => unknown) => next(),
    {
      contracts: [
        { response: { 429: z.object({ wait: z.number() }) } },
        { methods: ["POST"], headers: z.object({ "x-key": z.string() }) },
      ],
    },
  );
  const { app } = TestApplication.of({
    "middleware.ts": { default: wait },
    "route.ts": {
      GET,
      POST: GET,
      schema: { post: { headers: z.object({ "x-id": z.string() }) } },
    },
    "own/route.ts": { GET, POST: GET, middleware: { GET: [wait] } },
  });
  const routes = await mapOf(app, "");
  const response = "response: { 429: Schema<{ wait: number; }>; }";
  const key = `StringSchema<{ "x-key": string; }>`;
  const open = "query: AnyQuery; body: Schema<unknown>";
  for (
    const code of [
      `schema: { get: { ${open}; ${response}; }; post: { headers: ${key} & StringSchema<{ "x-id": string; }>; ${response}; }; };`,
      `schema: { get: { ${open}; ${response}; }; post: { ${open}; headers: ${key}; ${response}; }; };`,
    ]
  ) assertStringIncludes(routes, code);
});

Deno.test("standalone types have the declared types of bodies", async () => {
  const POST = () => new Response();
  const body = [
    content("text/csv", z.string()),
    content("application/a+json", z.object({ a: z.string() })),
  ] as const;
  const { app } = TestApplication.of({
    "route.ts": {
      schema: { post: { body }, put: { body: body[0] } },
      POST,
      PUT: POST,
    },
  });
  assertStringIncludes(
    await mapOf(app, ""),
    `post: { body: [Content<"text/csv", Schema<string>>, Content<"application/a+json", Schema<{ a: string; }>>]; }; put: { body: [Content<"text/csv", Schema<string>>]; };`,
  );
});

Deno.test("standalone types require one of the headers that name a version", async () => {
  await using folder = await TestFolder.create({
    "api/middleware.ts":
      `import { preconditions } from "@bough/framework/protect";
      export default preconditions({ required: true });`,
    "api/route.ts": "export const PUT = () => new Response();",
  });
  const { stdout } = await boughIn(
    folder.path,
    "types",
    "api",
    "--standalone",
  );
  const headers =
    /"if-match"\?: string; [^}]*"if-none-match"\?: string; \}\) & \(\{ "if-match": unknown \} \| \{ "if-none-match": unknown \}\)/;
  assert(headers.test(stdout.replaceAll(/\s+/g, " ")), stdout);
});
