import { assert } from "@std/assert";
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

Deno.test("FrameworkRequest types validated as the outputs of the schemas", () => {
  type Post = FrameworkRequest<typeof schema.post>["validated"];
  type Get = FrameworkRequest<typeof schema.get>["validated"];
  type Put = FrameworkRequest<typeof schema.put>["validated"];
  type Book = { title: string; tags: string[] };
  assertType<
    IsExact<[Post["body"], Post["params"], Get, Put["body"]], [
      Book,
      { id: number },
      { readonly params: { id: string } },
      Validated<{ body: typeof schema.put.body }>["body"],
    ]>
  >(true);
  assertType<IsExact<Put["body"], number>>(true);
});

Deno.test("FrameworkRequest reads the types of params and wildcardParams from the path", () => {
  type Post = FrameworkRequest<"/users/[userId]/posts/[postId]">;
  type File = FrameworkRequest<"/tenants/[tenantId]/[...]">;
  type Me = FrameworkRequest<"/users/me">;
  type Plain = FrameworkRequest;
  assertType<
    IsExact<[Post["params"], File["params"], Plain["params"]], [
      { userId: string; postId: string },
      { tenantId: string },
      Record<string, string>,
    ]>
  >(true);
  assertType<
    IsExact<
      [Post["wildcardParams"], File["wildcardParams"], Plain["wildcardParams"]],
      [undefined, string[], string[] | undefined]
    >
  >(true);
  type None = keyof Post["validated"] | keyof Me["params"];
  assertType<IsExact<None, never>>(true);
  assertType<Plain extends Request ? true : false>(true);
});

Deno.test("pattern is a string for handlers, and may be undefined for middleware", () => {
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
  // The request of a handler is a request of middleware, and a Request.
  const whole = (request: Request) => request.url;
  const inner = (request: MiddlewareRequest) => whole(request);
  const handler: Handler<"/users/[id]"> = (request) =>
    new Response(inner(request));
  assert(handler !== undefined);
});

Deno.test("FrameworkRequest combines a schema with a path", () => {
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
  const plain = (request: FrameworkRequest): Response =>
    new Response(request.params.id);
  const assigned: Handler = plain;
  assert(typeof handler === "function" && assigned === plain);
});

Deno.test("the type checker rejects wrong handlers and schemas", () => {
  const body = z.object({ a: z.string() });
  const schema = { post: { body } } satisfies RouteSchema;
  type Post = Handler<typeof schema.post>;
  const right: Post = ({ validated }) => new Response(validated.body.a);
  const wrong = [
    // @ts-expect-error a handler that returns an object
    (() => ({ a: 1 })) satisfies Handler,
    // @ts-expect-error a handler that resolves with an object
    (() => Promise.resolve({ a: 1 })) satisfies Handler,
    // @ts-expect-error a handler that returns nothing
    (() => {}) satisfies Handler,
    // @ts-expect-error a handler with a second required parameter
    ((_: Request, more: number) => new Response(`${more}`)) satisfies Handler,
    // @ts-expect-error a member that the schema does not declare
    ((request) => Response.json(request.validated.params)) satisfies Post,
    // @ts-expect-error a field that the body does not have
    ((request) => Response.json(request.validated.body.nope)) satisfies Post,
    // @ts-expect-error a parameter that the path does not have
    (({ params }) => new Response(params.name)) satisfies Handler<"/[id]">,
    // @ts-expect-error a status without a schema
    { get: { response: { 200: 1 } } } satisfies RouteSchema,
    // @ts-expect-error a schema for a method that does not exist
    { fetch: {} } satisfies RouteSchema,
    // @ts-expect-error a schema part that does not exist
    { get: { boddy: body } } satisfies RouteSchema,
  ];
  assert(right !== undefined && wrong.length === 10);
});

Deno.test("the responses of a schema keep the types of status, media type, body and headers", () => {
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

  // @ts-expect-error an unknown member
  ({ 200: { boddy: Book } }) satisfies ResponseSchemas;
  // @ts-expect-error headers are one schema
  ({ 200: { headers: { location: z.string() } } }) satisfies ResponseSchemas;
  // @ts-expect-error a media type alone is not a response
  ({ 200: "text/csv" }) satisfies ResponseSchemas;
  // @ts-expect-error a status is a number
  ({ ok: Book }) satisfies ResponseSchemas;
});
