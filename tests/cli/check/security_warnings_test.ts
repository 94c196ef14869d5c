import { assertEquals } from "@std/assert";
import { securityWarnings } from "../../../src/cli/check/security_warnings.ts";
import type { TestModule } from "../../support/application.ts";
import { TestApplication } from "../../support/application.ts";

const respond = () => new Response();
const pass = (_: unknown, next: () => unknown) => next();
const security = [{ bearer: [] }];

/** A guard in a middleware file, or in the list of a route file. */
const guarding = (...contracts: readonly object[]) =>
  Object.assign((...args: Parameters<typeof pass>) => pass(...args), {
    contracts,
  });
const folder = (contract: object) => ({ contract, default: pass });

/** The warnings about an application, by file. */
async function warned(
  files: Readonly<Record<string, object>>,
): Promise<string[][]> {
  const { app } = TestApplication.of(files as Record<string, TestModule>);
  const { faults, routes } = await app.inspect();
  assertEquals(faults, []);
  return securityWarnings(routes)
    .map(({ path, rule, message }) => [rule, path, message]);
}

Deno.test("bough check warns of security that no contract above requires", async () => {
  const route = (...levels: object[]) => (
    { GET: respond, schema: { get: { security: levels } } }
  );
  const secret = route({ bearer: [] });
  const both = {
    GET: respond,
    POST: respond,
    schema: { get: { security }, post: { security } },
  };
  const warnings = await warned({
    "a/route.ts": secret,
    "b/middleware.ts": { default: pass },
    "b/route.ts": secret,
    "c/middleware.ts": folder({ security: [] }),
    "c/route.ts": secret,
    "d/middleware.ts": folder({ security: [{ key: [] }, {}] }),
    "d/route.ts": secret,
    // Each method has its own contracts.
    "e/middleware.ts": { default: guarding({ methods: ["POST"], security }) },
    "e/route.ts": both,
    "f/route.ts": { ...both, middleware: { GET: [guarding({ security })] } },
    // Guarded, or open on purpose.
    "g/middleware.ts": folder({ security: [{ key: [] }] }),
    "g/h/route.ts": secret,
    "i/route.ts": route(),
    "j/route.ts": route({ bearer: [] }, {}),
  });
  assertEquals(
    warnings,
    ["a", "b", "c", "d", "e", "f"].map((name) => [
      "unguarded",
      `${name}/route.ts`,
      `schema.${
        name === "f" ? "post" : "get"
      }.security is documented, but no contract above requires credentials; declare the security in the contract of the middleware that guards the route`,
    ]),
  );
});

Deno.test("bough check warns of a change without a guard, if another change of its route has one", async () => {
  const guard = guarding({ security });
  const changes = (middleware: unknown, schema = {}) => (
    { GET: respond, POST: respond, PUT: respond, middleware, schema }
  );
  assertEquals(
    await warned({
      "a/route.ts": changes({ POST: [guard] }),
      // Guarded, open on purpose, or without a guard.
      "b/route.ts": changes({ POST: [guard], PUT: [guard] }),
      "c/route.ts": changes([guard]),
      "d/route.ts": changes({ POST: [guard] }, { put: { security: [] } }),
      "e/route.ts": changes({ GET: [guard] }),
    }),
    [[
      "unguarded-method",
      "a/route.ts",
      "POST requires credentials, but PUT does not; guard PUT, too, or set schema.put.security to []",
    ]],
  );
});

Deno.test("bough check warns of a tool that changes data without a guard", async () => {
  const tools = {
    GET: respond,
    POST: respond,
    schema: { get: { mcp: true }, post: { mcp: true } },
  };
  assertEquals(
    await warned({
      "a/middleware.ts": folder({ security: [{ key: [] }] }),
      "a/route.ts": tools,
      "b/route.ts": tools,
    }),
    [[
      "unguarded-tool",
      "b/route.ts",
      'the tool "postB" (POST /api/b) may change data, but no level requires security; declare security in the contract of its guard',
    ]],
  );
});
