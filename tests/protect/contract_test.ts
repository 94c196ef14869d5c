import { assert, assertEquals, assertMatch } from "@std/assert";
import { Validator } from "npm:@seriousme/openapi-schema-validator@^2.11.0";
import { z } from "zod";
import { Framework } from "@bough/framework";
import { createClient } from "@bough/framework/client";
import { createDocument, type OpenApiDocument } from "@bough/framework/openapi";
import { idempotent, memoryStore, rateLimit } from "@bough/framework/protect";
import { assertDeclared } from "@bough/framework/testing";
import { withOwn } from "../openapi/support.ts";
import { TestApplication, type TestModule } from "../support/application.ts";

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

Deno.test("the document shows the 429 of a limited folder, with its headers", async () => {
  const limit = { limit: 1, per: 1000, store: memoryStore() };
  const document = await documentOf({
    "limited/middleware.ts": { default: rateLimit(limit) },
    "limited/route.ts": { GET: respond },
    "route.ts": { GET: respond },
  });
  const responses = document.paths["/api/limited"]!.get!.responses;
  const { description, headers, content } = responses["429"] as {
    description: string;
    headers: Record<string, { required?: boolean }>;
    content: object;
  };
  assertEquals(
    description,
    "The client sent more requests than the limit allows",
  );
  assertEquals(Object.keys(content), ["application/problem+json"]);
  assertEquals(Object.keys(headers), [
    ...["retry-after", "ratelimit", "ratelimit-policy"],
  ]);
  assertEquals(
    Object.values(headers).map(({ required }) => required ?? false),
    [true, false, false],
  );
  assertEquals(document.paths["/api"]!.get!.responses["429"], undefined);
});

Deno.test("the types of a client have the 429, which matches the contract", async () => {
  const limit = { limit: 1, per: 60_000, store: memoryStore() };
  const routes = {
    "middleware.ts": { default: [rateLimit(limit)] as const },
    "route.ts": {
      GET: () => Response.json(1),
      schema: { get: { response: z.number() } },
    },
  };
  const app = new Framework({ manifest: routes, validateResponses: true });
  const api = createClient<typeof routes>({ fetch: app.fetch });
  const first = await api.GET("/");
  assertEquals(first.status, 200);
  const second = await api.GET("/");
  assert(second.status === 429);
  const title: string = second.data.title;
  assertEquals(title, "Too Many Requests");
  const third = await app.fetch(new Request("http://localhost/api"));
  await assertDeclared(app, "GET /", third);
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
