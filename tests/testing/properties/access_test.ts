/** What one user creates, others reach only as it is declared. */
import { assert, assertEquals } from "@std/assert";
import { Framework } from "@bough/framework";
import { checkContracts, type ContractReport } from "@bough/framework/testing";
import { TestFolder } from "../../support/application.ts";
import { passes } from "../run_test_text.ts";

/** The parts of an application with notes, which a test replaces to plant a fault. */
const PARTS = {
  /** The declarations. */
  read: `access: "owner", response: { 200: Note, 404: Problem },`,
  change: `access: "owner", response: { 200: Note, 404: Problem },`,
  remove: `access: ["owner", "admin"], response: { 204: {}, 404: Problem },`,
  list: `access: "owner",`,
  files:
    `access: "owner", response: { 200: z.array(z.string()), 404: Problem },`,
  addFile: `access: "owner", response: { 201: File, 404: Problem },`,
  open: `access: "owner", response: { 200: File, 404: Problem },`,
  csv: `access: "owner", response: { 200: content("text/csv"), 404: Problem },`,
  stats:
    `access: ["admin"], response: { 200: z.object({ notes: z.int() }), 403: Problem },`,
  body: "z.object({ text: z.string() })",
  /** Conditions under which a user gets something. */
  mayRead: "note.owner === user",
  mayChange: "note.owner === user",
  mayRemove: `note.owner === user || user === "admin"`,
  mayList: "note.owner === user",
  mayFile: "note.owner === user",
  mayEnter: "note.owner === user",
  mayOpen: "note.files?.includes(fileId)",
  mayCsv: "note.owner === user",
  mayStats: `user === "admin"`,
  /** What happens to those who may not, and if there is no note. */
  missing: "throw new HttpError(404, `There is no note ${id}`);",
  refuse: "throw new HttpError(404, `There is no note ${id}`);",
  refuseChange: "throw new HttpError(404, `There is no note ${id}`);",
  set: "note.text = body.text;",
  add:
    "const note = { id: String(++state.last), text: body.text, role: 'member', isRead: false, edited: false, owner: user };",
  id: "z.string()",
} as const;

type Parts = Partial<Record<keyof typeof PARTS, string>>;

