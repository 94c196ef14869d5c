import { assert } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { assertType, type IsExact } from "@std/testing/types";
import * as v from "valibot";
import { z } from "zod";
import {
  content,
  type FrameworkRequest,
  type Handler,
  type Middleware,
  type MiddlewareRequest,
  type ResponseSchemas,
  type RouteSchema,
  type SecurityRequirement,
  type Validated,
} from "@bough/framework";
import type { Content } from "@bough/framework/types";
import { TestFolder } from "../support/application.ts";

const schema = {
  get: { params: z.object({ id: z.uuid() }) },
  post: {
    params: z.object({ id: z.coerce.number() }),
    body: z.object({
      title: z.string(),
      tags: z.array(z.string()).default([]),
    }),
  },
  put: { body: v.pipe(v.string(), v.transform((text) => text.length)) },
} satisfies RouteSchema;

Deno.test("FrameworkRequest<typeof schema.post> types validated by the schemas' outputs (issue: types)", () => {
  type Post = FrameworkRequest<typeof schema.post>["validated"];
  assertType<
    IsExact<Post["body"], { title: string; tags: string[] }>
  >(true);
  assertType<IsExact<Post["params"], { id: number }>>(true);

  type Get = FrameworkRequest<typeof schema.get>["validated"];
  assertType<IsExact<Get["params"], { id: string }>>(true);
  assertType<IsExact<keyof Get, "params">>(true);

  type Put = FrameworkRequest<typeof schema.put>["validated"];
  assertType<IsExact<Put["body"], number>>(true);
});

Deno.test("FrameworkRequest types params and wildcardParams by the path", () => {
  type Post = FrameworkRequest<"/users/[userId]/posts/[postId]">;
  assertType<
    IsExact<Post["params"], { userId: string; postId: string }>
  >(true);
  assertType<IsExact<Post["wildcardParams"], undefined>>(true);
  assertType<IsExact<keyof Post["validated"], never>>(true);

  type File = FrameworkRequest<"/tenants/[tenantId]/[...]">;
  assertType<IsExact<File["params"], { tenantId: string }>>(true);
  assertType<IsExact<File["wildcardParams"], string[]>>(true);

  assertType<
    IsExact<keyof FrameworkRequest<"/users/me">["params"], never>
  >(true);
});

Deno.test("handlers have a pattern, and middleware may have none", () => {
  type Info = Deno.ServeHandlerInfo<Deno.Addr>;
  assertType<IsExact<FrameworkRequest["pattern"], string>>(true);
  assertType<IsExact<FrameworkRequest["info"], Info>>(true);
  type Guarded = Parameters<Middleware>[0];
  assertType<IsExact<Guarded, MiddlewareRequest>>(true);
  assertType<IsExact<Guarded["pattern"], string | undefined>>(true);
  type Security = readonly SecurityRequirement[] | undefined;
  assertType<IsExact<FrameworkRequest["security"], Security>>(true);
  assertType<IsExact<Guarded["security"], Security>>(true);
  assertType<IsExact<Guarded["info"], Info>>(true);
  // What takes the request of a middleware takes that of a handler, and any Request.
  const whole = (request: Request) => request.url;
  const inner = (request: MiddlewareRequest) => whole(request);
  const handler: Handler<"/users/[id]"> = (request) =>
    new Response(inner(request));
  assert(handler !== undefined);
});

Deno.test("FrameworkRequest types schema and path together", () => {
  const schema = {
    query: z.object({ page: z.coerce.number() }),
    headers: z.object({ "x-key": z.string() }),
    response: { 200: z.object({}) },
    tags: ["users"],
  };
  type Get = FrameworkRequest<typeof schema, "/users/[id]">;
  assertType<IsExact<Get["params"], { id: string }>>(true);
  assertType<
    IsExact<Get["validated"], {
      readonly query: { page: number };
      readonly headers: { "x-key": string };
    }>
  >(true);
  const handler: Handler<typeof schema, "/users/[id]"> = ({ params }) =>
    new Response(params.id);
  assert(typeof handler === "function");
});

Deno.test("a plain FrameworkRequest is a Request with string params", () => {
  assertType<
    IsExact<FrameworkRequest["params"], Record<string, string>>
  >(true);
  assertType<
    IsExact<FrameworkRequest["wildcardParams"], string[] | undefined>
  >(true);
  assertType<FrameworkRequest extends Request ? true : false>(true);
  assertType<
    IsExact<Validated<{ body: typeof schema.put.body }>["body"], number>
  >(true);
});

