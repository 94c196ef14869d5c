/** The setting `invalidParams` (behaviour 7.1). */
import { errorFormat, HttpError } from "@bough/framework";
import { diffDocuments } from "@bough/framework/diff";
import { createDocument } from "@bough/framework/openapi";
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
  Deno.test(`invalidParams: 404 hides invalid values of the path, with lazy: ${lazy} (behaviour 7.1)`, async () => {
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

Deno.test("config of a route file sets invalidParams for its route only (behaviour 7.1)", async () => {
  const { app } = TestApplication.of({
    "a/[id]/route.ts": { ...ITEM, config: { invalidParams: 404 } },
    "b/[id]/route.ts": ITEM,
  });
  for (const route of await app.routes()) {
    const status = route.path.startsWith("/api/a") ? 404 : 400;
    const url = `http://localhost${route.path}`;
    const response = await app.fetch(new Request(url));
    assertEquals([route.invalidParams, response.status], [status, status]);
  }
});

Deno.test("the 404 has the error format of the route and no issues, and onError gets it (behaviour 7.1)", async () => {
  const detail = "No route matches this path";
  const errors = errorFormat({
    contentType: "application/json",
    schema: z.array(z.unknown()),
    invalid: 422,
    format: (
      { status, title, detail, issues },
    ) => [status, title, detail, issues],
  });
  for (
    const [mine, expected] of [
      [undefined, [404, JSON.stringify([404, "Not Found", detail, []])]],
      [new Response("mine", { status: 410 }), [410, "mine"]],
    ] as [Response | undefined, [number, string]][]
  ) {
    const seen: string[] = [];
    const application = TestApplication.of(FILES, {
      errors,
      invalidParams: 404,
      onError(error) {
        const { status, message } = error as HttpError;
        seen.push(`${status} ${message}`);
        return mine;
      },
      onNotFound: () => void seen.push("onNotFound"),
    });
    const response = await application.fetch("/api/items/a?page=b");
    assertEquals([response.status, await response.text()], expected);
    assertEquals(seen, [`404 ${detail}`]);
  }
});

/** The document of the routes. */
async function documentOf(invalidParams: 400 | 404) {
  const { app } = TestApplication.of(FILES, { invalidParams });
  return createDocument(await app.routes(), { info: INFO }).document;
}

Deno.test("the document has the 404, and a 400 for all other errors (behaviour 7.1)", async () => {
  const [before, after] = [await documentOf(400), await documentOf(404)];
  const { paths, components } = after;
  const { get, put } = paths["/api/items/{id}"]!;
  assertEquals(get!.responses[404], {
    $ref: "#/components/responses/NotFound",
  });
  const descriptions = [
    components!.responses!.NotFound,
    get!.responses[400],
    put!.responses[400],
  ].map((response) => (response as { description: string }).description);
  assertEquals(descriptions, [
    "A value in the path is invalid",
    "The request does not fit the schema of its query, or the path cannot be decoded",
    "The request does not fit the schema of its body, or the path cannot be decoded",
  ]);
  const strict = paths["/api/strict/{id}"]!.get!;
  assertEquals("404" in strict.responses, false);
  // Clients treat both as 4xx.
  assertEquals(await diffDocuments(before, after), []);
  assertEquals(await diffDocuments(after, before), []);
});

Deno.test("contract tests expect 404 for an invalid value of the path, and find a 400 (behaviour 7.1)", async () => {
  const names = ["strict/[id]/route.ts", "asked/middleware.ts"]
    .concat("asked/[id]/route.ts");
  const files = {
    "items/[id]/route.ts": ITEM,
    ...Object.fromEntries(names.map((name) => [name, FILES[name]!])),
  };
  const create = () => TestApplication.of(files, { invalidParams: 404 }).app;
  const { failures, results } = await checkFast(create, { seed: 7, runs: 20 });
  assertEquals(failures.map(({ expected, seen }) => [expected, seen]), []);
  assertEquals(results.some(({ property }) => property === "refused"), true);

  const { app: wrong } = TestApplication.of({ "items/[id]/route.ts": ITEM }, {
    invalidParams: 404,
    onError: (error) =>
      error instanceof HttpError && error.status === 404
        ? new Response(null, { status: 400 })
        : undefined,
  });
  const options = { seed: 7, runs: 40, properties: ["refused"] } as const;
  const found = (await checkFast(wrong, options)).failures
    .map((each) => [each.operation, each.expected, each.seen].join(": "));
  assertEquals(found, [
    "GET /api/items/[id]: a 404: a 400",
    "PUT /api/items/[id]: a 404: a 400",
  ]);
});
