/** Contracts at startup, from modules, manifests and folders (behaviour 10.7). */
import { Framework, type Middleware, RouteError } from "@bough/framework";
import { createDocument } from "@bough/framework/openapi";
import {
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { z } from "zod";
import { boughIn } from "../../cli/support.ts";
import {
  FolderApplication,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import { text } from "./support.ts";

const pass = (): Middleware => (_, next) => next();
const passWith = (contracts: unknown) => Object.assign(pass(), { contracts });

const GET = () => new Response();
const GUARD = { contract: { security: [{ bearer: [] }] }, default: pass() };

/** Invalid contracts: a middleware file, or several files, and the message. */
const FAULTS: Readonly<
  Record<string, readonly [files: Record<string, TestModule>, message: string]>
> = {
  "an unknown member": [
    { "middleware.ts": { contract: { body: {} } } },
    'middleware.ts": contract.body is unknown; the members are "params", "query", "headers", "response", "tags", "deprecated", "security", "access",',
  ],
  "an object in place of a schema": [
    { "middleware.ts": { contract: { headers: {} } } },
    'middleware.ts": contract.headers must be a Standard Schema, such as z.object({ ... }), got an object',
  ],
  "a wrong status": [
    { "middleware.ts": { contract: { response: { 99: z.string() } } } },
    'middleware.ts": contract.response has the key "99", which must be a status',
  ],
  "a response without a status": [
    { "middleware.ts": { contract: { response: z.string() } } },
    'middleware.ts": contract.response must be responses by status, such as',
  ],
  "a number in place of an object": [
    { "middleware.ts": { contract: 5 } },
    'middleware.ts": contract must be an object with',
  ],
  "security, but without middleware": [
    { "middleware.ts": { contract: GUARD.contract } },
    'middleware.ts": contract.security is declared, but the folder has no middleware; export the middleware as default',
  ],
  "a misspelled name": [
    { "middleware.ts": { contracts: { tags: [] }, default: pass() } },
    'middleware.ts": export "contracts" has no effect; name it "contract"',
  ],
  "a route file as its place": [
    { "route.ts": { contract: { headers: text("a") }, GET } },
    'route.ts": export "contract" has no effect in a route file; move it to the middleware file of a folder, or its members to schema',
  ],
  "the name of a schema": [
    { "middleware.ts": { schema: { headers: text("a") }, default: pass() } },
    'middleware.ts": export "schema" has no effect in a middleware file; name it "contract"',
  ],
  "a requirement that allows anonymous requests below a guard": [
    {
      "middleware.ts": GUARD,
      "a/middleware.ts": {
        contract: { security: [{ a: [] }, {}] },
        default: pass(),
      },
    },
    "or open single methods with schema.get.security",
  ],
  "no requirement below a guard": [
    {
      "middleware.ts": GUARD,
      "a/middleware.ts": { contract: { security: [] } },
    },
    'a/middleware.ts": contract.security allows anonymous requests, but "',
  ],
};

for (const [fault, [files, message]] of Object.entries(FAULTS)) {
  Deno.test(`a contract with ${fault} prevents startup`, async () => {
    const { app } = TestApplication.of({ "route.ts": { GET }, ...files });
    const faults = (await app.inspect()).faults
      .map(({ path, reason }) => `"${path}": ${reason}`);
    assertStringIncludes(faults.join("\n"), message);
  });
}

Deno.test("exports named contract and schema may have another purpose", async () => {
  const { app } = TestApplication.of({
    "middleware.ts": { schema: z.object({}), default: pass() },
    "route.ts": { contract: { tags: ["signed"], headers: {} }, GET },
  });
  assertEquals((await app.inspect()).faults, []);
});

Deno.test("a wrong contract of a function prevents startup", async () => {
  const { app } = TestApplication.of({
    "a/middleware.ts": {
      default: passWith([{ methods: ["HEAD"] }, { nothing: 1 }, undefined]),
    },
    "a/route.ts": { GET },
    "b/middleware.ts": {
      contract: { methods: [] },
      default: [pass(), passWith({})],
    },
    "b/route.ts": { GET },
    "c/route.ts": { schema: { get: { methods: ["GET"] } }, GET },
  });
  const error = await assertRejects(() => app.start(), RouteError);
  const members =
    '"params", "query", "headers", "response", "tags", "deprecated", "security", "access", "mcp", "methods"';
  assertEquals(
    error.faults.map(({ path, reason }) =>
      path === "c/route.ts" ? path : `${path}: ${reason}`
    ),
    [
      'a/middleware.ts: default.contracts[0].methods[0] must be "GET", "POST", "PUT", "PATCH", "DELETE" or "OPTIONS", got "HEAD"',
      `a/middleware.ts: default.contracts[1].nothing is unknown; the members are ${members}`,
      `a/middleware.ts: default.contracts[2] must be an object with ${members}, got undefined`,
      'b/middleware.ts: contract.methods must be a list of methods, such as ["GET", "POST"], got []; "GET" includes HEAD',
      "b/middleware.ts: default[1].contracts must be an array of contracts, such as [{ response: { 429: ... } }], got an object",
      "c/route.ts",
    ],
  );
  assertThrows(
    () => TestApplication.of({}, { middleware: [passWith([{ response: 1 }])] }),
    TypeError,
    "Cannot create the Framework: middleware[0].contracts[0].response must be responses by status",
  );
});

Deno.test("a contract cannot open a method that a guard around it covers", async () => {
  const closed = { security: [{ bearer: [] }] };
  const open = { security: [] };
  const get = { methods: ["GET"] };
  const post = { methods: ["POST"] };
  for (
    const [count, outer, inner, option] of [
      [1, closed, open, {}],
      [0, { ...closed, ...get }, { ...open, ...post }, {}],
      [1, { ...closed, ...get }, { ...open, ...get }, {}],
      [1, { ...closed, ...post }, open, {}],
      [1, open, {}, closed],
      [0, open, closed, open],
    ] as const
  ) {
    const { app } = TestApplication.of({
      "middleware.ts": { default: passWith([outer]) },
      "a/middleware.ts": { default: [pass(), passWith([inner])] },
      "a/route.ts": { GET },
    }, { middleware: [passWith([option])] });
    const { faults } = await app.inspect();
    const opening = faults.filter(({ reason }) =>
      reason.includes("allows anonymous requests")
    );
    assertEquals(opening.length, count, JSON.stringify([outer, inner, option]));
  }
});

const GUARD_FILE = `import { z } from "npm:zod@^4.1.13";
  export const contract = {
    security: [{ bearer: [] }],
    headers: z.object({ "x-tenant": z.string().transform((name) => name + "!") }),
  };
  export default (request, next) =>
    request.headers.has("authorization")
      ? next()
      : new Response(null, { status: 401 });`;
const ECHO_FILE =
  "export const GET = (request) => Response.json(request.validated);";

/** Checks the responses without the header, without the token, and with both. */
async function assertGuarded(
  fetch: (request: Request) => Response | Promise<Response>,
  path: string,
  validated: object = {},
): Promise<void> {
  for (
    const [headers, status] of [
      [{ authorization: "Bearer t" }, 400],
      [{ "x-tenant": "a" }, 401],
      [{ authorization: "Bearer t", "x-tenant": "a" }, 200],
    ] as [HeadersInit, number][]
  ) {
    const url = `http://localhost${path}`;
    const response = await fetch(new Request(url, { headers }));
    const text = await response.text();
    assertEquals(response.status, status);
    if (status !== 200) continue;
    assertEquals(JSON.parse(text), {
      headers: { "x-tenant": "a!" },
      ...validated,
    });
  }
}

for (const options of [[], ["--lazy"]]) {
  Deno.test(`the manifest of bough build ${options} contains contracts`, async () => {
    await using application = await FolderApplication.create({
      "(staff)/middleware.js": GUARD_FILE,
      "(staff)/report/route.js": ECHO_FILE,
    });
    const { path } = application.folder;
    const written = await boughIn(path, "build", "-o", "m.ts", ...options);
    assertEquals(written, { code: 0, stdout: "", stderr: "" });
    const { href } = toFileUrl(join(path, "m.ts"));
    const { default: manifest } = await import(href);
    const app = new Framework({ manifest });
    await assertGuarded(app.fetch, "/api/report");
    const { document } = createDocument(await app.routes(), {
      info: { title: "Built", version: "1.0.0" },
    });
    const { security, parameters } = document.paths["/api/report"]!.get!;
    assertEquals(security, [{ bearer: [] }]);
    assertEquals(parameters?.map(({ name }) => name), ["x-tenant"]);
  });
}
