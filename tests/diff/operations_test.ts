import { assertEquals } from "@std/assert";
import { diffDocuments } from "@bough/framework/diff";
import { content } from "@bough/framework";
import type { DocumentOptions } from "@bough/framework/openapi";
import { file, form } from "@bough/framework/uploads";
import { z } from "zod";
import {
  changesBetween,
  documentOf,
  linesOf,
  route,
  type Rows,
  testRows,
} from "./documents.ts";

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

const ROWS: Rows<MethodSchema> = {
  "JSON may not become a streamed form": [
    { body: json },
    { body: form({ fields: json, files: {} }) },
    'breaking POST /api body: bodies of type "application/json" are refused',
  ],
  "a form may not become a streamed form, which no JSON is": [
    { body: fields },
    { body: streamed },
    'breaking POST /api body: bodies of type "application/json" are refused',
    'breaking POST /api body: bodies of type "application/x-www-form-urlencoded" are refused',
  ],
  "a streamed form may become a form": [{ body: streamed }, { body: fields }],
  "a form may get a number if it is optional": [
    { body: fields },
    { body: fields.extend({ b: z.number().optional() }) },
  ],
  "a body may get a file if it is optional": [
    { body: fields },
    { body: fields.extend({ b: z.file().optional() }) },
  ],
  "a file of any type may not become a file of one type": [
    { body: file() },
    { body: file({ types: ["image/*"] }) },
    'breaking POST /api body: bodies of type "*/*" are refused',
    'unknown POST /api body#: the keyword "contentMediaType" is not compared: nothing became "image/*"',
  ],
  "a declared type may be added": [
    { body: content("application/a+json", json) },
    {
      body: [
        content("text/csv", z.string()),
        content("application/a+json", json),
      ],
    },
  ],
  "a declared type may not be removed": [
    { body: [content("application/json", fields), content(FORM, fields)] },
    { body: content("application/json", fields) },
    `breaking POST /api body: bodies of type "${FORM}" are refused`,
  ],
  "a declared type may not become another": [
    { body: content("application/a+json", json) },
    { body: content("application/b+json", json) },
    'breaking POST /api body: bodies of type "application/a+json" are refused',
  ],
  "each declared type has its own schema": [
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
    'breaking POST /api body#/n: "n" became required',
  ],
  "a declared type of JSON may become a plain schema": [
    { body: content("application/a+json", json) },
    { body: json },
  ],
  "a declared type may become a range, whose schema is compared": [
    { body: content("application/a+json", fields) },
    { body: content("application/*+json", json) },
    'breaking POST /api body#/n: "n" became required',
  ],
  "the most specific range is compared": [
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
  ],
  "a range may become a wider range": [
    { body: content("application/*+json", fields) },
    { body: content("*/*+json", fields) },
  ],
  "a range may not become one of its types": [
    { body: content("text/*", z.string()) },
    { body: content("text/csv", z.string()) },
    'breaking POST /api body: bodies of type "text/*" are refused',
  ],
  "a plain schema may become the types of its document": [
    { body: json },
    { body: content("application/json", json) },
  ],
  "a plain schema of forms may not become JSON alone": [
    { body: fields },
    { body: content("application/json", fields) },
    `breaking POST /api body: bodies of type "${FORM}" are refused`,
    'breaking POST /api body: bodies of type "multipart/form-data" are refused',
  ],
  "declared JSON and forms may become a plain schema": [
    { body: [content(FORM, fields), content("application/json", json)] },
    { body: json },
    'breaking POST /api body#/n: "n" became required',
  ],
  "declared types may not become no body": [
    { body: content("application/json", json) },
    {},
    'breaking POST /api body application/json: "body application/json" was removed',
  ],
  "raw frames may not become JSON": [
    raw,
    messages(z.unknown()),
    "breaking GET /api socket.receive: raw messages became JSON",
    "breaking GET /api socket.send: raw messages became JSON",
  ],
  "JSON may not become raw frames": [
    messages(z.unknown()),
    raw,
    'breaking GET /api socket.receive: "socket.receive" was removed',
    'breaking GET /api socket.send: "socket.send" was removed',
  ],
  "a redirect may not be removed": [
    { response: { 200: json, 303: {} } },
    { response: { 200: json } },
    'breaking GET /api 303: "303" was removed',
  ],
  "a new redirect breaks typed clients": [
    { response: { 200: json } },
    { response: { 200: json, 303: {} } },
    "breaking GET /api 303: the new status 303 may be sent",
  ],
  "an error may be removed, and another one may be added": [
    { response: { 200: json, 400: {} } },
    { response: { 200: json, 404: {} } },
  ],
  "a media type may get the charset UTF-8": [
    sent(content("text/csv")),
    sent(content("Text/CSV; charset=utf-8")),
  ],
  "a media type may not get another charset": [
    sent(content("text/csv")),
    sent(content("text/csv; charset=latin1")),
    'breaking GET /api 200 text/csv: "200 text/csv" was removed',
  ],
  "a response may get another media type": [
    sent(content("application/json", json)),
    sent([content("application/json", json), content("text/csv")]),
  ],
  "a response may not lose one of its media types": [
    sent([content("application/json", json), content("text/csv")]),
    sent(content("application/json", json)),
    'breaking GET /api 200 text/csv: "200 text/csv" was removed',
  ],
  "a range of media types may become one of its types": [
    sent(content("image/*")),
    sent(content("image/png")),
  ],
  "a media type may not become a range that contains the type": [
    sent(content("image/png")),
    sent(content("image/*")),
    'breaking GET /api 200 image/png: "200 image/png" was removed',
  ],
  "a range of media types may not become a type of another range": [
    sent(content("image/*")),
    sent(content("audio/wav")),
    'breaking GET /api 200 image/*: "200 image/*" was removed',
  ],
  "a header may change its case": [
    {
      headers: z.object({ "X-Key": z.string() }),
      ...sent({ headers: z.object({ "X-Count": z.string() }) }),
    },
    {
      headers: z.object({ "x-key": z.string() }),
      ...sent({ headers: z.object({ "x-count": z.string() }) }),
    },
  ],
  "a sunset may not move to the past": [
    until("2040-01-01"),
    until("2020-01-01"),
    'breaking GET /api: the sunset "2040-01-01" became "2020-01-01"',
  ],
  "a sunset may not move to an earlier date": [
    until("2040-01-01"),
    until("2039-12-31"),
    'breaking GET /api: the sunset "2040-01-01" became "2039-12-31"',
  ],
  "a first sunset may not be in the past": [
    {},
    until("2020-01-01"),
    'breaking GET /api: the sunset nothing became "2020-01-01"',
  ],
  "a first sunset may be any later date": [{}, until("2040-01-01")],
  "a sunset may move to a later date": [
    until("2039-01-01"),
    until("2040-01-01"),
  ],
  "a sunset may go": [until("2040-01-01"), {}],
  "an operation after its sunset may get any sunset": [
    until("2021-01-01"),
    until("2020-01-01"),
  ],
  "a schema may not lose its JSON Schema without a word": [
    { body: fields, query: fields, response: fields },
    {
      body: z.map(z.any(), z.any()),
      query: z.map(z.any(), z.any()),
      response: fields,
    },
    "unknown POST /api query: the new schema has no JSON Schema",
    "unknown POST /api body: the new schema has no JSON Schema",
  ],
  "a new schema without JSON Schema is unknown": [
    {},
    { query: z.map(z.any(), z.any()) },
    "unknown GET /api query: the new schema has no JSON Schema",
  ],
  "a query that is a union is compared": [
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
    'breaking GET /api query#/a: "maxLength" 9 became 5',
  ],
  "an access may not lose users without a word": [
    { access: ["owner", "admin"] },
    { access: "owner" },
    'unknown GET /api: access ["owner","admin"] became ["owner"]',
  ],
  "an access may become public": [{ access: "owner" }, { access: "public" }],
  "credentials may not become necessary": [
    {},
    { security: [{ bearer: [] }] },
    'breaking GET /api: credentials "none" no longer suffice; required: "bearer"',
  ],
  "credentials may not become others": [
    { security: [{ bearer: [] }] },
    { security: [{ key: [] }] },
    'breaking GET /api: credentials "bearer" no longer suffice; required: "key"',
  ],
  "more credentials may not become necessary": [
    { security: [{ bearer: [] }] },
    { security: [{ bearer: [], key: [] }] },
    'breaking GET /api: credentials "bearer" no longer suffice; required: "bearer and key"',
  ],
  "one of the credentials may not go": [
    { security: [{ bearer: [] }, { key: [] }] },
    { security: [{ bearer: [] }] },
    'breaking GET /api: credentials "key" no longer suffice; required: "bearer"',
  ],
  "another scope may not become necessary": [
    { security: [{ oauth: ["read"] }] },
    { security: [{ oauth: ["read", "write"] }] },
    'breaking GET /api: credentials "oauth read" no longer suffice; required: "oauth read write"',
  ],
  "credentials may become optional": [
    { security: [{ bearer: [] }] },
    { security: [{}] },
  ],
  "other credentials may come": [
    { security: [{ bearer: [] }] },
    { security: [{ key: [] }, { bearer: [] }] },
  ],
  "a scope may become unnecessary": [
    { security: [{ oauth: ["read", "write"] }] },
    { security: [{ oauth: ["read"] }] },
  ],
  "an empty list of credentials is no change": [{}, { security: [] }],
};

