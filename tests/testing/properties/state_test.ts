/** The resources that operations create, change and delete are read again. */
import { HttpError } from "@bough/framework";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { notesWith, type Parts } from "../notes.ts";
import { check, found } from "../support.ts";

const text = z.string().min(1).max(5);

async function stateOf(parts: Parts) {
  const { failures, results } = await check(notesWith(parts), {
    properties: ["state"],
    runs: 4,
  });
  return {
    found: failures.map(({ expected, seen, requests }) => [
      expected.replace(/[\da-f-]{36}/, "<id>").replace(/"[a-z]",/, '"<text>",'),
      seen,
      requests.map(({ method }) => method).join(" "),
    ]),
    results: results.map(({ operation, runs, note }) => [
      operation,
      runs,
      note,
    ]),
  };
}

const location = (place: string): Parts => ({
  located: ({ id }) => ({ location: place + id }),
});

Deno.test("resources that keep their state are followed", async () => {
  for (
    const parts of [
      {},
      location("/api/notes/"),
      // Only the Location has the identifier.
      { ...location("/api/notes/"), response: () => ({}) },
      // With 202, a resource may go later, or stay.
      { deletes: false, deleted: 202 },
      { deleted: undefined },
      // A member that differs in each response is not compared.
      { read: (note) => Response.json({ ...note, n: Math.random() }) },
    ] satisfies Parts[]
  ) {
    const { found, results } = await stateOf(parts);
    assertEquals(found, []);
    assertEquals(results, [["POST /api/notes", 4, undefined]]);
  }
});

Deno.test("resources that lose their state are found, with the requests that show it", async () => {
  const cases: readonly (readonly [Parts, ...string[]])[] = [
    [
      { created: () => undefined },
      'the created resource at "/api/notes/<id>"',
      "a 404",
      "POST GET",
    ],
    [
      location("/api/notes/no/"),
      'the created resource at "/api/notes/no/<id>"',
      "a 404: No route matches this path",
      "POST GET",
    ],
    [
      { created: (note) => ({ ...note, n: 0.5 }) },
      '"n": 0, as in the response when the resource was created',
      '"n": 0.5',
      "POST GET GET",
    ],
    [
      { changed: () => undefined, deleted: undefined },
      'the changed resource at "/api/notes/<id>"',
      "a 404",
      "POST GET GET PATCH GET",
    ],
    [
      { changed: (note) => ({ ...note, text: "" }) },
      '"text": "<text>", as in the response when the resource was changed',
      '"text": ""',
      "POST GET GET PATCH GET GET",
    ],
    [
      { deletes: false },
      'a 404, since "/api/notes/<id>" was deleted',
      "a 200",
      "POST GET GET DELETE GET",
    ],
  ];
  for (const [parts, ...expected] of cases) {
    const { found } = await stateOf(parts);
    assertEquals(found, [expected]);
  }
});

Deno.test("resources that cannot be followed are noted", async () => {
  for (
    const [parts, reason] of [
      [
        { response: () => ({}) },
        "POST /api/notes named no created resource by Location or identifier",
      ],
      [
        { status: 409 },
        'every response had the status 409; provide accepted values with "generators"',
      ],
      [
        { read: () => new Response(null, { status: 403 }) },
        "GET /api/notes/[id] accepted no request: every response had the status 403",
      ],
    ] satisfies [Parts, string][]
  ) {
    const { found, results: [result] } = await stateOf(parts);
    assertEquals(found, []);
    assertEquals(result!.slice(1), [0, reason]);
  }
});

Deno.test("a resource that is changed in place keeps the members that a PATCH does not name", async () => {
  const settings = z.object({ volume: z.int(), size: z.int() });
  const defaults = { volume: 5, size: 10 };
  for (const keeps of [true, false]) {
    let stored = defaults;
    const report = await check({
      "settings/route.ts": {
        schema: {
          get: { response: settings },
          patch: { body: settings.partial(), response: settings },
        },
        GET: () => Response.json(stored),
        PATCH: ({ validated: { body } }) => {
          stored = { ...(keeps ? stored : defaults), ...body };
          return Response.json(stored);
        },
      },
    }, { properties: ["state"], seed: 7 });
    const expected = keeps ? [] : ["state PATCH /api/settings"];
    assertEquals(found(report), expected);
  }
});

Deno.test("a cookie may hold state, although later requests do not send it", async () => {
  const body = z.object({ name: z.string().regex(/^[a-z]{1,20}$/) });
  const { failures, results } = await check({
    "name/route.ts": {
      schema: { get: { response: body }, put: { body, response: { 204: {} } } },
      GET: ({ headers }) => {
        const [, name] = /name=([a-z]+)/.exec(headers.get("cookie") ?? "") ??
          [];
        return Response.json({ name: name ?? "stranger" });
      },
      PUT: ({ validated: { body: { name } } }) =>
        new Response(null, {
          status: 204,
          headers: { "set-cookie": `name=${name}` },
        }),
    },
    "carts/route.ts": {
      schema: { post: { body: z.object({ n: z.int() }) } },
      POST: ({ validated: { body } }) =>
        Response.json({ id: "1", ...body }, {
          status: 201,
          headers: { "set-cookie": "cart=1" },
        }),
    },
    "carts/[id]/route.ts": {
      schema: { get: { response: { 200: {}, 404: {} } } },
      GET: ({ headers }) => {
        if (headers.get("cookie") !== "cart=1") throw new HttpError(404);
        return Response.json({ id: "1", n: 1 });
      },
    },
  }, { properties: ["state"], runs: 20 });
  assertEquals(failures, []);
  assertEquals(results.map(({ operation, note }) => [operation, note]), [
    [
      "POST /api/carts",
      "GET /api/carts/[id] accepted no request: every response had the status 404",
    ],
    ["PUT /api/name", undefined],
  ]);
});

Deno.test("resources whose identifiers the client chooses are followed", async () => {
  const items = new Map<string, string>();
  const { failures, results } = await check({
    "items/route.ts": {
      schema: {
        post: {
          body: z.object({ itemId: z.string().regex(/^[a-z]{1,9}$/), text }),
          response: { 201: {}, 409: {} },
        },
      },
      GET: () =>
        Response.json([...items].map(([itemId, text]) => ({ itemId, text }))),
      POST: ({ validated: { body } }) => {
        if (items.has(body.itemId)) throw new HttpError(409);
        items.set(body.itemId, body.text);
        return Response.json(body, { status: 201 });
      },
    },
    "items/[itemId]/route.ts": {
      schema: { get: { response: { 200: {}, 404: {} } } },
      GET: ({ params: { itemId } }) => {
        const text = items.get(itemId!);
        if (text === undefined) throw new HttpError(404);
        return Response.json({ itemId, text });
      },
    },
  }, {
    properties: ["state"],
    runs: 20,
    reset: () => {
      items.clear();
      for (const id of ["a", "b"]) items.set(id, "x"); // known from the list
    },
  });
  assertEquals(failures, []);
  assertEquals(results.map(({ operation, note }) => [operation, note]), [
    ["POST /api/items", undefined],
  ]);
});
