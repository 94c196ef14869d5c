/** Folders with preconditions: stale versions are tried, and other properties pass. */
import { errorResponse, HttpError, type Middleware } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import {
  assertMatch,
  notModified,
  preconditions,
} from "@bough/framework/protect";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import { TestApplication } from "../../support/application.ts";
import { checkFast, passesFast, Store } from "../support.ts";

const Item = z.object({ id: z.string(), count: z.int() });
const body = Item.omit({ id: true });
const response = { 200: Item, 404: Problem };
const { json } = Response;

/** Items with versions; `check` compares the version that a change names. */
function itemsApp(
  required: boolean,
  check: typeof assertMatch,
  onStatus: (response: string) => void = () => {},
) {
  const items = new Store<{ id: string; count: number; version: number }>();
  const tagOf = (id?: string) => `"${items.find(id).version}"`;
  const shown = ({ id, count }: z.infer<typeof Item>) => ({ id, count });
  const observe: Middleware = async (request, next) => {
    const response = await next()
      .catch((error) => errorResponse(error, request));
    onStatus(`${request.method} ${response.status}`);
    return response;
  };
  return TestApplication.of({
    "items/middleware.ts": { default: preconditions({ required }) },
    "items/route.ts": {
      schema: { post: { body, response: { 201: Item } } },
      POST: ({ validated: { body } }) => {
        const item = { id: crypto.randomUUID(), ...body, version: 1 };
        items.set(item.id, item);
        const headers = { location: `/api/items/${item.id}` };
        return json(shown(item), { status: 201, headers });
      },
    },
    "items/[id]/route.ts": {
      schema: {
        get: { response },
        put: { body, response },
        delete: { response: { 204: {}, 404: Problem } },
      },
      GET: (request) => {
        const etag = tagOf(request.params.id);
        return notModified(request, etag) ??
          json(shown(items.find(request.params.id)), { headers: { etag } });
      },
      PUT: (request) => {
        const { id } = request.params;
        check(request, tagOf(id), { required });
        const { version } = items.find(id);
        const item = { id: id!, ...request.validated.body };
        items.set(id!, { ...item, version: version + 1 });
        return json(shown(item));
      },
      DELETE: (request) => {
        check(request, tagOf(request.params.id), { required });
        return items.remove(request.params.id);
      },
    },
  }, { middleware: [observe] }).app;
}

for (const required of [false, true]) {
  Deno.test(`correct preconditions pass all properties, and a change of a stale version is found (required: ${required})`, async () => {
    const statuses = new Set<string>();
    const { failures, results, problem } = await checkFast(
      () => itemsApp(required, assertMatch, (each) => statuses.add(each)),
      { seed: 3, runs: 30 },
    );
    assertEquals([failures, problem], [[], undefined]);
    assertEquals(results.filter(({ note }) => note !== undefined), []);
    // Other properties name the current version, so that they reach the handlers.
    for (const status of ["PUT 200", "PUT 412", "DELETE 204", "DELETE 412"]) {
      assert(statuses.has(status), status);
    }
    assert(!statuses.has("PUT 428") && !statuses.has("DELETE 428"));
    const runs = (name: string, method: string) =>
      results.find(({ property, operation }) =>
        property === name && operation.startsWith(method)
      )!.runs;
    assert(runs("repeats", "GET") > 0 && runs("state", "POST") > 0);
    const unchecked = itemsApp(required, (request, _etag, options) => {
      const isNamed = request.headers.has("if-match");
      if (options?.required && !isNamed) throw new HttpError(428);
    });
    const { failures: [failure] } = await checkFast(unchecked, {
      ...{ seed: 3, runs: 30, properties: ["repeats"] },
    });
    assertStringIncludes(failure!.expected, "a 412 to PUT with an old ETag");
  });
}

Deno.test("a handler that accepts only the current version is reached, and its test reads the version", async () => {
  const make = () => {
    const items = new Store<{ id: string; count: number; etag: string }>();
    const put = (id: string, count: number, status = 200) => {
      const etag = `"${crypto.randomUUID()}"`;
      items.set(id, { id, count, etag });
      const headers = status === 201 ? {} : { etag };
      return json({ id, count }, { status, headers });
    };
    return TestApplication.of({
      "items/route.ts": {
        schema: { post: { body, response: { 201: Item } } },
        POST: ({ validated: { body } }) =>
          put(String(items.size + 1), body.count, 201),
      },
      "items/[id]/route.ts": {
        schema: {
          get: { response },
          patch: {
            headers: z.object({ "if-match": z.string().regex(/^"[\w-]+"$/) }),
            body,
            response: { ...response, 412: Problem },
          },
        },
        GET: ({ params }) => {
          const { etag, ...item } = items.find(params.id);
          return json(item, { headers: { etag } });
        },
        PATCH: ({ params, headers, validated: { body } }) => {
          const { id, etag } = items.find(params.id);
          if (headers.get("if-match") !== etag) throw new HttpError(412);
          if (body.count > 1e6) throw new Error("too much");
          return put(id, body.count);
        },
      },
    }).app;
  };
  const { failures: [failure, ...others] } = await checkFast(make, {
    ...{ seed: 5, runs: 40 },
    properties: ["failure", "accepted", "refused", "declared"],
  });
  assertEquals(others, []);
  assertEquals(failure!.operation, "PATCH /api/items/[id]");
  assert(failure!.replays);
  assertStringIncludes(failure!.test, '"if-match": String((await app.fetch(');
  assertEquals(await passesFast(failure!.test, make()), false);
});
