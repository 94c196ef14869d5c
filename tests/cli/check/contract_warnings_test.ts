import { assertEquals } from "@std/assert";
import { TestFolder } from "../../support/application.ts";
import { boughIn } from "../support.ts";

const ZOD = `import { z } from "npm:zod@^4.2.0"; const text = z.string();`;
const GET = "export const GET = () => new Response();";
const PASS = "export default (_, next) => next();";
const folder = (contract: string): string =>
  `${ZOD} export const contract = ${contract}; ${PASS}`;
const route = (get: string): string =>
  `${ZOD} export const schema = { get: ${get} }; ${GET}`;

/** The findings about files, as `path: message (rule)`. */
async function findingsOf(
  files: Readonly<Record<string, string>>,
): Promise<string[]> {
  await using tree = await TestFolder.create(files);
  const { stdout } = await boughIn(tree.path, "check", "--json");
  return JSON.parse(stdout).map((each: Record<string, string>) =>
    `${each.level} ${each.path}: ${each.message} (${each.rule})`
  );
}

const unguarded = (fault: string) =>
  `schema.get.security is documented, but ${fault}; declare the security in the contract of the middleware that guards the route (unguarded)`;

Deno.test("bough check warns of security that the contracts above do not declare", async () => {
  const secret = route("{ security: [{ bearer: [] }] }");
  assertEquals(
    await findingsOf({
      "api/a/route.ts": secret,
      "api/b/middleware.ts": PASS,
      "api/b/route.ts": secret,
      "api/c/middleware.ts": folder("{ security: [] }"),
      "api/c/route.ts": secret,
      // Guarded, or open on purpose.
      "api/d/middleware.ts": folder("{ security: [{ key: [] }] }"),
      "api/d/e/route.ts": secret,
      "api/f/route.ts": route("{ security: [] }"),
      "api/g/route.ts": route("{ security: [{ bearer: [] }, {}] }"),
      "api/h/middleware.ts": folder("{ security: [{ key: [] }, {}] }"),
      "api/h/route.ts": secret,
    }),
    [
      ...["a", "b"].map((name) =>
        `warning api/${name}/route.ts: ${
          unguarded("no folder above has a contract with security")
        }`
      ),
      ...["c", "h"].map((name) =>
        `warning api/${name}/route.ts: ${
          unguarded(
            `the contract of "api/${name}/middleware.ts" allows anonymous requests`,
          )
        }`
      ),
    ],
  );
});

Deno.test("bough check warns of a change without a guard, if another change of its route has one", async () => {
  const guard = `const guard = (_, next) => next();
    guard.contracts = [{ security: [{ key: [] }] }];`;
  const changes = (middleware: string, schema = "{}") =>
    `${guard} export const middleware = ${middleware};
    export const schema = ${schema};` +
    ["GET", "POST", "PUT"].map((method) =>
      `export const ${method} = () => new Response();`
    ).join("\n");
  assertEquals(
    await findingsOf({
      "api/a/route.ts": changes("{ POST: [guard] }"),
      // Guarded, open on purpose, or without a guard.
      "api/b/route.ts": changes("{ POST: [guard], PUT: [guard] }"),
      "api/c/route.ts": changes("[guard]"),
      "api/d/route.ts": changes(
        "{ POST: [guard] }",
        "{ put: { security: [] } }",
      ),
      "api/e/route.ts": changes("{ GET: [guard] }"),
    }),
    [
      "warning api/a/route.ts: POST requires credentials, but PUT does not; guard PUT, too, or set schema.put.security to [] (unguarded-method)",
    ],
  );
});

