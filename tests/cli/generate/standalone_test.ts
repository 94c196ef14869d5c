import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { content, Framework } from "@bough/framework";
import { standaloneText } from "../../../src/cli/generate/standalone.ts";
import { boughIn } from "../support.ts";
import { z } from "zod";
import { TestApplication, TestFolder } from "../../support/application.ts";
import { BOOKSHOP } from "../../client/support.ts";

Deno.test("standalone types import nothing", async () => {
  await using folder = await TestFolder.create({});
  const api = fromFileUrl(new URL("api", BOOKSHOP));
  const { stdout } = await boughIn(folder.path, "types", api, "--standalone");
  assert(!/\bimport\b/.test(stdout), stdout);
  const { stdout: again } = await boughIn(
    folder.path,
    "types",
    api,
    "--standalone",
  );
  assertEquals(again, stdout);
});

Deno.test("standalone types have the contracts of middleware files, with their methods", async () => {
  await using folder = await TestFolder.create({
    "api/middleware.ts": `import { z } from "npm:zod@^4.2.0";
      const limit = (_, next) => next();
      limit.contracts = [
        { response: { 429: z.object({ wait: z.number() }) } },
        { methods: ["POST"], headers: z.object({ "x-key": z.string() }) },
      ];
      export default [limit];`,
    "api/route.ts": `export const GET = () => new Response();
      export const POST = GET;`,
  });
  const apiDir = join(folder.path, "api");
  const middleware = Object.assign(
    (_: unknown, next: () => Promise<Response>) => next(),
    { contracts: [{ response: { 503: {} } }] },
  );
  const app = new Framework({ apiDir, middleware: [middleware] });
  const text = await standaloneText(await app.routes(), apiDir);
  const routes = text.slice(text.indexOf("export interface Routes"))
    .replaceAll(/Tmp\w+ApiMiddleware/g, "Middleware");
  assertStringIncludes(
    routes,
    `  "middleware.ts": { default: { contracts: [{ response: { 429: Schema<components["schemas"]["MiddlewareTs429"]> } }, { methods: ["POST"]; headers: Schema<components["schemas"]["MiddlewareTsHeaders"]> }] } };\n`,
  );
  assert(!routes.includes("503"), routes);
});

Deno.test("standalone types have the contracts of a route's own middleware (behaviour 5.6)", async () => {
  const own = Object.assign(
    (_: unknown, next: () => unknown) => next(),
    {
      contracts: [{ response: { 429: {} } }, {
        methods: ["POST"],
        response: {},
      }],
    },
  );
  const GET = () => new Response();
  const { app } = TestApplication.of({
    "aa/route.ts": { GET, POST: GET, middleware: [own, own] },
    "b/route.ts": { GET, POST: GET, middleware: { GET: [own], POST: [own] } },
  });
  const text = await standaloneText(await app.routes(), "");
  const contracts =
    `{ response: { 429: {} } }, { methods: ["POST"]; response: {  } }`;
  for (
    const line of [
      `    middleware: [{ contracts: [${contracts}, ${contracts}] }];\n`,
      `    middleware: { GET: [{ contracts: [${contracts}] }]; POST: [{ contracts: [${contracts}] }] };\n`,
    ]
  ) assertStringIncludes(text, line);
});

Deno.test("standalone types have the declared types of bodies", async () => {
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
  const text = await standaloneText(await app.routes(), "");
  for (
    const line of [
      `post: { body: [Content<"text/csv", Schema<components["schemas"]["RootPostBody"]>>, Content<"application/a+json", Schema<components["schemas"]["RootPostBody2"]>>] };`,
      `put: { body: [Content<"text/csv", Schema<components["schemas"]["RootPutBody"]>>] };`,
    ]
  ) assertStringIncludes(text, line);
});

const POST = () => new Response();

Deno.test("standalone types require one of the headers that name a version", async () => {
  await using folder = await TestFolder.create({
    "api/middleware.ts":
      `import { preconditions } from "@bough/framework/protect";
      export default preconditions({ required: true });`,
    "api/route.ts": "export const PUT = () => new Response();",
  });
  const { stdout: text } = await boughIn(
    folder.path,
    "types",
    "api",
    "--standalone",
  );
  const headers =
    /Headers2: \{ [^}]*"if-match"\?: string; [^}]*"if-none-match"\?: string; \} & \(\{ [^}]*"if-match": string; \} \| \{ [^}]*"if-none-match": string; \}\);/;
  assert(headers.test(text.replaceAll(/\s+/g, " ")), text);
});
