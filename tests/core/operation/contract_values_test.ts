/** The level that each member of `validated` is from (behaviour 10.7). */
import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
import { type } from "npm:arktype@^2.2.9";
import { assertEquals } from "@std/assert";
import * as v from "valibot";
import { z } from "zod";
import { TestApplication, type TestModule } from "../../support/application.ts";

const PAGE = z.object({
  limit: z.coerce.number().max(100),
  role: z.enum(["guest", "user"]).catch("guest"),
});

const GET: TestModule["GET"] = ({ validated }) => Response.json(validated);
const route = (get: object): TestModule => ({ schema: { get }, GET });
const level = (contract: object): TestModule => ({ contract });
const LOOSE = z.looseObject({});

/** A schema with its own function. */
const schemaOf = (validate: (value: unknown) => unknown, json?: object) => ({
  "~standard": {
    version: 1,
    vendor: "own",
    validate: (value: unknown) => ({ value: validate(value) }),
    ...(json && { jsonSchema: { input: () => json, output: () => json } }),
  },
});

/** Files, and the JSON that responds to targets below `/api`. */
type Case = readonly [
  files: Readonly<Record<string, TestModule>>,
  responses: Readonly<Record<string, unknown>>,
  headers?: Readonly<Record<string, string>>,
];

/** The query if a schema keeps all names, and if it has only the name `limit`. */
const KEPT = { limit: 7, role: "guest", q: "x", more: "1" };
const OWN = { limit: "7", role: "guest" };

/** A schema of a query below `PAGE`, and the query that the handler gets. */
const below = (query: object, gets: object): Case => [
  { "middleware.ts": level({ query: PAGE }), "route.ts": route({ query }) },
  { "?limit=7&role=admin&q=x&more=1": { query: gets } },
];

const id = z.array(z.coerce.number()).max(2);
const changed = (change: (all: { id: string[] }) => unknown) =>
  route({ query: z.any().transform(change) });
const headersTo = (value: unknown) => ({
  headers: z.any().transform(() => value),
});
const PROTO = JSON.parse('{ "__proto__": { "safe": true }, "toString": 1 }');
const NAMED = schemaOf(() => PROTO, { properties: PROTO });

