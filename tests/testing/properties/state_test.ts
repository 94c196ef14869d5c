/** What is created can be read, changed and deleted, and is gone then. */
import { assertEquals } from "@std/assert";
import { check } from "../support.ts";

const CREATE = `import { z } from "npm:zod@^4.1.13";
import { notes } from "./store.js";
export const schema = { post: { body: z.object({ text: z.string().min(1).max(5), n: z.int() }) } };
export const POST = ({ validated: { body } }) => {
  const note = { id: crypto.randomUUID(), ...body };
  notes.set(note.id, note);
  return Response.json(note, { status: 201 });
};`;

const ITEM = `import { z } from "npm:zod@^4.1.13";
import { HttpError } from "@bough/framework";
import { notes } from "../store.js";
const response = { 200: {}, 404: {} };
export const schema = {
  get: { response },
  patch: { body: z.object({ text: z.string().min(1).max(5) }), response },
  delete: { response: { 204: {}, 404: {} } },
};
const find = (id) => {
  if (!notes.has(id)) throw new HttpError(404);
  return notes.get(id);
};
export const GET = ({ params }) => Response.json(find(params.id));
export const PATCH = ({ params, validated: { body } }) => {
  const note = { ...find(params.id), ...body };
  notes.set(params.id, note);
  return Response.json(note);
};
export const DELETE = ({ params }) => {
  find(params.id);
  notes.delete(params.id);
  return new Response(null, { status: 204 });
};`;

/** Replacements in one of the two files. */
interface Change {
  readonly create?: readonly (readonly [string, string])[];
  readonly item?: readonly (readonly [string, string])[];
}

