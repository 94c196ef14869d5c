/** Which level a value of `validated` is of (behaviour 10.7). */
import { assertEquals } from "@std/assert";
import { FolderApplication } from "../support/application.ts";

const IMPORTS = `import { z } from "npm:zod@^4.1.13";
  import { type } from "npm:arktype@^2.2.9";
  import * as v from "npm:valibot@^1.2.0";
  import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";`;
const contract = (members: string) =>
  `${IMPORTS} export const contract = ${members};`;
const route = (get: string, more = "") =>
  `${IMPORTS} export const schema = { get: ${get}${more} };
  export const GET = ({ validated }) => Response.json(validated);`;

const PAGE = `z.object({
  limit: z.coerce.number().max(100),
  role: z.enum(["guest", "user"]).catch("guest"),
})`;

/** Schemas of a query below `PAGE`, and what the handler gets. */
const QUERIES: Readonly<
  Record<string, { schema: string; gets: Record<string, unknown> }>
> = {
  "a loose object": {
    schema: "z.looseObject({ q: z.string() })",
    gets: { limit: 7, role: "guest", q: "x", more: "1" },
  },
  "an object of ArkType, which is loose": {
    schema: 'type({ q: "string" })',
    gets: { limit: 7, role: "guest", q: "x", more: "1" },
  },
  "a loose object of Valibot": {
    schema: "form(v.looseObject({ q: v.string() }))",
    gets: { limit: 7, role: "guest", q: "x", more: "1" },
  },
  "a record": {
    schema: "z.record(z.string(), z.string())",
    gets: { limit: 7, role: "guest", q: "x", more: "1" },
  },
  "a record that converts": {
    schema: "z.record(z.string(), z.string().transform((text) => text + '!'))",
    gets: { limit: "7!", role: "admin!", q: "x!", more: "1!" },
  },
  "a record of certain names": {
    schema:
      "z.partialRecord(z.enum(['limit', 'role', 'q', 'more']), z.string())",
    gets: { limit: "7", role: "admin", q: "x", more: "1" },
  },
  "an object that checks all others": {
    schema: "z.object({ q: z.string() }).catchall(z.string())",
    gets: { limit: 7, role: "guest", q: "x", more: "1" },
  },
  "an object with the same name": {
    schema: "z.object({ limit: z.string() })",
    gets: { limit: "7", role: "guest" },
  },
  "a transform of an object with the same name": {
    schema: "z.object({ limit: z.string() }).transform((all) => all)",
    gets: { limit: "7", role: "guest" },
  },
  "a transform of a loose object": {
    schema: "z.looseObject({}).transform((all) => ({ ...all, role: 1 }))",
    gets: { limit: 7, role: 1, q: "x", more: "1" },
  },
  "a schema of any value": {
    schema: "z.any()",
    gets: { limit: 7, role: "guest", q: "x", more: "1" },
  },
  "a default of a name that was not sent": {
    schema:
      "z.looseObject({ q: z.string(), page: z.coerce.number().default(1) })",
    gets: { limit: 7, role: "guest", q: "x", more: "1", page: 1 },
  },
  "a union that names it in each alternative, or drops it": {
    schema:
      "z.union([z.object({ limit: z.string() }), z.object({ no: z.any() })])",
    gets: { limit: "7", role: "guest" },
  },
  "a union that lets it pass in an alternative": {
    schema: 'type({ q: "string" }).or({ limit: "string > 5" })',
    gets: { limit: 7, role: "guest", q: "x", more: "1" },
  },
  "an intersection that names it": {
    schema: "z.looseObject({}).and(z.looseObject({ limit: z.string() }))",
    gets: { limit: "7", role: "guest", q: "x", more: "1" },
  },
  "a schema with an id": {
    schema: "z.looseObject({ limit: z.string() }).meta({ id: 'Page' })",
    gets: { limit: "7", role: "guest", q: "x", more: "1" },
  },
  "a schema without a JSON form": {
    schema:
      "v.looseObject({ limit: v.string(), role: v.pipe(v.string(), v.length(5)) })",
    gets: { limit: 7, role: "guest", q: "x", more: "1" },
  },
  "a schema without a JSON form that converts": {
    schema:
      "v.looseObject({ limit: v.pipe(v.string(), v.transform(Boolean)) })",
    gets: { limit: true, role: "guest", q: "x", more: "1" },
  },
  "a schema that gives nothing": {
    schema: "z.any().transform(() => undefined)",
    gets: { limit: 7, role: "guest" },
  },
  "a schema that changes what it gets": {
    schema: `{ "~standard": { version: 1, vendor: "own", validate: (value) => {
      value.limit = Number(value.limit) + 1;
      return { value };
    } } }`,
    gets: { limit: 8, role: "guest", q: "x", more: "1" },
  },
};