function filesOf(given: Parts): Record<string, string> {
  const part = { ...PARTS, ...given };
  const head = `import { content, HttpError, respond } from "@bough/framework";
    import { Problem } from "@bough/framework/openapi";
    import { z } from "zod";
    import { state } from "/STATE/state.js";
    const Note = z.object({ id: ${part.id}, text: z.string(), role: z.enum(["member", "admin"]), isRead: z.boolean(), edited: z.boolean(), owner: z.string() });
    const File = z.object({ fileId: z.string() });
    const userOf = (request) => request.headers.get("authorization").slice(7);
`;
  return {
    "state.js": "export const state = { last: 0, notes: new Map() };",
    "middleware.js": `import { HttpError } from "@bough/framework";
      import { Problem } from "@bough/framework/openapi";
      export const contract = { security: [{ bearer: [] }], response: { 401: Problem } };
      export default (request, next) => {
        const [, name] = /^Bearer (alice|bob|admin)$/.exec(request.headers.get("authorization") ?? "") ?? [];
        if (name === undefined) throw new HttpError(401, "Show a token");
        return next();
      };`,
    "notes/route.js": `${head}
      export const schema = {
        get: { ${part.list} response: z.array(Note) },
        post: { access: "shared", body: ${part.body}, response: { 201: Note } },
      };
      export const GET = (request) => {
        const user = userOf(request);
        return Response.json([...state.notes.values()].filter((note) => ${part.mayList}));
      };
      export const POST = async (request) => {
        const user = userOf(request);
        const { body } = request.validated;
        const raw = await request.clone().json().catch(() => ({}));
        ${part.add}
        state.notes.set(note.id, note);
        return Response.json(note, { status: 201 });
      };`,
    "notes/[id]/route.js": `${head}
      export const schema = {
        get: { ${part.read} },
        patch: { ${part.change} body: ${part.body} },
        delete: { ${part.remove} },
      };
      export const GET = (request) => {
        const user = userOf(request);
        const { id } = request.params;
        const note = state.notes.get(id);
        if (note === undefined) { ${part.missing} }
        if (!(${part.mayRead})) { ${part.refuse} }
        return Response.json(note);
      };
      export const PATCH = async (request) => {
        const user = userOf(request);
        const { id } = request.params;
        const note = state.notes.get(id);
        if (note === undefined) { ${part.missing} }
        const { body } = request.validated;
        const raw = await request.clone().json().catch(() => ({}));
        if (!(${part.mayChange})) { ${part.refuseChange} }
        ${part.set}
        return Response.json(note);
      };
      export const DELETE = (request) => {
        const user = userOf(request);
        const { id } = request.params;
        const note = state.notes.get(id);
        if (note === undefined) { ${part.missing} }
        if (!(${part.mayRemove})) { ${part.refuse} }
        state.notes.delete(id);
        return new Response(null, { status: 204 });
      };`,
    "notes/[id]/files/route.js": `${head}
      export const schema = {
        get: { ${part.files} },
        post: { ${part.addFile} body: z.object({ name: z.string() }) },
      };
      export const GET = (request) => {
        const user = userOf(request);
        const { id } = request.params;
        const note = state.notes.get(id);
        if (note === undefined) { ${part.missing} }
        if (!(${part.mayFile})) { ${part.refuse} }
        return Response.json(note.files ?? []);
      };
      export const POST = (request) => {
        const user = userOf(request);
        const { id } = request.params;
        const note = state.notes.get(id);
        if (note === undefined) { ${part.missing} }
        if (!(${part.mayFile})) { ${part.refuse} }
        const fileId = String(++state.last);
        state.notes.set(id, { ...note, files: [...note.files ?? [], fileId] });
        return Response.json({ fileId }, { status: 201 });
      };`,
    "notes/[id]/files/[fileId]/route.js": `${head}
      export const schema = { get: { ${part.open} } };
      export const GET = (request) => {
        const user = userOf(request);
        const { id, fileId } = request.params;
        const note = state.notes.get(id);
        if (note === undefined) { ${part.missing} }
        if (!(${part.mayEnter})) { ${part.refuse} }
        if (!(${part.mayOpen})) throw new HttpError(404, "There is no file " + fileId);
        return Response.json({ fileId });
      };`,
    "notes/[id]/csv/route.js": `${head}
      export const schema = { get: { ${part.csv} } };
      export const GET = (request) => {
        const user = userOf(request);
        const { id } = request.params;
        const note = state.notes.get(id);
        if (note === undefined) { ${part.missing} }
        if (!(${part.mayCsv})) { ${part.refuse} }
        return new Response("id\\n" + id, { headers: { "content-type": "text/csv" } });
      };`,
    "stats/route.js": `${head}
      export const schema = { get: { ${part.stats} } };
      export const GET = (request) => {
        const user = userOf(request);
        if (!(${part.mayStats})) throw new HttpError(403, "Only for the admin");
        return Response.json({ notes: state.notes.size });
      };`,
  };
}

const as = Object.fromEntries(
  ["alice", "bob", "admin"].map((name) =>
    [name, { authorization: `Bearer ${name}` }] as const
  ),
);

/** Tests the application; the state is reset by hand, as that of a database. */
async function checkNotes(
  parts: Parts = {},
  { seed = 7 } = {},
): Promise<ContractReport & { isReplayed: () => Promise<boolean[]> }> {
  const folder = await TestFolder.create({});
  for (const [name, code] of Object.entries(filesOf(parts))) {
    await folder.write(name, code.replaceAll("/STATE/", `${folder.path}/`));
  }
  const { state } = await import(`file://${folder.path}/state.js`);
  const reset = () => {
    state.last = 0;
    state.notes.clear();
  };
  const app = new Framework({ apiDir: folder.path });
  const report = await checkContracts(app, {
    as,
    reset,
    seed,
    runs: 20,
    properties: ["access"],
  });
  const isReplayed = async () => {
    const all: boolean[] = [];
    for (const { test } of report.failures) {
      reset();
      all.push(!await passes(test, app, as as never));
    }
    return all;
  };
  return { ...report, isReplayed };
}

/** What is found, as the operation, the expectation and what was seen. */
const shown = ({ failures }: ContractReport): string[] =>
  failures.map(({ operation, expected, seen }) =>
    `${operation.replace("/api", "")}: ${expected} <> ${seen}`
  );

