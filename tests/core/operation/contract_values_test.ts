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

/** A schema with its own function. */
const schemaOf = (validate: (value: unknown) => unknown) => ({
  "~standard": {
    version: 1,
    vendor: "own",
    validate: (value: unknown) => ({ value: validate(value) }),
  },
});

/** The query if a schema keeps all names, and if it has only the name `limit`. */
const KEPT = { limit: 7, role: "guest", q: "x", more: "1" };
const OWN = { limit: "7", role: "guest" };

/** Schemas of a query below `PAGE`, and the query that the handler gets. */
const QUERIES: Readonly<
  Record<string, readonly [schema: object, gets: Record<string, unknown>]>
> = {
  "a loose object": [z.looseObject({ q: z.string() }), KEPT],
  "an object of ArkType, which is loose": [type({ q: "string" }), KEPT],
  "a loose object of Valibot": [form(v.looseObject({ q: v.string() })), KEPT],
  "a record": [z.record(z.string(), z.string()), KEPT],
  "a record that converts": [
    z.record(z.string(), z.string().transform((text) => text + "!")),
    { limit: 7, role: "guest", q: "x!", more: "1!" },
  ],
  "a record of certain names": [
    z.partialRecord(z.enum(["limit", "role", "q", "more"]), z.string()),
    { limit: "7", role: "admin", q: "x", more: "1" },
  ],
  "an object that checks all others": [
    z.object({ q: z.string() }).catchall(z.string()),
    KEPT,
  ],
  "an object with the same name": [z.object({ limit: z.string() }), OWN],
  "a transform of an object with the same name": [
    z.object({ limit: z.string() }).transform((all) => all),
    OWN,
  ],
  "a transform of a loose object": [
    z.looseObject({}).transform((all) => ({ ...all, role: 1, more: 2 })),
    { ...KEPT, more: 2 },
  ],
  "a schema of any value": [z.any(), KEPT],
  "a default of a name that was not sent": [
    z.looseObject({ q: z.string(), page: z.coerce.number().default(1) }),
    { ...KEPT, page: 1 },
  ],
  "a union that names it in each alternative, or drops it": [
    z.union([z.object({ limit: z.string() }), z.object({ no: z.any() })]),
    OWN,
  ],
  "a union that keeps it in an alternative": [
    type({ q: "string" }).or({ limit: "string > 5" }),
    KEPT,
  ],
  "an intersection that names it": [
    z.looseObject({}).and(z.looseObject({ limit: z.string() })),
    { ...KEPT, limit: "7" },
  ],
  "a schema with an id": [
    z.looseObject({ limit: z.string() }).meta({ id: "Page" }),
    { ...KEPT, limit: "7" },
  ],
  "a schema without a JSON Schema": [
    v.looseObject({ limit: v.string(), role: v.pipe(v.string(), v.length(5)) }),
    KEPT,
  ],
  "a schema without a JSON Schema that converts": [
    v.looseObject({
      limit: v.pipe(v.string(), v.transform((text) => Boolean(text))),
    }),
    KEPT,
  ],
  "a schema that gives nothing": [
    z.any().transform(() => undefined),
    { limit: 7, role: "guest" },
  ],
  "a schema that changes its input": [
    schemaOf((value) => {
      const query = value as { limit: unknown };
      query.limit = Number(query.limit) + 1;
      return query;
    }),
    KEPT,
  ],
};

