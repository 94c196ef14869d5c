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

Deno.test("WithContracts adds the contract of a folder to the types of a handler", () => {
  type Seen = FrameworkRequest<
    WithContracts<typeof outer, typeof schema.post>
  >["validated"];
  assertType<
    IsExact<keyof Seen, "params" | "query" | "headers" | "body">
  >(true);
  assertType<
    IsExact<Flat<Seen["headers"]>, { "x-tenant": string; shared: string }>
  >(true);
  assertType<IsExact<Seen["query"], { q: string }>>(true);
  assertType<IsExact<Seen["body"], string[]>>(true);
});

Deno.test("WithContracts merges several contracts; for each name, the innermost wins", () => {
  type Seen = FrameworkRequest<
    WithContracts<readonly [typeof outer, typeof inner], typeof schema.post>
  >["validated"];
  assertType<
    IsExact<Flat<Seen["headers"]>, { "x-tenant": string; shared: number }>
  >(true);
  assertType<
    IsExact<Flat<Seen["params"]>, { shop: number; id: number }>
  >(true);
  type WithoutSchema = FrameworkRequest<
    WithContracts<[typeof outer, typeof inner]>
  >["validated"];
  assertType<IsExact<keyof WithoutSchema, "headers" | "params">>(true);
  assertType<
    IsExact<Flat<WithoutSchema["params"]>, { shop: number }>
  >(true);
  // The type of a general schema has all parts.
  type Unknown = FrameworkRequest<
    WithContracts<
      [typeof outer, typeof inner],
      NonNullable<RouteSchema["post"]>
    >
  >["validated"];
  assertType<
    IsExact<keyof Unknown, "params" | "query" | "headers" | "body">
  >(true);
  type WithoutContracts = FrameworkRequest<
    WithContracts<[], typeof schema.post>
  >["validated"];
  assertType<IsExact<WithoutContracts["params"], { id: number }>>(true);
});

Deno.test("WithContracts types a member that a schema does not name", () => {
  const contract = {
    query: z.object({ limit: z.coerce.number() }),
  } satisfies FolderContract;
  type Seen<Query extends StandardSchemaV1> = FrameworkRequest<
    WithContracts<typeof contract, { query: Query }>
  >["validated"]["query"];
  const loose = z.looseObject({ q: z.string() });
  assertType<IsExact<Seen<typeof loose>["limit"], number>>(true);
  assertType<IsExact<Seen<typeof loose>["q"], string>>(true);
  const open = type({ q: "string" });
  assertType<IsExact<Flat<Seen<typeof open>>, { limit: number; q: string }>>(
    true,
  );
  const texts = z.object({ q: z.string() }).catchall(z.string());
  assertType<IsExact<Seen<typeof texts>["limit"], string | number>>(true);
  assertType<IsExact<Seen<typeof texts>["q"], string>>(true);
  const record = z.record(z.string(), z.string());
  assertType<IsExact<Seen<typeof record>["limit"], string | number>>(true);
  const either = z.union([
    z.object({ limit: z.string() }),
    z.object({ q: z.string() }),
  ]);
  assertType<IsExact<Seen<typeof either>["limit"], string | number>>(true);
  // The type of a route overrides a record of its folder.
  type Inner = FrameworkRequest<
    WithContracts<
      { query: typeof record },
      { query: z.ZodObject<{ q: z.ZodNumber }> }
    >
  >["validated"]["query"];
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
  const run: Middleware<typeof contract> = ({ validated }, next) => {
    assertType<
      IsExact<typeof validated.headers, { "x-tenant": string } | undefined>
    >(true);
    return next();
  };
  type Seen = FrameworkRequest<
    WithContracts<typeof contract, typeof get>
  >["validated"];
  assertType<IsExact<Seen["headers"], { "x-tenant": string }>>(true);
  assertType<IsExact<Seen["query"], { q: string }>>(true);
  type Own = FrameworkRequest<typeof get>["validated"];
  assertType<IsExact<Own["query"], { q: string }>>(true);
  assert(typeof run === "function");
});

Deno.test("WithContracts works with the type of a handler, and with a path", () => {
  const POST: Handler<
    WithContracts<typeof outer, typeof schema.post>,
    "/shops/[shop]/[id]"
  > = ({ params, validated }) => {
    assertType<IsExact<typeof params, { shop: string; id: string }>>(true);
    return Response.json(validated.headers["x-tenant"].toUpperCase());
  };
  assert(typeof POST === "function");
});

Deno.test("middleware has the types of its own contract, or undefined before a 405", () => {
  const run: Middleware<typeof inner> = ({ validated }, next) => {
    assertType<IsExact<keyof typeof validated, "headers" | "params">>(true);
    assertType<
      IsExact<typeof validated.params, { shop: number } | undefined>
    >(true);
    // @ts-expect-error Without a handler, there are none.
    validated.headers.shared;
    return next();
  };
  assert(typeof run === "function");
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
  type Key = { "x-key": string };
  assertType<IsExact<Of<"/a", "POST">["headers"], Key>>(true);
  assertType<IsExact<Of<"/a", "POST">["query"], { q: string }>>(true);
  assertType<IsExact<Of<"/b", "POST">["headers"], Key>>(true);
  assertType<"headers" extends keyof Of<"/a", "GET"> ? true : false>(false);
  assertType<"headers" extends keyof Of<"/b", "GET"> ? true : false>(false);
  assert(keyed.contracts.length === 1);
});