Deno.test("nothing is found if everyone reaches only what is declared", async () => {
  for (const seed of [1, 2, 3]) {
    const report = await checkNotes({}, { seed });
    assertEquals(shown(report), []);
    assertEquals(report.results.filter(({ note }) => note !== undefined), []);
    assert(report.results.every(({ runs }) => runs > 0));
  }
});

/** A fault, and what is found. */
const FAULTS: Readonly<Record<string, readonly [Parts, string]>> = {
  "others read": [
    { mayRead: "true" },
    'GET /notes/[id]: a rejection of "bob", since the access is owner <> a 200',
  ],
  "others change": [
    { mayChange: "true" },
    'PATCH /notes/[id]: a rejection of "bob", since the access is owner <> a 200',
  ],
  "others delete": [
    { mayRemove: "true" },
    'DELETE /notes/[id]: a rejection of "bob", since the access is owner or admin <> a 204',
  ],
  "others find it in a list": [
    { mayList: "true" },
    'GET /notes: no resource of "alice" in the list of "bob", since the access is owner <> the identifier',
  ],
  "others list and add files": [
    { mayFile: "true" },
    'GET /notes/[id]/files: a rejection of "bob", since the access is owner <> a 200|' +
    'POST /notes/[id]/files: a rejection of "bob", since the access is owner <> a 201',
  ],
  "others open files below their own note": [
    {
      mayOpen:
        "[...state.notes.values()].some(({ files }) => files?.includes(fileId))",
    },
    'GET /notes/[id]/files/[fileId]: a rejection of "bob", since the access is owner <> a 200',
  ],
  "others export": [
    { mayCsv: "true" },
    'GET /notes/[id]/csv: a rejection of "bob", since the access is owner <> a 200',
  ],
  "a 403 that reveals existence": [
    {
      refuse: 'throw new HttpError(403, "Not yours");',
      read:
        "access: 'owner', response: { 200: Note, 403: Problem, 404: Problem },",
    },
    'GET /notes/[id]: the response to a missing resource, since "bob" must not learn that this one exists: status 404 <> status 403',
  ],
  "a detail that reveals existence": [
    { refuse: 'throw new HttpError(404, "Not your note");' },
    'GET /notes/[id]: the response to a missing resource, since "bob" must not learn that this one exists: "detail" "There is no note …" <> "detail" "Not your note"',
  ],
  "the admin may not delete": [
    { mayRemove: "note.owner === user" },
    "DELETE /notes/[id]: a response other than 404",
  ],
  "an inverted guard": [
    { mayStats: 'user !== "admin"' },
    'GET /stats: a rejection of "alice", since the access is admin <> a 200',
  ],
  "a guard that the admin does not pass": [
    { mayStats: "false" },
    'GET /stats: a response other than 403 for "admin", since the access is admin <> a 403',
  ],
  "a rejected change that leaves a trace": [
    {
      refuseChange:
        'note.text = body.text + "!"; throw new HttpError(404, `There is no note ${id}`);',
    },
    'PATCH /notes/[id]: the resource as before, since "bob" was rejected',
  ],
  "a rejected deletion that deletes": [
    {
      mayRemove:
        "state.notes.delete(id) && (note.owner === user || user === 'admin')",
    },
    'DELETE /notes/[id]: the resource as before, since "bob" was rejected: status 200 <> status 404',
  ],
  "a role of the raw body": [
    { set: "note.text = body.text; if (raw.role) note.role = raw.role;" },
    'PATCH /notes/[id]: "role" other than "admin", since the schema of the body does not declare it <> "role": "admin"',
  ],
  "an owner of a loose body": [
    {
      body: "z.looseObject({ text: z.string() })",
      set:
        "Object.assign(note, { owner: body.owner ?? note.owner, text: body.text });",
    },
    'PATCH /notes/[id]: the resource, since the schema of the body does not declare "role", "isRead", "edited", "owner" <> a 404',
  ],
  "a flag at creation": [
    {
      add:
        "const note = { id: String(++state.last), text: body.text, role: 'member', isRead: raw.isRead ?? false, edited: false, owner: user };",
    },
    'POST /notes: "isRead" other than true',
  ],
};

