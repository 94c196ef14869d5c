/** The operations of an application, and which requests reach them. */
import { assertEquals } from "@std/assert";
import {
  isNamed,
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

Deno.test("the name of an operation is its path, with or without prefix and method", async () => {
  const operations = await operationsIn({
    "(staff)/books/[id]/route.ts": { GET },
  });
  const operation = operations.get("GET /v1/books/[id]")!;
  assertEquals(pathInTree(operation.route), "/books/[id]");
  const named = [
    "GET /books/[id]",
    "get  /v1/books/[id]",
    " /books/[id] ",
    "/v1/books/[id]",
  ];
  const others = [
    ...["", "GET", "POST /books/[id]", "/books", "GET /books"],
    ...["/books/[bookId]", "/(staff)/books/[id]"],
  ];
  assertEquals(
    [...named, ...others].filter((name) => isNamed(operation, name)),
    named,
  );
});
