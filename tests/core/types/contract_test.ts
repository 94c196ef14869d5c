/** Types of requests behind contracts (behaviour 10.7). */
import { assert } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import { type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import type {
  FolderContract,
  FrameworkRequest,
  Handler,
  Middleware,
  RouteSchema,
  StandardSchemaV1,
  WithContracts,
} from "@bough/framework";
import type { RouteRequest } from "@bough/framework/types";

const outer = {
  security: [{ bearer: [] }],
  headers: z.object({ "x-tenant": z.uuid(), shared: z.string() }),
  tags: ["a"],
} satisfies FolderContract;
const inner = {
  headers: v.object({ shared: v.pipe(v.string(), v.transform(Number)) }),
  params: z.object({ shop: z.coerce.number() }),
} satisfies FolderContract;
const schema = {
  post: {
    params: z.object({ id: z.coerce.number() }),
    query: z.object({ q: z.string().default("") }),
    body: z.array(z.string()),
    response: { 204: {} },
  },
} satisfies RouteSchema;

type Flat<Value> = { [Key in keyof Value]: Value[Key] };
type Seen<Schema extends NonNullable<RouteSchema["post"]>> = FrameworkRequest<
  Schema
>["validated"];
type Both = readonly [typeof outer, typeof inner];
type Parts = "params" | "query" | "headers" | "body";

Deno.test("WithContracts merges the contracts of folders into the types of a handler; for each name, the innermost wins", () => {
  type One = Seen<WithContracts<typeof outer, typeof schema.post>>;
  type Two = Seen<WithContracts<Both, typeof schema.post>>;
  type Bare = Seen<WithContracts<Both>>;
  assertType<IsExact<keyof One, Parts>>(true);
  assertType<IsExact<keyof Bare, "headers" | "params">>(true);
  assertType<
    IsExact<[Flat<One["headers"]>, One["query"], One["body"]], [
      { "x-tenant": string; shared: string },
      { q: string },
      string[],
    ]>
  >(true);
  assertType<
    IsExact<[Flat<Two["headers"]>, Flat<Two["params"]>, Flat<Bare["params"]>], [
      { "x-tenant": string; shared: number },
      { shop: number; id: number },
      { shop: number },
    ]>
  >(true);
  // The type of a general schema has all parts.
  type General = Seen<WithContracts<Both, NonNullable<RouteSchema["post"]>>>;
  assertType<IsExact<keyof General, Parts | "cookies">>(true);
  type None = Seen<WithContracts<[], typeof schema.post>>;
  assertType<IsExact<None["params"], { id: number }>>(true);
});

Deno.test("WithContracts types a member that a schema does not name", () => {
  const contract = {
    query: z.object({ limit: z.coerce.number() }),
  } satisfies FolderContract;
  type Query<Schema extends StandardSchemaV1> = Seen<
    WithContracts<typeof contract, { query: Schema }>
  >["query"];
  const loose = z.looseObject({ q: z.string() });
  type Loose = Query<typeof loose>;
  assertType<IsExact<[Loose["limit"], Loose["q"]], [number, string]>>(true);
  const open = type({ q: "string" });
  type Open = Flat<Query<typeof open>>;
  assertType<IsExact<Open, { limit: number; q: string }>>(true);
  const texts = z.object({ q: z.string() }).catchall(z.string());
  assertType<IsExact<Query<typeof texts>["q"], string>>(true);
  const record = z.record(z.string(), z.string());
  const either = z.union([
    z.object({ limit: z.string() }),
    z.object({ q: z.string() }),
  ]);
  type Limits = [
    Query<typeof texts>["limit"],
    Query<typeof record>["limit"],
    Query<typeof either>["limit"],
  ];
  type Limit = string | number;
  assertType<IsExact<Limits, [Limit, Limit, Limit]>>(true);
  // The type of a route overrides a record of its folder.
  type Inner = Seen<
    WithContracts<
      { query: typeof record },
      { query: z.ZodObject<{ q: z.ZodNumber }> }
    >
  >["query"];
  assertType<IsExact<Inner["q"], number>>(true);
});

Deno.test("optional security does not change the types", () => {
  const contract = {
    security: [{ Token: [] }, { Key: [], OAuth: ["read"] }, {}],
    headers: z.object({ "x-tenant": z.string() }),
  } satisfies FolderContract;
  const get = {
    security: [{ Token: [] }, {}],
    query: z.object({ q: z.string() }),
  };
  type Header = { "x-tenant": string };
  const run: Middleware<typeof contract> = ({ validated }, next) => {
    assertType<IsExact<typeof validated.headers, Header | undefined>>(true);
    return next();
  };
  type All = Seen<WithContracts<typeof contract, typeof get>>;
  type Own = Seen<typeof get>;
  assertType<
    IsExact<[All["headers"], All["query"], Own["query"]], [
      Header,
      { q: string },
      { q: string },
    ]>
  >(true);
  assert(typeof run === "function");
});

Deno.test("contracts type handlers with a path, and middleware, whose values are undefined before a 405", () => {
  const POST: Handler<
    WithContracts<typeof outer, typeof schema.post>,
    "/shops/[shop]/[id]"
  > = ({ params, validated }) => {
    assertType<IsExact<typeof params, { shop: string; id: string }>>(true);
    return Response.json(validated.headers["x-tenant"].toUpperCase());
  };
  const run: Middleware<typeof inner> = ({ validated }, next) => {
    assertType<IsExact<keyof typeof validated, "headers" | "params">>(true);
    assertType<
      IsExact<typeof validated.params, { shop: number } | undefined>
    >(true);
    // @ts-expect-error Without a handler, there are none.
    validated.headers.shared;
    return next();
  };
  assert(typeof POST === "function" && typeof run === "function");
});

Deno.test("RouteRequest has the outputs of a route's own contracts (behaviour 5.6)", () => {
  const keyed = Object.assign(
    (_request: unknown, next: () => Promise<Response>) => next(),
    {
      contracts: [
        { headers: z.object({ "x-key": z.string() }), methods: ["POST"] },
      ] as const,
    },
  );
  interface Routes {
    "a/route.ts": {
      GET: unknown;
      POST: unknown;
      schema: { post: { query: z.ZodObject<{ q: z.ZodString }> } };
      middleware: { POST: typeof keyed[] };
    };
    "b/route.ts": () => Promise<{
      GET: unknown;
      POST: unknown;
      middleware: readonly [typeof keyed];
    }>;
  }
  type Of<Path extends "/a" | "/b", Name extends "GET" | "POST"> = RouteRequest<
    Routes,
    Path,
    Name
  >["validated"];
  type Post = Of<"/a", "POST">;
  type Key = { "x-key": string };
  assertType<
    IsExact<[Post["headers"], Post["query"], Of<"/b", "POST">["headers"]], [
      Key,
      { q: string },
      Key,
    ]>
  >(true);
  type Get = keyof Of<"/a", "GET"> | keyof Of<"/b", "GET">;
  assertType<"headers" extends Get ? true : false>(false);
  assert(keyed.contracts.length === 1);
});
