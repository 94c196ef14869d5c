/** The setting `invalidParams` (behaviour 7.1). */
import { errorFormat, HttpError, type NotFoundHandler } from "@bough/framework";
import { diffDocuments } from "@bough/framework/diff";
import { createDocument } from "@bough/framework/openapi";
import type { CommonOptions } from "@bough/framework/types";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import { checkFast } from "../../testing/support.ts";
import { schemaOf, socketRoute } from "../../live/support.ts";
import { INFO } from "../../openapi/support.ts";

const respond = () => new Response("reached");
const id = z.coerce.number().int();
const params = z.object({ id });
const query = z.object({ page: z.coerce.number().optional() });
const body = z.object({ name: z.string() });

const ITEM: TestModule = {
  schema: { get: { params, query }, put: { params, body } },
  GET: respond,
  PUT: respond,
};

const later = schemaOf((value) =>
  Promise.resolve(params["~standard"].validate(value))
);
const failing = schemaOf(() => {
  throw new Error("broken schema");
});

const FILES: Readonly<Record<string, TestModule>> = {
  "items/[id]/route.ts": ITEM,
  "strict/[id]/route.ts": { ...ITEM, config: { invalidParams: 400 } },
  "later/[id]/route.ts": { schema: { get: { params: later } }, GET: respond },
  "broken/[id]/route.ts": {
    schema: { get: { params: failing } },
    GET: respond,
  },
  "rooms/[id]/route.ts": {
    ...socketRoute({}),
    schema: { get: { params, socket: {} } },
  },
  "shops/[id]/middleware.ts": {
    contract: {
      params,
      headers: z.object({ "x-shop": z.string().optional() }),
    },
    default: (request, next) => {
      if (request.headers.has("x-refuse")) throw new HttpError(401);
      return next();
    },
  },
  "shops/[id]/orders/[order]/route.ts": {
    schema: { get: { params: z.object({ order: z.uuid() }) } },
    GET: respond,
  },
  "asked/middleware.ts": { contract: { query: z.object({ key: z.string() }) } },
  "asked/[id]/route.ts": ITEM,
  "rest/[id]/[...]/route.ts": ITEM,
};

const UUID = "8e03978e-40d5-43dd-bc93-6894a57f9324";
const JSON_BODY = {
  method: "PUT",
  headers: { "content-type": "application/json" },
};

/** Requests to an application with `invalidParams: 404`, and their statuses. */
const REQUESTS: readonly (readonly [string, number, RequestInit?])[] = [
  ["/items/1", 200],
  ["/items/a", 404],
  ["/items/a", 404, { method: "HEAD" }],
  ["/items/a?page=b", 404],
  ["/items/1?page=b", 400],
  ["/items/%FF", 400],
  ["/items/a%2Fb", 404],
  ["/items/a", 405, { method: "POST" }],
  ["/items/a", 204, { method: "OPTIONS" }],
  ["/items/a", 404, { ...JSON_BODY, body: "{" }],
  ["/items/a", 404, { method: "PUT", body: "text" }],
  ["/items/1", 400, { ...JSON_BODY, body: "{" }],
  ["/items/1", 200, { ...JSON_BODY, body: '{"name":"a"}' }],
  ["/strict/a", 400],
  ["/later/1", 200],
  ["/later/a", 404],
  ["/broken/a", 500],
  ["/rooms/a", 404],
  ["/rooms/1", 426],
  [`/shops/1/orders/${UUID}`, 200],
  [`/shops/a/orders/${UUID}`, 404],
  ["/shops/1/orders/a", 404],
  [`/shops/a/orders/${UUID}`, 404, { headers: { "x-refuse": "" } }],
  ["/shops/1/orders/a", 401, { headers: { "x-refuse": "" } }],
  ["/asked/a", 400],
  ["/asked/a?key=b", 404],
  ["/rest/1/a", 200],
  ["/rest/a/a", 404],
  ["/rest/1/a%2Fb", 400],
];

for (const lazy of [false, true]) {
  Deno.test(`invalidParams: 404 hides invalid values of the path, with lazy: ${lazy}`, async () => {
    using _ = new CapturedLog();
    const options = { invalidParams: 404, lazy } as const;
    const application = TestApplication.of(FILES, options);
    const missing = await (await application.fetch("/api/none")).json();
    for (const [target, status, init] of REQUESTS) {
      const response = await application.fetch(`/api${target}`, init);
      const name = `${init?.method ?? "GET"} ${target}`;
      assertEquals(response.status, status, name);
      const text = await response.text();
      if (status !== 404 || init?.method === "HEAD") continue;
      assertEquals(JSON.parse(text), missing, name);
    }
  });
}