for (const lazy of [false, true]) {
  const create = (files: Readonly<Record<string, TestModule>>) =>
    TestApplication.of(files, { lazy });
  const how = `(lazy: ${lazy}; behaviour 10.7)`;

  Deno.test(`raw values that a route keeps do not replace validated ones ${how}`, async (t) => {
    for (const [name, [schema, gets]] of Object.entries(QUERIES)) {
      await t.step(name, async () => {
        const application = create({
          "middleware.ts": { contract: { query: PAGE } },
          "route.ts": route({ query: schema }),
        });
        const target = "/api?limit=7&role=admin&q=x&more=1";
        for (const _ of ["first", "second"]) {
          const response = await application.fetch(target);
          assertEquals(await response.json(), { query: gets });
        }
        const head = await application.fetch(target, { method: "HEAD" });
        assertEquals(head.status, 200);
      });
    }
  });

  Deno.test(`a list of a contract stays if the route has a loose schema ${how}`, async () => {
    const transformed = (change: (all: { id: string[] }) => unknown) =>
      route({ query: z.any().transform(change) });
    const application = create({
      "middleware.ts": {
        contract: { query: z.object({ id: z.array(z.coerce.number()) }) },
      },
      "loose/route.ts": route({ query: z.looseObject({}) }),
      "less/route.ts": transformed(({ id }) => ({ id: id.slice(0, 1) })),
      "named/route.ts": route({ query: z.object({ id: z.array(z.string()) }) }),
    });
    for (
      const [name, id] of [
        ["loose", [1, 2]],
        ["less", [1, 2]],
        ["named", ["1", "2"]],
      ] as const
    ) {
      const response = await application.fetch(`/api/${name}?id=1&id=2`);
      assertEquals<unknown>((await response.json()).query, { id }, name);
    }
  });

  Deno.test(`a level counts by its place, even if two levels share a schema ${how}`, async () => {
    const loose = z.looseObject({});
    const application = create({
      "middleware.ts": { contract: { query: loose } },
      "a/middleware.ts": {
        contract: { query: z.object({ id: z.coerce.number() }) },
      },
      "a/route.ts": route({ query: loose }),
    });
    const response = await application.fetch("/api/a?id=1");
    assertEquals(await response.json(), { query: { id: 1 } });
  });

  Deno.test(`a value of a contract that names no member is replaced ${how}`, async () => {
    const application = create({
      "middleware.ts": {
        contract: { query: z.record(z.string(), z.coerce.number()) },
      },
      "route.ts": route({ query: z.looseObject({}) }),
    });
    const response = await application.fetch("/api?id=1");
    assertEquals(await response.json(), { query: { id: "1" } });
  });

  Deno.test(`each level gets a list if its own schema declares a list ${how}`, async () => {
    const id = z.array(z.coerce.number()).max(2);
    const application = create({
      "middleware.ts": { contract: { query: z.object({ id }) } },
      "none/route.ts": { GET: ({ validated }) => Response.json(validated) },
      "loose/route.ts": route({ query: z.looseObject({}) }),
      "one/route.ts": route({ query: z.object({ id: z.string() }) }),
      "more/route.ts": route({ query: z.object({ tag: z.array(z.string()) }) }),
    });
    for (
      const [target, query] of [
        ["none?id=1", { id: [1] }],
        ["none", { id: [] }],
        ["loose?id=1", { id: [1] }],
        ["one?id=1", { id: "1" }],
        ["more?id=1&tag=a", { id: [1], tag: ["a"] }],
        ["more", { id: [], tag: [] }],
      ] as const
    ) {
      const response = await application.fetch(`/api/${target}`);
      assertEquals<unknown>((await response.json()).query, query, target);
    }
    const many = await application.fetch("/api/one?id=1&id=2&id=3");
    const { errors } = await many.json();
    assertEquals([errors.length, errors[0].pointer], [1, "#/id"]);
  });

  Deno.test(`each part is merged by its own schema ${how}`, async () => {
    const application = create({
      "middleware.ts": { contract: { query: PAGE } },
      "route.ts": route({
        query: z.looseObject({}),
        headers: z.object({ limit: z.string() }),
      }),
    });
    const headers = { limit: "5" };
    const response = await application.fetch("/api?limit=7", { headers });
    assertEquals(await response.json(), {
      query: { limit: 7, role: "guest" },
      headers,
    });
  });

  Deno.test(`params and headers of several levels are merged like a query ${how}`, async () => {
    const application = create({
      "middleware.ts": {
        contract: {
          headers: z.object({
            "x-size": z.coerce.number(),
            "x-role": z.string().transform(() => "guest"),
          }),
        },
      },
      "[shop]/middleware.ts": {
        contract: {
          params: z.object({ shop: z.coerce.number() }),
          headers: z.looseObject({ "x-own": z.coerce.boolean() }),
        },
      },
      "[shop]/[id]/middleware.ts": {
        contract: {
          params: type({ id: "string.numeric.parse" }),
          headers: type({ "x-role": "string" }),
        },
      },
      "[shop]/[id]/route.ts": route({
        params: type({}),
        headers: z.looseObject({ "x-new": z.string() }),
      }),
    });
    const headers = {
      "x-size": "5",
      "x-role": "admin",
      "x-own": "1",
      "x-new": "n",
    };
    const response = await application.fetch("/api/3/4", { headers });
    assertEquals(await response.json(), {
      params: { shop: 3, id: 4 },
      // The third level names the role, so its value counts.
      headers: { "x-size": 5, "x-role": "admin", "x-own": true, "x-new": "n" },
    });
  });

  Deno.test(`a middleware sees the values of its own names and of the levels above ${how}`, async () => {
    const application = create({
      "middleware.ts": { contract: { query: PAGE } },
      "a/middleware.ts": {
        contract: { query: z.looseObject({ q: z.string() }) },
        async default({ validated }, next) {
          const response = await next();
          response.headers.set("x-seen", JSON.stringify(validated.query));
          return response;
        },
      },
      "a/route.ts": route({}),
    });
    const response = await application.fetch("/api/a?limit=7&role=admin&q=x");
    assertEquals(JSON.parse(response.headers.get("x-seen")!), {
      limit: 7,
      role: "guest",
      q: "x",
    });
  });

  Deno.test(`an output that is not a plain object replaces the others ${how}`, async () => {
    const transformed = (value: unknown) => ({
      headers: z.any().transform(() => value),
    });
    const application = create({
      "middleware.ts": { contract: transformed(new Map([["a", 1]])) },
      "route.ts": {
        schema: { get: transformed(new Date(0)) },
        GET: ({ validated: { headers } }) =>
          Response.json(headers instanceof Date),
      },
      "map/route.ts": {
        GET: ({ validated: { headers } }) => Response.json(headers.get("a")),
      },
      "plain/route.ts": route(transformed({ b: 2 })),
    });
    for (
      const [path, expected] of [
        ["/api", true],
        ["/api/map", 1],
        ["/api/plain", { headers: { b: 2 } }],
      ] as const
    ) {
      const response = await application.fetch(path);
      assertEquals(await response.json(), expected, path);
    }
  });

  Deno.test(`a value may have the name of a member of Object.prototype ${how}`, async () => {
    const value = JSON.parse(
      '{ "__proto__": { "safe": true }, "toString": 1 }',
    );
    const json = { properties: value };
    const named = {
      "~standard": {
        ...schemaOf(() => value)["~standard"],
        jsonSchema: { input: () => json, output: () => json },
      },
    };
    const application = create({
      "middleware.ts": { contract: { query: named } },
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
    });
    const response = await application.fetch("/api?__proto__=x&toString=y");
    assertEquals(await response.json(), [
      ["__proto__", "toString"],
      { safe: true },
      true,
      1,
    ]);
  });
}
