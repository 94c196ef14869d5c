/** An application for each kind of typed client: routes, schemas and calls. */

const GROUPS = 20;

/** Files by path. */
export type Files = Record<string, string>;

/** The path of a route, and of its URL. */
function urlOf(index: number): string {
  return `/group${index % GROUPS}/item${index}/[itemId]`;
}

const schemas = (index: number) =>
  `const Item = z.object({
  id: z.int(),
  name: z.string(),
  role: z.enum(["user", "admin"]),
  tags: z.array(z.object({ name: z.string(), weight: z.number() })),
  field${index}: z.boolean(),
});
const params = z.object({ itemId: z.string() });
const query = z.object({ page: z.coerce.number().default(1), search: z.string().optional() });
const body = Item.omit({ id: true });
`;

const ITEM = (index: number) =>
  `{ id: query.page, name: params.itemId, role: "user" as const, tags: [], field${index}: true }`;

/** Route files for Bough, in groups, with typed handlers and `respond`. */
export function boughServer(routes: number): Files {
  const files: Files = {};
  for (let index = 0; index < routes; index++) {
    const group = ["", "(admin)/", "(staff)/"][index % 3];
    const url = urlOf(index);
    const request = (method: string) =>
      `request: FrameworkRequest<typeof schema.${method}, "${url}">`;
    files[`api/${group}${url.slice(1)}/route.ts`] =
      `import { type FrameworkRequest, respond, type RouteSchema } from "@bough/framework";
import { z } from "zod";

${schemas(index)}
export const schema = {
  get: { params, query, response: { 200: Item, 404: z.object({ message: z.string() }) } },
  post: { params, body, response: { 201: { body: Item, headers: z.object({ location: z.string() }) } } },
} satisfies RouteSchema;

export function GET(${request("get")}): Response {
  const { params, query } = request.validated;
  if (query.page > 9) return respond(schema.get, 404, { message: params.itemId });
  return respond(schema.get, 200, ${ITEM(index)});
}

export function POST(${request("post")}): Response {
  const { params, body } = request.validated;
  return respond(schema.post, 201, { id: 1, ...body }, { headers: { location: params.itemId } });
}
`;
  }
  files["server.ts"] = Object.keys(files)
    .map((path) => `import "./${path}";\n`).join("");
  return files;
}

/** The called routes, spread over all routes, with two calls each. */
function calledRoutes(routes: number, calls: number): number[] {
  return Array.from(
    { length: calls / 2 },
    (_, call) => Math.floor(call * 2 * routes / calls),
  );
}

const BODY = (index: number) =>
  `{ name: "a", role: "user", tags: [], field${index}: true }`;

/** A client from `createClient`, with a file of types. */
export function boughClient(
  types: string,
  { routes, calls }: { readonly routes: number; readonly calls: number },
): string {
  const made = calledRoutes(routes, calls).map((index) => {
    const url = JSON.stringify(urlOf(index));
    return `export async function call${index}() {
  const got = await api.GET(${url}, { params: { itemId: "1" }, query: { page: 2 } });
  if (got.status === 200) console.log(got.data.field${index}, got.data.tags[0]?.weight);
  const made = await api.POST(${url}, { params: { itemId: "1" }, body: ${
      BODY(index)
    } });
  if (made.status === 201) console.log(made.data.id);
}
`;
  });
  return `import { createClient } from "@bough/framework/client";
import type { Routes } from "./${types}";
const api = createClient<Routes>();
${made.join("")}`;
}

/** An application for Hono with its validator, and the type for `hc`. */
export function honoServer(routes: number): Files {
  const files: Files = {};
  for (let group = 0; group < GROUPS; group++) {
    const indexes = Array.from({ length: routes }, (_, index) => index)
      .filter((index) => index % GROUPS === group);
    for (const index of indexes) {
      files[`hono/item${index}.ts`] =
        `import { zValidator } from "npm:@hono/zod-validator@^0.7.0";
import { Hono } from "hono";
import { z } from "zod";

${schemas(index)}
export const item${index} = new Hono()
  .get("/:itemId", zValidator("param", params), zValidator("query", query), (c) => {
    const params = c.req.valid("param");
    const query = c.req.valid("query");
    if (query.page > 9) return c.json({ message: params.itemId }, 404);
    const item: z.infer<typeof Item> = ${ITEM(index)};
    return c.json(item, 200);
  })
  .post("/:itemId", zValidator("param", params), zValidator("json", body), (c) => {
    const item: z.infer<typeof Item> = { id: 1, ...c.req.valid("json") };
    return c.json(item, 201, { location: c.req.valid("param").itemId });
  });
`;
    }
    files[`hono/group${group}.ts`] = `import { Hono } from "hono";
${
      indexes.map((index) =>
        `import { item${index} } from "./item${index}.ts";\n`
      )
        .join("")
    }export const group${group} = new Hono()
${indexes.map((index) => `  .route("/item${index}", item${index})`).join("\n")};
`;
  }
  const groups = Array.from({ length: GROUPS }, (_, group) => group);
  files["hono/app.ts"] = `import { Hono } from "hono";
${
    groups.map((group) =>
      `import { group${group} } from "./group${group}.ts";\n`
    )
      .join("")
  }const app = new Hono()
${
    groups.map((group) => `  .route("/group${group}", group${group})`).join(
      "\n",
    )
  };
export type App = typeof app;
`;
  return files;
}

/** A client from `hc`, with the same calls. */
export function honoClient(
  { routes, calls }: { readonly routes: number; readonly calls: number },
): string {
  const made = calledRoutes(routes, calls).map((index) =>
    `export async function call${index}() {
  const item = api.group${index % GROUPS}.item${index}[":itemId"];
  const got = await item.$get({ param: { itemId: "1" }, query: { page: "2" } });
  if (got.status === 200) {
    const data = await got.json();
    console.log(data.field${index}, data.tags[0]?.weight);
  }
  const made = await item.$post({ param: { itemId: "1" }, json: ${
      BODY(index)
    } });
  if (made.status === 201) console.log((await made.json()).id);
}
`
  );
  return `import { hc } from "hono/client";
import type { App } from "./hono/app.ts";
const api = hc<App>("http://localhost");
${made.join("")}`;
}
