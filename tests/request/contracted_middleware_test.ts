/** Middleware with contracts, and contracts for some methods (behaviour 10.7). */
import { assertEquals, assertRejects } from "@std/assert";
import {
  Framework,
  type Middleware,
  RouteError,
  type SecurityRequirement,
} from "@bough/framework";
import { openapi } from "@bough/framework/openapi";
import { z } from "zod";
import { FolderApplication } from "../support/application.ts";

/** A middleware that adds its name and `request.validated` to the response. */
const FUNCTIONS = `import { z } from "npm:zod@^4.1.13";
const named = (name, ...contracts) => Object.assign(async (request, next) => {
  const seen = JSON.stringify(request.validated);
  const response = await next();
  response.headers.append("x-seen", name + " " + seen);
  return response;
}, { contracts });
const header = (name) => z.object({ [name]: z.string() });
const count = (name) => z.object({ [name]: z.coerce.number() });`;

const ECHO = `
  const echo = (request) => Response.json(request.validated);
  export { echo as GET, echo as POST };`;

const ALL = ["GET", "HEAD", "POST", "DELETE", "OPTIONS", "PURGE"] as const;

async function outcome(
  application: FolderApplication,
  path: string,
  init: RequestInit = {},
): Promise<string> {
  const response = await application.fetch(path, init);
  const text = await response.text();
  if (response.status !== 400) {
    return `${response.status} ${text} ${response.headers.get("x-seen")}`;
  }
  const { errors } = JSON.parse(text);
  return `400 ${
    errors.map((each: { pointer: string }) => each.pointer).join(" ")
  } ${response.headers.get("x-seen")}`;
}

for (const lazy of [false, true]) {
  const create = (files: Record<string, string>) =>
    FolderApplication.create(files, { lazy });
  const how = `(lazy: ${lazy})`;

  Deno.test(`contracts of functions are checked just before their function ${how}`, async () => {
    await using application = await create({
      "middleware.js": `${FUNCTIONS}
        export const contract = { headers: count("a") };
        export default [
          named("first", { headers: header("b") }, { query: count("c") }),
          named("second"),
          named("third", { headers: count("d") }),
        ];`,
      "route.js": ECHO,
    });
    const path = "/api?c=3";
    const headers = { a: "1", b: "2", d: "4" };
    assertEquals(
      [
        await outcome(application, path, { headers }),
        await outcome(application, path, { headers: { ...headers, a: "x" } }),
        await outcome(application, path, { headers: { a: "1" } }),
        await outcome(application, "/api", { headers }),
        await outcome(application, path, { headers: { a: "1", b: "2" } }),
      ],
      [
        '200 {"headers":{"a":1,"b":"2","d":4},"query":{"c":3}} ' +
        'third {"headers":{"a":1,"b":"2","d":4},"query":{"c":3}}, ' +
        'second {"query":{"c":3},"headers":{"a":1,"b":"2"}}, ' +
        'first {"query":{"c":3},"headers":{"a":1,"b":"2"}}',
        "400 #/a null",
        "400 #/b null",
        "400 #/c null",
        "400 #/d null",
      ],
    );
  });

  Deno.test(`a contract covers only its methods, GET with HEAD ${how}`, async () => {
    const contract = (methods: string, name: string) =>
      `{ methods: ${methods}, headers: header("${name}"), security: [{ ${name}: [] }] }`;
    const files = (handlers: string): Record<string, string> => ({
      "middleware.js": `${FUNCTIONS}
        const tell = async (request, next) => {
          const response = await next();
          response.headers.set("x-security", JSON.stringify(request.security) ?? "none");
          return response;
        };
        tell.contracts = [
          { security: [{ all: [] }] },
          ${contract('["GET"]', "reader")},
          ${contract('["POST", "DELETE"]', "writer")},
        ];
        export default [tell];`,
      "route.js": handlers,
    });
    const seen = async (handlers: string, headers: HeadersInit) => {
      await using application = await create(files(handlers));
      return await Promise.all(ALL.map(async (method) => {
        const response = await application.fetch("/api", { method, headers });
        await response.body?.cancel();
        const security = response.headers.get("x-security");
        return `${method} ${response.status} ${security}`;
      }));
    };
    const both = { reader: "1", writer: "1" };
    assertEquals(await seen(ECHO, both), [
      'GET 200 [{"reader":[]}]',
      'HEAD 200 [{"reader":[]}]',
      'POST 200 [{"writer":[]}]',
      'DELETE 405 [{"writer":[]}]',
      'OPTIONS 204 [{"all":[]}]',
      'PURGE 501 [{"all":[]}]',
    ]);
    const statuses = (lines: readonly string[]) =>
      lines.map((line) => line.split(" ").slice(0, 2).join(" "));
    assertEquals(statuses(await seen(ECHO, { reader: "1" })), [
      "GET 200",
      "HEAD 200",
      "POST 400",
      "DELETE 405",
      "OPTIONS 204",
      "PURGE 501",
    ]);
    const heads = `${ECHO} export { echo as HEAD, echo as OPTIONS };`;
    assertEquals(statuses(await seen(heads, { writer: "1" })), [
      "GET 400",
      "HEAD 400",
      "POST 200",
      "DELETE 405",
      "OPTIONS 200",
      "PURGE 501",
    ]);
  });

  Deno.test(`contracts of the option cover the routes of apiDir only ${how}`, async () => {
    const limit: Middleware = Object.assign(
      (_: unknown, next: () => Promise<Response>) => next(),
      {
        contracts: [{
          params: z.strictObject({}),
          headers: z.object({ "x-key": z.string() }),
          response: { 429: { description: "Too many" } },
        }],
      },
    );
    await using application = await FolderApplication.create({
      "[id]/route.js": ECHO,
    }, {
      lazy,
      middleware: [limit],
      plugins: [openapi({ info: { title: "Test", version: "1" } }), {
        name: "test",
        routes: () => [{
          path: "/plugin",
          handlers: { GET: () => new Response("plugin") },
        }],
      }],
    });
    assertEquals(await outcome(application, "/api/1"), "400 #/x-key null");
    assertEquals(
      await outcome(application, "/api/1", { headers: { "x-key": "k" } }),
      '200 {"params":{},"headers":{"x-key":"k"}} null',
    );
    assertEquals(await outcome(application, "/plugin"), "200 plugin null");
    const missing = await application.fetch("/nowhere");
    assertEquals([missing.status, await missing.text() !== ""], [404, true]);
    const document = await application.fetch("/openapi.json");
    const { get } = (await document.json()).paths["/api/{id}"];
    assertEquals(get.responses[429].description, "Too many");
    const [route] = await application.app.routes();
    assertEquals(route!.contracts.map(({ file }) => file), [
      "option middleware[0]",
    ]);
  });
}

