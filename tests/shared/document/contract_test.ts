/** Contracts of folders in the document. */
import {
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { z } from "zod";
import { type FolderContract, RouteError } from "@bough/framework";
import {
  createDocument,
  openapi,
  type Operation,
  Problem,
} from "@bough/framework/openapi";
import {
  CapturedLog,
  FolderApplication,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import {
  assertValid,
  documentOf,
  type Files,
  handler,
  INFO,
  parameterLine,
  responseLines,
  routeOf,
} from "../../openapi/support.ts";

const ROUTE = { GET: handler };
const bearer = { type: "http", scheme: "bearer" };
const text = z.string();

/** A middleware file with a contract. */
function folder(contract: object): TestModule {
  return { contract, default: (_, next) => next() };
}

/** The operation of `GET /api/a/[id]`, and the warnings. */
async function operationOf(
  files: Files,
): Promise<{ operation: Operation; warnings: readonly string[] }> {
  const { document, warnings } = await documentOf(files, {
    securitySchemes: {
      bearer,
      key: { type: "apiKey", in: "header", name: "x-key" },
    },
  });
  return {
    operation: document.paths["/api/a/{id}"]!.get!,
    warnings: warnings.map(({ path, message }) => `${path}: ${message}`),
  };
}

Deno.test("an operation has the members of all contracts; the innermost wins", async () => {
  const outer: FolderContract = {
    security: [{ bearer: [] }],
    tags: ["outer"],
    deprecated: true,
    access: "public",
    response: { 401: Problem, 403: { description: "Outer" } },
  };
  const inner: FolderContract = {
    security: [{ key: [] }],
    tags: ["inner"],
    access: ["owner", "admin"],
    response: { 403: { description: "Inner" }, 404: { description: "Inner" } },
  };
  const { operation, warnings } = await operationOf({
    "middleware.ts": folder(outer),
    "a/middleware.ts": folder(inner),
    "a/[id]/route.ts": routeOf({
      get: { deprecated: false, response: { 404: { description: "Own" } } },
    }),
  });
  assertEquals(warnings, []);
  const { security, tags, deprecated } = operation;
  assertEquals(operation["x-access"], ["owner", "admin"]);
  assertEquals({ security, tags, deprecated }, {
    security: [{ key: [] }],
    tags: ["inner"],
    deprecated: false,
  });
  assertEquals(
    responseLines(operation).map((line) => line.replace(/ application.*/, "")),
    [
      '200 "OK"',
      '400 "The path cannot be decoded"',
      '401 "Unauthorized"',
      '403 "Inner"',
      '404 "Own"',
      "500 ServerError",
    ],
  );
});

Deno.test("a redirect of a folder does not replace the 200 of its routes", async () => {
  const statuses = async (response: object) => {
    const { operation } = await operationOf({
      "middleware.ts": folder({ response }),
      "a/[id]/route.ts": ROUTE,
    });
    return Object.keys(operation.responses).filter((status) => status < "4");
  };
  assertEquals(await statuses({ 303: {} }), ["200", "303"]);
  assertEquals(await statuses({ 202: {} }), ["202"]);
});

Deno.test("a parameter of several levels satisfies all, and is required if one requires it", async () => {
  const { operation } = await operationOf({
    "middleware.ts": folder({
      query: z.object({
        page: text.describe("Outer"),
        same: text.optional(),
        only: text,
      }),
      headers: z.object({ "x-tenant": text }),
    }),
    "a/middleware.ts": folder({
      query: z.object({ page: text.max(3).optional(), same: text }),
    }),
    "a/[id]/middleware.ts": folder({ params: z.object({ id: text.min(2) }) }),
    "a/[id]/route.ts": routeOf({
      get: {
        params: z.object({ id: text.max(9).describe("Own") }),
        query: z.object({ page: text.optional() }),
      },
    }),
  });
  assertEquals(operation.parameters!.map(parameterLine), [
    'path id {"allOf":[{"type":"string","minLength":2},{"type":"string","maxLength":9}]} {"description":"Own"}',
    'query page {"allOf":[{"type":"string"},{"type":"string","maxLength":3}]} {"description":"Outer"}',
    'query same {"type":"string"}',
    'query only {"type":"string"}',
    'header x-tenant {"type":"string"}',
  ]);
});

Deno.test("a contract describes only params of its own path", async () => {
  const params = z.object({ id: text.min(5).optional() });
  const { operation } = await operationOf({
    "a/middleware.ts": folder({ params }),
    "a/[id]/route.ts": ROUTE,
  });
  assertEquals(operation.parameters!.map(parameterLine), [
    'path id {"type":"string"}',
  ]);
});

Deno.test("the description of the 400 names the checked parts of route and folders", async () => {
  const { operation } = await operationOf({
    "middleware.ts": folder({ headers: z.object({ h: text }) }),
    "a/[id]/route.ts": routeOf({ get: { query: z.object({ q: text }) } }),
  });
  assertStringIncludes(
    responseLines(operation)[1]!,
    '400 "The request does not fit the schema of its query or headers, or the path cannot be decoded"',
  );
});

Deno.test("one warning with its file reports a contract without a JSON Schema", async () => {
  const { warnings } = await operationOf({
    "middleware.ts": folder({
      query: z.object({ at: z.date() }),
      headers: z.object({ "X-A": text }),
    }),
    "a/[id]/route.ts": ROUTE,
    "b/route.ts": { GET: handler, POST: handler },
  });
  assertEquals(warnings, [
    'middleware.ts: contract.query has a part of type "date", which JSON Schema cannot describe, so the document allows any value there',
    'middleware.ts: contract.headers names "X-A", but names of headers are lowercase; write "x-a"',
  ]);
});

Deno.test("a recursive schema of a contract has one name in all operations", async () => {
  const contract = (name: string) => `
    import { z } from "npm:zod@^4.2.0";
    const Tree = z.object({ get ${name}() { return z.array(Tree); } });
    export const contract = { response: { 409: Tree } };`;
  const route = "export const GET = () => new Response();";
  // A manifest does not name the outermost folder.
  await using application = await FolderApplication.create({
    "middleware.js": contract("below"),
    "a/route.js": route,
    "b/route.js": route,
    "b/(staff)/middleware.js": contract("inside"),
    "b/(staff)/c/route.js": route,
  });
  const routes = await application.app.routes();
  const { document } = createDocument(routes, { info: INFO });
  await assertValid(document);
  const names = Object.keys(document.components.schemas);
  assertEquals(names, ["Api409", "Problem", "Staff409"]);
});

const UNKNOWN: Files = {
  "middleware.ts": folder({ security: [{ baerer: [] }] }),
  "a/route.ts": ROUTE,
  "b/route.ts": routeOf({
    get: { security: [{ bearer: [] }, { nope: ["x"] }] },
  }),
};
const plugins = [openapi({ info: INFO, securitySchemes: { bearer } })];
const FAULTS = [
  'b/route.ts": schema.get.security names the unknown scheme "nope"; add the scheme to securitySchemes of openapi()',
  'middleware.ts": contract.security names the unknown scheme "baerer"; did you mean "bearer"?',
];

Deno.test("an unknown security scheme prevents startup with openapi(), or the document of lazy routes", async () => {
  const { app } = TestApplication.of(UNKNOWN, { plugins });
  const error = await assertRejects(() => app.start(), RouteError);
  assertEquals(
    error.faults.map(({ path, reason, rule }) => [`${path}": ${reason}`, rule]),
    FAULTS.map((fault) => [fault, "plugin"]),
  );
  const without = TestApplication.of(UNKNOWN);
  assertEquals((await without.fetch("/api/a")).status, 200);

  const lazy = TestApplication.of(UNKNOWN, { plugins, lazy: true });
  using log = new CapturedLog();
  for (const path of ["/openapi.json", "/docs"]) {
    assertEquals((await lazy.fetch(path)).status, 500);
    const line = log.lines.pop()!;
    for (const fault of FAULTS) assertStringIncludes(line, fault);
  }
  assertEquals((await lazy.fetch("/api/a")).status, 200);
  assertEquals((await lazy.app.inspect()).faults.length, 2);
});

Deno.test("openapi() cannot require an unknown scheme", () => {
  for (const schemes of [undefined, {}, { toString: {} }]) {
    assertThrows(
      () =>
        openapi({
          info: INFO,
          security: [{ constructor: [] }],
          ...(schemes !== undefined && { securitySchemes: schemes }),
        }),
      TypeError,
      'security names the unknown scheme "constructor"',
    );
  }
});

Deno.test("the security and the access of a method override those of its folders (behaviour 10.7)", async () => {
  const contract = {
    security: [{ bearer: [] }],
    access: ["owner", "admin"],
  };
  const shown = async (get: object) => {
    const { operation, warnings } = await operationOf({
      "a/middleware.ts": folder(contract),
      "a/[id]/route.ts": routeOf({ get }),
    });
    assertEquals(warnings, []);
    return { security: operation.security, access: operation["x-access"] };
  };
  assertEquals(await shown({}), contract);
  for (const security of [[], [{ bearer: [] }, {}], [{ bearer: ["x"] }]]) {
    assertEquals(await shown({ security }), { ...contract, security });
  }
  const rules = [{ member: "a" }, { member: "b", of: "parent" }, () => true];
  for (
    const [access, names] of [
      ["shared", ["shared"]],
      [rules, ["member a", "member b of parent", "function"]],
    ] as const
  ) assertEquals(await shown({ access }), { ...contract, access: [...names] });
});

Deno.test("a contract with a wrong access prevents startup (behaviour 10.7)", async () => {
  const { app } = TestApplication.of({
    "a/middleware.ts": folder({ access: "everyone" }),
    "a/route.ts": ROUTE,
  });
  await assertRejects(
    () => app.start(),
    RouteError,
    'contract.access must be "owner", "shared", "public", a rule such as',
  );
});

Deno.test("the document shows a contract only at its methods", async () => {
  const run = Object.assign(
    (_: unknown, next: () => Promise<Response>) => next(),
    {
      contracts: [
        { response: { 429: Problem } },
        {
          methods: ["POST"],
          headers: z.object({ "idempotency-key": text }),
          tags: ["writes"],
          response: { 409: Problem },
        },
      ],
    },
  );
  const { document, warnings } = await documentOf({
    "middleware.ts": {
      contract: { methods: ["GET"], response: { 304: {} } },
      default: [run],
    },
    "a/route.ts": { GET: handler, POST: handler },
  });
  assertEquals(warnings, []);
  const { get, post } = document.paths["/api/a"]!;
  const shown = ({ tags, parameters = [], responses }: Operation) => [
    tags,
    parameters.map(({ name }) => name),
    Object.keys(responses).filter((status) => /304|409|429/.test(status)),
  ];
  assertEquals(shown(get!), [["a"], [], ["304", "429"]]);
  assertEquals(shown(post!), [["writes"], ["idempotency-key"], ["409", "429"]]);
});
