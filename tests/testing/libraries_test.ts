/** The schemas of Valibot and ArkType test an application like those of zod. */
import { errorResponse, HttpError } from "@bough/framework";
import type { ContractReport, PropertyName } from "@bough/framework/testing";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
import { type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import { TestApplication, type TestModule } from "../support/application.ts";
import {
  check,
  checkFast,
  found,
  looseEvents,
  type Modules,
} from "./support.ts";

const Zod = z.strictObject({
  email: z.email(),
  kind: z.enum(["new", "used"]),
  note: z.string().max(9).nullable(),
  gift: z.boolean().optional(),
  items: z.array(z.object({
    book: z.int().min(1).max(99),
    tag: z.union([z.literal("a"), z.int().min(0).max(3)]),
  })).min(1).max(3),
});

const integer = (min: number, max: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));

const Valibot = v.strictObject({
  email: v.pipe(v.string(), v.email()),
  kind: v.picklist(["new", "used"]),
  note: v.nullable(v.pipe(v.string(), v.maxLength(9))),
  gift: v.optional(v.boolean()),
  items: v.pipe(
    v.array(v.object({
      book: integer(1, 99),
      tag: v.union([v.literal("a"), integer(0, 3)]),
    })),
    v.minLength(1),
    v.maxLength(3),
  ),
});

const Arktype = type({
  "+": "reject",
  email: "string.email",
  kind: "'new' | 'used'",
  note: "string <= 9 | null",
  "gift?": "boolean",
  items: type({
    book: "1 <= number.integer <= 99",
    tag: "'a' | 0 <= number.integer <= 3",
  }).array().atLeastLength(1).atMostLength(3),
});

/** Orders by library, with formats, lists, unions and optional members. */
const ORDERS = {
  zod: {
    params: z.object({ shop: z.string().regex(/^[a-z]{2}$/) }),
    query: z.object({ page: z.string().regex(/^[1-9]$/).optional() }),
    headers: z.object({ "x-key": z.string().min(3).max(5) }),
    body: Zod,
    response: { 201: Zod },
  },
  valibot: {
    params: form(
      v.object({ shop: v.pipe(v.string(), v.regex(/^[a-z]{2}$/)) }),
    ),
    query: form(
      v.object({ page: v.optional(v.pipe(v.string(), v.regex(/^[1-9]$/))) }),
    ),
    headers: form(
      v.object({
        "x-key": v.pipe(v.string(), v.minLength(3), v.maxLength(5)),
      }),
    ),
    body: form(Valibot),
    response: { 201: form(Valibot) },
  },
  arktype: {
    params: type({ shop: /^[a-z]{2}$/ }),
    query: type({ "page?": /^[1-9]$/ }),
    headers: type({ "x-key": "3 <= string <= 5" }),
    body: Arktype,
    response: { 201: Arktype },
  },
};

// deno-lint-ignore no-explicit-any
type Replace = (validated: any) => Response | undefined;

const failIf =
  (fails: (validated: Parameters<Replace>[0]) => boolean): Replace =>
  (validated) => {
    if (fails(validated)) throw new Error("edge");
    return undefined;
  };

/** Faults of the handler, with the property that each of them breaks. */
const FAULTS: readonly (readonly [PropertyName, Replace])[] = [
  ["failure", failIf(({ body }) => body.gift === false)],
  ["failure", failIf(({ body }) => body.items.length === 3)],
  ["failure", failIf(({ body }) => body.items[0].tag === 3)],
  ["failure", failIf(({ body }) => body.note?.length === 9)],
  ["failure", failIf(({ query }) => query.page === "1")],
  [
    "accepted",
    ({ body }) =>
      body.note === null
        ? Response.json({ errors: [] }, { status: 400 })
        : undefined,
  ],
  [
    "declared",
    ({ body }) =>
      body.kind === "used"
        ? Response.json({ ...body, kind: "old" }, { status: 201 })
        : undefined,
  ],
];

