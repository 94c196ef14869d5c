/** One change of a valid request makes the request invalid. */
import { assert, assertEquals } from "@std/assert";
import type { MethodSchema } from "@bough/framework";
import { z } from "zod";
import { fileOf } from "../../../src/shared/wire.ts";
import { type Input, pathInput } from "../../../src/testing/generate/input.ts";
import {
  isChecked,
  mutate,
  type Refusal,
} from "../../../src/testing/generate/mutate.ts";
import {
  type Operation,
  operationsOf,
} from "../../../src/testing/operation.ts";
import { TestApplication } from "../../support/application.ts";

const INPUT = pathInput({ params: {}, wildcard: [] });

async function operationOf(
  schema: MethodSchema,
  method = "POST",
): Promise<Operation> {
  const { app } = TestApplication.of({
    "a/[id]/route.ts": {
      config: { bodyLimit: 10 },
      schema: { [method.toLowerCase()]: schema },
      [method]: () => new Response(),
    },
  });
  const { routes } = await app.inspect();
  return operationsOf(routes, [])[0]!;
}

async function refusals(
  operation: Operation,
  input: Partial<Input>,
  from = 0,
): Promise<Refusal[]> {
  const all = await Promise.all(
    Array.from(
      { length: 150 },
      (_, choice) =>
        mutate(
          operation,
          { ...INPUT, params: { id: "5" }, ...input },
          choice + from,
        ),
    ),
  );
  return all.filter((each) => each !== undefined);
}

Deno.test("one value of the path, the query or the headers is changed", async () => {
  const operation = await operationOf({
    params: z.object({ id: z.string().regex(/^\d$/) }),
    query: z.strictObject({ q: z.literal("1").optional() }),
    headers: z.object({ "x-a": z.literal("1") }),
  }, "GET");
  assertEquals(isChecked(operation), true);
  const input = { query: { q: "1" }, headers: { "x-a": "1" } };
  const all = await refusals(operation, input);
  assert(all.every(({ status }) => status === 400));
  const places = all.flatMap(({ places }) => [...places]);
  assertEquals([...new Set(places)].sort(), [
    "headers#/x-a",
    "params#/id",
    "query#",
    "query#/q",
  ]);
  assert(all.every(({ places }) => places.size === 1));
  const targets = new Set(all.map(({ plan }) => plan.target));
  for (
    const end of ["x?q=1", "-1?q=1", "5?q=x", "5?q=", "5?q=1&notintheschema=x"]
  ) {
    assert(targets.has(`/api/a/${end}`), end);
  }
  const headers = new Set(all.map(({ plan }) => plan.headers["x-a"]));
  assert(headers.has(undefined) && headers.has("-1"));
});

Deno.test("a body is malformed, of another type or too large, or has a changed value", async () => {
  const operation = await operationOf({
    body: z.strictObject({ n: z.int() }),
  });
  const all = await refusals(operation, { body: { n: 1 } });
  const bodies = (status: number) =>
    new Set(
      all.filter((each) => each.status === status)
        .map(({ plan }) => plan.body),
    );
  assertEquals(bodies(415), new Set(['{"n":1}']));
  assertEquals(bodies(413), new Set(['{"n":1}    ']));
  for (
    const body of ["{", "null", "[]", "{}", '{"n":""}', '{"n":1.5}']
  ) assert(bodies(400).has(body), body);
  // The size of a larger body already causes its rejection.
  assert([...bodies(400)].every((body) => body!.length <= 10));
  for (const { plan, status, places } of all) {
    assertEquals(
      plan.headers["content-type"],
      status === 415 ? "text/xml" : "application/json",
    );
    if (plan.body === "{") assertEquals([...places], ["body#"]);
    if (status !== 400) assertEquals(places.size, 0);
  }
  const later = await refusals(operation, { body: { n: 1 } }, 6);
  assert(later.every(({ status }) => status === 400));
});

Deno.test("the file of a form is changed", async () => {
  const operation = await operationOf({
    body: z.object({ f: z.file().mime("text/plain").min(2) }),
  }, "PUT");
  const file = fileOf("ab", "text/plain");
  const all = await refusals(
    { ...operation, route: { ...operation.route, bodyLimit: 1_000 } },
    { body: { f: file } },
  );
  const types = new Set(
    all.map(({ plan }) => plan.headers["content-type"]!.split(";")[0]),
  );
  assertEquals([...types].sort(), [
    "application/json",
    "multipart/form-data",
    "text/xml",
  ]);
  const bodies = all.map(({ plan }) => plan.body ?? "");
  assert(bodies.some((body) => body.includes("application/x-other")));
  const empty = 'filename="file.txt"\r\ncontent-type: text/plain\r\n\r\n\r\n';
  assert(bodies.some((body) => body.includes(empty)));
  assert(bodies.some((body) => body === "{"));
});

Deno.test("parts without a schema are not changed", async () => {
  const operation = await operationOf({});
  assertEquals(isChecked(operation), false);
  assertEquals(await refusals(operation, {}), []);
  // Each value fits this schema.
  const any = await operationOf({ query: z.looseObject({}) });
  assertEquals(isChecked(any), true);
  assertEquals(await refusals(any, { query: { q: "1" } }), []);
});