Deno.test("a handler for a plain request is a Handler", () => {
  const handler = (request: FrameworkRequest): Response =>
    new Response(request.params.id);
  const assigned: Handler = handler;
  assert(assigned === handler);
});

const WRONG: Readonly<Record<string, string>> = {
  "a handler that returns an object":
    "export const GET: Handler = () => ({ a: 1 });",
  "a handler that resolves with an object":
    "export const GET: Handler = async () => ({ a: 1 });",
  "a handler that returns nothing": "export const GET: Handler = () => {};",
  "a handler with a second parameter it needs":
    "export const GET: Handler = (_: Request, more: number) => new Response(String(more));",
  "a member that the schema does not declare":
    "export const POST: Handler<typeof schema.post> = (r) => Response.json(r.validated.params);",
  "a field that the body does not have":
    "export const POST: Handler<typeof schema.post> = (r) => Response.json(r.validated.body.nope);",
  "a param that the path does not have":
    'export const GET: Handler<"/users/[id]"> = (r) => new Response(r.params.name);',
  "a status with no schema":
    "export const other = { get: { response: { 200: 1 } } } satisfies RouteSchema;",
  "a schema for a method that does not exist":
    "export const other = { fetch: {} } satisfies RouteSchema;",
  "a schema part that does not exist":
    "export const other = { get: { boddy: schema.post.body } } satisfies RouteSchema;",
};

const RIGHT =
  "export const POST: Handler<typeof schema.post> = (r) => new Response(r.validated.body.a);";

Deno.test("deno check finds wrong handlers and schemas, and only those", async () => {
  const prelude = `import type { Handler, RouteSchema } from "@bough/framework";
import { z } from "zod";
export const schema = { post: { body: z.object({ a: z.string() }) } };
export type Used = [Handler, RouteSchema];
`;
  const names = Object.keys(WRONG);
  await using folder = await TestFolder.create({
    "right.ts": prelude + RIGHT,
    ...Object.fromEntries(
      names.map((name, index) => [`wrong_${index}.ts`, prelude + WRONG[name]]),
    ),
  });
  const config = fromFileUrl(new URL("../../deno.json", import.meta.url));
  const { stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["check", "--config", config, "right.ts"]
      .concat(names.map((_, index) => `wrong_${index}.ts`)),
    cwd: folder.path,
    env: { NO_COLOR: "1" },
  }).output();
  const output = new TextDecoder().decode(stderr);
  const errors = output.split(/^TS\d+ /m).slice(1);
  assert(!errors.some((text) => text.includes("right.ts")), output);
  for (const [index, name] of names.entries()) {
    assert(
      errors.some((text) => text.includes(`wrong_${index}.ts`)),
      `${name}:\n${output}`,
    );
  }
});

Deno.test("the responses of a schema keep their types: status, media type, body, headers", () => {
  const Book = z.object({ id: z.int(), at: z.date() });
  const schema = {
    post: {
      response: {
        200: Book,
        201: { body: Book, headers: z.object({ location: z.string() }) },
        203: content("text/csv"),
        204: {},
        206: { body: content("application/vnd.book+json", Book) },
        304: { headers: v.object({ etag: v.string() }), description: "As is" },
      },
    },
  } satisfies RouteSchema;
  type Responses = typeof schema.post.response;
  assertType<
    IsExact<keyof Responses, 200 | 201 | 203 | 204 | 206 | 304>
  >(true);
  assertType<IsExact<Responses[203], Content<"text/csv">>>(true);
  assertType<IsExact<Responses[204], Record<never, never>>>(true);
  assertType<
    IsExact<
      Responses[206],
      { body: Content<"application/vnd.book+json", typeof Book> }
    >
  >(true);
  assertType<IsExact<Responses[201]["body"], typeof Book>>(true);

  // @ts-expect-error a member that is not known
  ({ 200: { boddy: Book } }) satisfies ResponseSchemas;
  // @ts-expect-error headers are one schema
  ({ 200: { headers: { location: z.string() } } }) satisfies ResponseSchemas;
  // @ts-expect-error a media type alone is no response
  ({ 200: "text/csv" }) satisfies ResponseSchemas;
  // @ts-expect-error no status is a word
  ({ ok: Book }) satisfies ResponseSchemas;
});
