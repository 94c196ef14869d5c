/** Each status that a protection sends is in the document, and in the client's types. */
import { assertEquals } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import { content } from "@bough/framework";
import { createDocument } from "@bough/framework/openapi";
import { createClient } from "@bough/framework/client";
import { assertDeclared } from "@bough/framework/testing";
import {
  assertMatch,
  notModified,
  preconditions,
  rateLimit,
} from "@bough/framework/protect";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../support/application.ts";

/** A store that fails. */
const FAILING = {
  increment(): never {
    throw new Error("The disk is full");
  },
};

/** An application with a protection, and the statuses of its document. */
async function documented(
  middleware: unknown,
  handlers: TestModule,
): Promise<{
  readonly application: TestApplication;
  readonly statuses: (method: string) => readonly number[];
}> {
  const application = TestApplication.of({
    "middleware.ts": { default: middleware as TestModule["default"] & object },
    "route.ts": handlers,
  }, { validateResponses: true });
  const info = { title: "Test", version: "1" };
  const { document } = createDocument(await application.app.routes(), { info });
  const operations = document.paths["/api"]!;
  return {
    application,
    statuses: (method) =>
      Object.keys(
        operations[method.toLowerCase() as "get"]!.responses,
      ).map(Number),
  };
}

const GET = () => new Response("read");

for (const onStoreFailure of [undefined, "closed", "open"] as const) {
  Deno.test(`the document has the 503 of a store, unless requests pass (${onStoreFailure})`, async () => {
    using _log = new CapturedLog();
    const limit = {
      limit: 1,
      per: 1000,
      store: FAILING,
      ...(onStoreFailure && { onStoreFailure }),
    };
    const { application, statuses } = await documented(rateLimit(limit), {
      GET,
    });
    const response = await application.fetch("/api");
    const isOpen = onStoreFailure === "open";
    assertEquals(response.status, isOpen ? 200 : 503);
    assertEquals(statuses("GET").includes(429), true);
    assertEquals(statuses("GET").includes(503), !isOpen);
    if (!isOpen) await assertDeclared(application.app, "GET /", response);
  });
}

Deno.test("a client knows the 503 of a limit that is closed if its store fails", async () => {
  using _log = new CapturedLog();
  const options = { limit: 1, per: 1000, store: FAILING };
  const routes = {
    "closed/middleware.ts": { default: rateLimit(options) },
    "closed/route.ts": { GET },
    "open/middleware.ts": {
      default: rateLimit({ ...options, onStoreFailure: "open" }),
    },
    "open/route.ts": { GET },
  };
  const { app } = TestApplication.of(routes);
  const api = createClient<typeof routes>({ fetch: app.fetch });
  const closed = await api.GET("/closed");
  if (closed.status === 503) {
    assertType<IsExact<typeof closed.data.title, string>>(true);
  }
  const open = await api.GET("/open");
  assertEquals([closed.status, open.status], [503, 200]);
  if (open.status === 503) {
    // @ts-expect-error no problem is declared
    open.data.title;
  }
});

for (const required of [false, true]) {
  Deno.test(`the document has the statuses of versions (required: ${required})`, async () => {
    const etag = '"7"';
    const change = (request: Request) => {
      assertMatch(request, etag);
      return new Response("changed");
    };
    const { application, statuses } = await documented(
      preconditions({ required }),
      {
        GET: (request) => notModified(request, etag) ?? new Response("read"),
        ...{ PUT: change, PATCH: change, DELETE: change },
        schema: Object.fromEntries(
          ["get", "put", "patch", "delete"].map((name) =>
            [name, { response: { 200: content("text/plain") } }] as const
          ),
        ),
      },
    );
    const long = `"a"${", ".repeat(1_000)}`;
    const rows = [
      ["GET", {}, 200],
      ["GET", { "if-none-match": etag }, 304],
      ["GET", { "if-match": '"6"' }, 412],
      ["GET", { "if-none-match": long }, 431],
      ...["PUT", "PATCH", "DELETE"].flatMap((method) =>
        [
          [method, { "if-match": etag }, 200],
          [method, {}, required ? 428 : 200],
          [method, { "if-match": '"6"' }, 412],
          [method, { "if-none-match": etag }, 412],
          [method, { "if-match": long }, 431],
        ] as const
      ),
    ] as const;
    for (const [method, headers, status] of rows) {
      const response = await application.fetch("/api", { method, headers });
      const row = JSON.stringify([method, headers]);
      assertEquals(response.status, status, row);
      assertEquals(statuses(method).includes(status), true, row);
      await assertDeclared(application.app, `${method} /`, response);
    }
    assertEquals(statuses("PUT").includes(428), required);
  });
}

/** Conditions without a version, and with one. */
const CONDITIONS: readonly (readonly [value: string, names: boolean])[] = [
  ["", false],
  [" ", false],
  [",", false],
  ["7", false],
  ['"', false],
  ["W/", false],
  ['"7', false],
  ['"a b"', false],
  ["**", false],
  ["*", true],
  ['"7"', true],
  ['""', true],
  ['W/"7"', true],
  ['"6", "7"', true],
  [', "7"', true],
];

for (const name of ["if-match", "if-none-match"]) {
  Deno.test(`a required version is one that ${name} names`, async () => {
    const { application } = await documented(
      preconditions({ required: true }),
      { GET, PUT: () => new Response("changed") },
    );
    for (const [value, names] of CONDITIONS) {
      const headers = { [name]: value };
      const { status } = await application.fetch("/api", {
        method: "PUT",
        headers,
      });
      assertEquals(status, names ? 200 : 428, JSON.stringify(headers));
    }
  });
}
