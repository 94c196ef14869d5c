/** Members of responses that no schema names are found (behaviour 7.7). */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
import { type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import { TestApplication } from "../support/application.ts";
import {
  check,
  checkFast,
  found,
  looseEvents,
  type Modules,
} from "./support.ts";

const Zod = z.object({ id: z.int() });
const Valibot = v.object({ id: v.number() });
const Arktype = type({ id: "number" });

const LIBRARIES = {
  zod: [Zod, z.array(Zod)],
  valibot: [form(Valibot), form(v.array(Valibot))],
  arktype: [Arktype, Arktype.array()],
} as const;

for (const [library, [User, Users]] of Object.entries(LIBRARIES)) {
  Deno.test(`contract tests find members that no schema of ${library} names`, async () => {
    const user = { id: 1, hash: "$2b$10$" };
    const files: Modules = {
      "users/route.ts": {
        schema: { get: { response: Users }, post: { response: { 201: User } } },
        GET: () => Response.json([{ id: 2 }, user]),
        POST: () => Response.json(user, { status: 201 }),
      },
      "events/route.ts": {
        schema: { get: { events: { user: User } } },
        GET: (request) =>
          looseEvents(request, async function* () {
            yield { event: "user", data: user };
          }),
      },
      "good/route.ts": {
        schema: { get: { response: Users } },
        GET: () => Response.json([{ id: 2 }]),
      },
    };
    // By default, Bough leaves the member of the event out.
    const make = () => TestApplication.of(files, { sendUndeclared: true }).app;
    const report = await checkFast(make, { seed: 11, runs: 5 });
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
    "route.ts": {
      schema: {
        get: {
          query: z.looseObject({ q: z.string() }),
          headers: z.looseObject({ "x-h": z.string() }),
        },
      },
      GET: () => new Response(),
    },
  }, { runs: 300 });
  assertEquals(found(report), []);
});
