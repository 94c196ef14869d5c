/** What the document says of routes in folders with contracts. */
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { RouteError } from "@bough/framework";
import { openapi, type Operation } from "@bough/framework/openapi";
import { CapturedLog, FolderApplication } from "../../support/application.ts";
import { documentOf, INFO, ZOD } from "../support.ts";

const PROBLEM = `import { Problem } from "@bough/framework/openapi";`;
const GET = "export const GET = () => new Response();";
const PASS = "export default (_, next) => next();";

const folder = (contract: string): string =>
  `${ZOD} ${PROBLEM} export const contract = ${contract}; ${PASS}`;
const route = (get: string): string =>
  `${ZOD} ${PROBLEM} export const schema = { get: ${get} }; ${GET}`;

/** The operation of `GET /api/a/[id]`, and the warnings. */
async function operationOf(
  files: Readonly<Record<string, string>>,
): Promise<{ operation: Operation; warnings: readonly string[] }> {
  const { document, warnings } = await documentOf(files, {
    securitySchemes: {
      bearer: { type: "http", scheme: "bearer" },
      key: { type: "apiKey", in: "header", name: "x-key" },
    },
  });
  return {
    operation: document.paths["/api/a/{id}"]!.get!,
    warnings: warnings.map(({ path, message }) =>
      `${path.slice(path.lastIndexOf("api/"))}: ${message}`
    ),
  };
}

Deno.test("an operation shows what the contracts around it say, the nearest first", async () => {
  const { operation, warnings } = await operationOf({
    "middleware.js": folder(
      `{ security: [{ bearer: [] }], tags: ["outer"], deprecated: true, access: "public",
         response: { 401: Problem, 403: { description: "Outer" } } }`,
    ),
    "a/middleware.js": folder(
      `{ security: [{ key: [] }], tags: ["inner"], access: ["owner", "admin"],
         response: { 403: { description: "Inner" }, 404: { description: "Inner" } } }`,
    ),
    "a/[id]/route.js": route(
      `{ deprecated: false, response: { 404: { description: "Own" } } }`,
    ),
  });
  assertEquals(warnings, []);
  const { security, tags, deprecated, responses } = operation;
  assertEquals(operation["x-access"], ["owner", "admin"]);
  assertEquals({ security, tags, deprecated }, {
    security: [{ key: [] }],
    tags: ["inner"],
    deprecated: false,
  });
  const descriptions = Object.entries(responses).map(([status, response]) => [
    status,
    "description" in response ? response.description : "shared",
  ]);
  assertEquals(descriptions, [
    ["200", "OK"],
    ["400", "The path cannot be decoded"],
    ["401", "Unauthorized"],
    ["403", "Inner"],
    ["404", "Own"],
    ["500", "shared"],
  ]);
});

Deno.test("a redirect of a folder is no success of its routes", async () => {
  const statuses = async (contract: string) => {
    const { operation } = await operationOf({
      "middleware.js": folder(contract),
      "a/[id]/route.js": GET,
    });
    return Object.keys(operation.responses).filter((status) => status < "4");
  };
  assertEquals(await statuses("{ response: { 303: {} } }"), ["200", "303"]);
  assertEquals(await statuses("{ response: { 202: {} } }"), ["202"]);
});

Deno.test("a parameter of several levels is required if one requires it, and fits all", async () => {
  const { operation } = await operationOf({
    "middleware.js": folder(
      `{ query: z.object({ page: z.string().describe("Outer"), same: z.string().optional(), only: z.string() }),
         headers: z.object({ "x-tenant": z.string() }) }`,
    ),
    "a/middleware.js": folder(
      `{ query: z.object({ page: z.string().max(3).optional(), same: z.string() }) }`,
    ),
    "a/[id]/middleware.js": folder(
      `{ params: z.object({ id: z.string().min(2) }) }`,
    ),
    "a/[id]/route.js": route(
      `{ params: z.object({ id: z.string().max(9).describe("Own") }), query: z.object({ page: z.string().optional() }) }`,
    ),
  });
  const text = { type: "string" };
  assertEquals<unknown>(operation.parameters, [
    {
      name: "id",
      in: "path",
      required: true,
      description: "Own",
      schema: { allOf: [{ ...text, minLength: 2 }, { ...text, maxLength: 9 }] },
    },
    {
      name: "page",
      in: "query",
      required: true,
      description: "Outer",
      schema: { allOf: [text, { ...text, maxLength: 3 }] },
    },
    { name: "same", in: "query", required: true, schema: text },
    { name: "only", in: "query", required: true, schema: text },
    { name: "x-tenant", in: "header", required: true, schema: text },
  ]);
});

Deno.test("the params of a folder are those of its own path", async () => {
  const { operation } = await operationOf({
    "a/middleware.js": folder(
      `{ params: z.object({ id: z.string().min(5).optional() }) }`,
    ),
    "a/[id]/route.js": GET,
  });
  assertEquals<unknown>(operation.parameters![0]!.schema, { type: "string" });
});

Deno.test("the 400 tells which parts are checked, those of folders included", async () => {
  const { operation } = await operationOf({
    "middleware.js": folder(`{ headers: z.object({ h: z.string() }) }`),
    "a/[id]/route.js": route(`{ query: z.object({ q: z.string() }) }`),
  });
  const badRequest = operation.responses[400];
  assert(badRequest !== undefined && "description" in badRequest);
  assertEquals(
    badRequest.description,
    "The request does not fit the schema of its query or headers, or the path cannot be decoded",
  );
});