Deno.test("config of a route file sets invalidParams for its route only", async () => {
  const application = TestApplication.of({
    "a/[id]/route.ts": { ...ITEM, config: { invalidParams: 404 } },
    "b/[id]/route.ts": ITEM,
  });
  const routes = await application.app.routes();
  assertEquals(routes.map(({ invalidParams }) => invalidParams), [404, 400]);
  for (const [target, status] of [["a/x", 404], ["b/x", 400]]) {
    const response = await application.fetch(`/api/${target}`);
    await response.body?.cancel();
    assertEquals(response.status, status);
  }
});

/** The format of a body, and the hooks that were called. */
async function hooked(options: CommonOptions): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  const onNotFound: NotFoundHandler = () => void seen.push("onNotFound");
  const application = TestApplication.of(FILES, {
    invalidParams: 404,
    onError: (error) => {
      const { status, message } = error as HttpError;
      seen.push(`${status} ${message}`);
    },
    onNotFound,
    ...options,
  });
  const response = await application.fetch("/api/items/a?page=b");
  return [response.status, await response.text(), ...seen];
}

Deno.test("the 404 has the error format of the route and no issues, and onError gets it", async () => {
  const detail = "No route matches this path";
  const errors = errorFormat({
    contentType: "application/json",
    schema: z.array(z.unknown()),
    invalid: 422,
    format: ({ status, title, detail, issues }) => [
      status,
      title,
      detail,
      issues,
    ],
  });
  assertEquals(await hooked({ errors }), [
    404,
    JSON.stringify([404, "Not Found", detail, []]),
    `404 ${detail}`,
  ]);
  const onError = () => new Response("mine", { status: 410 });
  assertEquals(await hooked({ onError }), [410, "mine"]);
});

/** The document of some routes. */
async function documentOf(invalidParams: 400 | 404, files = FILES) {
  const { app } = TestApplication.of(files, { invalidParams });
  return createDocument(await app.routes(), { info: INFO }).document;
}

Deno.test("the document has the 404, and a 400 for all other errors", async () => {
  const { paths, components } = await documentOf(404);
  const { get, put } = paths["/api/items/{id}"]!;
  assertEquals(get!.responses[404], {
    $ref: "#/components/responses/NotFound",
  });
  const { NotFound } = components!.responses!;
  assertEquals(
    (NotFound as { description: string }).description,
    "A value in the path is invalid",
  );
  const described = (operation: typeof get) =>
    (operation!.responses[400] as { description: string }).description;
  assertEquals(
    described(get),
    "The request does not fit the schema of its query, or the path cannot be decoded",
  );
  assertEquals(
    described(put),
    "The request does not fit the schema of its body, or the path cannot be decoded",
  );
  assertEquals(
    "404" in paths["/api/strict/{id}"]!.get!.responses,
    false,
  );
});

Deno.test("bough diff reports neither status, since clients treat both as 4xx", async () => {
  const [before, after] = [await documentOf(400), await documentOf(404)];
  for (const [old, now] of [[before, after], [after, before]] as const) {
    assertEquals(await diffDocuments(old, now), []);
  }
});

Deno.test("contract tests expect 404 for an invalid value of the path", async () => {
  const { "strict/[id]/route.ts": strict, "asked/middleware.ts": asked } =
    FILES;
  const files = {
    "items/[id]/route.ts": ITEM,
    "strict/[id]/route.ts": strict!,
    "asked/middleware.ts": asked!,
    "asked/[id]/route.ts": ITEM,
  };
  const create = () => TestApplication.of(files, { invalidParams: 404 }).app;
  const options = { seed: 7, runs: 20 };
  const { failures, results } = await checkFast(create, options);
  assertEquals(failures.map(({ expected, seen }) => [expected, seen]), []);
  assertEquals(results.some(({ property }) => property === "refused"), true);
});

Deno.test("contract tests find a 400 where the application promises 404", async () => {
  const { app } = TestApplication.of({ "items/[id]/route.ts": ITEM }, {
    invalidParams: 404,
    onError: (error) =>
      error instanceof HttpError && error.status === 404
        ? new Response(null, { status: 400 })
        : undefined,
  });
  const properties = ["refused"] as const;
  const { failures } = await checkFast(app, { seed: 7, runs: 40, properties });
  const found = failures.map(({ operation, expected, seen }) =>
    [operation, expected, seen].join(": ")
  );
  assertEquals(found, [
    "GET /api/items/[id]: a 404: a 400",
    "PUT /api/items/[id]: a 404: a 400",
  ]);
});
