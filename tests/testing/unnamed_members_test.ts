/** Members of responses that no schema names are found (behaviour 7.7). */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { check, found } from "./support.ts";

const LIBRARIES = {
  zod: `import { z } from "zod";
    const User = z.object({ id: z.int() });
    const Users = z.array(User);`,
  valibot: `import * as v from "npm:valibot@^1.2.0";
    const User = v.object({ id: v.number() });
    const Users = v.array(User);`,
  arktype: `import { type } from "npm:arktype@^2.2.9";
    const User = type({ id: "number" });
    const Users = User.array();`,
};

for (const [library, schemas] of Object.entries(LIBRARIES)) {
  Deno.test(`contract tests find what no schema of ${library} names`, async () => {
    const report = await check({
      "users/route.js": `${schemas}
        export const schema = { get: { response: Users }, post: { response: { 201: User } } };
        const user = { id: 1, hash: "$2b$10$" };
        export const GET = () => Response.json([{ id: 2 }, user]);
        export const POST = () => Response.json(user, { status: 201 });`,
      "events/route.js": `${schemas}
        import { events } from "@bough/framework/live";
        export const schema = { get: { events: { user: User } } };
        export const GET = (request) => events(request, async function* () {
          yield { event: "user", data: { id: 1, hash: "$2b$10$" } };
        });`,
      "good/route.js": `${schemas}
        export const schema = { get: { response: Users } };
        export const GET = () => Response.json([{ id: 2 }]);`,
    }, { runs: 5 });
    assertEquals(found(report), [
      "declared GET /api/events",
      "declared GET /api/users",
      "declared POST /api/users",
    ]);
    const places = ["#/hash", "#/1/hash", "#/hash"];
    for (const [index, { seen }] of report.failures.entries()) {
      assertStringIncludes(
        seen,
        `at "${places[index]}" is undeclared; declare it, or do not send it`,
      );
    }
  });
}

Deno.test("schemas of a query and of headers may be loose", async () => {
  const report = await check({
    "route.js": `import { z } from "zod";
      export const schema = { get: {
        query: z.looseObject({ q: z.string() }),
        headers: z.looseObject({ "x-h": z.string() }),
      } };
      export const GET = () => new Response();`,
  }, { runs: 300 });
  assertEquals(found(report), []);
});