Deno.test("before the import of a lazy route, only the contracts of a method count", async () => {
  for (const method of ["GET", "POST"]) {
    await using application = await FolderApplication.create({
      "middleware.js": `${FUNCTIONS}
        export default [
          named("first", { methods: ["POST"], headers: header("a") }),
          named("second", { headers: header("b") }),
        ];`,
      "route.js": ECHO,
    }, { lazy: true });
    assertEquals(
      await outcome(application, "/api", { method, headers: { b: "1" } }),
      method === "GET"
        ? '200 {"headers":{"b":"1"}} second {"headers":{"b":"1"}}, first {}'
        : "400 #/a null",
    );
  }
});

Deno.test("a wrong contract of a function prevents startup", async () => {
  await using application = await FolderApplication.create({
    "a/middleware.js": `export default Object.assign((_, next) => next(),
      { contracts: [{ methods: ["HEAD"] }, { nothing: 1 }, undefined] });`,
    "a/route.js": ECHO,
    "b/middleware.js": `const pass = (_, next) => next();
      export const contract = { methods: [] };
      export default [pass, Object.assign((_, next) => next(), { contracts: {} })];`,
    "b/route.js": ECHO,
    "c/route.js":
      `export const schema = { get: { methods: ["GET"] } }; ${ECHO}`,
  }, {
    middleware: [
      Object.assign((_: unknown, next: () => Promise<Response>) => next(), {
        contracts: [{ response: 1 }],
      }),
    ],
  });
  const error = await assertRejects(() => application.app.start(), RouteError);
  const members =
    '"params", "query", "headers", "response", "tags", "deprecated", "security", "access", "provides", "mcp", "methods"';
  const methods =
    'must be a list of methods, such as ["GET", "POST"]; "GET" includes HEAD';
  assertEquals(
    error.faults.map(({ path, reason }) =>
      `${path.replace(application.folder.path, "")}: ${reason}`
    ).filter((text) => !text.includes("/c/")),
    [
      `/api/a/middleware.js: default.contracts[0].methods ${methods}`,
      `/api/a/middleware.js: default.contracts[1].nothing is unknown; a contract has ${members}`,
      `/api/a/middleware.js: default.contracts[2] is undefined; it must be an object with ${members}`,
      `/api/b/middleware.js: contract.methods ${methods}`,
      "/api/b/middleware.js: default[1].contracts is an object; it must be an array of contracts, such as [{ response: { 429: ... } }]",
      "option middleware[0]: contracts[0].response is not a Standard Schema; create it with a library such as zod, Valibot or ArkType",
    ],
  );
  assertEquals(
    error.faults.filter(({ path }) => path.endsWith("c/route.js")).length,
    1,
  );
});

Deno.test("a contract opens no method that a guard outside of it covers", async () => {
  const faultsOf = async (
    outer: object,
    inner: object,
    option: object = {},
  ): Promise<number> => {
    const pass = (): Middleware => (_, next) => next();
    const app = new Framework({
      manifest: {
        "middleware.ts": {
          default: Object.assign(pass(), { contracts: [outer] }),
        },
        "a/middleware.ts": {
          default: [pass(), Object.assign(pass(), { contracts: [inner] })],
        },
        "a/route.ts": { GET: () => new Response() },
      },
      middleware: [Object.assign(pass(), { contracts: [option] })],
    });
    const { faults } = await app.inspect();
    return faults.filter(({ reason }) =>
      reason.includes("allows anonymous requests")
    ).length;
  };
  const closed: { security: SecurityRequirement[] } = {
    security: [{ bearer: [] }],
  };
  const open = { security: [] };
  const get = { methods: ["GET"] };
  const post = { methods: ["POST"] };
  assertEquals(
    [
      await faultsOf(closed, open),
      await faultsOf({ ...closed, ...get }, { ...open, ...post }),
      await faultsOf({ ...closed, ...get }, { ...open, ...get }),
      await faultsOf({ ...closed, ...post }, open),
      await faultsOf(open, {}, closed),
      await faultsOf(open, closed, open),
    ],
    [1, 0, 1, 1, 1, 0],
  );
});
