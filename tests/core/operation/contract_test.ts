/** Contracts at startup (behaviour 10.7). */
import { type Middleware, RouteError } from "@bough/framework";
import {
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { z } from "zod";
import { TestApplication, type TestModule } from "../../support/application.ts";
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
    'middleware.ts": contract.body is unknown; the members are "params", "query", "headers", "cookies", "response", "tags", "deprecated", "security", "access",',
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
      "a/middleware.ts": { ...GUARD, contract: { security: [{ a: [] }, {}] } },
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
  Deno.test(`a contract with ${fault} prevents startup (behaviour 10.7)`, async () => {
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
    '"params", "query", "headers", "cookies", "response", "tags", "deprecated", "security", "access", "mcp", "methods"';
  assertEquals(
    error.faults.map(({ path, reason }) =>
      path === "c/route.ts" ? path : `${path}: ${reason}`
    ),
    [
      'a/middleware.ts: default.contracts[0].methods[0] must be "GET", "QUERY", "POST", "PUT", "PATCH", "DELETE" or "OPTIONS", got "HEAD"',
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
