/** The method QUERY (behaviour 4.6). */
import { content, HttpError, respond } from "@bough/framework";
import { createClient } from "@bough/framework/client";
import { diffDocuments } from "@bough/framework/diff";
import type { OpenApiVersion } from "@bough/framework/openapi";
import {
  assertMatch,
  notModified,
  preconditions,
} from "@bough/framework/protect";
import { checkContracts } from "@bough/framework/testing";
import { file } from "@bough/framework/uploads";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import { findTools } from "../../../src/mcp/tools.ts";
import { rawRequest } from "../../support/raw_http.ts";
import { documentOf as validDocument } from "../../openapi/support.ts";
import { faultsOf, GET, moduleOf } from "../start/exports_support.ts";

const schema = {
  query: {
    query: z.object({ limit: z.coerce.number().int().max(9).default(9) }),
    cookies: z.object({ theme: z.string().optional() }),
    body: z.object({ text: z.string().max(20) }),
    response: { 200: z.object({ found: z.string(), limit: z.int() }) },
    mcp: { name: "search", description: "Searches" },
  },
};
const found: TestModule = {
  schema,
  QUERY({ validated: { body, query } }) {
    return respond(schema.query, 200, { found: body.text, ...query });
  },
};
const echo = async (request: Request) => new Response(await request.text());
const FILES: Readonly<Record<string, TestModule>> = {
  "found/route.ts": found,
  "echo/route.ts": { QUERY: echo },
  "file/route.ts": {
    schema: { query: { body: file({ maxSize: 10, types: ["image/png"] }) } },
    QUERY: () => new Response("file"),
  },
  "items/[id]/route.ts": {
    config: { invalidParams: 404 },
    schema: { query: { params: z.object({ id: z.coerce.number() }) } },
    QUERY: echo,
  },
  "csv/route.ts": {
    schema: { query: { body: content("text/csv", z.string()) } },
    QUERY: echo,
  },
  "tagged/middleware.ts": { default: preconditions() },
  "tagged/route.ts": {
    schema: { query: { body: z.object({ text: z.string() }) } },
    async QUERY(request) {
      const etag = `"${request.validated.body.text}"`;
      return await Promise.resolve(
        notModified(request, etag) ??
          new Response("new", { headers: { etag } }),
      );
    },
  },
};
const TYPES =
  "application/json, */*+json, application/x-www-form-urlencoded, multipart/form-data";

type Row = readonly [
  request: string,
  body: string,
  status: number,
  expected: Readonly<Record<string, string | null>>,
];
const JSON_HEAD = "\ncontent-type: application/json";
const CHUNKED = "\ntransfer-encoding: chunked";
const ROWS: Readonly<Record<string, Row>> = {
  "a query string and a body": [
    `QUERY /api/found?limit=2 HTTP/1.1${JSON_HEAD}\ncontent-length: 12`,
    '{"text":"a"}',
    200,
    { body: '{"found":"a","limit":2}' },
  ],
  "an invalid body": [
    `QUERY /api/found HTTP/1.1${JSON_HEAD}\ncontent-length: 2`,
    "{}",
    400,
    {},
  ],
  "a body without a type": [
    "QUERY /api/found HTTP/1.1\ncontent-length: 12",
    '{"text":"a"}',
    400,
    {
      body:
        '{"type":"about:blank","title":"Bad Request","status":400,"detail":"The body has no type; send the header Content-Type"}',
    },
  ],
  "a body without a type and a schema": [
    "QUERY /api/echo HTTP/1.1\ncontent-length: 1",
    "a",
    400,
    {},
  ],
  "a body without a type and a length": [
    `QUERY /api/echo HTTP/1.1${CHUNKED}`,
    "1\r\na\r\n0\r\n\r\n",
    400,
    {},
  ],
  "an empty body without a type and a length": [
    `QUERY /api/echo HTTP/1.1${CHUNKED}`,
    "0\r\n\r\n",
    200,
    { body: "" },
  ],
  "no body": ["QUERY /api/echo HTTP/1.1", "", 200, { body: "" }],
  "another type": [
    "QUERY /api/found HTTP/1.1\ncontent-type: text/csv\ncontent-length: 1",
    "a",
    415,
    { accept: TYPES, "accept-query": TYPES },
  ],
  "another type of a file": [
    "QUERY /api/file HTTP/1.1\ncontent-type: text/csv\ncontent-length: 1",
    "a",
    415,
    { "accept-query": "image/png" },
  ],
  "an empty type": [
    "QUERY /api/echo HTTP/1.1\ncontent-type: ;\ncontent-length: 1",
    "a",
    400,
    {},
  ],
  "an invalid path without a type": [
    "QUERY /api/items/x HTTP/1.1\ncontent-length: 1",
    "a",
    404,
    {},
  ],
  "the types of a plain schema": [
    "OPTIONS /api/found HTTP/1.1",
    "",
    204,
    { allow: "QUERY, OPTIONS", "accept-query": TYPES },
  ],
  "a declared type": [
    "OPTIONS /api/csv HTTP/1.1",
    "",
    204,
    { "accept-query": "text/csv" },
  ],
  "any type": [
    "OPTIONS /api/echo HTTP/1.1",
    "",
    204,
    { "accept-query": "*/*" },
  ],
  "a method in lowercase": ["query /api/echo HTTP/1.1", "", 501, {}],
  "a known version": [
    `QUERY /api/tagged HTTP/1.1${JSON_HEAD}\nif-none-match: "a"\ncontent-length: 12`,
    '{"text":"a"}',
    304,
    { etag: '"a"', body: "" },
  ],
  "an older version": [
    `QUERY /api/tagged HTTP/1.1${JSON_HEAD}\nif-none-match: "b"\ncontent-length: 12`,
    '{"text":"a"}',
    200,
    { etag: '"a"', body: "new" },
  ],
};

