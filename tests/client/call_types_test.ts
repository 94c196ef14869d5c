/** The types of calls, from schemas and contracts. */
import { assert, assertEquals } from "@std/assert";
import { createClient } from "@bough/framework/client";
import {
  Framework,
  type FrameworkRequest,
  type Method,
} from "@bough/framework";
import { assertType, type IsExact } from "@std/testing/types";
import type {
  CallOptions,
  CallSchema,
  QueryOption,
} from "@bough/framework/client";
import { type } from "npm:arktype@^2.2.9";
import { z } from "zod";
import * as m from "zod/mini";

Deno.test("a preprocessed schema keeps the members of the schema inside", async () => {
  const query = z.preprocess(
    (value) => value,
    z.object({ limit: z.coerce.number().default(9), search: z.string() }),
  );
  const params = z.preprocess(Object, z.object({ id: z.coerce.number() }));
  const routes = {
    "middleware.ts": {
      contract: { query: z.preprocess(Object, z.object({ key: z.string() })) },
    },
    "a/[id]/route.ts": {
      schema: { get: { query, params, response: query } },
      GET: (request: FrameworkRequest<{ query: typeof query }>) =>
        Response.json(request.validated.query),
    },
  };
  const api = createClient<typeof routes>({
    fetch: new Framework({ manifest: routes }).fetch,
  });
  type Query = Parameters<typeof api.GET<"/a/[id]">>[1]["query"];
  const call = (query: Query) =>
    api.GET("/a/[id]", { params: { id: 7 }, query });
  const { data } = await call({ limit: 5, search: "x", key: "k" });
  assertEquals(data, { limit: 5, search: "x", key: "k" });
  const check = async () => {
    // @ts-expect-error a name that is not declared
    await call({ search: "x", key: "k", n: 1 });
    // @ts-expect-error a required name is missing
    await call({ limit: 5, key: "k" });
    // @ts-expect-error a name that the contract requires is missing
    await call({ search: "x" });
    // @ts-expect-error the value is not a string
    await call({ search: {}, key: "k" });
  };
  assertEquals(typeof check, "function");
});

Deno.test("other schemas that accept any value have no types of members", () => {
  type Sent<Schema> = QueryOption<{ query: Schema }, unknown>;
  const mini = m.pipe(m.transform(Object), m.object({ key: m.string() }));
  assertType<
    IsExact<Sent<typeof mini>, { readonly query: { readonly key: string } }>
  >(true);
  const piped = z.unknown().pipe(z.object({ key: z.string() }));
  const morph = type("unknown").pipe((value) => ({ key: String(value) }));
  const any = { query: {} } as const;
  assertType<IsExact<Sent<typeof piped>, Partial<typeof any>>>(true);
  assertType<IsExact<Sent<typeof morph>, Partial<typeof any>>>(true);
});

Deno.test("a call may omit a list that a query requires, which is then [] (behaviour 7.1)", async () => {
  const tags = z.array(z.string());
  const query = z.object({ tags, n: z.string().optional() });
  const one = z.object({ kind: z.literal("one"), a: tags, common: tags });
  const two = z.object({ kind: z.literal("two"), b: tags, common: tags });
  const union = z.union([one, two]);
  const echo = (request: FrameworkRequest) => Response.json(request.validated);
  const routes = {
    "route.ts": { schema: { get: { query } }, GET: echo },
    "union/route.ts": { schema: { get: { query: union } }, GET: echo },
  };
  const { fetch } = new Framework({ manifest: routes });
  const api = createClient<typeof routes>({ fetch });
  const none = { query: { tags: [] } };
  assertEquals((await api.GET("/")).data, none);
  assertEquals((await api.GET("/", { query: {} })).data, none);
  for (const tags of [[], ["a"], ["a", "b"]]) {
    const { data } = await api.GET("/", { query: { tags } });
    assertEquals(data, { query: { tags } });
  }
  const { data } = await api.GET("/union", {
    query: { kind: "one", a: ["x"] },
  });
  assertEquals(data, { query: { kind: "one", a: ["x"], common: [] } });
  const check = async () => {
    // @ts-expect-error only one branch requires the list
    await api.GET("/union", { query: { kind: "one" } });
    // @ts-expect-error the list of another branch
    await api.GET("/union", { query: { kind: "one", b: [] } });
    // @ts-expect-error the items are strings
    await api.GET("/", { query: { tags: [1] } });
  };
  assertEquals(typeof check, "function");
});