for (const lazy of [false, true]) {
  const create = (files: Record<string, string>) =>
    FolderApplication.create(files, { lazy });
  const how = `(lazy: ${lazy}; behaviour 10.7)`;

  Deno.test(`raw values that a route lets pass do not replace validated ones ${how}`, async (t) => {
    for (const [name, { schema, gets }] of Object.entries(QUERIES)) {
      await t.step(name, async () => {
        await using application = await create({
          "middleware.js": contract(`{ query: ${PAGE} }`),
          "route.js": route(`{ query: ${schema} }`),
        });
        const query = "limit=7&role=admin&q=x&more=1";
        for (const _ of ["first", "second"]) {
          const response = await application.fetch(`/api?${query}`);
          assertEquals(await response.json(), { query: gets });
        }
        const head = await application.fetch(`/api?${query}`, {
          method: "HEAD",
        });
        assertEquals(head.status, 200);
      });
    }
  });

  Deno.test(`a repeated name is compared value by value ${how}`, async () => {
    const ids = "z.object({ id: z.array(z.coerce.number()) })";
    await using application = await create({
      "middleware.js": contract(`{ query: ${ids} }`),
      "loose/route.js": route("{ query: z.looseObject({}) }"),
      "copied/route.js": route(
        "{ query: z.any().transform((all) => structuredClone({ ...all })) }",
      ),
      "less/route.js": route(
        "{ query: z.any().transform(({ id }) => ({ id: id.slice(0, 1) })) }",
      ),
      "other/route.js": route(
        "{ query: z.any().transform(({ id }) => ({ id: [id[0], '3'] })) }",
      ),
    });
    const read = async (name: string) =>
      (await (await application.fetch(`/api/${name}?id=1&id=2`)).json()).query;
    assertEquals(await read("loose"), { id: [1, 2] });
    assertEquals(await read("copied"), { id: [1, 2] });
    assertEquals(await read("less"), { id: ["1"] });
    assertEquals(await read("other"), { id: ["1", "3"] });
  });

  Deno.test(`each part is merged by its own schema ${how}`, async () => {
    await using application = await create({
      "middleware.js": contract(`{ query: ${PAGE} }`),
      "route.js": route(`{
        query: z.looseObject({}),
        headers: z.object({ limit: z.string() }),
      }`),
    });
    const headers = { limit: "5" };
    const response = await application.fetch("/api?limit=7", { headers });
    assertEquals(await response.json(), {
      query: { limit: 7, role: "guest" },
      headers,
    });
  });

  Deno.test(`params and headers are merged as a query is, over several levels ${how}`, async () => {
    await using application = await create({
      "middleware.js": contract(`{ headers: z.object({
        "x-size": z.coerce.number(), "x-role": z.string().transform(() => "guest") }) }`),
      "[shop]/middleware.js": contract(`{
        params: z.object({ shop: z.coerce.number() }),
        headers: z.looseObject({ "x-own": z.coerce.boolean() }) }`),
      "[shop]/[id]/middleware.js": contract(`{
        params: type({ id: "string.numeric.parse" }),
        headers: type({ "x-role": "string" }) }`),
      "[shop]/[id]/route.js": route(
        '{ params: type({}), headers: z.looseObject({ "x-new": z.string() }) }',
      ),
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
      // The third level names the role, and so is the one to check it.
      headers: { "x-size": 5, "x-role": "admin", "x-own": true, "x-new": "n" },
    });
  });

  Deno.test(`a middleware sees its own names and the values of those above ${how}`, async () => {
    await using application = await create({
      "middleware.js": contract(`{ query: ${PAGE} }`),
      "a/middleware.js": `${
        contract("{ query: z.looseObject({ q: z.string() }) }")
      }
        export default async ({ validated }, next) => {
          const response = await next();
          response.headers.set("x-seen", JSON.stringify(validated.query));
          return response;
        };`,
      "a/route.js": route("{}"),
    });
    const response = await application.fetch("/api/a?limit=7&role=admin&q=x");
    assertEquals(JSON.parse(response.headers.get("x-seen")!), {
      limit: 7,
      role: "guest",
      q: "x",
    });
  });

  Deno.test(`a name of the prototype is a name like others ${how}`, async () => {
    await using application = await create({
      "middleware.js": contract(`{ query: {
        "~standard": { version: 1, vendor: "own", validate: () => ({
          value: JSON.parse('{ "__proto__": { "safe": true }, "toString": 1 }') }) } } }`),
      "route.js": `${IMPORTS}
        export const schema = { get: { query: z.any() } };
        export const GET = ({ validated: { query } }) => Response.json([
          Object.keys(query), Object.getOwnPropertyDescriptor(query, "__proto__").value,
          Object.getPrototypeOf(query) === Object.prototype, query.toString ]);`,
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
