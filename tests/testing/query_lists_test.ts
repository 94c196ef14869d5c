import { assert, assertEquals } from "@std/assert";
import { toStandardJsonSchema } from "npm:@valibot/to-json-schema@^1.8.0";
import { type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import type { StandardSchemaV1 } from "../../mod.ts";
import type { TestModule } from "../support/application.ts";
import { check, found } from "./support.ts";

/** Lists that must be present, may be absent, and have a default. */
const LIBRARIES: Readonly<Record<string, StandardSchemaV1>> = {
  zod: z.object({
    all: z.array(z.string().max(9)).max(3),
    some: z.array(z.enum(["a", "b"])).min(1).optional(),
    few: z.array(z.coerce.number<string>().int()).default([7]),
    two: z.array(z.string()).min(2),
  }),
  valibot: toStandardJsonSchema(v.object({
    all: v.pipe(
      v.array(v.pipe(v.string(), v.maxLength(9))),
      v.maxLength(3),
    ),
    some: v.optional(v.pipe(v.array(v.picklist(["a", "b"])), v.minLength(1))),
    few: v.optional(v.array(v.string()), ["7"]),
    two: v.pipe(v.array(v.string()), v.minLength(2)),
  })),
  arktype: type({
    all: "(string <= 9)[] <= 3",
    "some?": "('a' | 'b')[] > 0",
    few: type("string[]").default(() => ["7"]),
    two: "string[] >= 2",
  }),
};

/** A route that checks that its handler gets arrays, and notes their lengths. */
function listRoute(query: StandardSchemaV1, lengths: Set<string>): TestModule {
  return {
    schema: { get: { query, response: { 200: z.object({}) } } },
    GET: ({ validated: { query } }) => {
      for (const [name, list] of Object.entries(query)) {
        assert(Array.isArray(list), name);
        lengths.add(`${name} ${Math.min(list.length, 3)}`);
      }
      if (!Object.hasOwn(query, "some")) lengths.add("some absent");
      return Response.json({});
    },
  };
}

for (const [library, query] of Object.entries(LIBRARIES)) {
  Deno.test(`contract tests send lists of one value, of several, and absent ones: ${library}`, async () => {
    const lengths = new Set<string>();
    const report = await check({ "route.ts": listRoute(query, lengths) });
    assertEquals(found(report), []);
    for (
      const each of [
        ...["all 0", "all 1", "all 3", "some absent", "some 1", "few 1"],
        ...["two 2"],
      ]
    ) assert(lengths.has(each), each);
  });

  Deno.test(`a handler that fails for a list of one value is found: ${library}`, async () => {
    const failing = (fails: (list?: string[]) => boolean): TestModule => ({
      schema: { get: { query } },
      GET: ({ validated: { query } }) => {
        if (fails(query.some)) throw new Error("a fault");
        return Response.json({});
      },
    });
    for (
      const fails of [
        (list?: string[]) => list?.length === 1,
        (list?: string[]) => list === undefined,
      ]
    ) {
      const report = await check({ "route.ts": failing(fails) });
      assert(report.failures.length > 0);
    }
  });
}

Deno.test("a server that rejects one value of a list is reported", async () => {
  const query = LIBRARIES.zod!;
  const report = await check({
    "route.ts": listRoute(query, new Set()),
    "middleware.ts": {
      default: (request, next) =>
        new URL(request.url).searchParams.getAll("some").length === 1
          ? new Response(null, { status: 400 })
          : next(),
    },
  });
  assert(report.failures.length > 0);
});