for (const lazy of [false, true]) {
  Deno.test(`QUERY reads a body over HTTP, ${lazy ? "lazy" : "at once"} (behaviour 4.6)`, async () => {
    await using server = await TestApplication.of(FILES, { lazy }).serve();
    for (const [name, [head, sent, status, expected]] of Object.entries(ROWS)) {
      const { headers, body, ...response } = await rawRequest(
        server.port,
        head,
        sent,
      );
      const seen = Object.keys(expected)
        .map((key) => [key, key === "body" ? body : headers.get(key)]);
      assertEquals(
        [response.status, Object.fromEntries(seen)],
        [status, expected],
        name,
      );
    }
  });
}

Deno.test("schema.query belongs to QUERY, and a function named query is a helper (behaviour 5.1, 5.2)", () => {
  moduleOf({ GET, query: () => {} });
  assertEquals(faultsOf({ GET, schema: { query: z.object({}) } }), [
    "schema.query must be the schemas of QUERY, such as { params: ... }; a query string belongs to a method, as in schema.get.query",
    "schema.query has no handler; export QUERY or remove the key",
  ]);
});

Deno.test("QUERY is a function of the client, and a tool that reads", async () => {
  const application = TestApplication.of(FILES);
  const { fetch } = application.app;
  const manifest = { "found/route.ts": { schema, QUERY: GET } };
  const api = createClient<typeof manifest>({ fetch });
  const { data } = await api.QUERY("/found", {
    body: { text: "a" },
    query: { limit: 1 },
  });
  assertEquals(data, { found: "a", limit: 1 });
  const [tool] = findTools(await application.app.routes()).tools;
  assertEquals(tool!.listed.annotations, {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
  });
});

/** The document of some routes, which is valid by the official schema of its version. */
async function documentOf(
  files: Readonly<Record<string, TestModule>>,
  openapiVersion: OpenApiVersion,
) {
  return (await validDocument(files, { openapiVersion })).document;
}

Deno.test("a document has QUERY by its version, and bough diff compares both versions", async () => {
  const files = { "found/route.ts": found };
  const [old, current] = [
    await documentOf(files, "3.1"),
    await documentOf(files, "3.2"),
  ];
  const item = current.paths["/api/found"]!;
  assertEquals(Object.keys(item), ["query"]);
  assertEquals(item.query!.operationId, "queryFound");
  assertEquals<unknown>(old.paths["/api/found"], {
    "x-oai-additionalOperations": { QUERY: item.query },
  });

  const body = z.object({ text: z.string().max(5) });
  const stricter = {
    "found/route.ts": {
      ...found,
      schema: { query: { ...schema.query, body } },
    },
  };
  const events = { get: { events: { tick: z.object({ id: z.int() }) } } };
  const others = { get: { events: { tick: z.object({ id: z.string() }) } } };
  for (const before of ["3.1", "3.2"] as const) {
    for (const after of ["3.1", "3.2"] as const) {
      const changes = async (
        first: Readonly<Record<string, TestModule>>,
        second: Readonly<Record<string, TestModule>>,
      ) =>
        (await diffDocuments(
          await documentOf(first, before),
          await documentOf(second, after),
        )).map(({ operation, place }) => `${operation} ${place}`);
      assertEquals(await changes(files, files), []);
      assertEquals(await changes(files, stricter), [
        "QUERY /api/found body#/text",
      ]);
      assertEquals(await changes(files, { "a/route.ts": { GET } }), [
        "QUERY /api/found ",
      ]);
      assertEquals(
        await changes(
          { "a/route.ts": { GET, schema: events } },
          { "a/route.ts": { GET, schema: others } },
        ),
        ["GET /api/a 200 body#/*/data/id"],
      );
    }
  }
});

