import { assertEquals } from "@std/assert";
import { z } from "zod";
import { documentOf, routeOf } from "../../openapi/support.ts";

Deno.test("changing a schema changes the document", async () => {
  const types = [];
  for (const a of [z.string(), z.boolean()]) {
    const query = z.object({ a });
    const { document } = await documentOf({
      "route.ts": routeOf({ get: { query } }),
    });
    types.push(document.paths["/api"]!.get!.parameters![0]!.schema.type);
  }
  assertEquals(types, ["string", "boolean"]);
});

Deno.test("a list in a query is a parameter that repeats its name, and required only if it has items", async () => {
  const tag = z.array(z.string());
  const { document } = await documentOf({
    "route.ts": routeOf({
      get: {
        query: z.object({ tag: tag.optional(), all: tag, id: tag.min(1) })
          .meta({ id: "Lists" }),
      },
    }),
  });
  // Without `style` and `explode`, a query has `style: form, explode: true` (OpenAPI
  // 3.1, 4.8.12.2).
  const schema = { type: "array", items: { type: "string" } };
  assertEquals(document.paths["/api"]!.get!.parameters, [
    { in: "query", name: "tag", required: false, schema },
    { in: "query", name: "all", required: false, schema },
    {
      in: "query",
      name: "id",
      required: true,
      schema: { ...schema, minItems: 1 },
    },
  ]);
});

Deno.test("a parameter may have the name of a member that all objects have", async () => {
  const names = ["toString", "constructor", "__proto__", "hasOwnProperty"];
  const path = names.map((name) => `[${name}]`).join("/");
  const number = z.string().regex(/^1$/);
  const { document } = await documentOf({
    [`plain/${path}/route.ts`]: routeOf({ get: { params: z.looseObject({}) } }),
    [`described/${path}/route.ts`]: routeOf({
      get: {
        params: z.object({ toString: number }),
        query: z.object({ constructor: number }),
      },
    }),
  });
  const template = names.map((name) => `{${name}}`).join("/");
  const described = { type: "string", pattern: "^1$" };
  assertEquals(
    document.paths[`/api/plain/${template}`]!.get!.parameters!.map((
      { schema },
    ) => schema),
    names.map(() => ({ type: "string" })),
  );
  assertEquals(
    document.paths[`/api/described/${template}`]!.get!.parameters!.map((
      { name, schema },
    ) => [name, schema]),
    [
      ["toString", described],
      ...names.slice(1).map((name) => [name, { type: "string" }]),
      ["constructor", described],
    ],
  );
});

Deno.test("the document omits headers that OpenAPI describes elsewhere", async () => {
  const headers = z.object({
    accept: z.string(),
    "content-type": z.string(),
    authorization: z.string(),
    "x-a": z.string(),
  });
  const { document } = await documentOf({
    "route.ts": routeOf({ get: { query: headers, headers } }),
  });
  assertEquals(
    document.paths["/api"]!.get!.parameters!
      .map((parameter) => `${parameter.in} ${parameter.name}`),
    [
      "query accept",
      "query content-type",
      "query authorization",
      "query x-a",
      "header x-a",
    ],
  );
});

Deno.test("a union of queries is one parameter, and a union of headers none", async () => {
  const union = z.union([
    z.object({ a: z.string() }),
    z.object({ b: z.string() }),
  ]);
  const { document } = await documentOf({
    "route.ts": routeOf({ put: { query: union, headers: union } }),
  });
  const [query, ...others] = document.paths["/api"]!.put!.parameters!;
  const { schema, ...rest } = query!;
  assertEquals(Object.keys(schema), ["anyOf"]);
  assertEquals((schema.anyOf as unknown[]).length, 2);
  assertEquals([rest, others], [{
    name: "query",
    in: "query",
    required: false,
    style: "form",
    explode: true,
  }, []]);
});

Deno.test("a query with an id has one parameter for each member", async () => {
  const query = z.object({
    a: z.string().describe("An a"),
    b: z.string().optional(),
  }).meta({ id: "Query" });
  const { document } = await documentOf({
    "route.ts": routeOf({ post: { query } }),
  });
  const schema = { type: "string" };
  assertEquals(document.paths["/api"]!.post!.parameters, [
    { name: "a", in: "query", required: true, description: "An a", schema },
    { name: "b", in: "query", required: false, schema },
  ]);
});

Deno.test("an intersection has the parameters of both schemas, without impossible members", async () => {
  const part = (name: string) =>
    z.object({
      [name]: z.string().describe(name),
      never: z.never().optional(),
    });
  const both = (a: string, b: string) => part(a).and(part(b).partial());
  const deprecated = z.string().meta({ deprecated: true });
  const { document, warnings } = await documentOf({
    "[id]/route.ts": routeOf({
      get: {
        params: z.object({ id: z.string().regex(/^1$/) }).and(z.object({})),
        query: both("a", "b"),
        headers: both("x-a", "x-b").and(z.object({ "x-c": deprecated })),
      },
    }),
  });
  assertEquals(warnings, []);
  const parameters = document.paths["/api/{id}"]!.get!.parameters!;
  assertEquals(
    parameters.map((each) => `${each.in} ${each.name} ${each.required}`),
    [
      "path id true",
      "query a true",
      "query b false",
      "header x-a true",
      "header x-b false",
      "header x-c true",
    ],
  );
  assertEquals(parameters[0]!.schema, { type: "string", pattern: "^1$" });
  assertEquals(parameters.at(-1), {
    name: "x-c",
    in: "header",
    required: true,
    deprecated: true,
    schema: { type: "string" },
  });
});

Deno.test("a parameter that both schemas of an intersection describe must fit both schemas", async () => {
  const digits = z.string().regex(/^\d+$/);
  const { document } = await documentOf({
    "route.ts": routeOf({
      get: {
        query: z.object({ a: z.string().max(3), b: digits, c: z.never() })
          .and(z.object({ a: digits, b: digits, c: digits })),
      },
    }),
  });
  const digit = { type: "string", pattern: "^\\d+$" };
  assertEquals(
    document.paths["/api"]!.get!.parameters!
      .map(({ name, schema }) => [name, schema]),
    [
      ["a", { allOf: [{ type: "string", maxLength: 3 }, digit] }],
      ["b", digit],
    ],
  );
});

Deno.test("recursive parameters are named after their place", async () => {
  const part = () => {
    const Part = z.object({
      id: z.string(),
      get not() {
        return Part.optional();
      },
    });
    return Part;
  };
  const { document } = await documentOf({
    "trees/[id]/[not]/route.ts": routeOf({
      get: { params: part(), query: part(), headers: part() },
    }),
  });
  const [path] = Object.values(document.paths);
  assertEquals(
    path!.get!.parameters!.filter(({ name }) => name === "not")
      .map(({ in: place, schema }) => [place, schema.$ref]),
    [
      ["path", "Params"],
      ["query", "Query"],
      ["header", "Headers"],
    ].map((
      [place, name],
    ) => [place, `#/components/schemas/getTreesByIdByNot${name}`]),
  );
});
