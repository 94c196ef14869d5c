/** Only the users whom `access` declares reach what a user creates. */
import { assert, assertEquals } from "@std/assert";
import { HttpError } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import type { ContractReport } from "@bough/framework/testing";
import { z } from "zod";
import { TestApplication } from "../../support/application.ts";
import { check, passesFast } from "../support.ts";
import {
  type Access,
  DECLARED,
  isOwner,
  MAY,
  missing,
  Note,
  NotesApplication,
  PARTS,
  type Parts,
} from "./access_notes.ts";

const as = Object.fromEntries(
  ["alice", "bob", "admin"].map((name) =>
    [name, { authorization: `Bearer ${name}` }] as const
  ),
);

async function checkNotes(
  parts: Parts = {},
  { seed = 7 } = {},
): Promise<ContractReport & { isReplayed: () => Promise<boolean[]> }> {
  const { modules, reset } = new NotesApplication(parts);
  const report = await check(modules, {
    as,
    reset,
    seed,
    runs: 20,
    properties: ["access"],
  });
  const { app } = TestApplication.of(modules);
  const isReplayed = async () => {
    const all: boolean[] = [];
    for (const { test } of report.failures) {
      reset();
      all.push(!await passesFast(test, app, as as never));
    }
    return all;
  };
  return { ...report, isReplayed };
}

const shown = ({ failures }: ContractReport): string[] =>
  failures.map(({ operation, expected, seen }) =>
    `${operation.replace("/api", "")}: ${expected} <> ${seen}`
  );

Deno.test("access: declared access passes", async () => {
  const report = await checkNotes({}, { seed: 1 });
  assertEquals(shown(report), []);
  assertEquals(report.results.filter(({ note }) => note !== undefined), []);
  assert(report.results.every(({ runs }) => runs > 0));
});

const FAULTS: Readonly<Record<string, readonly [Parts, ...string[]]>> = {
  "others read": [
    { mayRead: () => true },
    'GET /notes/[id]: a rejection of "bob", since the access is owner <> a 200',
  ],
  "others change": [
    { mayChange: () => true },
    'PATCH /notes/[id]: a rejection of "bob", since the access is owner <> a 200',
  ],
  "others delete": [
    { mayRemove: () => true },
    'DELETE /notes/[id]: a rejection of "bob", since the access is owner or admin <> a 204',
  ],
  "others find the note in a list": [
    { mayList: () => true },
    'GET /notes: no resource of "alice" in the list of "bob", since the access is owner <> the identifier',
  ],
  "others list and add files": [
    { mayFile: () => true },
    'GET /notes/[id]/files: a rejection of "bob", since the access is owner <> a 200',
    'POST /notes/[id]/files: a rejection of "bob", since the access is owner <> a 201',
  ],
  "others open files below their own note": [
    {
      mayOpen: ({ notes }, fileId) =>
        [...notes.values()].some(({ files }) => files?.includes(fileId)),
    },
    'GET /notes/[id]/files/[fileId]: a rejection of "bob", since the access is owner <> a 200',
  ],
  "a 403 that reveals existence": [
    {
      refuse: () => {
        throw new HttpError(403, "Not yours");
      },
      read: {
        access: "owner",
        response: { 200: Note, 403: Problem, 404: Problem },
      },
    },
    'GET /notes/[id]: the response to a missing resource, since "bob" must not learn that this one exists: status 404 <> status 403',
  ],
  "a detail that reveals existence": [
    {
      refuse: () => {
        throw new HttpError(404, "Not your note");
      },
    },
    'GET /notes/[id]: the response to a missing resource, since "bob" must not learn that this one exists: "detail" "There is no note …" <> "detail" "Not your note"',
  ],
  "the admin may not delete": [
    { mayRemove: isOwner },
    "DELETE /notes/[id]: a response other than 404",
  ],
  "an inverted guard": [
    { mayStats: (user) => user !== "admin" },
    'GET /stats: a rejection of "alice", since the access is admin <> a 200',
  ],
  "a guard that rejects the admin": [
    { mayStats: () => false },
    'GET /stats: a response other than 403 for "admin", since the access is admin <> a 403',
  ],
  "a rejected change that leaves a trace": [
    {
      refuseChange: ({ note }, body) => {
        note.text = body.text + "!";
        return missing(note.id);
      },
    },
    'PATCH /notes/[id]: the resource as before, since "bob" was rejected',
  ],
  "a rejected deletion that deletes": [
    {
      mayRemove: (access) => {
        access.notes.delete(access.note.id);
        return isOwner(access) || access.user === "admin";
      },
    },
    'DELETE /notes/[id]: the resource as before, since "bob" was rejected: status 200 <> status 404',
  ],
  "a role of the raw body": [
    {
      set: (note, body, raw) => {
        note.text = body.text;
        if (raw.role) note.role = raw.role;
      },
    },
    'PATCH /notes/[id]: "role" other than "admin", since the schema of the body does not declare it <> "role": "admin"',
  ],
  "an owner of a loose body": [
    {
      body: z.looseObject({ text: z.string() }),
      set: (note, { text, owner = note.owner }) =>
        void Object.assign(note, { text, owner }),
    },
    'PATCH /notes/[id]: the resource, since the schema of the body does not declare "role", "isRead", "edited", "owner" <> a 404',
  ],
  "a flag at creation": [
    { add: (note, raw) => ({ ...note, isRead: raw.isRead ?? false }) },
    'POST /notes: "isRead" other than true',
  ],
};

