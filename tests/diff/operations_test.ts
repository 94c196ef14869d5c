import { assertEquals } from "@std/assert";
import { diffDocuments } from "@bough/framework/diff";
import { content } from "@bough/framework";
import type { DocumentOptions } from "@bough/framework/openapi";
import { file, form } from "@bough/framework/uploads";
import { z } from "zod";
import { changesBetween, documentOf, linesOf, route } from "./documents.ts";

type MethodSchema = Readonly<Record<string, unknown>>;

const FORM = "application/x-www-form-urlencoded";
const json = z.object({ a: z.string(), n: z.int() });
const fields = z.object({ a: z.string() });
const streamed = form({ fields, files: {} });
const sent = (response: unknown) => ({ response: { 200: response } });
const until = (sunset: string) => ({ deprecated: { sunset } });
const raw = { socket: {} };
const messages = (schema: z.ZodType) => ({
  socket: { receive: schema, send: schema },
});

/** Names, two versions of a method, and the changes from the first to the second. */
const ROWS: readonly (readonly [
  name: string,
  method: "get" | "post",
  before: MethodSchema,
  after: MethodSchema,
  expected: readonly string[],
])[] = [
  [
    "JSON may not become a streamed form",
    "post",
    { body: json },
    { body: form({ fields: json, files: {} }) },
    ['breaking POST /api body: bodies of type "application/json" are refused'],
  ],
  [
    "a form may not become a streamed form, which no JSON is",
    "post",
    { body: fields },
    { body: streamed },
    [
      'breaking POST /api body: bodies of type "application/json" are refused',
      'breaking POST /api body: bodies of type "application/x-www-form-urlencoded" are refused',
    ],
  ],
  ["a streamed form may become a form", "post", { body: streamed }, {
    body: fields,
  }, []],
  [
    "a body may get a file if it is optional",
    "post",
    { body: fields },
    { body: fields.extend({ b: z.file().optional() }) },
    [],
  ],
  [
    "a file of any type may not become a file of one type",
    "post",
    { body: file() },
    { body: file({ types: ["image/*"] }) },
    [
      'breaking POST /api body: bodies of type "*/*" are refused',
      'unknown POST /api body#: the keyword "contentMediaType" is not compared: nothing became "image/*"',
    ],
  ],
  [
    "a declared type may be added",
    "post",
    { body: content("application/a+json", json) },
    {
      body: [
        content("text/csv", z.string()),
        content("application/a+json", json),
      ],
    },
    [],
  ],
  [
    "a declared type may not be removed",
    "post",
    { body: [content("application/json", fields), content(FORM, fields)] },
    { body: content("application/json", fields) },
    [`breaking POST /api body: bodies of type "${FORM}" are refused`],
  ],
  [
    "a declared type may not become another",
    "post",
    { body: content("application/a+json", json) },
    { body: content("application/b+json", json) },
    ['breaking POST /api body: bodies of type "application/a+json" are refused'],
  ],
  [
    "each declared type has its own schema",
    "post",
    {
      body: [
        content("application/a+json", fields),
        content("application/b+json", json),
      ],
    },
    {
      body: [
        content("application/b+json", json),
        content("application/a+json", json),
      ],
    },
    ['breaking POST /api body#/n: "n" became required'],
  ],
  [
    "a declared type of JSON may become a plain schema",
    "post",
    { body: content("application/a+json", json) },
    { body: json },
    [],
  ],
  [
    "a declared type may become a range, whose schema is compared",
    "post",
    { body: content("application/a+json", fields) },
    { body: content("application/*+json", json) },
    ['breaking POST /api body#/n: "n" became required'],
  ],
  [
    "the most specific range is compared",
    "post",
    {
      body: [
        content("application/a+json", fields),
        content("text/csv", z.string().max(9)),
      ],
    },
    {
      body: [
        content("*/*+json", json),
        content("application/*+json", fields),
        content("text/*", z.string().max(5)),
        content("text/csv", z.string().max(9)),
      ],
    },
    [],
  ],
  [
    "a range may become a wider range",
    "post",
    { body: content("application/*+json", fields) },
    { body: content("*/*+json", fields) },
    [],
  ],
  [
    "a range may not become one of its types",
    "post",
    { body: content("text/*", z.string()) },
    { body: content("text/csv", z.string()) },
    ['breaking POST /api body: bodies of type "text/*" are refused'],
  ],
  [
    "a plain schema may become the types of its document",
    "post",
    { body: json },
    { body: content("application/json", json) },
    [],
  ],
  [
    "a plain schema of forms may not become JSON alone",
    "post",
    { body: fields },
    { body: content("application/json", fields) },
    [FORM, "multipart/form-data"].map((type) =>
      `breaking POST /api body: bodies of type "${type}" are refused`
    ),
  ],
  [
    "declared JSON and forms may become a plain schema",
    "post",
    { body: [content(FORM, fields), content("application/json", json)] },
    { body: json },
    ['breaking POST /api body#/n: "n" became required'],
  ],
  [
    "declared types may not become no body",
    "post",
    { body: content("application/json", json) },
    {},
    ['breaking POST /api body application/json: "body application/json" was removed'],
  ],
  [
    "raw frames may not become JSON",
    "get",
    raw,
    messages(z.unknown()),
    [
      "breaking GET /api socket.receive: raw messages became JSON",
      "breaking GET /api socket.send: raw messages became JSON",
    ],
  ],
  [
    "JSON may not become raw frames",
    "get",
    messages(z.unknown()),
    raw,
    [
      'breaking GET /api socket.receive: "socket.receive" was removed',
      'breaking GET /api socket.send: "socket.send" was removed',
    ],
  ],
  [
    "a redirect may not be removed",
    "get",
    { response: { 200: json, 303: {} } },
    { response: { 200: json } },
    ['breaking GET /api 303: "303" was removed'],
  ],
  [
    "a new redirect breaks typed clients",
    "get",
    { response: { 200: json } },
    { response: { 200: json, 303: {} } },
    ["breaking GET /api 303: the new status 303 may be sent"],
  ],
  [
    "an error may be removed, and another one may be added",
    "get",
    { response: { 200: json, 400: {} } },
    { response: { 200: json, 404: {} } },
    [],
  ],
  [
    "a media type may get the charset UTF-8",
    "get",
    sent(content("text/csv")),
    sent(content("Text/CSV; charset=utf-8")),
    [],
  ],
  [
    "a media type may not get another charset",
    "get",
    sent(content("text/csv")),
    sent(content("text/csv; charset=latin1")),
    ['breaking GET /api 200 text/csv: "200 text/csv" was removed'],
  ],
  [
    "a response may get another media type",
    "get",
    sent(content("application/json", json)),
    sent([content("application/json", json), content("text/csv")]),
    [],
  ],
  [
    "a response may not lose one of its media types",
    "get",
    sent([content("application/json", json), content("text/csv")]),
    sent(content("application/json", json)),
    ['breaking GET /api 200 text/csv: "200 text/csv" was removed'],
  ],
  [
    "a range of media types may become one of its types",
    "get",
    sent(content("image/*")),
    sent(content("image/png")),
    [],
  ],
  [
    "a media type may not become a range that contains the type",
    "get",
    sent(content("image/png")),
    sent(content("image/*")),
    ['breaking GET /api 200 image/png: "200 image/png" was removed'],
  ],
  [
    "a range of media types may not become a type of another range",
    "get",
    sent(content("image/*")),
    sent(content("audio/wav")),
    ['breaking GET /api 200 image/*: "200 image/*" was removed'],
  ],
  [
    "a header may change its case",
    "get",
    {
      headers: z.object({ "X-Key": z.string() }),
      ...sent({ headers: z.object({ "X-Count": z.string() }) }),
    },
    {
      headers: z.object({ "x-key": z.string() }),
      ...sent({ headers: z.object({ "x-count": z.string() }) }),
    },
    [],
  ],
  [
    "a sunset may not move to the past",
    "get",
    until("2040-01-01"),
    until("2020-01-01"),
    ['breaking GET /api: the sunset "2040-01-01" became "2020-01-01"'],
  ],
  [
    "a sunset may not move to an earlier date",
    "get",
    until("2040-01-01"),
    until("2039-12-31"),
    ['breaking GET /api: the sunset "2040-01-01" became "2039-12-31"'],
  ],
  [
    "a first sunset may not be in the past",
    "get",
    {},
    until("2020-01-01"),
    ['breaking GET /api: the sunset nothing became "2020-01-01"'],
  ],
  ["a first sunset may be any later date", "get", {}, until("2040-01-01"), []],
  [
    "a sunset may move to a later date",
    "get",
    until("2039-01-01"),
    until("2040-01-01"),
    [],
  ],
  ["a sunset may go", "get", until("2040-01-01"), {}, []],
  [
    "an operation after its sunset may get any sunset",
    "get",
    until("2021-01-01"),
    until("2020-01-01"),
    [],
  ],
  [
    "a schema may not lose its JSON Schema without a word",
    "post",
    { body: fields, query: fields, response: fields },
    {
      body: z.map(z.any(), z.any()),
      query: z.map(z.any(), z.any()),
      response: fields,
    },
    [
      "unknown POST /api query: the new schema has no JSON Schema",
      "unknown POST /api body: the new schema has no JSON Schema",
    ],
  ],
  [
    "a new schema without JSON Schema is unknown",
    "get",
    {},
    { query: z.map(z.any(), z.any()) },
    ["unknown GET /api query: the new schema has no JSON Schema"],
  ],
  [
    "a query that is a union is compared",
    "get",
    {
      query: z.union([
        z.object({ a: z.string().max(9) }),
        z.object({ b: z.string() }),
      ]),
    },
    {
      query: z.union([
        z.object({ a: z.string().max(5) }),
        z.object({ b: z.string() }),
      ]),
    },
    ['breaking GET /api query#/a: "maxLength" 9 became 5'],
  ],
  [
    "an access may not lose users without a word",
    "get",
    { access: ["owner", "admin"] },
    { access: "owner" },
    ['unknown GET /api: access ["owner","admin"] became ["owner"]'],
  ],
  ["an access may become public", "get", { access: "owner" }, {
    access: "public",
  }, []],
];