Deno.test("bough check warns of a value that a route needs, but no guard provides", async () => {
  const { href } = new URL("../../../mod.ts", import.meta.url);
  const state = (name: string) =>
    `import { user, tenant } from "${name}states.ts";`;
  const users = "export const contract = { provides: [user] };";
  const needing = (needs: string) =>
    `export const schema = { get: { needs: [${needs}] }, head: {} }; ${GET}`;
  const missing = (name: string) =>
    `schema.get needs the value "${name}", but no contract above provides it; move the route below the middleware that sets the value, or add the name to contract.provides (missing-value)`;
  assertEquals(
    await findingsOf({
      "states.ts": `import { RequestState } from "${href}";
        export const user = new RequestState("current user");
        export const tenant = new RequestState("tenant");`,
      "api/a/route.ts": state("../../") + needing("user"),
      "api/b/middleware.ts": `${state("../../")} ${users} ${PASS}`,
      "api/b/c/route.ts": state("../../../") + needing("user, tenant"),
      // These have what they need.
      "api/b/d/route.ts": state("../../../") + needing("user"),
      "api/e/middleware.ts": `${state("../../")} ${users} ${PASS}`,
      "api/e/(f)/middleware.ts": `${state("../../../")}
        export const contract = { provides: [tenant] }; ${PASS}`,
      "api/e/(f)/route.ts": state("../../../") + needing("user, tenant"),
      "api/g/route.ts": `${state("../../")} ${needing("user")}
        export const HEAD = GET;
        const sets = Object.assign((_, next) => next(), {
          contracts: [{ provides: [user] }],
        });
        export const middleware = { GET: [sets] };`,
      "api/h/route.ts": `${state("../../")} ${needing("user")}
        export const POST = GET;
        const sets = Object.assign((_, next) => next(), {
          contracts: [{ provides: [user] }],
        });
        export const middleware = { POST: [sets] };`,
    }),
    [
      `warning api/a/route.ts: ${missing("current user")}`,
      `warning api/b/c/route.ts: ${missing("tenant")}`,
      `warning api/h/route.ts: ${missing("current user")}`,
    ],
  );
});

Deno.test("bough check warns of a guard that declares responses, but no security", async () => {
  const message = (status: number) =>
    `contract.response has ${status}, but contract.security is missing; declare the credentials that the middleware requires, such as [{ bearer: [] }], or [] for none (contract-security)`;
  assertEquals(
    await findingsOf({
      "api/a/middleware.ts": folder("{ response: { 401: {}, 403: {} } }"),
      "api/a/x/route.ts": GET,
      "api/a/y/route.ts": GET,
      "api/b/middleware.ts": folder("{ response: { 403: {} } }"),
      "api/b/route.ts": GET,
      "api/c/middleware.ts": folder(
        "{ security: [], response: { 403: {} } }",
      ),
      "api/c/route.ts": GET,
      "api/d/middleware.ts": folder("{ security: [{ key: [] }] }"),
      "api/d/e/middleware.ts": folder("{ response: { 403: {} } }"),
      "api/d/e/route.ts": GET,
      "api/f/middleware.ts": folder("{ response: { 404: {} } }"),
      "api/f/route.ts": GET,
    }),
    [
      `warning api/a/middleware.ts: ${message(401)}`,
      `warning api/b/middleware.ts: ${message(403)}`,
    ],
  );
});

