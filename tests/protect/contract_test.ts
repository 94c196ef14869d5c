import { assert, assertEquals, assertMatch } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import { Validator } from "npm:@seriousme/openapi-schema-validator@^2.11.0";
import { z } from "zod";
import { Framework } from "@bough/framework";
import { type Client, createClient } from "@bough/framework/client";
import { createDocument, type OpenApiDocument } from "@bough/framework/openapi";
import {
  idempotent,
  memoryStore,
  preconditions,
  rateLimit,
} from "@bough/framework/protect";
import { assertDeclared } from "@bough/framework/testing";
import { withOwn } from "../openapi/support.ts";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../support/application.ts";

const INFO = { title: "Shop", version: "1" };

function respond(): Response {
  return Response.json({ id: 1 });
}

/** The document of an application, which must be valid. */
async function documentOf(
  files: Readonly<Record<string, TestModule>>,
): Promise<OpenApiDocument> {
  const routes = await TestApplication.of(files).app.routes();
  const { document, warnings } = createDocument(routes, { info: INFO });
  const { valid, errors } = await new Validator().validate({ ...document });
  assert(valid, JSON.stringify(errors, null, 2));
  assertEquals(warnings, []);
  return document;
}

/** A store that fails. */
const FAILING = {
  increment(): never {
    throw new Error("The disk is full");
  },
};

Deno.test("the document and the types of a client have the statuses of a limit", async () => {
  using _log = new CapturedLog();
  const limit = { limit: 1, per: 60_000, store: memoryStore() };
  const failing = { ...limit, store: FAILING };
  const route = { GET: respond, schema: { get: { response: z.unknown() } } };
  const routes = {
    "limited/middleware.ts": { default: [rateLimit(limit)] as const },
    "limited/route.ts": route,
    "failing/middleware.ts": { default: rateLimit(failing) },
    "failing/route.ts": route,
    "closed/middleware.ts": {
      default: rateLimit({ ...failing, onStoreFailure: "closed" }),
    },
    "closed/route.ts": route,
    "open/middleware.ts": {
      default: rateLimit({ ...failing, onStoreFailure: "open" }),
    },
    "open/route.ts": route,
    "free/route.ts": route,
  };
  const document = await documentOf(routes);
  const app = new Framework({ manifest: routes, validateResponses: true });
  const rows = [
    ["limited", 200, ["200", "429", "503"]],
    ["limited", 429, ["200", "429", "503"]],
    ["failing", 503, ["200", "429", "503"]],
    ["closed", 503, ["200", "429", "503"]],
    ["open", 200, ["200", "429"]],
    ["free", 200, ["200"]],
  ] as const;
  for (const [name, status, declared] of rows) {
    const { responses } = document.paths[`/api/${name}`]!.get!;
    assertEquals(Object.keys(responses), withOwn(...declared), name);
    const url = `http://localhost/api/${name}`;
    const response = await app.fetch(new Request(url));
    assertEquals(response.status, status, name);
    await assertDeclared(app, `GET /${name}`, response);
  }
  const { description, headers, content } = document
    .paths["/api/limited"]!.get!.responses["429"] as {
      description: string;
      headers: Record<string, { required?: boolean }>;
      content: object;
    };
  assertEquals(
    [description, Object.keys(content)],
    [
      "The client sent more requests than the limit allows",
      ["application/problem+json"],
    ],
  );
  assertEquals(
    Object.entries(headers).map(([name, { required }]) => [name, required]),
    [
      ["retry-after", true],
      ["ratelimit", false],
      ["ratelimit-policy", false],
    ],
  );

  const api = createClient<typeof routes>({ fetch: app.fetch });
  const limited = await api.GET("/limited");
  assert(limited.status === 429);
  assertType<IsExact<typeof limited.data.title, string>>(true);
  const closed = await api.GET("/failing");
  assert(closed.status === 503);
  assertType<IsExact<typeof closed.data.title, string>>(true);
  const open = await api.GET("/open");
  if (open.status === 503) {
    // @ts-expect-error no problem is declared
    open.data.title;
  }
});

Deno.test("the types of a client have the conditions of versions", () => {
  const routes = {
    "middleware.ts": { default: preconditions({ required: true }) },
    "route.ts": { PUT: respond },
  };
  const check = async (api: Client<typeof routes>) => {
    const put = await api.PUT("/", { headers: { "if-none-match": "*" } });
    if (put.status === 428 || put.status === 412) {
      assertType<IsExact<typeof put.data.status, number>>(true);
    }
    // @ts-expect-error a version is required
    await api.PUT("/");
    // @ts-expect-error a version is required
    await api.PUT("/", { headers: { "if-match": undefined } });
    // @ts-expect-error a tag is a string
    await api.PUT("/", { headers: { "if-match": {} } });
  };
  assertEquals(typeof check, "function");
});

Deno.test("the document describes the idempotency key and its responses", async () => {
  const document = await documentOf({
    "middleware.ts": {
      default: idempotent({ store: memoryStore(), required: true }),
    },
    "payments/route.ts": { GET: respond, POST: respond, PATCH: respond },
  });
  const { get, post, patch } = document.paths["/api/payments"]!;
  assertEquals(get!.parameters, undefined);
  assertEquals(Object.keys(get!.responses).includes("409"), false);
  for (const { parameters, responses } of [post!, patch!]) {
    const { name, required, in: place, schema, ...parameter } = parameters![0]!;
    assertEquals([name, required, place], ["idempotency-key", true, "header"]);
    assertMatch(parameter.description!, /^A unique string/);
    const pattern = new RegExp((schema as { pattern: string }).pattern);
    assertEquals(["a", '"a b"', "a b", ""].map((key) => pattern.test(key)), [
      true,
      true,
      false,
      false,
    ]);
    assertEquals(
      Object.keys(responses),
      withOwn("200", "409", "422", "503"),
    );
  }
});

Deno.test("the types of a client have the idempotency key and its responses", async () => {
  const protect = idempotent({ store: memoryStore(), required: true });
  const optional = idempotent({ store: memoryStore() });
  const routes = {
    "payments/middleware.ts": { default: [protect] as const },
    "payments/route.ts": { POST: respond, PUT: respond },
    "refunds/middleware.ts": { default: optional },
    "refunds/route.ts": { PATCH: respond },
  };
  const app = new Framework({ manifest: routes });
  const api = createClient<typeof routes>({ fetch: app.fetch });
  const headers = { "idempotency-key": "k-1" };
  const first = await api.POST("/payments", { headers, body: {} });
  const other = await api.POST("/payments", { headers, body: [] });
  assertEquals([first.status, other.status], [200, 422]);
  if (other.status === 422) assertMatch(other.data.detail!, /used for another/);
  await api.PATCH("/refunds", { headers });
  await api.PATCH("/refunds");
  await api.PUT("/payments");
  // @ts-expect-error the key is required
  const missing = await api.POST("/payments");
  assertEquals(missing.status, 400);
});
