/** Folders with preconditions: stale versions are tried, and other properties pass. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  errorResponse,
  Framework,
  type FrameworkRequest,
  HttpError,
  type Middleware,
  respond,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import {
  assertMatch,
  notModified,
  preconditions,
} from "@bough/framework/protect";
import { z } from "zod";
import { TestApplication } from "../../support/application.ts";
import { checkFast, passesFast } from "../support.ts";

const text = z.string().min(1).max(20);
const Note = z.object({ id: z.string(), text: z.string() });
const items = { post: { body: z.object({ text }), response: { 201: Note } } };
const item = {
  get: { response: { 200: Note, 404: Problem } },
  put: { body: z.object({ text }), response: { 200: Note, 404: Problem } },
  delete: { response: { 204: {}, 404: Problem } },
};

/** Notes with versions; `check` compares the version that a change names. */
function notesApp(
  required: boolean,
  check: typeof assertMatch,
  onStatus: (response: string) => void = () => {},
): Framework {
  const notes = new Map<string, { text: string; version: number }>();
  const find = (id: string) => {
    const note = notes.get(id);
    if (note === undefined) throw new HttpError(404);
    return { ...note, tag: `"${note.version}"` };
  };
  type Item<Key extends keyof typeof item> = FrameworkRequest<
    (typeof item)[Key],
    "/notes/[id]"
  >;
  const manifest = {
    "notes/middleware.ts": { default: preconditions({ required }) },
    "notes/route.ts": {
      schema: items,
      POST: (request: FrameworkRequest<typeof items.post>) => {
        const id = crypto.randomUUID();
        const { text } = request.validated.body;
        notes.set(id, { text, version: 1 });
        return respond(items.post, 201, { id, text }, {
          headers: { location: `/api/notes/${id}` },
        });
      },
    },
    "notes/[id]/route.ts": {
      schema: item,
      GET: (request: Item<"get">) => {
        const { id } = request.params;
        const { text, tag } = find(id);
        const headers = { etag: tag };
        return notModified(request, tag) ??
          respond(item.get, 200, { id, text }, { headers });
      },
      PUT: (request: Item<"put">) => {
        const { id } = request.params;
        const { tag, version } = find(id);
        check(request, tag, { required });
        const { text } = request.validated.body;
        notes.set(id, { text, version: version + 1 });
        return respond(item.put, 200, { id, text });
      },
      DELETE: (request: Item<"delete">) => {
        const { id } = request.params;
        check(request, find(id).tag, { required });
        notes.delete(id);
        return respond(item.delete, 204);
      },
    },
  };
  const observe: Middleware = async (request, next) => {
    const response = await next()
      .catch((error) => errorResponse(error, request));
    onStatus(`${request.method} ${response.status}`);
    return response;
  };
  return new Framework({ manifest, middleware: [observe] });
}

for (const required of [false, true]) {
  Deno.test(`correct preconditions pass all properties (required: ${required})`, async () => {
    const statuses = new Set<string>();
    const { failures, results, problem } = await checkFast(
      () => notesApp(required, assertMatch, (each) => statuses.add(each)),
      { seed: 3, runs: 30 },
    );
    assertEquals([failures, problem], [[], undefined]);
    assertEquals(results.filter(({ note }) => note !== undefined), []);
    // Other properties name the current version, so that they reach the handlers.
    for (const status of ["PUT 200", "PUT 412", "DELETE 204", "DELETE 412"]) {
      assert(statuses.has(status), status);
    }
    assert(!statuses.has("PUT 428") && !statuses.has("DELETE 428"));
    const repeats = results.find(({ property, operation }) =>
      property === "repeats" && operation.startsWith("GET")
    );
    assert(repeats !== undefined && repeats.runs > 0);
    const state = results.find(({ property }) => property === "state");
    assert(state !== undefined && state.runs > 0);
  });

  Deno.test(`a change of a stale version is found (required: ${required})`, async () => {
    const { failures } = await checkFast(
      () =>
        notesApp(required, (request, _etag, options) => {
          const any = request.headers.get("if-match") ?? undefined;
          if (options?.required && any === undefined) throw new HttpError(428);
        }),
      { seed: 3, runs: 30, properties: ["repeats"] },
    );
    const [failure] = failures;
    assertStringIncludes(failure!.expected, "a 412 to PUT with an old ETag");
  });
}

Deno.test("a handler that accepts only the current version is reached, and its test reads the version", async () => {
  const body = z.object({ count: z.int() });
  const Item = z.object({ id: z.string(), count: z.int() });
  const make = () => {
    const items = new Map<string, { count: number; tag: string }>();
    const tagged = (id: string, count: number) => {
      const tag = `"${crypto.randomUUID()}"`;
      items.set(id, { count, tag });
      return Response.json({ id, count }, { headers: { etag: tag } });
    };
    return TestApplication.of({
      "items/route.ts": {
        schema: { post: { body, response: { 201: Item } } },
        POST: (request) => {
          const { count } = request.validated.body as { count: number };
          const id = String(items.size + 1);
          const { body } = tagged(id, count);
          const headers = { "content-type": "application/json" };
          return new Response(body, { status: 201, headers });
        },
      },
      "items/[id]/route.ts": {
        schema: {
          get: { response: { 200: Item, 404: Problem } },
          patch: {
            headers: z.object({ "if-match": z.string().regex(/^"[\w-]+"$/) }),
            body,
            response: { 200: Item, 404: Problem, 412: Problem },
          },
        },
        GET: (request) => {
          const { id } = request.params as { id: string };
          const item = items.get(id);
          if (item === undefined) throw new HttpError(404);
          const headers = { etag: item.tag };
          return Response.json({ id, count: item.count }, { headers });
        },
        PATCH: (request) => {
          const { id } = request.params as { id: string };
          const item = items.get(id);
          if (item === undefined) throw new HttpError(404);
          if (request.headers.get("if-match") !== item.tag) {
            throw new HttpError(412);
          }
          const { count } = request.validated.body as { count: number };
          if (count > 1e6) throw new Error("too much");
          return tagged(id, count);
        },
      },
    }).app;
  };
  const { failures } = await checkFast(make, {
    ...{ seed: 5, runs: 40 },
    properties: ["failure", "accepted", "refused", "declared"],
  });
  const [failure, ...others] = failures;
  assertEquals(others, []);
  assertEquals(failure!.operation, "PATCH /api/items/[id]");
  assert(failure!.replays);
  assertStringIncludes(failure!.test, '"if-match": String((await app.fetch(');
  assertEquals(await passesFast(failure!.test, make()), false);
});