Deno.test("bough check warns of a strict schema that rejects the names of another level", async () => {
  const refuses = (member: string, list: string) =>
    `${member} is strict but receives all names, so it rejects ${list} with 400; make the schema non-strict, or declare these names (strict-schema)`;
  assertEquals(
    await findingsOf({
      "api/a/middleware.ts": folder(
        "{ query: z.strictObject({ page: text }) }",
      ),
      "api/a/x/route.ts": route("{ query: z.object({ page: text, q: text }) }"),
      "api/a/y/route.ts": route("{ query: z.object({ q: text, r: text }) }"),
      "api/b/middleware.ts": folder("{ query: z.object({ page: text }) }"),
      "api/b/route.ts": route("{ query: z.strictObject({ q: text }) }"),
      // These schemas agree.
      "api/c/middleware.ts": folder("{ query: z.object({ page: text }) }"),
      "api/c/route.ts": route(
        "{ query: z.strictObject({ page: text, q: text }) }",
      ),
      "api/d/route.ts": route("{ query: z.strictObject({ q: text }) }"),
      "api/e/middleware.ts": folder("{ query: z.looseObject({ q: text }) }"),
      "api/e/route.ts": route("{ query: z.object({ page: text }) }"),
      "api/f/middleware.ts": folder("{ headers: z.object({ h: text }) }"),
      "api/f/route.ts": route(
        "{ query: z.strictObject({ q: text }), headers: z.strictObject({ k: text }) }",
      ),
    }),
    [
      `warning api/a/middleware.ts: ${
        refuses(
          "contract.query",
          '"q" of schema.get.query ("api/a/x/route.ts") and "r" of schema.get.query ("api/a/y/route.ts")',
        )
      }`,
      `warning api/b/route.ts: ${
        refuses(
          "schema.get.query",
          '"page" of contract.query ("api/b/middleware.ts")',
        )
      }`,
      `warning api/f/route.ts: ${
        refuses(
          "schema.get.headers",
          '"h" of contract.headers ("api/f/middleware.ts")',
        )
      }`,
    ],
  );
});

Deno.test("bough check warns of a schema that may check a name without declaring it", async () => {
  const limit = folder("{ query: z.object({ limit: z.coerce.number() }) }");
  const valibot = `import * as v from "npm:valibot@^1.2.0";
    import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";`;
  const ark = 'import { type } from "npm:arktype@^2.2.9";';
  const get = (imports: string, query: string) =>
    `${imports} ${route(`{ query: ${query} }`)}`;
  const unclear = (path: string, list: string) =>
    `warning ${path}: ${
      path.endsWith("route.ts") ? "schema.get" : "contract"
    }.query may check ${list} without declaring it, so request.validated may not match its type; declare the name in a schema that converts to JSON Schema (unclear-name)`;
  const LIMIT = '"limit" of contract.query ("api/middleware.ts")';
  const files = {
    "api/middleware.ts": limit,
    "api/a/route.ts": get("", "z.record(z.string(), text)"),
    "api/b/route.ts": get("", "z.object({ q: text }).catchall(text)"),
    "api/c/route.ts": get(
      ark,
      'type({ kind: "\'a\'", limit: "string" }).or({ kind: "\'b\'" })',
    ),
    "api/d/route.ts": get("", "z.any().transform((all) => all)"),
    "api/e/middleware.ts": folder("{ query: z.record(z.string(), text) }"),
    "api/e/route.ts": get("", "z.object({ limit: text })"),
    "api/f/route.ts": get(ark, 'type({ q: "string", "[string]": "string" })'),
    "api/g/route.ts": get(valibot, "v.object({ limit: v.string() })"),
    // These schemas declare the name, or pass it on unchanged.
    "api/m/route.ts": get("", "z.object({ q: text })"),
    "api/n/route.ts": get("", "z.looseObject({ q: text })"),
    "api/o/route.ts": get(ark, 'type({ q: "string" })'),
    "api/p/route.ts": get("", "z.object({ limit: text })"),
    "api/q/route.ts": get("", "z.object({ limit: text }).transform((x) => x)"),
    "api/r/route.ts": get(
      "",
      "z.union([z.object({ limit: text }), z.object({ q: text })])",
    ),
    "api/s/route.ts": get(valibot, "form(v.object({ limit: v.string() }))"),
  };
  const found = (await findingsOf(files))
    .filter((each) => each.endsWith("(unclear-name)"));
  assertEquals(found, [
    unclear("api/a/route.ts", LIMIT),
    unclear("api/b/route.ts", LIMIT),
    unclear("api/c/route.ts", LIMIT),
    unclear("api/e/middleware.ts", LIMIT),
    unclear("api/f/route.ts", LIMIT),
    unclear("api/g/route.ts", LIMIT),
  ]);

  assertEquals(
    (await findingsOf({
      "api/middleware.ts": folder(
        "{ query: z.object({ limit: text }).catchall(text) }",
      ),
      "api/route.ts": get("", "z.record(z.string(), text)"),
      // A contract sees only the names of its own folder.
      "api/[shop]/middleware.ts": folder(
        "{ params: z.strictObject({ shop: text }) }",
      ),
      "api/[shop]/[id]/route.ts": route("{ params: z.object({ id: text }) }"),
    })).filter((each) => each.includes("contract.")),
    [unclear("api/route.ts", LIMIT)],
  );

  const any = "v.object({ limit: v.pipe(v.string(), v.transform(Number)) })";
  assertEquals(
    (await findingsOf({
      "api/middleware.ts": `${valibot} ${folder(`{ query: ${any} }`)}`,
      "api/route.ts": get(valibot, any),
      "api/a/route.ts": get("", "z.object({ limit: text })"),
    })).filter((each) => each.endsWith("(unclear-name)")),
    [
      unclear(
        "api/route.ts",
        'names of contract.query ("api/middleware.ts")',
      ),
    ],
  );
});