for (const [library, post] of Object.entries(ORDERS)) {
  Deno.test(`contract tests try all parts of an order of ${library}`, async () => {
    const files = (replace: Replace = () => undefined) => ({
      "[shop]/orders/route.ts": {
        schema: { post },
        POST: ({ validated }) =>
          replace(validated) ?? Response.json(validated.body, { status: 201 }),
      } satisfies TestModule,
    });
    const good = await check(files());
    assertEquals(found(good), []);
    assertEquals(good.results.flatMap(({ note }) => note ?? []), []);
    const runs = runsOf(good);
    assertEquals(runs.accepted, 60);
    assert(runs.refused! >= 50, `only ${runs.refused} are refused`);
    for (const [property, replace] of FAULTS) {
      const report = await check(files(replace), { properties: [property] });
      const expected = [`${property} POST /api/[shop]/orders`];
      assertEquals(found(report), expected, `${replace}`);
    }
    const named = await check({
      ...files(),
      "[shop]/middleware.ts": {
        default: (request, next) =>
          next().catch((error) => {
            const is400 = error.status === 400;
            return errorResponse(is400 ? new HttpError(400) : error, request);
          }),
      },
    }, { properties: ["refused"] });
    assertEquals(found(named), ["refused POST /api/[shop]/orders"]);
  });
}

/** Lists in a query that must be present, may be absent, and have a default. */
const LISTS = {
  zod: z.object({
    all: z.array(z.string().max(9)).max(3),
    some: z.array(z.enum(["a", "b"])).min(1).optional(),
    few: z.array(z.coerce.number<string>().int()).default([7]),
  }),
  valibot: form(v.object({
    all: v.pipe(v.array(v.pipe(v.string(), v.maxLength(9))), v.maxLength(3)),
    some: v.optional(v.pipe(v.array(v.picklist(["a", "b"])), v.minLength(1))),
    few: v.optional(v.array(v.string()), ["7"]),
  })),
  arktype: type({
    all: "(string <= 9)[] <= 3",
    "some?": "('a' | 'b')[] > 0",
    few: type("string[]").default(() => ["7"]),
  }),
};

/** Faults that only some lengths of a list show. */
const LENGTHS: readonly ((query: Record<string, string[]>) => boolean)[] = [
  ({ all }) => all!.length === 0,
  ({ all }) => all!.length === 1,
  ({ all }) => all!.length === 3,
  ({ few }) => few!.length === 1,
  ({ some }) => some === undefined,
  ({ some }) => some?.length === 1,
];

for (const [library, query] of Object.entries(LISTS)) {
  Deno.test(`contract tests send lists of one value, of several, and absent ones: ${library}`, async () => {
    const files = (fails: typeof LENGTHS[number], rejects = false) => ({
      "route.ts": {
        schema: { get: { query } },
        GET: ({ validated: { query } }) => {
          if (fails(query)) throw new Error("a fault");
          return new Response(null, {
            status: rejects && query.some?.length === 1 ? 400 : 200,
          });
        },
      } satisfies TestModule,
    });
    assertEquals(found(await check(files(() => false))), []);
    for (const fails of LENGTHS) {
      const report = await check(files(fails), { properties: ["failure"] });
      assertEquals(found(report), ["failure GET /api"], `${fails}`);
    }
    assert((await check(files(() => false, true))).failures.length > 0);
  });
}

const User = z.object({ id: z.int() });
const ValibotUser = v.object({ id: v.number() });
const ArktypeUser = type({ id: "number" });

const USERS = {
  zod: [User, z.array(User)],
  valibot: [form(ValibotUser), form(v.array(ValibotUser))],
  arktype: [ArktypeUser, ArktypeUser.array()],
} as const;

for (const [library, [One, Users]] of Object.entries(USERS)) {
  Deno.test(`contract tests find members that no schema of ${library} names (behaviour 7.7)`, async () => {
    const user = { id: 1, hash: "$2b$10$" };
    const files: Modules = {
      "users/route.ts": {
        schema: { get: { response: Users }, post: { response: { 201: One } } },
        GET: () => Response.json([{ id: 2 }, user]),
        POST: () => Response.json(user, { status: 201 }),
      },
      "events/route.ts": {
        schema: { get: { events: { user: One } } },
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

function runsOf({ results }: ContractReport): Record<string, number> {
  return Object.fromEntries(
    results.map(({ property, runs }) => [property, runs]),
  );
}
