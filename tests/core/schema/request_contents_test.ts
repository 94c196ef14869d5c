/** Bodies whose media types `content()` declares (behaviour 7.2). */
import {
  content,
  type FrameworkRequest,
  type RouteSchema,
  type Validated,
} from "@bough/framework";
import { assertEquals } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import { z } from "zod";
import { TestApplication, type TestModule } from "../../support/application.ts";

const A = z.object({ a: z.string() });
const B = z.object({ b: z.string() });
const V1 = "application/vnd.shop.v1+json";
const V2 = "application/vnd.shop.v2+json";
const FORM = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data";

const BODIES = {
  plain: A,
  one: content(V1, A),
  versions: [content(V1, A), content(V2, B)],
  mixed: [content(FORM, A), content("application/json", B)],
  text: [content("text/csv", z.string().max(9))],
  form: content(MULTIPART, A),
  optional: [content("text/csv", z.string()), content(V1, A.optional())],
} as const;

type Name = keyof typeof BODIES;

const app = TestApplication.of(Object.fromEntries(
  Object.entries(BODIES).map(([name, body]): [string, TestModule] => [
    `${name}/route.ts`,
    {
      schema: { post: { body } },
      POST: ({ validated }) => Response.json(validated.body ?? "nothing"),
    },
  ]),
));

const PLAIN = `application/json, ${FORM}, ${MULTIPART}`;
const PARTS =
  '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n';

/** The route, the type and the body of requests, and the response: a value, or 4xx. */
const ROWS: readonly (readonly [Name, string | undefined, string, unknown])[] =
  [
    ["plain", "application/json", '{"a":"1"}', { a: "1" }],
    ["plain", FORM, "a=1", { a: "1" }],
    ["plain", V1, '{"a":"1"}', PLAIN],
    ["plain", "application/problem+json", '{"a":"1"}', PLAIN],
    ["one", V1, '{"a":"1"}', { a: "1" }],
    ["one", `${V1.toUpperCase()}; charset=utf-8`, '{"a":"1"}', { a: "1" }],
    ["one", undefined, '{"a":"1"}', { a: "1" }],
    ["one", V1, '{"b":"1"}', 400],
    ["one", V1, "{", 400],
    ["one", V1, "", 400],
    ["one", "application/json", '{"a":"1"}', V1],
    ["one", FORM, "a=1", V1],
    ["one", V2, '{"a":"1"}', V1],
    ["versions", V1, '{"a":"1"}', { a: "1" }],
    ["versions", V2, '{"b":"1"}', { b: "1" }],
    ["versions", V2, '{"a":"1"}', 400],
    ["versions", undefined, '{"a":"1"}', { a: "1" }],
    ["versions", undefined, '{"b":"1"}', 400],
    ["versions", "application/json", '{"a":"1"}', `${V1}, ${V2}`],
    ["mixed", FORM, "a=1", { a: "1" }],
    ["mixed", FORM, "b=1", 400],
    ["mixed", "application/json", '{"b":"1"}', { b: "1" }],
    ["mixed", undefined, '{"b":"1"}', { b: "1" }],
    ["mixed", "text/plain", "a=1", `${FORM}, application/json`],
    ["text", "text/csv", "x,y", "x,y"],
    ["text", "text/csv; charset=utf-8", "ä", "ä"],
    ["text", "text/csv", "longer than 9", 400],
    ["text", "text/csv", "", 400],
    ["text", "text/plain", "x", "text/csv"],
    ["text", "application/json", '"x"', "text/csv"],
    ["text", undefined, "x", "text/csv"],
    ["form", `${MULTIPART}; boundary=x`, PARTS, { a: "1" }],
    ["form", `${MULTIPART}; boundary=y`, PARTS, 400],
    ["form", FORM, "a=1", MULTIPART],
    ["optional", undefined, "", "nothing"],
    ["optional", V1, "", "nothing"],
    ["optional", "text/csv", "x", "x"],
    ["optional", "text/csv", "", 400],
  ];

Deno.test("the schema of its media type checks a body (behaviour 7.2)", async () => {
  for (const [name, type, text, expected] of ROWS) {
    const response = await app.fetch(`/api/${name}`, {
      method: "POST",
      // Only bytes have no type of their own.
      body: new TextEncoder().encode(text),
      headers: type === undefined ? {} : { "content-type": type },
    });
    const { status, headers } = response;
    const body = await response.json();
    const found = status === 415 ? headers.get("accept") : body;
    const row = `${name} ${type} ${text}: ${JSON.stringify(body)}`;
    const isRefused = status === 400 && expected === 400;
    if (!isRefused) assertEquals(found, expected, row);
  }
});

Deno.test("the 415 names the declared types in its detail (behaviour 7.2)", async () => {
  const response = await app.fetch("/api/versions", {
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json" },
  });
  assertEquals(
    (await response.json()).detail,
    `The body is "application/json"; this route reads ${V1}, ${V2}`,
  );
});

Deno.test("text in an unknown encoding is rejected (behaviour 7.6)", async () => {
  const response = await app.fetch("/api/text", {
    method: "POST",
    body: "x",
    headers: { "content-type": "text/csv", "content-encoding": "br" },
  });
  assertEquals(response.status, 415);
});

Deno.test("text from another origin is rejected like a form (behaviour 7.2)", async () => {
  const plain = TestApplication.of({
    "route.ts": {
      schema: { post: { body: content("text/plain", z.string()) } },
      POST: ({ validated }) => Response.json(validated.body),
    },
  });
  for (
    const [origin, status] of [["other", 403], ["localhost", 200]] as const
  ) {
    const response = await plain.fetch("/api", {
      method: "POST",
      body: "x",
      headers: { origin: `http://${origin}` },
    });
    assertEquals(response.status, status, origin);
  }
});

Deno.test("a handler that reads the request itself gets text as sent", async () => {
  const reading = TestApplication.of({
    "route.ts": {
      schema: { post: { body: content("text/csv", z.string()) } },
      POST: async (request) => Response.json(await request.text()),
    },
  });
  const headers = { "content-type": "text/csv" };
  const response = await reading.fetch("/api", {
    method: "POST",
    body: "x,y",
    headers,
  });
  assertEquals(await response.json(), "x,y");
});

Deno.test("validated.body is the union of the outputs of all types", () => {
  const number = z.string().transform(Number);
  const schema = {
    post: { body: [content(V1, A), content("text/csv", number)] },
    put: { body: content("text/csv", number) },
    patch: { body: number },
  } satisfies RouteSchema;
  type Body<Schema extends keyof typeof schema> = Validated<
    typeof schema[Schema]
  >["body"];
  assertType<IsExact<Body<"post">, { a: string } | number>>(true);
  assertType<IsExact<Body<"put">, number>>(true);
  assertType<IsExact<Body<"patch">, number>>(true);
  type Request = FrameworkRequest<typeof schema.post>;
  assertType<IsExact<Request["validated"]["body"], { a: string } | number>>(
    true,
  );
  const check = () => {
    // @ts-expect-error a list without items
    ({ post: { body: [] } }) satisfies RouteSchema;
    const bare = { post: { body: content("text/csv") } };
    // @ts-expect-error content() without a schema
    bare satisfies RouteSchema;
  };
  assertEquals(typeof check, "function");
});