const securitySchemes = {
  bearer: { type: "http", scheme: "bearer" },
  key: { type: "apiKey", in: "header", name: "x-key" },
  oauth: { type: "oauth2", flows: {} },
};

testRows(ROWS, (before, after) => {
  const method = "body" in before || "body" in after ? "post" : "get";
  const files = (schema: MethodSchema) => ({
    "route.ts": route({ [method]: schema }),
  });
  return changesBetween(files(before), files(after), { securitySchemes });
});

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

const DOCUMENTS: Rows<Partial<DocumentOptions>> = {
  "a flow may not go": [
    scheme(oauth("clientCredentials", "password")),
    scheme(oauth("password")),
    'breaking all operations securitySchemes#/oauth: the flow "clientCredentials" was removed',
  ],
  "a flow may come": [
    scheme(oauth("password")),
    scheme(oauth("clientCredentials", "password")),
  ],
  "another tokenUrl, and a scope that goes, are unknown": [
    scheme(oauth("password")),
    scheme({
      type: "oauth2",
      flows: { password: { tokenUrl: "https://b.example/" } },
    }),
    'unknown all operations securitySchemes#/oauth/password: the scope "read" was removed',
    'unknown all operations securitySchemes#/oauth/password: "tokenUrl" "https://a.example/" became "https://b.example/"',
  ],
  "another openIdConnectUrl is unknown": [
    scheme({ type: "openIdConnect", openIdConnectUrl: "https://a.example/" }),
    scheme({ type: "openIdConnect", openIdConnectUrl: "https://b.example/" }),
    'unknown all operations securitySchemes#/oauth: "openIdConnectUrl" "https://a.example/" became "https://b.example/"',
  ],
  "an API key in a header may change its case, and its description": [
    scheme({ type: "apiKey", in: "header", name: "X-Key" }),
    scheme({
      type: "apiKey",
      in: "header",
      name: "x-key",
      description: "A key",
    }),
  ],
  "another server is unknown": [
    servers("https://a.example", "https://b.example"),
    servers("https://b.example/", "https://c.example"),
    'unknown all operations servers: server "https://a.example" is gone; remaining: ["https://b.example/","https://c.example"]',
  ],
  "a first server is unknown": [
    {},
    servers("https://a.example"),
    'unknown all operations servers: server "/" is gone; remaining: ["https://a.example"]',
  ],
  "a server may come": [servers("/"), servers("/", "https://a.example")],
  "another name of a key breaks clients": [
    scheme({ type: "apiKey", in: "header", name: "x-key" }),
    scheme({ type: "apiKey", in: "header", name: "x-token" }),
    ...["a", "b"].map((name) =>
      `breaking GET /api/${name}: credentials "oauth" no longer suffice; required: "oauth"; "oauth" became {"in":"header","name":"x-token","type":"apiKey"}`
    ),
  ],
};

testRows(DOCUMENTS, async (before, after) => {
  const get = route({ get: { security: [{ oauth: [] }] } });
  const files = { "a/route.ts": get, "b/route.ts": get };
  return linesOf(
    await diffDocuments(
      await documentOf(files, before),
      await documentOf(files, after),
    ),
  );
});

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