async function stateOf({ create = [], item = [] }: Change) {
  const changed = (text: string, changes: typeof create) =>
    changes.reduce((text, [before, after]) => {
      assertEquals(text.split(before).length, 2, before);
      return text.replace(before, () => after);
    }, text);
  const { failures, results } = await check({
    "notes/store.js": "export const notes = new Map();",
    "notes/route.js": changed(CREATE, create),
    "notes/[id]/route.js": changed(ITEM, item),
  }, { properties: ["state"], runs: 4 });
  return {
    found: failures.map(({ expected, seen, requests }) => [
      expected.replace(/[\da-f-]{36}/, "<id>"),
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

const LOCATED: Change["create"] = [[
  "{ status: 201 }",
  "{ status: 201, headers: { location: `/api/notes/${note.id}` } }",
]];

Deno.test("what keeps its state is followed", async () => {
  for (
    const change of [
      {},
      { create: LOCATED },
      // Only the Location has the identifier.
      { create: [...LOCATED, ["Response.json(note,", "Response.json({},"]] },
      // What is deleted may go later, or not at all be deleted.
      {
        item: [
          ["notes.delete(params.id);", ""],
          ["status: 204", "status: 202"],
        ],
      },
      {
        item: [["export const DELETE", "const DELETE"], [
          "  delete: { response: { 204: {}, 404: {} } },\n",
          "",
        ]],
      },
      // What each reading says otherwise is not compared.
      {
        item: [[
          "Response.json(find(params.id))",
          "Response.json({ ...find(params.id), n: Math.random() })",
        ]],
      },
    ] satisfies Change[]
  ) {
    const { found, results } = await stateOf(change);
    assertEquals(found, []);
    assertEquals(results, [["POST /api/notes", 4, undefined]]);
  }
});

Deno.test("what loses its state is found, with the requests that show it", async () => {
  const cases: readonly (readonly [Change, readonly string[]])[] = [
    [
      { create: [["notes.set(note.id, note);", ""]] },
      ['the created resource at "/api/notes/<id>"', "a 404", "POST GET"],
    ],
    [
      {
        create: [...LOCATED, [
          "`/api/notes/${note.id}`",
          "`/api/notes/no/${note.id}`",
        ]],
      },
      [
        'the created resource at "/api/notes/no/<id>"',
        "a 404: No route matches this path",
        "POST GET",
      ],
    ],
    [
      {
        create: [[
          "notes.set(note.id, note);",
          "notes.set(note.id, { ...note, n: 0.5 });",
        ]],
      },
      [
        '"n": 0, as in the response when the resource was created',
        '"n": 0.5',
        "POST GET GET",
      ],
    ],
    [
      {
        item: [["notes.set(params.id, note);", "notes.delete(params.id);"], [
          "  delete: { response: { 204: {}, 404: {} } },\n",
          "",
        ], ["export const DELETE", "const DELETE"]],
      },
      [
        'the changed resource at "/api/notes/<id>"',
        "a 404",
        "POST GET GET PATCH GET",
      ],
    ],
    [
      {
        item: [[
          "notes.set(params.id, note);",
          "notes.set(params.id, { ...note, text: '' });",
        ]],
      },
      [
        '"text": "s", as in the response when the resource was changed',
        '"text": ""',
        "POST GET GET PATCH GET GET",
      ],
    ],
    [
      { item: [["notes.delete(params.id);", ""]] },
      [
        'a 404, since "/api/notes/<id>" was deleted',
        "a 200",
        "POST GET GET DELETE GET",
      ],
    ],
  ];
  for (const [change, expected] of cases) {
    const { found } = await stateOf(change);
    assertEquals(found.length, 1);
    assertEquals(found[0], [...expected]);
  }
});

Deno.test("what cannot be followed is noted", async () => {
  const noteOf = async (change: Change) => {
    const { found, results: [result] } = await stateOf(change);
    assertEquals(found, []);
    return result!.slice(1);
  };
  assertEquals(
    await noteOf({ create: [["Response.json(note,", "Response.json({},"]] }),
    [
      0,
      "no created resource could be read: POST /api/notes returned no Location or identifier",
    ],
  );
  assertEquals(
    await noteOf({ create: [["status: 201", "status: 409"]] }),
    [
      0,
      "no created resource could be read: POST /api/notes responded with 409",
    ],
  );
  assertEquals(
    await noteOf({
      item: [[
        "Response.json(find(params.id))",
        "new Response(null, { status: 403 })",
      ]],
    }),
    [
      0,
      "no created resource could be read: GET /api/notes/[id] responded with 403",
    ],
  );
});

Deno.test("a value in a cookie, which no later request sends, is no fault", async () => {
  const { failures, results } = await check({
    "name/route.js": `import { z } from "npm:zod@^4.1.13";
const body = z.object({ name: z.string().regex(/^[a-z]{1,20}$/) });
export const schema = { get: { response: body }, put: { body, response: { 204: {} } } };
export function GET({ headers }) {
  const [, name] = /name=([a-z]+)/.exec(headers.get("cookie") ?? "") ?? [];
  return Response.json({ name: name ?? "stranger" });
}
export function PUT({ validated: { body } }) {
  const headers = { "set-cookie": \`name=\${body.name}\` };
  return new Response(null, { status: 204, headers });
}`,
    "carts/route.js": `import { z } from "npm:zod@^4.1.13";
export const schema = { post: { body: z.object({ n: z.int() }) } };
export function POST({ validated: { body } }) {
  const headers = { "set-cookie": "cart=1" };
  return Response.json({ id: "1", ...body }, { status: 201, headers });
}`,
    "carts/[id]/route.js": `import { HttpError } from "@bough/framework";
export const schema = { get: { response: { 200: {}, 404: {} } } };
export function GET({ headers }) {
  if (headers.get("cookie") !== "cart=1") throw new HttpError(404);
  return Response.json({ id: "1", n: 1 });
}`,
  }, { properties: ["state"], runs: 20 });
  assertEquals(failures, []);
  assertEquals(results.map(({ operation, note }) => [operation, note]), [
    [
      "POST /api/carts",
      "no created resource could be read: GET /api/carts/[id] responded with 404",
    ],
    ["PUT /api/name", undefined],
  ]);
});