for (const [name, method, before, after, expected] of ROWS) {
  Deno.test(name, async () => {
    const [old, now] = [before, after]
      .map((each) => ({ "route.ts": route({ [method]: each }) }));
    assertEquals(await changesBetween(old!, now!), [...expected]);
    assertEquals(await changesBetween(now!, now!), []);
  });
}

const oauth = (...names: string[]) => ({
  type: "oauth2",
  flows: Object.fromEntries(names.map((name) => [name, {
    tokenUrl: "https://a.example/",
    scopes: { read: "Reads" },
  }])),
});
const scheme = (oauth: object) => ({ securitySchemes: { oauth } });
const servers = (...urls: string[]) => ({
  servers: urls.map((url) => ({ url })),
});

/** Names, options of two documents, and the changes from the first to the second. */
const DOCUMENTS: readonly (readonly [
  name: string,
  before: Partial<DocumentOptions>,
  after: Partial<DocumentOptions>,
  expected: readonly string[],
])[] = [
  [
    "a flow may not go",
    scheme(oauth("clientCredentials", "password")),
    scheme(oauth("password")),
    ['breaking all operations securitySchemes#/oauth: the flow "clientCredentials" was removed'],
  ],
  [
    "a flow may come",
    scheme(oauth("password")),
    scheme(oauth("clientCredentials", "password")),
    [],
  ],
  [
    "another tokenUrl, and a scope that goes, are unknown",
    scheme(oauth("password")),
    scheme({
      type: "oauth2",
      flows: { password: { tokenUrl: "https://b.example/" } },
    }),
    [
      'unknown all operations securitySchemes#/oauth/password: the scope "read" was removed',
      'unknown all operations securitySchemes#/oauth/password: "tokenUrl" "https://a.example/" became "https://b.example/"',
    ],
  ],
  [
    "another openIdConnectUrl is unknown",
    scheme({ type: "openIdConnect", openIdConnectUrl: "https://a.example/" }),
    scheme({ type: "openIdConnect", openIdConnectUrl: "https://b.example/" }),
    ['unknown all operations securitySchemes#/oauth: "openIdConnectUrl" "https://a.example/" became "https://b.example/"'],
  ],
  [
    "an API key in a header may change its case, and its description",
    scheme({ type: "apiKey", in: "header", name: "X-Key" }),
    scheme({
      type: "apiKey",
      in: "header",
      name: "x-key",
      description: "A key",
    }),
    [],
  ],
  [
    "another server is unknown",
    servers("https://a.example", "https://b.example"),
    servers("https://b.example/", "https://c.example"),
    ['unknown all operations servers: server "https://a.example" is gone; remaining: ["https://b.example/","https://c.example"]'],
  ],
  [
    "a first server is unknown",
    {},
    servers("https://a.example"),
    ['unknown all operations servers: server "/" is gone; remaining: ["https://a.example"]'],
  ],
  ["a server may come", servers("/"), servers("/", "https://a.example"), []],
];

