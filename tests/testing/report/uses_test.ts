/** Reports list the declarations that the requests of a run used, and values for the others. */
import { assertEquals } from "@std/assert";
import { content, HttpError } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import type { Input } from "../../../src/testing/generate/input.ts";
import {
  type Operation,
  operationsOf,
} from "../../../src/testing/operation.ts";
import { usesOf } from "../../../src/testing/report/coverage.ts";
import type { Sender } from "../../../src/testing/search/sender.ts";
import { TestApplication, type TestModule } from "../../support/application.ts";
import { check } from "../support.ts";

const Answer = z.object({ text: z.string() });

const ROUTE: TestModule = {
  schema: {
    post: {
      body: z.object({
        text: z.string().min(1).max(9),
        kind: z.enum(["a", "b"]).optional(),
        tags: z.array(z.int().min(3)).max(2),
        only: z.union([z.null(), z.literal(4)]),
      }),
      response: { 201: Answer, 409: Problem, 503: Problem },
    },
    get: {
      query: z.object({ sort: z.enum(["up", "down"]).default("up") }),
      response: { 200: Answer, 206: content("image/*") },
    },
  },
  POST: ({ validated: { body } }) =>
    Response.json({ text: body.text }, { status: 201 }),
  GET: () => Response.json({ text: "" }),
};

Deno.test("a report lists the declarations that the requests used, and how to use the others", async () => {
  const { app } = TestApplication.of({ "notes/route.ts": ROUTE });
  const { routes } = await app.inspect();
  const operations = operationsOf(routes, []);
  const bodies = [
    { text: "123456789", kind: "b", tags: [3, 5], only: null },
    { text: "12", kind: "b", tags: [], only: null },
  ];
  const queries = [{}, { sort: "up" }, { sort: "down" }];
  const [get, post] = [
    queries.map((query) => ({ query, params: {} })),
    bodies.map((body) => ({ body, params: {}, query: {} })),
  ] as unknown as Input[][];
  const used = new Map([
    [operations[0]!, {
      types: new Set(["200 application/json", "206 text/csv"]),
      inputs: get!,
    }],
    [operations[1]!, {
      types: new Set([
        "body application/json",
        "201 application/json",
        "409 text/html",
      ]),
      inputs: post!,
    }],
  ]);
  const coverage = usesOf(
    {
      subject: { operations },
      results: { of: (each: Operation) => used.get(each) },
    } as unknown as Sender,
  );
  const body = 'generators: { "POST /api/notes": { body: [{ … }] } }';
  assertEquals(coverage, [{
    operation: "GET /api/notes",
    seen: [
      "200 application/json",
      "query/sort",
      "query/sort absent",
      'query/sort "up"',
      'query/sort "down"',
    ],
    unseen: [{
      name: "206 image/*",
      remedy: 'generators: { "GET /api/notes": { query: [{ … }] } }',
    }],
  }, {
    operation: "POST /api/notes",
    seen: [
      "201 application/json",
      "body application/json",
      "body/text maxLength 9",
      "body/kind",
      'body/kind "b"',
      "body/tags maxItems 2",
      "body/tags/* minimum 3",
      "body/only null",
    ],
    unseen: [
      { name: "409 application/problem+json", remedy: body },
      { name: "503 application/problem+json", remedy: "a test of your own" },
      { name: "body/text minLength 1", remedy: body },
      { name: "body/kind absent", remedy: body },
      { name: 'body/kind "a"', remedy: body },
      { name: "body/only 4", remedy: body },
    ],
  }]);
});

Deno.test("a report suggests credentials or existing values for an operation that rejects all requests", async () => {
  const route = (status: number): TestModule => ({
    schema: { get: { response: { 200: z.string(), [status]: Problem } } },
    GET: () => {
      throw new HttpError(status);
    },
  });
  const { coverage } = await check({
    "guarded/route.ts": route(401),
    "found/[id]/route.ts": route(404),
    "found/same/route.ts": route(403),
    "found/known ü/route.ts": route(404),
  }, { runs: 3 });
  assertEquals(
    coverage.map(({ operation, seen, unseen }) =>
      [operation, seen, unseen.map(({ remedy }) => remedy)].flat().join("; ")
    ).sort(),
    [
      'GET /api/found/[id]; 404 application/problem+json; generators: { "GET /api/found/[id]": { params: [{ … }] } }',
      "GET /api/found/known ü; 404 application/problem+json; a test of your own",
      'GET /api/found/same; 403 application/problem+json; an identity to "as"',
      'GET /api/guarded; 401 application/problem+json; an identity to "as"',
    ],
  );
});