for (const [name, [parts, expected]] of Object.entries(FAULTS)) {
  Deno.test(`access: ${name}`, async () => {
    const report = await checkNotes(parts);
    const all = shown(report);
    const wanted = expected.split("|");
    for (const each of wanted) {
      assert(
        all.some((found) => found.startsWith(each)),
        `${each}\n${all.join("\n")}`,
      );
    }
    assertEquals(await report.isReplayed(), report.failures.map(() => true));
  });
}

Deno.test("an operation without a declaration is one note, once a second user succeeds", async () => {
  const open = { mayRead: "true", mayList: "true", mayStats: "true" };
  const report = await checkNotes({
    ...open,
    read: "response: { 200: Note, 404: Problem },",
    list: "",
    stats: "",
  });
  assertEquals(shown(report), []);
  const notes = report.results.flatMap(({ operation, note }) =>
    note === undefined ? [] : [`${operation}: ${note}`]
  );
  const asks = 'succeeds as well; declare access, such as "owner" or "shared"';
  assertEquals(notes.sort(), [
    `GET /api/notes/[id]: "bob" ${asks}`,
    `GET /api/notes: "bob" ${asks}`,
    `GET /api/stats: "bob" ${asks}`,
  ]);
  // What a guard or handler rejects needs no declaration.
  const closed = await checkNotes({
    read: "response: { 200: Note, 404: Problem },",
  });
  assertEquals(closed.results.filter(({ note }) => note !== undefined), []);
});

/** A response that differs each time. */
const RANDOM_404 =
  `return Response.json({ title: "Not Found", status: 404, detail: "No note " + id, instance: "/api/notes/" + id, requestId: crypto.randomUUID(), at: new Date() },
      { status: 404, headers: { "content-type": "application/problem+json", "x-request-id": crypto.randomUUID() } });`;

/** Servers that are as they declare. */
const LEGAL: Readonly<Record<string, Parts>> = {
  "everything is shared": Object.fromEntries([
    ...Object.keys(PARTS).slice(0, Object.keys(PARTS).indexOf("body"))
      .map((name) => [
        name,
        PARTS[name as keyof typeof PARTS]
          .replace(/access: (?:"\w+"|\[[^\]]*\])/, 'access: "shared"'),
      ]),
    ...[
      "mayRead",
      "mayChange",
      "mayRemove",
      "mayList",
      "mayFile",
      "mayEnter",
      "mayCsv",
      "mayStats",
    ].map((name) => [name, "true"]),
  ]),
  "a team of alice and bob": {
    read: `access: ["owner", "bob"], response: { 200: Note, 404: Problem },`,
    mayRead: 'user !== "admin"',
  },
  "an admin who reads and changes all": {
    read: `access: ["owner", "admin"], response: { 200: Note, 404: Problem },`,
    change:
      `access: ["owner", "admin"], response: { 200: Note, 404: Problem },`,
    list: `access: ["owner", "admin"],`,
    mayRead: 'note.owner === user || user === "admin"',
    mayChange: 'note.owner === user || user === "admin"',
    mayList: 'note.owner === user || user === "admin"',
  },
  "a 403 for what everyone reads": {
    read: `access: "shared", response: { 200: Note, 404: Problem },`,
    change:
      `access: "owner", response: { 200: Note, 403: Problem, 404: Problem },`,
    mayRead: "true",
    refuseChange: 'throw new HttpError(403, "Not yours");',
  },
  "problems with an instance, the time and a random id": {
    missing: RANDOM_404,
    refuse: RANDOM_404,
    refuseChange: RANDOM_404,
  },
  "a deletion that succeeds for what is missing": {
    missing:
      'if (request.method === "DELETE") return new Response(null, { status: 204 }); throw new HttpError(404, `There is no note ${id}`);',
    refuse:
      'if (request.method === "DELETE") return new Response(null, { status: 204 }); throw new HttpError(404, `There is no note ${id}`);',
  },
  "a change that marks the note": {
    set: "note.text = body.text; note.edited = true;",
  },
  "random identifiers": {
    add:
      "const note = { id: crypto.randomUUID(), text: body.text, role: 'member', isRead: false, edited: false, owner: user };",
  },
};

for (const [name, parts] of Object.entries(LEGAL)) {
  Deno.test(`access: nothing is found of ${name}`, async () => {
    for (const seed of [1, 2]) {
      assertEquals(shown(await checkNotes(parts, { seed })), []);
    }
  });
}