for (const [name, before, after, expected] of DOCUMENTS) {
  Deno.test(name, async () => {
    const files = {
      "a/route.ts": route({ get: { security: [{ oauth: [] }] } }),
      "b/route.ts": route({ get: { security: [{ oauth: [] }] } }),
    };
    const [old, now] = [
      await documentOf(files, before),
      await documentOf(files, after),
    ];
    assertEquals(linesOf(await diffDocuments(old, now)), [...expected]);
    assertEquals(linesOf(await diffDocuments(now, now)), []);
  });
}

Deno.test("a change of one declared type shows a request of this type", async () => {
  const [A, B] = ["application/a+json", "application/b+json"] as const;
  const of = (schema: z.ZodType) => ({
    "route.ts": route({
      post: { body: [content(A, fields), content(B, schema)] },
    }),
  });
  const types: unknown[] = [];
  const [change] = await diffDocuments(
    await documentOf(of(fields)),
    await documentOf(of(json)),
    {
      refuse: (_operation, _part, _value, type) => {
        types.push(type);
        const issue = { message: "no", path: ["a"] };
        return Promise.resolve(type === B ? [issue] : undefined);
      },
    },
  );
  assertEquals(change?.verdict, "breaking");
  assertEquals(change?.request?.headers["content-type"], B);
  assertEquals(new Set(types), new Set([B]));
});