Deno.test("calls have the types of a manifest, lazy or not, and of its contracts", async () => {
  const guarded = {
    "(t)/middleware.ts": {
      contract: {
        headers: z.object({ "x-tenant": z.string() }),
        response: { 200: z.string(), 403: z.object({ why: z.string() }) },
      },
    },
    "(t)/a/[id]/middleware.ts": () =>
      Promise.resolve({
        contract: {
          params: z.object({ id: z.coerce.number() }),
          query: z.object({ key: z.string() }),
        },
      }),
    "(t)/a/[id]/route.ts": () =>
      Promise.resolve({
        GET: () => Response.json({ n: 1 }),
        schema: {
          get: {
            query: z.object({ q: z.string() }),
            response: { 200: z.object({ n: z.number() }) },
          },
        },
      }),
    "(t)/b/route.ts": { POST: () => Response.json("b") },
  };
  const api = createClient<typeof guarded>({
    fetch: new Framework({ manifest: guarded }).fetch,
  });
  const headers = { "x-tenant": "1" };
  const found = await api.GET("/a/[id]", {
    params: { id: 7 },
    query: { key: "a", q: "b" },
    headers,
  });
  assert(found.status === 200);
  const n: number = found.data.n;
  assertEquals(n, 1);
  const posted = await api.POST("/b", { headers, query: { a: 1 }, body: 7 });
  assert(posted.status === 200);
  const text: string = posted.data;
  assertEquals(text, "b");
  const check = async () => {
    // @ts-expect-error the contract of the folder requires a key
    await api.GET("/a/[id]", { params: { id: 7 }, query: { q: "b" }, headers });
    // @ts-expect-error the contract of the group requires a header
    await api.POST("/b", { body: 7 });
    // @ts-expect-error the response has the member why
    if (posted.status === 403) posted.data.who;
  };
  assertEquals(typeof check, "function");
});

const pass = (_request: unknown, next: () => Promise<Response>) => next();
const limit = Object.assign(pass.bind(null), {
  contracts: [{ response: { 429: z.object({ wait: z.number() }) } }] as const,
});
const keyed = Object.assign(pass.bind(null), {
  contracts: [{
    methods: ["POST"],
    headers: z.object({ "x-key": z.string() }),
    response: { 409: z.object({ why: z.string() }) },
  }] as const,
});

