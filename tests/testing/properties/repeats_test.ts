/** Conditional requests and keyed requests may be repeated. */
import { assertEquals, assertMatch } from "@std/assert";
import type { ContractFailure } from "@bough/framework/testing";
import { check, found, passesWith } from "../support.ts";

interface Stored {
  notes: Map<string, { id: string; text: string; version: number }>;
  keys: Map<string, unknown>;
}

/** The suite tries one seed; `BOUGH_SEEDS=5` tries more. */
const SEEDS = Number(Deno.env.get("BOUGH_SEEDS") ?? 1);

const store = globalThis as { repeatedStore?: Stored };

/** Replacements in the source text. */
type Changes = readonly (readonly [string, string])[];

const TAGGED = {
  "notes/route.js": `import { z } from "npm:zod@^4.1.13";
export const schema = { post: { body: z.object({ text: z.string().min(1).max(5) }) } };
export const POST = ({ validated: { body } }) => {
  const { notes } = globalThis.repeatedStore;
  const note = { id: String(notes.size + 1), ...body, version: 1 };
  notes.set(note.id, note);
  return Response.json(note, { status: 201 });
};`,
  "notes/[id]/route.js": `import { z } from "npm:zod@^4.1.13";
import { HttpError } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
const Note = z.object({ id: z.string(), text: z.string(), version: z.int() });
const response = { 200: Note, 404: Problem, 412: Problem };
export const schema = {
  get: { response: { 200: Note, 304: {}, 404: Problem } },
  patch: { body: z.object({ text: z.string().min(1).max(5) }), response },
  delete: { response: { 204: {}, 404: Problem, 412: Problem } },
};
const find = (id) => {
  const note = globalThis.repeatedStore.notes.get(id);
  if (note === undefined) throw new HttpError(404);
  return note;
};
const tagOf = (note) => '"' + note.id + "-" + note.version + '"';
const fail = (request, note) => {
  const match = request.headers.get("if-match");
  return match !== null && match !== "*" && !match.split(", ").includes(tagOf(note));
};
export const GET = (request) => {
  const note = find(request.params.id);
  const headers = { etag: tagOf(note) };
  if (request.headers.get("if-none-match") === tagOf(note)) {
    return new Response(null, { status: 304, headers });
  }
  return Response.json(note, { headers });
};
export const PATCH = (request) => {
  const note = find(request.params.id);
  if (fail(request, note)) throw new HttpError(412);
  Object.assign(note, request.validated.body);
  note.version++;
  return Response.json(note, { headers: { etag: tagOf(note) } });
};
export const DELETE = (request) => {
  const note = find(request.params.id);
  if (fail(request, note)) throw new HttpError(412);
  globalThis.repeatedStore.notes.delete(note.id);
  return new Response(null, { status: 204 });
};`,
};

const KEYED = {
  "notes/route.js": `import { z } from "npm:zod@^4.1.13";
import { HttpError } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
const Note = z.object({ id: z.string(), text: z.string() });
export const schema = {
  get: { response: { 200: z.array(Note) } },
  post: {
    headers: z.object({ "idempotency-key": z.string().min(8).max(60).optional() }),
    body: z.object({ text: z.string().min(1).max(5) }),
    response: { 201: Note, 409: Problem, 422: Problem },
  },
};
export const GET = () => Response.json([...globalThis.repeatedStore.notes.values()]);
const make = async (body) => {
  await new Promise((resolve) => setTimeout(resolve));
  const { notes } = globalThis.repeatedStore;
  const note = { ...body, id: String(notes.size + 1) };
  notes.set(note.id, note);
  return note;
};
const respond = (note) => Response.json(note, {
  status: 201,
  headers: { location: "/api/notes/" + note.id },
});
export const POST = async (request) => {
  const { body } = request.validated;
  const { keys } = globalThis.repeatedStore;
  const key = request.headers.get("idempotency-key");
  if (key === null) return respond(await make(body));
  const known = keys.get(key);
  if (known === "running") throw new HttpError(409);
  if (known && known.text !== body.text) throw new HttpError(422);
  if (known) return respond(known);
  keys.set(key, "running");
  const note = await make(body);
  keys.set(key, note);
  return respond(note);
};`,
};

function changed(
  files: Readonly<Record<string, string>>,
  changes: Changes,
): Record<string, string> {
  for (const [before] of changes) {
    const isThere = Object.values(files).some((text) => text.includes(before));
    assertEquals(isThere, true, before);
  }
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [
      path,
      changes.reduce(
        (text, [before, after]) => text.replaceAll(before, () => after),
        text,
      ),
    ]),
  );
}

function reset() {
  store.repeatedStore = { notes: new Map(), keys: new Map() };
}