Deno.test("contract tests change a resource only by the tag of its GET", async () => {
  let version = 1;
  const tagOf = (request: Request, text: string, etag: string) =>
    notModified(request, etag) ?? new Response(text, { headers: { etag } });
  const body = z.object({ text: z.string() });
  const { app } = TestApplication.of({
    "middleware.ts": { default: preconditions() },
    "note/route.ts": {
      schema: {
        get: { response: { 200: content("text/plain") } },
        query: { body, response: { 200: content("text/plain") } },
        put: { body, response: { 204: {} } },
      },
      GET: (request) => tagOf(request, `${version}`, `"${version}"`),
      QUERY(request) {
        const { text } = request.validated.body;
        return tagOf(request, text, `"${version}-${text.length}"`);
      },
      PUT(request) {
        assertMatch(request, `"${version}"`);
        version++;
        return new Response(null, { status: 204 });
      },
    },
  });
  const { failures } = await checkContracts(app, { runs: 20, seed: 1 });
  assertEquals(failures.map(({ seen }) => seen), []);
});

const FAULTS: Readonly<Record<string, readonly [TestModule, string]>> = {
  "a response that is not declared": [
    { ...found, QUERY: () => Response.json({ found: 1 }) },
    "declared",
  ],
  "a body that the schema accepts and the handler refuses": [
    {
      ...found,
      QUERY() {
        throw new HttpError(400, "no");
      },
    },
    "declared",
  ],
  "an error for some bodies": [
    {
      ...found,
      QUERY(request) {
        if (request.validated.body.text.length > 9) throw new Error("long");
        return found.QUERY!(request);
      },
    },
    "failure",
  ],
};

Deno.test("contract tests find faults of QUERY", async () => {
  const check = (module: TestModule) => {
    const { app } = TestApplication.of({ "found/route.ts": module });
    return checkContracts(app, { runs: 30, seed: 1 });
  };
  assertEquals((await check(found)).failures, []);
  for (const [name, [module, property]] of Object.entries(FAULTS)) {
    using _log = new CapturedLog();
    const { failures } = await check(module);
    const properties = failures.map((each): string => each.property);
    assertEquals(properties.includes(property), true, `${name}: ${properties}`);
  }
});

Deno.test("contract tests find a search that shows the items of others", async () => {
  const Item = z.object({
    id: z.string(),
    owner: z.string(),
    text: z.string(),
  });
  const text = z.string().max(20);
  const find = { text: text.optional(), owner: z.string().optional() };
  const declared = {
    post: {
      access: "shared",
      body: z.object({ text }),
      response: { 201: Item },
    },
    query: {
      access: "owner",
      body: z.object(find),
      response: { 200: z.array(Item) },
    },
    get: { access: "owner", response: { 200: Item, 404: {} } },
  };
  const check = async (isLeak: boolean) => {
    const items = new Map<string, z.infer<typeof Item>>();
    const userOf = ({ headers }: Request) => headers.get("authorization")!;
    const { post, query, get } = declared;
    const { app } = TestApplication.of({
      "middleware.ts": {
        contract: { security: [{ token: [] }] },
        default: (request, next) =>
          /^(?:ada|bob)$/.test(userOf(request))
            ? next()
            : new Response(null, { status: 401 }),
      },
      "items/route.ts": {
        schema: { post, query },
        POST(request) {
          const id = crypto.randomUUID();
          const item = {
            id,
            owner: userOf(request),
            ...request.validated.body,
          };
          items.set(id, item);
          return Response.json(item, { status: 201 });
        },
        QUERY(request) {
          const found = items.values().filter((item) =>
            (isLeak || item.owner === userOf(request)) &&
            Object.entries(request.validated.body)
              .every(([name, value]) => item[name as "text"] === value)
          );
          return Response.json(found.toArray());
        },
      },
      "items/[id]/route.ts": {
        schema: { get },
        GET(request) {
          const item = items.get(request.params.id!);
          return item?.owner === userOf(request)
            ? Response.json(item)
            : new Response(null, { status: 404 });
        },
      },
    });
    const as = {
      ada: { authorization: "ada" },
      bob: { authorization: "bob" },
    };
    const { failures } = await checkContracts(app, { as, runs: 30, seed: 1 });
    return failures.map(({ property, operation }) =>
      `${property} ${operation}`
    );
  };
  using _log = new CapturedLog();
  assertEquals(await check(false), []);
  assertEquals(await check(true), ["access QUERY /api/items"]);
});