Deno.test("the types of calls have the contracts of middleware of folders and routes, by method (behaviour 5.6)", async () => {
  const handlers = {
    GET: () => Response.json(1),
    POST: () => Response.json(2),
    schema: { get: { response: z.number() }, post: { response: z.number() } },
  };
  const head = {
    HEAD: () => new Response(),
    schema: { head: { response: { 200: {} } } },
  };
  const routes = {
    "middleware.ts": { contract: { response: { 403: z.literal("no") } } },
    "folder/middleware.ts": { default: [pass, limit, keyed] as const },
    "folder/route.ts": handlers,
    "a/middleware.ts": { default: limit },
    "a/b/middleware.ts": { default: keyed },
    "a/route.ts": head,
    "a/b/route.ts": handlers,
    "list/route.ts": { ...handlers, middleware: [limit, keyed] as const },
    "object/route.ts": { ...handlers, middleware: { POST: [keyed] } },
    "get/route.ts": { ...handlers, middleware: { GET: [limit] } },
    "head/route.ts": { ...handlers, ...head, middleware: { GET: [limit] } },
    "union/route.ts": { ...handlers, middleware: [limit, keyed] },
  };
  type Routes = typeof routes;
  const fetch = new Framework({ manifest: routes }).fetch;
  const api = createClient<Routes>({ fetch });
  type Statuses<
    Path extends Parameters<typeof api.GET>[0] | "/a",
    Name extends Method,
  > = CallSchema<Routes, Path, Name> extends { response: infer Declared }
    ? keyof Declared
    : never;
  assertType<IsExact<Statuses<"/folder", "GET">, 200 | 403 | 429>>(true);
  assertType<IsExact<Statuses<"/folder", "POST">, 200 | 403 | 409 | 429>>(true);
  assertType<IsExact<Statuses<"/a/b", "POST">, 200 | 403 | 409 | 429>>(true);
  assertType<IsExact<Statuses<"/a", "HEAD">, 200 | 403 | 429>>(true);
  assertType<IsExact<Statuses<"/list", "GET">, 200 | 403 | 429>>(true);
  assertType<IsExact<Statuses<"/list", "POST">, 200 | 403 | 409 | 429>>(true);
  assertType<IsExact<Statuses<"/object", "GET">, 200 | 403>>(true);
  assertType<IsExact<Statuses<"/object", "POST">, 200 | 403 | 409>>(true);
  assertType<IsExact<Statuses<"/get", "HEAD">, 200 | 403 | 429>>(true);
  assertType<IsExact<Statuses<"/head", "HEAD">, 200 | 403>>(true);
  // Without `as const`, TypeScript loses the order of the functions.
  assertType<IsExact<Statuses<"/union", "GET">, 200 | 403>>(true);
  const got = await api.GET("/folder");
  assert(got.status === 200);
  const one: number = got.data;
  const headers = { "x-key": "k" };
  const posted = await api.POST("/folder", { headers });
  assert(posted.status !== 409 && posted.status !== 429);
  const others = [
    await api.POST("/a/b", { headers }),
    await api.HEAD("/a"),
    await api.POST("/object", { headers }),
  ];
  assertEquals(
    [one, posted.data, ...others.map(({ status }) => status)],
    [1, 2, 200, 200, 200],
  );
  const check = async () => {
    // @ts-expect-error the contract of a function requires a header of POST
    await api.POST("/folder");
    // @ts-expect-error and in the folders below
    await api.POST("/a/b", {});
    // @ts-expect-error and of a route
    await api.POST("/object");
    // @ts-expect-error and in a list
    await api.POST("/list", {});
    await api.GET("/object");
  };
  assertEquals(typeof check, "function");
});

Deno.test("the types reject what no request can send: objects, and lists in headers", () => {
  const nested = z.object({ a: z.string() });
  const form = z.object({
    photo: z.file(),
    more: z.array(z.file()).optional(),
    title: z.string(),
    tags: z.array(z.string()).optional(),
    other: z.any(),
    meta: nested.optional(),
  });
  type Options = CallOptions<"/", {
    query: ReturnType<typeof queryOf>;
    headers: ReturnType<typeof headersOf>;
    body: typeof form;
  }>;
  const queryOf = () =>
    z.object({ tag: z.string(), filter: nested.optional() });
  const headersOf = () => z.object({ "x-ids": z.array(z.string()).optional() });
  const photo = new File(["a"], "a.png");
  const sent: Options = {
    query: { tag: "a" },
    body: { photo, title: "a", tags: ["b"], more: [photo], other: photo },
  };
  const filter: Options["query"] = {
    tag: "a",
    // @ts-expect-error an object in a query
    filter: { a: "x" },
  };
  // @ts-expect-error a list in a header
  const headers: Options["headers"] = { "x-ids": ["a"] };
  const body: Options["body"] = {
    photo,
    title: "a",
    // @ts-expect-error an object next to a file
    meta: { a: "x" },
  };
  // Without a file, the body is JSON.
  const json: CallOptions<"/", { body: typeof nested }> = { body: { a: "x" } };
  assert([sent, filter, headers, body, json].every(Boolean));
});