for (const [name, [parts, ...wanted]] of Object.entries(FAULTS)) {
  Deno.test(`access: ${name}`, async () => {
    const report = await checkNotes(parts);
    const all = shown(report);
    for (const each of wanted) {
      assert(
        all.some((found) => found.startsWith(each)),
        `${each}\n${all.join("\n")}`,
      );
    }
    assertEquals(await report.isReplayed(), report.failures.map(() => true));
  });
}

Deno.test("a note names an operation without declared access if a second user succeeds", async () => {
  const read = { response: { 200: Note, 404: Problem } };
  const report = await checkNotes({
    mayRead: () => true,
    mayList: () => true,
    mayStats: () => true,
    read,
    list: {},
    stats: {},
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
  const closed = await checkNotes({ read });
  assertEquals(closed.results.filter(({ note }) => note !== undefined), []);
});

/** A response that differs each time. */
const random404 = (id: string): Response =>
  Response.json({
    title: "Not Found",
    status: 404,
    detail: `No note ${id}`,
    instance: `/api/notes/${id}`,
    requestId: crypto.randomUUID(),
    at: new Date(),
  }, {
    status: 404,
    headers: {
      "content-type": "application/problem+json",
      "x-request-id": crypto.randomUUID(),
    },
  });

const deleted = (id: string, request: Request): Response =>
  request.method === "DELETE"
    ? new Response(null, { status: 204 })
    : missing(id);

const ownerOrAdmin = (access: Access) =>
  isOwner(access) || access.user === "admin";

const all = (names: object, value: unknown): Parts =>
  Object.fromEntries(Object.keys(names).map((name) => [name, value]));

const LEGAL: Readonly<Record<string, Parts>> = {
  "everything is shared": {
    ...Object.fromEntries(
      Object.entries(DECLARED).map(([name, declared]) => [
        name,
        { ...declared, access: "shared" },
      ]),
    ),
    ...all(MAY, () => true),
    mayOpen: PARTS.mayOpen,
  },
  "a team of alice and bob": {
    read: {
      access: ["owner", "bob"],
      response: { 200: Note, 404: Problem },
    },
    mayRead: ({ user }) => user !== "admin",
  },
  "an admin who reads and changes all": {
    ...all({ read: 1, change: 1 }, {
      access: ["owner", "admin"],
      response: { 200: Note, 404: Problem },
    }),
    list: { access: ["owner", "admin"] },
    ...all({ mayRead: 1, mayChange: 1, mayList: 1 }, ownerOrAdmin),
  },
  "a 403 for what everyone reads": {
    read: { access: "shared", response: { 200: Note, 404: Problem } },
    change: {
      access: "owner",
      response: { 200: Note, 403: Problem, 404: Problem },
    },
    mayRead: () => true,
    refuseChange: () => {
      throw new HttpError(403, "Not yours");
    },
  },
  "problems with an instance, the time and a random id": {
    missing: random404,
    refuse: ({ note }) => random404(note.id),
    refuseChange: ({ note }) => random404(note.id),
  },
  "a deletion that succeeds for what is missing": {
    missing: deleted,
    refuse: ({ note, request }) => deleted(note.id, request),
  },
  "a change that marks the note": {
    set: (note, { text }) => void Object.assign(note, { text, edited: true }),
  },
  "random identifiers": {
    add: (note) => ({ ...note, id: crypto.randomUUID() }),
  },
};

for (const [name, parts] of Object.entries(LEGAL)) {
  Deno.test(`access: nothing is found with ${name}`, async () => {
    assertEquals(shown(await checkNotes(parts, { seed: 1 })), []);
  });
}

Deno.test("faults with random identifiers replay", async () => {
  const report = await checkNotes({
    ...LEGAL["random identifiers"],
    mayRead: () => true,
    mayList: () => true,
    mayFile: () => true,
  });
  assertEquals(report.failures.length, 4);
  assertEquals(await report.isReplayed(), report.failures.map(() => true));
});
