/** Bodies whose media types `content()` declares (behaviour 7.2). */
import {
  content,
  type FrameworkRequest,
  type RouteSchema,
  type Validated,
  type WithContracts,
} from "@bough/framework";
import { assertEquals } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import { z } from "zod";
import { TestApplication, type TestModule } from "../../support/application.ts";

const A = z.object({ a: z.string() });
const B = z.object({ b: z.string() });
const V1 = "application/vnd.shop.v1+json";
const V2 = "application/vnd.shop.v2+json";
const RANGE = "application/*+json";
const JSON_TYPE = "application/json";
const CSV = "text/csv";
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
  range: content("application/*+json", A),
  // The most specific range applies, whatever the order is.
  ranges: [
    content("*/*+json", z.unknown()),
    content("text/*", z.string()),
    content("application/*+json", A),
    content(V1, B),
    content("text/csv", z.string().max(9)),
  ],
} as const;

type Name = keyof typeof BODIES;

const app = TestApplication.of(Object.fromEntries(
  Object.entries(BODIES).map(([name, body]): [string, TestModule] => [
    `${name}/route.ts`,
    {
      schema: { post: { body } },
      POST: ({ validated: { body = "nothing", bodyType = "" } }) =>
        Response.json(body, { headers: { "body-type": bodyType } }),
    },
  ]),
));

const PLAIN = `application/json, */*+json, ${FORM}, ${MULTIPART}`;
const RANGES = `*/*+json, text/*, application/*+json, ${V1}, text/csv`;
const LATIN1 = "charset=iso-8859-1";
const UTF8 = "charset=utf-8";
const PARTS =
  '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n';

/**
 * The route, the type and the body of requests; the value, 400, or the types of a 415;
 * `bodyType`, which only lists and ranges have.
 */