function repeated(files: Readonly<Record<string, string>>, seed: number) {
  reset();
  return check(files, { properties: ["repeats"], seed, reset });
}

const MATCHED = 'request.headers.get("if-none-match") === tagOf(note)';

const ETAGS: Readonly<Record<string, readonly [Changes, RegExp]>> = {
  "If-Match accepts no list": [
    [['!match.split(", ").includes(tagOf(note))', "match !== tagOf(note)"]],
    /^a status other than 412 to PATCH .* with If-Match: "x", "\d.*: a 412/,
  ],
  "If-Match accepts no asterisk": [
    [[' && match !== "*"', ""]],
    /^a status other than 412 to PATCH .* with If-Match: \*: a 412/,
  ],
  "the ETag stays after a change": [
    [["note.version++;", ""]],
    /^another ETag, since PATCH .* changed the representation: a 200 with ETag /,
  ],
  "the ETag differs each time": [
    [[
      "const tagOf = (note) =>",
      "let count = 0;\nconst tagOf = (note) => ++count +",
    ]],
    /^the ETag .* again, since nothing changed: a 200 with ETag /,
  ],
  "a known version is sent again": [
    [[MATCHED, "false"]],
    /^a 304 with ETag .*: a 200/,
  ],
  "an old version counts as known": [
    [[
      MATCHED,
      'request.headers.get("if-none-match")?.startsWith(\'"\' + note.id + "-")',
    ]],
    /^a 200 to the old ETag, since .*: a 304/,
  ],
  "a 304 lacks its ETag": [
    [["{ status: 304, headers }", "{ status: 304 }"]],
    /^a 304 with ETag .*: a 304 with ETag $/,
  ],
  "an outdated change is made": [
    [[
      "if (fail(request, note)) throw new HttpError(412);\n  Object",
      "Object",
    ]],
    /^a 412 to PATCH .*with an old ETag, and no change: a \d+, and/,
  ],
  "an outdated deletion is made": [
    [[
      "if (fail(request, note)) throw new HttpError(412);\n  globalThis",
      "globalThis",
    ]],
    /^a 412 to DELETE .*with an old ETag, and no change: a \d+, and/,
  ],
  "a rejected change leaves a trace": [
    [[
      "  if (fail(request, note)) throw new HttpError(412);\n  Object.assign(note, request.validated.body);",
      "  const isOld = fail(request, note);\n  Object.assign(note, request.validated.body);\n  if (isOld) throw new HttpError(412);",
    ]],
    /^a 412 to PATCH .*with an old ETag, and no change: a \d+, and/,
  ],
};