Deno.test("what a contract has no JSON form for is told once, with its file", async () => {
  const { warnings } = await operationOf({
    "middleware.js": folder(
      `{ query: z.object({ at: z.date() }), headers: z.object({ "X-A": z.string() }) }`,
    ),
    "a/[id]/route.js": GET,
    "b/route.js": `${GET} export const POST = GET;`,
  });
  assertEquals(warnings.length, 2, warnings.join("\n"));
  assertStringIncludes(
    warnings[0]!,
    "api/middleware.js: contract.query has no JSON Schema: ",
  );
  assertStringIncludes(
    warnings[1]!,
    'api/middleware.js: contract.headers names "X-A", but names of headers are lowercase; write "x-a"',
  );
});

Deno.test("a schema of a contract that needs a name has the same in all operations", async () => {
  const { document } = await documentOf({
    "middleware.js": `${ZOD}
      const Tree = z.object({ get below() { return z.array(Tree); } });
      export const contract = { response: { 409: Tree } };`,
    "a/route.js": GET,
    "b/route.js": GET,
    "b/(staff)/middleware.js": `${ZOD}
      const Tree = z.object({ get inside() { return z.array(Tree); } });
      export const contract = { response: { 409: Tree } };`,
    "b/(staff)/c/route.js": GET,
  });
  const names = Object.keys(document.components.schemas);
  assertEquals(names, ["Api409", "Problem", "Staff409"]);
});

const UNKNOWN = {
  "middleware.js": folder(`{ security: [{ baerer: [] }] }`),
  "a/route.js": GET,
  "b/route.js": route(`{ security: [{ bearer: [] }, { nope: ["x"] }] }`),
};
const securitySchemes = { bearer: { type: "http", scheme: "bearer" } };
const FAULTS = [
  [
    "api/b/route.js",
    'schema.get.security names the unknown scheme "nope"; add the scheme to securitySchemes of openapi()',
  ],
  [
    "api/middleware.js",
    'contract.security names the unknown scheme "baerer"; did you mean "bearer"?',
  ],
];

Deno.test("an unknown security scheme stops the start, where openapi() is used", async () => {
  const plugins = [openapi({ info: INFO, securitySchemes })];
  await using application = await FolderApplication.create(UNKNOWN, {
    plugins,
  });
  const error = await assertRejects(() => application.app.start(), RouteError);
  assertEquals(
    error.faults.map(({ path, reason, rule }) => [
      path.slice(path.lastIndexOf("api/")),
      reason,
      rule,
    ]),
    FAULTS.map((fault) => [...fault, "plugin"]),
  );
  await using without = await FolderApplication.create(UNKNOWN);
  assertEquals((await without.fetch("/api/a")).status, 200);
});

Deno.test("in lazy routes, an unknown security scheme fails the document", async () => {
  const plugins = [openapi({ info: INFO, securitySchemes })];
  await using application = await FolderApplication.create(UNKNOWN, {
    plugins,
    lazy: true,
  });
  using log = new CapturedLog();
  for (const path of ["/openapi.json", "/docs"]) {
    assertEquals((await application.fetch(path)).status, 500);
    const line = log.lines.pop()!;
    for (const [file, reason] of FAULTS) {
      assertStringIncludes(line, `${file}": ${reason}`);
    }
  }
  assertEquals((await application.fetch("/api/a")).status, 200);
  const { faults } = await application.app.inspect();
  assertEquals(faults.length, 2);
});

Deno.test("a method may be open, or have other security than its folder (behaviour 10.7)", async () => {
  for (const security of [[], [{ bearer: [] }, {}], [{ bearer: ["x"] }]]) {
    const { operation, warnings } = await operationOf({
      "a/middleware.js": folder("{ security: [{ bearer: [] }] }"),
      "a/[id]/route.js": route(JSON.stringify({ security })),
    });
    assertEquals([operation.security, warnings], [security, []]);
  }
});

Deno.test("openapi() refuses to require a scheme that it does not have", () => {
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

Deno.test("the access of a method overrides the access of its folders (behaviour 10.7)", async () => {
  const accessOf = async (get: string) => {
    const { operation, warnings } = await operationOf({
      "a/middleware.js": folder('{ access: ["owner", "admin"] }'),
      "a/[id]/route.js": route(get),
    });
    assertEquals(warnings, []);
    return operation["x-access"];
  };
  assertEquals(await accessOf('{ access: "shared" }'), ["shared"]);
  assertEquals(await accessOf("{}"), ["owner", "admin"]);
});

Deno.test("a contract checks its access (behaviour 10.7)", async () => {
  await using application = await FolderApplication.create({
    "a/middleware.js": folder('{ access: "everyone" }'),
    "a/route.js": GET,
  });
  await assertRejects(
    () => application.app.start(),
    RouteError,
    'contract.access must be "owner", "shared" or "public", or a list of',
  );
});

Deno.test("the document shows a contract only at its methods", async () => {
  const { document, warnings } = await documentOf({
    "middleware.js": `${ZOD} ${PROBLEM}
      const run = (_, next) => next();
      run.contracts = [
        { response: { 429: Problem } },
        { methods: ["POST"], headers: z.object({ "idempotency-key": z.string() }),
          tags: ["writes"], response: { 409: Problem } },
      ];
      export const contract = { methods: ["GET"], response: { 304: {} } };
      export default [run];`,
    "a/route.js": `${GET} export const POST = GET;`,
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
