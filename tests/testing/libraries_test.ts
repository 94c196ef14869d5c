/** The schemas of Valibot and ArkType test an application as those of zod do. */
import { assert, assertEquals } from "@std/assert";
import type { ContractReport, PropertyName } from "@bough/framework/testing";
import { check, found } from "./support.ts";

/** The same order, with formats, lists, unions and members that may be missing. */
const ORDERS = {
  zod: `import { z } from "zod";
    const Order = z.strictObject({
      email: z.email(),
      kind: z.enum(["new", "used"]),
      note: z.string().max(9).nullable(),
      gift: z.boolean().optional(),
      items: z.array(z.object({ book: z.int().min(1).max(99), tag: z.union([z.literal("a"), z.int().min(0).max(3)]) })).min(1).max(3),
    });
    export const schema = { post: {
      params: z.object({ shop: z.string().regex(/^[a-z]{2}$/) }),
      query: z.object({ page: z.string().regex(/^[1-9]$/).optional() }),
      headers: z.object({ "x-key": z.string().min(3).max(5) }),
      body: Order,
      response: { 201: Order },
    } };`,
  valibot: `import * as v from "npm:valibot@^1.2.0";
    import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
    const int = (min, max) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));
    const Order = v.strictObject({
      email: v.pipe(v.string(), v.email()),
      kind: v.picklist(["new", "used"]),
      note: v.nullable(v.pipe(v.string(), v.maxLength(9))),
      gift: v.optional(v.boolean()),
      items: v.pipe(v.array(v.object({ book: int(1, 99), tag: v.union([v.literal("a"), int(0, 3)]) })), v.minLength(1), v.maxLength(3)),
    });
    export const schema = { post: {
      params: form(v.object({ shop: v.pipe(v.string(), v.regex(/^[a-z]{2}$/)) })),
      query: form(v.object({ page: v.optional(v.pipe(v.string(), v.regex(/^[1-9]$/))) })),
      headers: form(v.object({ "x-key": v.pipe(v.string(), v.minLength(3), v.maxLength(5)) })),
      body: form(Order),
      response: { 201: form(Order) },
    } };`,
  arktype: `import { type } from "npm:arktype@^2.2.9";
    const Order = type({
      "+": "reject",
      email: "string.email",
      kind: "'new' | 'used'",
      note: "string <= 9 | null",
      "gift?": "boolean",
      items: type({ book: "1 <= number.integer <= 99", tag: "'a' | 0 <= number.integer <= 3" }).array().atLeastLength(1).atMostLength(3),
    });
    export const schema = { post: {
      params: type({ shop: /^[a-z]{2}$/ }),
      query: type({ "page?": /^[1-9]$/ }),
      headers: type({ "x-key": "3 <= string <= 5" }),
      body: Order,
      response: { 201: Order },
    } };`,
};

const HANDLER = (fault: string) => `
  export const POST = ({ validated: { body, query, params, headers } }) => {
    ${fault}
    return Response.json(body, { status: 201 });
  };`;

/** What is wrong in the handler, and the property that it breaks. */
const FAULTS: readonly (readonly [PropertyName, string])[] = [
  ["failure", `if (body.gift === false) throw new Error("no gift");`],
  ["failure", `if (body.items.length === 3) throw new Error("too many");`],
  ["failure", `if (body.items[0].tag === 3) throw new Error("three");`],
  ["failure", `if (body.note?.length === 9) throw new Error("long");`],
  ["failure", `if (query.page === "1") throw new Error("first page");`],
  [
    "accepted",
    `if (body.note === null) return Response.json({ errors: [] }, { status: 400 });`,
  ],
  [
    "declared",
    `if (body.kind === "used") return Response.json({ ...body, kind: "old" }, { status: 201 });`,
  ],
];

const ROUTE = "[shop]/orders/route.js";

for (const [library, schema] of Object.entries(ORDERS)) {
  Deno.test(`the order of ${library} is tested in all of its parts`, async () => {
    const good = await check({ [ROUTE]: schema + HANDLER("") });
    assertEquals(found(good), []);
    assertEquals(good.results.flatMap(({ note }) => note ?? []), []);
    const runs = runsOf(good);
    assertEquals(runs.accepted, 60);
    assert(runs.refused! >= 50, `only ${runs.refused} are refused`);
    for (const [property, fault] of FAULTS) {
      const report = await check({ [ROUTE]: schema + HANDLER(fault) }, {
        properties: [property],
      });
      const expected = [`${property} POST /api/[shop]/orders`];
      assertEquals(found(report), expected, fault);
    }
    const named = await check({
      [ROUTE]: schema + HANDLER(""),
      "[shop]/middleware.js":
        `import { errorResponse, HttpError } from "@bough/framework";
        export default (request, next) => next().catch((error) =>
          errorResponse(error.status === 400 ? new HttpError(400) : error, request));`,
    }, { properties: ["refused"] });
    assertEquals(found(named), ["refused POST /api/[shop]/orders"]);
  });
}

function runsOf({ results }: ContractReport): Record<string, number> {
  return Object.fromEntries(
    results.map(({ property, runs }) => [property, runs]),
  );
}