const KEYS: Readonly<Record<string, readonly [Changes, RegExp]>> = {
  "a key is ignored": [
    [["if (known)", "if (false)"], ["known && known", "false && known"], [
      'known === "running"',
      "false",
    ]],
    /again, since the key was used before: \[201/,
  ],
  "a repeated request has another status": [
    [[
      "if (known) return respond(known);",
      "if (known) return Response.json(known);",
    ]],
    /again, since the key was used before: \[200/,
  ],
  "a repeated request has no Location": [
    [[
      "if (known) return respond(known);",
      "if (known) return Response.json(known, { status: 201 });",
    ]],
    /again, since the key was used before: \[201,null/,
  ],
  "the effect is repeated, but not the response": [
    [[
      "if (known) return respond(known);",
      "if (known) { await make(body); return respond(known); }",
    ]],
    /^\d+ items, since .*: \d+ items/,
  ],
  "a key serves for two requests": [
    [["if (known && known.text !== body.text) throw new HttpError(422);", ""]],
    /^a 409 or 422 to another body, since .*: a 201/,
  ],
  "two at once have two effects": [
    [['keys.set(key, "running");', ""]],
    /^one effect of two requests at once/,
  ],
  "the second of two at once fails": [
    [[
      'if (known === "running") throw new HttpError(409);',
      'if (known === "running") throw new Error("running");',
    ]],
    /^one effect of two requests at once .*: .*\[500,/,
  ],
};

for (const [files, faults] of [[TAGGED, ETAGS], [KEYED, KEYS]] as const) {
  for (const [name, [changes, wanted]] of Object.entries(faults)) {
    Deno.test(`${name}: the fault is found`, async () => {
      for (let seed = 1; seed <= SEEDS; seed++) {
        const faulty = changed(files, changes);
        const report = await repeated(faulty, seed);
        assertEquals(
          found(report).map((each) => each.replace("/[id]", "").split(" ")[0]),
          ["repeats"],
          `seed ${seed}`,
        );
        const [{ expected, seen, test }] = report.failures as [ContractFailure];
        assertMatch(`${expected}: ${seen}`, wanted);
        const passing = [];
        for (const each of [faulty, files]) {
          reset();
          passing.push(await passesWith(each, test));
        }
        assertEquals(passing, [false, true]);
      }
    });
  }
}

const LEGAL: Readonly<
  Record<string, readonly [typeof TAGGED | typeof KEYED, Changes]>
> = {
  "a server with ETags": [TAGGED, []],
  "a server with weak ETags that change with the second": [TAGGED, [
    [`'"' + note.id + "-" + note.version + '"'`, `'W/"' + note.id + '"'`],
  ]],
  "a server without conditional requests": [TAGGED, [
    [MATCHED, "false"],
    ["304: {}, ", ""],
  ]],
  "a server without preconditions": [TAGGED, [
    [", 412: Problem", ""],
    ["return match !== null && match", "return false && match"],
  ]],
  "ETags of representations that differ each time": [TAGGED, [
    [
      "Response.json(note, { headers })",
      "Response.json({ ...note, at: Math.random() }, { headers: { etag: '\"' + Math.random() + '\"' } })",
    ],
  ]],
  "ETags per encoding": [TAGGED, [
    [
      "const headers = { etag: tagOf(note) };",
      `const headers = { vary: "accept-encoding", etag: tagOf(note).replace(/"$/, '-' + (request.headers.get("accept-encoding") ?? "") + '"') };`,
    ],
    [MATCHED, 'request.headers.get("if-none-match") === headers.etag'],
    ["304: {}, ", ""],
    [
      "match.split",
      `match.replaceAll('-"', '"').split`,
    ],
  ]],
  "a server that requires a condition": [TAGGED, [
    [
      "return match !== null && match",
      "if (match === null) throw new HttpError(428);\n return match",
    ],
    ["412: Problem", "412: Problem, 428: Problem"],
  ]],
  "changes that are made already": [TAGGED, [
    [
      "throw new HttpError(412);\n  Object",
      "{ if (note.text === request.validated.body.text) return Response.json(note); throw new HttpError(412); }\n  Object",
    ],
  ]],
  "a server with keys": [KEYED, []],
  "a header in uppercase": [KEYED, [[
    '"idempotency-key": z',
    '"Idempotency-Key": z',
  ]]],
  "a server whose keys wait": [KEYED, [
    ['if (known === "running") throw new HttpError(409);', ""],
    [
      "const known = keys.get(key);",
      "const known = keys.get(key) && await keys.get(key);",
    ],
    [
      'keys.set(key, "running");\n  const note = await make(body);\n  keys.set(key, note);',
      "keys.set(key, make(body));\n  const note = await keys.get(key);",
    ],
  ]],
  "a server that creates later": [KEYED, [
    [
      "notes.set(note.id, note);",
      "setTimeout(() => notes.set(note.id, note), 1);",
    ],
    ["String(notes.size + 1)", "crypto.randomUUID()"],
    ["status: 201", "status: 202"],
    ["201: Note", "202: Note"],
  ]],
  "a server that locks": [KEYED, [
    ["409: Problem", "409: Problem, 503: Problem"],
    [
      'if (known === "running") throw new HttpError(409);',
      'if (known === "running") throw new HttpError(503);',
    ],
  ]],
  "a server that limits the rate": [KEYED, [
    [
      'if (known === "running") throw new HttpError(409);',
      'if (known === "running") throw new HttpError(429);',
    ],
  ]],
  "a server that fails once there are two notes": [KEYED, [[
    "const note = { ...body",
    'if (notes.size > 1) throw new Error("full");\n  const note = { ...body',
  ]]],
  "a server that accepts a key once": [KEYED, [
    [
      "if (known) return respond(known);",
      "if (known) throw new HttpError(409);",
    ],
  ]],
  "an optional key of another pattern": [KEYED, [
    ["z.string().min(8).max(60)", "z.string().regex(/^k-[0-9a-f]{4,9}$/)"],
  ]],
  "a key of another pattern": [KEYED, [
    [
      "z.string().min(8).max(60).optional()",
      "z.string().regex(/^k-[0-9a-f]{4,9}$/)",
    ],
  ]],
};

for (const [name, [files, changes]] of Object.entries(LEGAL)) {
  Deno.test(`nothing is found in ${name}`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { failures } = await repeated(changed(files, changes), seed);
      assertEquals(
        failures.map(({ expected, seen, curl }) => [expected, seen, curl]),
        [],
      );
    }
  });
}

Deno.test("operations without ETags and keys have no result", async () => {
  const { results } = await repeated(
    changed(TAGGED, [["{ etag: tagOf(note) }", "{}"]]),
    1,
  );
  assertEquals(results, []);
});
