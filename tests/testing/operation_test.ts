/** The operations of an application, and which requests reach them. */
import { assertEquals } from "@std/assert";
import type { MethodSchema } from "@bough/framework";
import { z } from "zod";
import { needsCredentials } from "../../src/core/start/modules.ts";
import {
  type Input,
  isTooLarge,
  planOf,
} from "../../src/testing/generate/input.ts";
import { Identity } from "../../src/testing/identity.ts";
import {
  isNamed,
  isReached,
  type Operation,
  operationsOf,
  pathInTree,
} from "../../src/testing/operation.ts";
import { TestApplication } from "../support/application.ts";
import type { Modules } from "./support.ts";

const GET = () => new Response();

async function operationsIn(files: Modules): Promise<Map<string, Operation>> {
  const { app } = TestApplication.of(files, { apiPrefix: "v1" });
  const { routes } = await app.inspect();
  return new Map(
    operationsOf(routes, [{ bearer: [] }])
      .map((operation) => [operation.name, operation]),
  );
}

Deno.test("each method is an operation, except for OPTIONS, and HEAD next to GET", async () => {
  const operations = await operationsIn({
    "a/route.ts": { OPTIONS: GET, HEAD: GET, GET, DELETE: GET },
    "b/route.ts": { HEAD: GET },
  });
  assertEquals([...operations.keys()].sort(), [
    "DELETE /v1/a",
    "GET /v1/a",
    "HEAD /v1/b",
  ]);
});

Deno.test("an operation has its own security, or that of the document", async () => {
  const route = (get: MethodSchema) => ({ schema: { get }, GET });
  const operations = await operationsIn({
    "document/route.ts": route({}),
    "open/route.ts": route({ security: [] }),
    "either/route.ts": route({ security: [{ key: [] }, {}] }),
    "both/route.ts": route({ security: [{ key: [] }, { bearer: [] }] }),
  });
  assertEquals(
    [...operations].filter(([, each]) => needsCredentials(each.security))
      .map(([name]) => name).sort(),
    ["GET /v1/both", "GET /v1/document"],
  );
});

Deno.test("the name of an operation is its path, with or without prefix and method", async () => {
  const operations = await operationsIn({
    "(staff)/books/[id]/route.ts": { GET },
  });
  const operation = operations.get("GET /v1/books/[id]")!;
  assertEquals(pathInTree(operation.route), "/books/[id]");
  for (
    const name of [
      "GET /books/[id]",
      "get  /v1/books/[id]",
      " /books/[id] ",
      "/v1/books/[id]",
    ]
  ) assertEquals(isNamed(operation, name), true, name);
  for (
    const name of [
      "",
      "GET",
      "POST /books/[id]",
      "/books",
      "GET /books",
      "/books/[bookId]",
      "/(staff)/books/[id]",
    ]
  ) assertEquals(isNamed(operation, name), false, name);
});

Deno.test("a request reaches a route unless a preceding route matches its path", async () => {
  const operations = await operationsIn({
    "books/[id]/route.ts": { GET },
    "books/new/route.ts": { GET },
    "books/[...]/route.ts": { GET },
    "[kind]/[id]/route.ts": { GET },
    "[kind]/[...]/route.ts": { GET },
  });
  const reaches = (
    name: string,
    params: Record<string, string>,
    ...wildcard: string[]
  ) => isReached(operations.get(`GET /v1${name}`)!, { params, wildcard });
  assertEquals(reaches("/books/new", {}), true);
  assertEquals(reaches("/books/[id]", { id: "7" }), true);
  assertEquals(reaches("/books/[id]", { id: "new" }), false);
  assertEquals(reaches("/[kind]/[id]", { kind: "shelves", id: "new" }), true);
  assertEquals(reaches("/[kind]/[id]", { kind: "books", id: "7" }), false);
  assertEquals(reaches("/books/[...]", {}, "a", "b"), true);
  assertEquals(reaches("/books/[...]", {}, "a"), false);
  const shelves = { kind: "shelves" };
  assertEquals(reaches("/[kind]/[...]", shelves, "a", "b"), true);
  assertEquals(reaches("/[kind]/[...]", { kind: "books" }, "a", "b"), false);
});

Deno.test("a request has the parts of its input, and the name of its identity", async () => {
  const operations = await operationsIn({
    "a b/[id]/[...]/route.ts": {
      schema: { post: { body: z.unknown() }, get: {} },
      config: { bodyLimit: 4 },
      GET,
      POST: GET,
    },
  });
  const input: Input = {
    params: { id: "1/ü" },
    wildcard: ["c d", "e"],
    query: { q: "&", r: ["1", "2"] },
    headers: { "x-a": "1" },
    body: "ü",
  };
  const target = "/v1/a%20b/1%2F%C3%BC/c%20d/e?q=%26&r=1&r=2";
  const headers = { "x-a": "1" };
  const name = "/v1/a b/[id]/[...]";
  const [get, post] = ["GET", "POST"].map((method) =>
    [...operations.values()].find((each) => each.method === method)!
  );
  assertEquals([get!.route.path, post!.route.path], [name, name]);
  assertEquals(planOf(get!, input), { method: "GET", target, headers });
  get!.as = new Identity("ann", { "x-a": "2" });
  const as = "ann";
  assertEquals(planOf(get!, input), { method: "GET", target, headers, as });
  assertEquals(planOf(post!, input), {
    method: "POST",
    target,
    headers: { ...headers, "content-type": "application/json" },
    body: '"ü"',
  });
  assertEquals(
    planOf(get!, { ...input, query: {} }).target,
    target.split("?")[0],
  );
  const isLarge = (body?: string) =>
    isTooLarge(post!, {
      method: "POST",
      target,
      headers,
      ...(body !== undefined && { body }),
    });
  assertEquals([undefined, "1234", "12ü", "123ü", "12345"].map(isLarge), [
    false,
    false,
    false,
    true,
    true,
  ]);
});