Deno.test("bough check compares the params of a contract with the path of its folder", async () => {
  const HAS = 'but the path of its folder captures "shop"';
  assertEquals(
    await findingsOf({
      "api/[shop]/middleware.ts": folder(
        "{ params: z.object({ shop: text, id: text, more: text.optional() }) }",
      ),
      "api/[shop]/[id]/route.ts": GET,
      "api/[shop]/[id]/b/route.ts": GET,
    }),
    [
      `warning api/[shop]/middleware.ts: contract.params has "id", ${HAS}, so every request is rejected; use the name in brackets, or remove it (unknown-param)`,
      `warning api/[shop]/middleware.ts: contract.params has "more", ${HAS}, so its value is always missing; use the name in brackets, or remove it (unknown-param)`,
    ],
  );
});

Deno.test("a comment in the middleware file allows the warnings of its contract", async () => {
  assertEquals(
    await findingsOf({
      "api/middleware.ts": `// bough-allow contract-security: by address\n${
        folder("{ response: { 403: {} } }")
      }`,
      "api/route.ts": GET,
    }),
    [],
  );
});

Deno.test("bough check compares a route with the contracts of its own middleware", async () => {
  assertEquals(
    await findingsOf({
      "api/route.ts": `${ZOD} ${GET} export const POST = GET;
        const guard = Object.assign((_, next) => next(), {
          contracts: [{ security: [{ key: [] }], query: z.strictObject({ a: text }) }],
        });
        const own = { security: [{ key: [] }], query: z.object({ b: text }) };
        export const schema = { get: own, post: own };
        export const middleware = { POST: [guard] };`,
    }),
    [
      `warning api/route.ts: ${
        unguarded("no folder above has a contract with security")
      }`,
      'warning api/route.ts: contract.query is strict but receives all names, so it rejects "b" of schema.post.query ("api/route.ts") with 400; make the schema non-strict, or declare these names (strict-schema)',
    ],
  );
});

Deno.test("bough check compares each method only with its contracts", async () => {
  const limit = `const limit = (_, next) => next();
    limit.contracts = [
      { methods: ["POST"], security: [{ bearer: [] }], query: z.strictObject({ a: text }) },
      { methods: ["GET"], response: { 401: {} } },
    ];
    export default [limit];`;
  assertEquals(
    await findingsOf({
      "api/middleware.ts": ZOD + limit,
      "api/a/route.ts": `${ZOD} ${GET} export const POST = GET;
        const own = { security: [{ bearer: [] }], query: z.object({ b: text }) };
        export const schema = { get: own, post: own };`,
    }),
    [
      `warning api/a/route.ts: ${
        unguarded("no folder above has a contract with security")
      }`,
      "warning api/middleware.ts: contract.response has 401, but contract.security is missing; declare the credentials that the middleware requires, such as [{ bearer: [] }], or [] for none (contract-security)",
      'warning api/middleware.ts: contract.query is strict but receives all names, so it rejects "b" of schema.post.query ("api/a/route.ts") with 400; make the schema non-strict, or declare these names (strict-schema)',
    ],
  );
});