Deno.test("faults with random identifiers replay", async () => {
  const report = await checkNotes({
    ...LEGAL["random identifiers"],
    mayRead: "true",
    mayList: "true",
    mayFile: "true",
  });
  assertEquals(report.failures.length, 4);
  assertEquals(await report.isReplayed(), report.failures.map(() => true));
});

/** The account of the user who logs in, and the registration of users. */
function accountFiles(
  { change, register }: { readonly change: string; readonly register: string },
): Record<string, string> {
  const head = `import { z } from "zod";
    import { users } from "/STATE/users.js";
    const User = z.object({ user: z.object({ id: z.string(), email: z.string(), role: z.string(), verified: z.boolean(), balance: z.number() }) });
    const fresh = (id, email) => ({ id, email, role: "member", verified: false, balance: 0 });
    const userOf = (request) => {
      const name = request.headers.get("authorization")?.slice(7) ?? "nobody";
      return users.get(name) ?? users.set(name, fresh(name, name)).get(name);
    };`;
  return {
    "users.js": "export const users = new Map();",
    "me/route.js": `${head}
      export const schema = {
        get: { access: "owner", response: User },
        patch: { access: "owner", body: z.object({ user: z.object({ email: z.string() }) }), response: User },
      };
      export const GET = (request) => Response.json({ user: userOf(request) });
      export const PATCH = async (request) => {
        const { user: raw } = await request.clone().json();
        const user = userOf(request);
        user.email = request.validated.body.user.email;
        ${change}
        return Response.json({ user });
      };`,
    "users/route.js": `${head}
      export const schema = { post: { access: "public", body: z.object({ user: z.object({ email: z.string() }) }), response: { 201: User, 409: z.object({ message: z.string() }) } } };
      export const POST = async (request) => {
        const { user: raw } = await request.clone().json();
        const { email } = request.validated.body.user;
        if ([...users.values()].some((user) => user.email === email))
          return Response.json({ message: "taken" }, { status: 409 });
        const user = fresh(String(users.size), email);
        ${register}
        users.set(user.id, user);
        return Response.json({ user }, { status: 201 });
      };`,
    "users/[userId]/route.js": `${head}
      export const schema = { get: { access: "public", response: { 200: User, 404: z.object({ message: z.string() }) } } };
      export const GET = ({ params: { userId } }) => users.has(userId)
        ? Response.json({ user: users.get(userId) })
        : Response.json({ message: "none" }, { status: 404 });`,
  };
}

async function checkAccount(
  parts: { readonly change?: string; readonly register?: string },
): Promise<string[]> {
  await using folder = await TestFolder.create({});
  const files = accountFiles({ change: "", register: "", ...parts });
  for (const [name, code] of Object.entries(files)) {
    await folder.write(name, code.replaceAll("/STATE/", `${folder.path}/`));
  }
  const { users } = await import(`file://${folder.path}/users.js`);
  const app = new Framework({ apiDir: folder.path });
  const reset = () => users.clear();
  // One identity suffices.
  const { authorization } = as.alice!;
  const report = await checkContracts(app, {
    as: { authorization },
    reset,
    seed: 5,
    runs: 20,
    properties: ["access"],
  });
  for (const { test } of report.failures) {
    reset();
    assertEquals(await passes(test, app, { authorization }), false, test);
  }
  return shown(report);
}

Deno.test("a member that no body declares, and a request sets, is found in an envelope", async () => {
  const since = "since the schema of the body does not declare it";
  assertEquals(await checkAccount({}), []);
  assertEquals(
    await checkAccount({ change: "if (raw.verified) user.verified = true;" }),
    [`PATCH /me: "verified" other than true, ${since} <> "verified": true`],
  );
  assertEquals(
    await checkAccount({ change: "Object.assign(user, raw);" }),
    [`PATCH /me: "id" other than "alicex", ${since} <> "id": "alicex"`],
  );
  // A second registration with the same address is rejected.
  assertEquals(
    await checkAccount({ register: "user.role = raw.role ?? user.role;" }),
    [`POST /users: "role" other than "memberx", ${since} <> "role": "memberx"`],
  );
  // A member that changes by itself is not set by the request.
  assertEquals(
    await checkAccount({
      change: "user.verified = true; user.balance += 1;",
      register: "user.verified = user.email.length > 3;",
    }),
    [],
  );
});
