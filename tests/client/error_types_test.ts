/** The types of errors, from the formats of the application and of folders. */
import { errorFormat, Framework, type RouteSchema } from "@bough/framework";
import {
  createClient,
  type EventsError,
  type KnownStatus,
  type RedirectionStatus,
  type SuccessStatus,
} from "@bough/framework/client";
import { Problem } from "@bough/framework/openapi";
import { assert, assertEquals } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import { z } from "zod";

const errors = errorFormat({
  contentType: "application/json",
  schema: z.object({ message: z.string(), at: z.date().optional() }),
  invalid: 422,
  format: ({ status, title }) => ({ message: `${status} ${title}` }),
});
const old = errorFormat({
  contentType: "text/plain",
  schema: z.string(),
  format: ({ title }) => title,
});
const older = errorFormat({
  contentType: "application/json",
  schema: z.object({ code: z.int() }),
  format: ({ status }) => ({ code: status }),
});
// A format may return literals, tuples and members of a union as they are.
errorFormat({
  contentType: "application/json",
  schema: z.object({
    status: z.enum(["fail", "error"]),
    where: z.tuple([z.string(), z.number()]),
  }),
  format: ({ status, title }) => ({
    status: status < 500 ? "fail" : "error",
    where: [title, status],
  }),
});
errorFormat({
  contentType: "application/json",
  schema: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("invalid"), places: z.array(z.string()) }),
    z.object({ kind: z.literal("other"), message: z.string() }),
  ]),
  format: ({ issues, title }) =>
    issues.length > 0
      ? { kind: "invalid", places: issues.map(({ pointer }) => pointer) }
      : { kind: "other", message: title },
});
errorFormat({
  contentType: "application/json",
  schema: z.object({ status: z.literal("error") }),
  // @ts-expect-error: the schema has another literal
  format: ({ title }) => ({ status: "fail", title }),
});

const schema = {
  get: {
    query: z.object({ page: z.string() }),
    response: {
      200: z.object({ title: z.string() }),
      404: Problem,
      409: z.object({ by: z.string() }),
      410: z.any(),
    },
  },
} satisfies RouteSchema;
const GET = () => Response.json({ title: "Emma" });
const route = { schema, GET };
const bare = { GET, POST: GET };

const manifest = {
  "books/route.ts": route,
  "bare/route.ts": bare,
  "(old)/middleware.ts": { errors: old },
  "(old)/v1/books/route.ts": route,
  "(old)/v1/bare/route.ts": () => Promise.resolve(bare),
  "(old)/v1/older/middleware.ts": () => Promise.resolve({ errors: older }),
  "(old)/v1/older/[id]/books/route.ts": route,
};
const query = { page: "1" };

/** The type of `data` of a result with a status. */
type Data<Result extends { readonly status: unknown }, Status> = Result extends
  { readonly status: infer Own }
  ? Status extends Own ? Result["data" & keyof Result] : never
  : never;

type Message = { message: string; at?: string | undefined };

Deno.test("errors have the type of the innermost format", async () => {
  const { fetch } = new Framework({ manifest, errors });
  const api = createClient<typeof manifest, typeof errors>({ fetch });

  const books = await api.GET("/books", { query });
  type Books = typeof books;
  assertType<IsExact<Data<Books, 200>, { title: string }>>(true);
  assertType<IsExact<Data<Books, 404>, Message>>(true);
  assertType<IsExact<Data<Books, 409>, { by: string }>>(true);
  // deno-lint-ignore no-explicit-any
  assertType<IsExact<Data<Books, 410>, any>>(true);
  assertType<IsExact<Data<Books, 422>, Message>>(true);
  assertType<IsExact<Data<Books, 503>, Message>>(true);
  assertType<IsExact<Data<Books, 302>, unknown>>(true);
  assertType<IsExact<Books["status"], KnownStatus>>(true);

  const bare = await api.POST("/bare");
  assertType<IsExact<Data<typeof bare, 500>, Message>>(true);
  assertType<
    IsExact<Data<typeof bare, SuccessStatus | RedirectionStatus>, unknown>
  >(true);

  const text = await api.GET("/v1/books", { query });
  assertType<IsExact<Data<typeof text, 400>, string>>(true);
  assertType<IsExact<Data<typeof text, 404>, string>>(true);
  assertType<IsExact<Data<typeof text, 409>, { by: string }>>(true);
  const lazy = await api.GET("/v1/bare");
  assertType<IsExact<Data<typeof lazy, 400>, string>>(true);

  const params = { id: "7" };
  const code = await api.GET("/v1/older/[id]/books", { params, query });
  assertType<IsExact<Data<typeof code, 404>, { code: number }>>(true);
  assertType<IsExact<Data<typeof code, 500>, { code: number }>>(true);

  // deno-lint-ignore no-explicit-any
  const refused = await api.GET("/books", {} as any);
  assert(refused.status === 422);
  assertEquals(refused.data.message, "422 Unprocessable Entity");
  assertEquals(refused.problem, undefined);
  // deno-lint-ignore no-explicit-any
  const other = await api.GET("/v1/older/[id]/books", { params } as any);
  assert(other.status === 400);
  assertEquals(other.data.code, 400);
});

Deno.test("without a format of the application, folders still have their formats", () => {
  const api = createClient<typeof manifest>();
  const books = () => api.GET("/books", { query });
  type Books = Awaited<ReturnType<typeof books>>;
  assertType<IsExact<Data<Books, 404>["title"], string>>(true);
  assertType<IsExact<Data<Books, 422>, unknown>>(true);
  const text = () => api.GET("/v1/books", { query });
  type Text = Awaited<ReturnType<typeof text>>;
  assertType<IsExact<Data<Text, 404>, string>>(true);
});

Deno.test("an error of an event stream has the format of its route", () => {
  type Routes = {
    "events/route.ts": {
      GET(): Response;
      schema: { get: { events: { tick: typeof Problem } } };
    };
  };
  const events = () => createClient<Routes, typeof errors>().events("/events");
  const check = (stream: ReturnType<typeof events>, error: EventsError) => {
    if (!stream.isRefusal(error)) return;
    if (error.result.status === 422) {
      assertType<IsExact<typeof error.result.data, Message>>(true);
    }
  };
  assertEquals(typeof check, "function");
});