const ROWS: readonly (readonly [
  name: Name,
  type: string | undefined,
  body: string,
  outcome: unknown,
  bodyType?: string,
])[] = [
  ["plain", "application/json", '{"a":"1"}', { a: "1" }],
  ["plain", FORM, "a=1", { a: "1" }],
  ["plain", FORM, "", 400],
  ["plain", V1, '{"a":"1"}', { a: "1" }],
  ["plain", "Application/Merge-Patch+JSON;a=b", '{"a":"1"}', { a: "1" }],
  ["plain", "model/gltf+json", '{"a":"1"}', { a: "1" }],
  ["plain", V1, "", 400],
  ["plain", V1, "{", 400],
  ...[undefined, "Application/JSON; charset=utf-8", ";charset=utf-8"].map((
    type,
  ) => ["plain", type, '{"a":"1"}', { a: "1" }] as const),
  ...[
    ...["text/plain", "application/xml", "application/jsonx", "+json"],
    ...["application/json charset=utf8", "application/json, charset=utf-8"],
    ...["text/plain, a+json", "application/+json", "/a+json", "a/b/c+json"],
    ...["a/b/+json", "a/b+jsonp", "application/json/x"],
  ].map((type) => ["plain", type, '{"a":"1"}', PLAIN] as const),
  ["one", V1, '{"a":"1"}', { a: "1" }],
  ["one", `${V1.toUpperCase()}; charset=utf-8`, '{"a":"1"}', { a: "1" }],
  ["one", undefined, '{"a":"1"}', { a: "1" }],
  ["one", V1, '{"b":"1"}', 400],
  ["one", V1, "{", 400],
  ["one", V1, "", 400],
  ["one", "application/json", '{"a":"1"}', V1],
  ["one", FORM, "a=1", V1],
  ["one", V2, '{"a":"1"}', V1],
  ["versions", V1, '{"a":"1"}', { a: "1" }, V1],
  ["versions", `${V2.toUpperCase()};${UTF8}`, '{"b":"1"}', { b: "1" }, V2],
  ["versions", V2, '{"a":"1"}', 400],
  ["versions", undefined, '{"a":"1"}', { a: "1" }, V1],
  ["versions", undefined, '{"b":"1"}', 400],
  ["versions", "application/json", '{"a":"1"}', `${V1}, ${V2}`],
  ["mixed", FORM, "a=1", { a: "1" }, FORM],
  ["mixed", FORM, "b=1", 400],
  ["mixed", "application/json", '{"b":"1"}', { b: "1" }, JSON_TYPE],
  ["mixed", undefined, '{"b":"1"}', { b: "1" }, JSON_TYPE],
  ["mixed", "text/plain", "a=1", `${FORM}, application/json`],
  ["text", "text/csv", "x,y", "x,y", CSV],
  ["text", "text/csv; charset=utf-8", "ä", "ä", CSV],
  ["text", "text/csv", "longer than 9", 400],
  ["text", "text/csv", "", "", CSV],
  ["text", "text/plain", "x", "text/csv"],
  ["text", "application/json", '"x"', "text/csv"],
  ["text", undefined, "x", "text/csv"],
  ["form", `${MULTIPART}; boundary=x`, PARTS, { a: "1" }],
  ["form", `${MULTIPART}; boundary=y`, PARTS, 400],
  ["form", FORM, "a=1", MULTIPART],
  ["optional", undefined, "", "nothing", V1],
  ["optional", V1, "", "nothing", V1],
  ["optional", "text/csv", "x", "x", CSV],
  ["optional", "text/csv", "", "", CSV],
  ["optional", `${V1}; ${LATIN1}`, "", "nothing", V1],
  // The schema of a body without a type checks an empty body of any type.
  ["optional", "image/png", "", "nothing", V1],
  ["range", V1, '{"a":"1"}', { a: "1" }, RANGE],
  ["range", undefined, '{"a":"1"}', { a: "1" }, RANGE],
  ["range", "application/json", '{"a":"1"}', "application/*+json"],
  ["range", "model/gltf+json", '{"a":"1"}', "application/*+json"],
  ["range", "application/xml", "<a>1</a>", "application/*+json"],
  ["ranges", V1, '{"b":"1"}', { b: "1" }, V1],
  ["ranges", V1, '{"a":"1"}', 400],
  ["ranges", V2, '{"a":"1"}', { a: "1" }, RANGE],
  ["ranges", V2, '{"b":"1"}', 400],
  ["ranges", "model/gltf+json", "1", 1, "*/*+json"],
  ["ranges", undefined, "1", 1, "*/*+json"],
  ["ranges", "text/plain", "longer than 9", "longer than 9", "text/*"],
  ["ranges", "text/csv", "longer than 9", 400],
  // A stream may never end, and JSON is not a string.
  ["ranges", "text/event-stream", "data: 1", RANGES],
  ["ranges", "application/json", "1", RANGES],
  // The charset.
  ["plain", `application/json; ${LATIN1}`, "{}", `application/json; ${UTF8}`],
  ["plain", `${V1};CHARSET="Latin1"`, "{}", `*/*+json; ${UTF8}`],
  ["plain", `${V1}; charset=UTF-16`, "{}", `*/*+json; ${UTF8}`],
  ["plain", `${FORM}; charset=shift_jis`, "a=1", `${FORM}; ${UTF8}`],
  ["text", "text/csv; charset=windows-1252", "x", `text/csv; ${UTF8}`],
  ["ranges", `text/x; ${LATIN1}`, "x", `text/*; ${UTF8}`],
  ["ranges", "text/x, text/y", "x", RANGES],
  ["plain", `text/plain; ${LATIN1}`, "x", PLAIN],
  ...[
    "charset=UTF-8",
    'charset="utf8"',
    "charset=unicode-1-1-utf-8",
    "charset=us-ascii",
    "charset=ASCII",
    "charset=no-such-charset",
    "charset=''",
    "charset=",
    "charset",
    `${UTF8}; ${LATIN1}`,
    `a="; ${LATIN1}"`,
    `x-${LATIN1}`,
  ].map((parameter) =>
    ["plain", `${V1}; ${parameter}`, '{"a":"ä"}', { a: "ä" }] as const
  ),
  ["plain", `${FORM};${UTF8}`, "a=%C3%A4", { a: "ä" }],
  ["plain", FORM, "a=%FF", { a: "\ufffd" }],
  ["form", `${MULTIPART}; boundary=x; ${LATIN1}`, PARTS, { a: "1" }],
];