const CASES: Readonly<Record<string, Case>> = {
  "a loose object": below(z.looseObject({ q: z.string() }), KEPT),
  "an object of ArkType, which is loose": below(type({ q: "string" }), KEPT),
  "a loose object of Valibot": below(
    form(v.looseObject({ q: v.string() })),
    KEPT,
  ),
  "a record": below(z.record(z.string(), z.string()), KEPT),
  "a record that converts": below(
    z.record(z.string(), z.string().transform((text) => text + "!")),
    { limit: 7, role: "guest", q: "x!", more: "1!" },
  ),
  "a record of certain names": below(
    z.partialRecord(z.enum(["limit", "role", "q", "more"]), z.string()),
    { limit: "7", role: "admin", q: "x", more: "1" },
  ),
  "an object that checks all others": below(
    z.object({ q: z.string() }).catchall(z.string()),
    KEPT,
  ),
  "an object with the same name": below(z.object({ limit: z.string() }), OWN),
  "a transform of an object with the same name": below(
    z.object({ limit: z.string() }).transform((all) => all),
    OWN,
  ),
  "a transform of a loose object": below(
    LOOSE.transform((all) => ({ ...all, role: 1, more: 2 })),
    { ...KEPT, more: 2 },
  ),
  "a schema of any value": below(z.any(), KEPT),
  "a default of a name that was not sent": below(
    z.looseObject({ q: z.string(), page: z.coerce.number().default(1) }),
    { ...KEPT, page: 1 },
  ),
  "a union that names it in each alternative, or drops it": below(
    z.union([z.object({ limit: z.string() }), z.object({ no: z.any() })]),
    OWN,
  ),
  "a union that keeps it in an alternative": below(
    type({ q: "string" }).or({ limit: "string > 5" }),
    KEPT,
  ),
  "an intersection that names it": below(
    LOOSE.and(z.looseObject({ limit: z.string() })),
    { ...KEPT, limit: "7" },
  ),
  "a schema with an id": below(
    z.looseObject({ limit: z.string() }).meta({ id: "Page" }),
    { ...KEPT, limit: "7" },
  ),
  "a schema without a JSON Schema": below(
    v.looseObject({ limit: v.string(), role: v.pipe(v.string(), v.length(5)) }),
    KEPT,
  ),
  "a schema without a JSON Schema that converts": below(
    v.looseObject({
      limit: v.pipe(v.string(), v.transform((text) => Boolean(text))),
    }),
    KEPT,
  ),
  "a schema that gives nothing": below(
    z.any().transform(() => undefined),
    { limit: 7, role: "guest" },
  ),
  "a schema that changes its input": below(
    schemaOf((value) => {
      const query = value as { limit: unknown };
      query.limit = Number(query.limit) + 1;
      return query;
    }),
    KEPT,
  ),
  "each level gets a list if its own schema declares a list": [{
    "middleware.ts": level({ query: z.object({ id }) }),
    "none/route.ts": { GET },
    "loose/route.ts": route({ query: LOOSE }),
    "less/route.ts": changed(({ id }) => ({ id: id.slice(0, 1) })),
    "one/route.ts": route({ query: z.object({ id: z.string() }) }),
    "list/route.ts": route({ query: z.object({ id: z.array(z.string()) }) }),
    "more/route.ts": route({ query: z.object({ tag: z.array(z.string()) }) }),
  }, {
    "/none?id=1": { query: { id: [1] } },
    "/none": { query: { id: [] } },
    "/loose?id=1": { query: { id: [1] } },
    "/loose?id=1&id=2": { query: { id: [1, 2] } },
    "/less?id=1&id=2": { query: { id: [1, 2] } },
    "/one?id=1": { query: { id: "1" } },
    "/one?id=1&id=2&id=3": ["#/id"],
    "/list?id=1&id=2": { query: { id: ["1", "2"] } },
    "/more?id=1&tag=a": { query: { id: [1], tag: ["a"] } },
    "/more": { query: { id: [], tag: [] } },
  }],
  "a level counts by its place, even if two levels share a schema": [{
    "middleware.ts": level({ query: LOOSE }),
    "a/middleware.ts": level({ query: z.object({ id: z.coerce.number() }) }),
    "a/route.ts": route({ query: LOOSE }),
  }, { "/a?id=1": { query: { id: 1 } } }],
  "a value of a contract that names no member is replaced": [{
    "middleware.ts": level({ query: z.record(z.string(), z.coerce.number()) }),
    "route.ts": route({ query: LOOSE }),
  }, { "?id=1": { query: { id: "1" } } }],
  "each part is merged by its own schema": [
    {
      "middleware.ts": level({ query: PAGE }),
      "route.ts": route({
        query: LOOSE,
        headers: z.object({ limit: z.string() }),
      }),
    },
    {
      "?limit=7": {
        query: { limit: 7, role: "guest" },
        headers: { limit: "5" },
      },
    },
    { limit: "5" },
  ],
  "params and headers of several levels are merged like a query": [
    {
      "middleware.ts": level({
        headers: z.object({
          "x-size": z.coerce.number(),
          "x-role": z.string().transform(() => "guest"),
        }),
      }),
      "[shop]/middleware.ts": level({
        params: z.object({ shop: z.coerce.number() }),
        headers: z.looseObject({ "x-own": z.coerce.boolean() }),
      }),
      "[shop]/[id]/middleware.ts": level({
        params: type({ id: "string.numeric.parse" }),
        headers: type({ "x-role": "string" }),
      }),
      "[shop]/[id]/route.ts": route({
        params: type({}),
        headers: z.looseObject({ "x-new": z.string() }),
      }),
    },
    {
      "/3/4": {
        params: { shop: 3, id: 4 },
        // The third level names the role, so its value counts.
        headers: {
          "x-size": 5,
          "x-role": "admin",
          "x-own": true,
          "x-new": "n",
        },
      },
    },
    { "x-size": "5", "x-role": "admin", "x-own": "1", "x-new": "n" },
  ],
  "a middleware sees the values of its own names and of the levels above": [{
    "middleware.ts": level({ query: PAGE }),
    "a/middleware.ts": {
      contract: { query: z.looseObject({ q: z.string() }) },
      default: ({ validated }) => Response.json(validated.query),
    },
    "a/route.ts": { GET },
  }, {
    "/a?limit=7&role=admin&q=x": { limit: 7, role: "guest", q: "x" },
  }],
  "an output that is not a plain object replaces the others": [{
    "middleware.ts": level(headersTo(new Map([["a", 1]]))),
    "route.ts": {
      schema: { get: headersTo(new Date(0)) },
      GET: ({ validated: { headers } }) =>
        Response.json(headers instanceof Date),
    },
    "map/route.ts": {
      GET: ({ validated: { headers } }) => Response.json(headers.get("a")),
    },
    "plain/route.ts": route(headersTo({ b: 2 })),
  }, { "": true, "/map": 1, "/plain": { headers: { b: 2 } } }],
  "a value may have the name of a member of Object.prototype": [{
    "middleware.ts": level({ query: NAMED }),
    "route.ts": {
      schema: { get: { query: z.any() } },
      GET: ({ validated: { query } }) =>
        Response.json([
          Object.keys(query),
          Object.getOwnPropertyDescriptor(query, "__proto__")!.value,
          Object.getPrototypeOf(query) === Object.prototype,
          query.toString,
        ]),
    },
  }, {
    "?__proto__=x&toString=y": [
      ["__proto__", "toString"],
      { safe: true },
      true,
      1,
    ],
  }],
};

for (const [name, [files, responses, headers = {}]] of Object.entries(CASES)) {
  Deno.test(`values of contracts: ${name} (behaviour 10.7)`, async () => {
    for (const lazy of [false, true]) {
      const application = TestApplication.of(files, { lazy });
      for (const [target, expected] of Object.entries(responses)) {
        for (const time of ["first", "second"]) {
          const response = await application.fetch(`/api${target}`, {
            headers,
          });
          const value = await response.json();
          assertEquals(
            response.ok
              ? value
              : value.errors.map((each: { pointer: string }) => each.pointer),
            expected,
            `${target}, ${time} time, lazy: ${lazy}`,
          );
        }
      }
    }
  });
}