/** Sends bytes, since only they have no type of their own. */
async function post(
  name: Name,
  type: string | undefined,
  text: string,
): Promise<Response> {
  return await app.fetch(`/api/${name}`, {
    method: "POST",
    body: new TextEncoder().encode(text),
    headers: type === undefined ? {} : { "content-type": type },
  });
}

Deno.test("the schema of its media type checks a body; validated.bodyType is the type of a list, or the range (behaviour 7.2)", async () => {
  for (const [name, type, text, expected, bodyType = ""] of ROWS) {
    const response = await post(name, type, text);
    const { status, headers } = response;
    const body = await response.json();
    const found = [status, status === 415 ? headers.get("accept") : body];
    const row = `${name} ${type} ${text}: ${JSON.stringify(body)}`;
    if (expected === 400) assertEquals(status, 400, row);
    else if (status === 415) assertEquals(found, [415, expected], row);
    else {
      found.push(headers.get("body-type"));
      assertEquals(found, [200, expected, bodyType], row);
    }
  }
});

Deno.test("the 415 names the declared types, and the charset, in its detail (behaviour 7.2)", async () => {
  for (
    const [name, type, detail] of [
      [
        "versions",
        "application/json",
        `The body is "application/json"; this route reads ${V1}, ${V2}`,
      ],
      [
        "plain",
        `${V1}; a=b; charset="ISO-8859-1"`,
        `The body is "${V1}; charset=ISO-8859-1"; this route reads */*+json; ${UTF8}`,
      ],
    ] as const
  ) {
    const response = await post(name, type, "{}");
    assertEquals((await response.json()).detail, detail);
  }
});

Deno.test("text in an unknown encoding is rejected (behaviour 7.6)", async () => {
  const response = await app.fetch("/api/text", {
    method: "POST",
    body: "x",
    headers: { "content-type": "text/csv", "content-encoding": "br" },
  });
  assertEquals(response.status, 415);
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
  type Request = FrameworkRequest<typeof schema.post>;
  type Either = { a: string } | number;
  assertType<
    IsExact<
      [Body<"post">, Body<"put">, Body<"patch">, Request["validated"]["body"]],
      [Either, number, number, Either]
    >
  >(true);
  const check = ({ validated }: Request) => {
    // The type narrows the body.
    if (validated.bodyType === "text/csv") validated.body satisfies number;
    else validated.body satisfies { a: string };
    const both: FrameworkRequest<
      WithContracts<{ readonly query: typeof B }, typeof schema.post>
    >["validated"] = { ...validated, query: { b: "1" } };
    if (both.bodyType === V1) both.body satisfies { a: string };
    const range = { post: { body: content("text/*", number) } };
    type Range = FrameworkRequest<typeof range.post>["validated"];
    assertType<IsExact<Range["bodyType"], "text/*">>(true);
    type One = FrameworkRequest<typeof schema.put>["validated"];
    // @ts-expect-error a single type is always the same
    assertType<IsExact<One["bodyType"], "text/csv">>(true);
    // @ts-expect-error a list without items
    ({ post: { body: [] } }) satisfies RouteSchema;
    const bare = { post: { body: content("text/csv") } };
    // @ts-expect-error content() without a schema
    bare satisfies RouteSchema;
  };
  assertEquals(typeof check, "function");
});
