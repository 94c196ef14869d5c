/** Conditional requests and keyed requests may be repeated. */
import { HttpError, type StandardSchemaV1 } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import {
  assertFound,
  assertSilent,
  check,
  type Modules,
  Store,
} from "../support.ts";

interface Note {
  readonly id: string;
  text: string;
  version: number;
}

type Keyed = Omit<Note, "version">;

const notes = new Store<Note>();
const keys = new Map<string, Keyed | "running" | Promise<Keyed>>();

function reset(): void {
  notes.clear();
  keys.clear();
}

const body = z.object({ text: z.string().min(1).max(5) });

/** The parts of a server with ETags. */
const TAGGED = {
  /** The ETag for a change, or for the request of a reader. */
  tagOf: (note: Note, _request?: Request): string =>
    `"${note.id}-${note.version}"`,
  headersOf: (etag: string): Record<string, string> => ({ etag }),
  isKnown: (header: string | null, tag: string, _note: Note): boolean =>
    header === tag,
  isOther: (header: string, tag: string): boolean =>
    header !== "*" && !header.split(", ").includes(tag),
  requireMatch: (_header: string | null): void => {},
  shown: (note: Note): object => note,
  notModified: (headers: HeadersInit): Response =>
    new Response(null, { status: 304, headers }),
  next: (version: number): number => version + 1,
  checks: (_method: string): boolean => true,
  /** May change a note before the check of its version, or respond. */
  beforeCheck: (_note: Note, _text: string, _isOld: boolean):
    | Response
    | undefined => undefined,
  get: { 304: {} } as Record<number, object>,
  change: { 412: Problem } as Record<number, object>,
};

type TaggedParts = Partial<typeof TAGGED>;

function tagged(parts: TaggedParts = {}): Modules {
  const part = { ...TAGGED, ...parts };
  const Note = z.object({ id: z.string(), text: z.string(), version: z.int() });
  const isOld = (request: Request, note: Note): boolean => {
    const header = request.headers.get("if-match");
    part.requireMatch(header);
    return header !== null && part.isOther(header, part.tagOf(note));
  };
  const change = { 404: Problem, ...part.change };
  return {
    "notes/route.ts": {
      schema: { post: { body } },
      POST: ({ validated: { body } }) => {
        const note = { id: String(notes.size + 1), ...body, version: 1 };
        notes.set(note.id, note);
        return Response.json(note, { status: 201 });
      },
    },
    "notes/[id]/route.ts": {
      schema: {
        get: { response: { 200: Note, 404: Problem, ...part.get } },
        patch: { body, response: { 200: Note, ...change } },
        delete: { response: { 204: {}, ...change } },
      },
      GET: (request) => {
        const note = notes.find(request.params.id);
        const tag = part.tagOf(note, request);
        const headers = part.headersOf(tag);
        const known = request.headers.get("if-none-match");
        return part.isKnown(known, tag, note)
          ? part.notModified(headers)
          : Response.json(part.shown(note), { headers });
      },
      PATCH: (request) => {
        const note = notes.find(request.params.id);
        const { text } = request.validated.body;
        const isRejected = part.checks("PATCH") && isOld(request, note);
        const response = part.beforeCheck(note, text, isRejected);
        if (response !== undefined) return response;
        if (isRejected) throw new HttpError(412);
        note.text = text;
        note.version = part.next(note.version);
        const headers = part.headersOf(part.tagOf(note));
        return Response.json(note, { headers });
      },
      DELETE: (request) => {
        const note = notes.find(request.params.id);
        if (part.checks("DELETE") && isOld(request, note)) {
          throw new HttpError(412);
        }
        return notes.remove(note.id);
      },
    },
  };
}

interface Again {
  readonly known: Keyed;
  readonly respond: (note: Keyed) => Response;
  readonly make: () => Promise<Keyed>;
}

/** The parts of a server with keys. */
const KEYED = {
  header: "idempotency-key",
  key: z.string().min(8).max(60).optional() as StandardSchemaV1,
  keyOf: ({ headers }: Request): string | null =>
    headers.get("idempotency-key"),
  status: 201,
  declared: { 409: Problem, 422: Problem } as Record<number, object>,
  nextId: (): string => String(notes.size + 1),
  store: (note: Keyed): void => void notes.set(note.id, note as Note),
  /** Starts to make a note for a key. */
  claim: (key: string, _making: Promise<Keyed>): void =>
    void keys.set(key, "running"),
  /** Responds while the first request with the key runs. */
  running: (): void => {
    throw new HttpError(409);
  },
  isOtherBody: (known: Keyed, text: string): boolean => known.text !== text,
  /** Whether a response has a body and a `Location`. */
  isShown: true,
  again: ({ known, respond }: Again): Response | Promise<Response> =>
    respond(known),
};

type KeyedParts = Partial<typeof KEYED>;

function keyed(parts: KeyedParts = {}): Modules {
  const part = { ...KEYED, ...parts };
  const { status } = part;
  const Note = z.object({ id: z.string(), text: z.string() });
  const make = async (body: { readonly text: string }): Promise<Keyed> => {
    await new Promise((resolve) => setTimeout(resolve));
    const note = { ...body, id: part.nextId() };
    part.store(note);
    return note;
  };
  const respond = (note: Keyed): Response =>
    part.isShown
      ? Response.json(note, {
        status,
        headers: { location: `/api/notes/${note.id}` },
      })
      : new Response(null, { status });
  return {
    "notes/route.ts": {
      schema: {
        get: { response: { 200: z.array(Note) } },
        post: {
          headers: z.object({ [part.header]: part.key as z.ZodType }),
          body,
          response: { [status]: part.isShown ? Note : {}, ...part.declared },
        },
      },
      GET: () => Response.json([...notes.values()]),
      POST: async (request) => {
        const { body } = request.validated;
        const key = part.keyOf(request);
        if (key === null) return respond(await make(body));
        const claimed = keys.get(key);
        // Otherwise, a second request would find no key, either.
        const known = claimed instanceof Promise ? await claimed : claimed;
        if (known === "running") part.running();
        else if (known !== undefined) {
          if (part.isOtherBody(known, body.text)) throw new HttpError(422);
          return await part.again({ known, respond, make: () => make(body) });
        }
        const making = make(body);
        part.claim(key, making);
        const note = await making;
        keys.set(key, note);
        return respond(note);
      },
    },
  };
}

function repeated(files: Modules) {
  reset();
  return check(files, { properties: ["repeats"], seed: 1, reset });
}

let count = 0;

const ETAGS: Readonly<Record<string, readonly [TaggedParts, RegExp]>> = {
  "If-Match accepts no list": [
    { isOther: (header, tag) => header !== "*" && header !== tag },
    /^a status other than 412 to PATCH .* with If-Match: "x", "\d.*: a 412/,
  ],
  "If-Match accepts no asterisk": [
    { isOther: (header, tag) => !header.split(", ").includes(tag) },
    /^a status other than 412 to PATCH .* with If-Match: \*: a 412/,
  ],
  "the ETag stays after a change": [
    { next: (version) => version },
    /^another ETag, since PATCH .* changed the representation: a 200 with ETag /,
  ],
  "the ETag differs each time": [
    { tagOf: (note) => ++count + TAGGED.tagOf(note) },
    /^the ETag .* again, since nothing changed: a 200 with ETag /,
  ],
  "a known version is sent again": [
    { isKnown: () => false },
    /^a 304 with ETag .*: a 200/,
  ],
  "an old version counts as known": [
    { isKnown: (header, _, { id }) => !!header?.startsWith(`"${id}-`) },
    /^a 200 to the old ETag, since .*: a 304/,
  ],
  "a 304 lacks its ETag": [
    { notModified: () => new Response(null, { status: 304 }) },
    /^a 304 with ETag .*: a 304 with ETag $/,
  ],
  "an outdated change is made": [
    { checks: (method) => method !== "PATCH" },
    /^a 412 to PATCH .*with an old ETag, and no change: a \d+, and/,
  ],
  "an outdated deletion is made": [
    { checks: (method) => method !== "DELETE" },
    /^a 412 to DELETE .*with an old ETag, and no change: a \d+, and/,
  ],
  "a rejected change leaves a trace": [
    {
      beforeCheck: (note, text) => {
        note.text = text;
        return undefined;
      },
    },
    /^a 412 to PATCH .*with an old ETag, and no change: a \d+, and/,
  ],
};

const EMPTY = { isShown: false, status: 204 };

const KEYS: Readonly<Record<string, readonly [KeyedParts, RegExp]>> = {
  "a key is ignored": [
    { keyOf: () => null },
    /again, since the key was used before: \[201/,
  ],
  "a repeated request has another status": [
    { again: ({ known }) => Response.json(known) },
    /again, since the key was used before: \[200/,
  ],
  "a repeated request has no Location": [
    { again: ({ known }) => Response.json(known, { status: 201 }) },
    /again, since the key was used before: \[201,null/,
  ],
  "the effect is repeated, but not the response": [
    { again: ({ known, respond, make }) => make().then(() => respond(known)) },
    /^\d+ items, since .*: \d+ items/,
  ],
  "a key serves for two requests": [
    { isOtherBody: () => false },
    /^a 409 or 422 to another body, since .*: a 201/,
  ],
  "two at once have two effects": [
    { claim: () => {} },
    /^one effect of two requests at once/,
  ],
  "two at once have two effects, and empty responses": [
    { claim: () => {}, ...EMPTY },
    /^one effect of two requests at once/,
  ],
  "the second of two at once fails": [
    {
      running: () => {
        throw new Error("running");
      },
    },
    /^one effect of two requests at once .*: .*\[500,/,
  ],
};

type Case = readonly [name: string, faulty: Modules, healthy: Modules, RegExp];

const CASES: readonly Case[] = [
  ...Object.entries(ETAGS).map((
    [name, [parts, wanted]],
  ): Case => [name, tagged(parts), tagged(), wanted]),
  ...Object.entries(KEYS).map((
    [name, [parts, wanted]],
  ): Case => [
    name,
    keyed(parts),
    keyed(parts.isShown === false ? EMPTY : {}),
    wanted,
  ]),
];

for (const [name, faulty, healthy, wanted] of CASES) {
  Deno.test(`${name}: the fault is found`, async () => {
    const report = await repeated(faulty);
    await assertFound(report, wanted, { faulty, healthy, reset });
  });
}

const refuse = (status: number): Pick<typeof KEYED, "running"> => ({
  running: () => {
    throw new HttpError(status);
  },
});

const LEGAL: Readonly<Record<string, Modules>> = {
  "a server with ETags": tagged(),
  "a server with weak ETags that change with the second": tagged({
    tagOf: ({ id }) => `W/"${id}"`,
  }),
  "a server without conditional requests": tagged({
    isKnown: () => false,
    get: {},
  }),
  "a server without preconditions": tagged({
    checks: () => false,
    change: {},
  }),
  "ETags of representations that differ each time": tagged({
    tagOf: (note, request) =>
      request ? `"${Math.random()}"` : TAGGED.tagOf(note),
    shown: (note) => ({ ...note, at: Math.random() }),
  }),
  "ETags per encoding": tagged({
    tagOf: (note, request) =>
      request
        ? TAGGED.tagOf(note).replace(
          /"$/,
          `-${request.headers.get("accept-encoding") ?? ""}"`,
        )
        : TAGGED.tagOf(note),
    headersOf: (etag) => ({ vary: "accept-encoding", etag }),
    isOther: (header, tag) => TAGGED.isOther(header.replaceAll('-"', '"'), tag),
    get: {},
  }),
  "a server that requires a condition": tagged({
    requireMatch: (header) => {
      if (header === null) throw new HttpError(428);
    },
    change: { 412: Problem, 428: Problem },
  }),
  "changes that are made already": tagged({
    beforeCheck: (note, text, isOld) =>
      isOld && note.text === text ? Response.json(note) : undefined,
  }),
  "a server with keys": keyed(),
  "a server with keys and empty responses": keyed(EMPTY),
  "a header in uppercase": keyed({ header: "Idempotency-Key" }),
  "a server whose keys wait": keyed({
    running: () => {},
    claim: (key, making) => void keys.set(key, making),
  }),
  "a server that creates later": keyed({
    store: (note) => void setTimeout(() => KEYED.store(note), 1),
    nextId: () => crypto.randomUUID(),
    status: 202,
  }),
  "a server that locks": keyed({
    ...refuse(503),
    declared: { ...KEYED.declared, 503: Problem },
  }),
  "a server that limits the rate": keyed(refuse(429)),
  "a server that fails once there are two notes": keyed({
    nextId: () => {
      if (notes.size > 1) throw new Error("full");
      return KEYED.nextId();
    },
  }),
  "a server that accepts a key once": keyed({
    again: () => {
      throw new HttpError(409);
    },
  }),
  "an optional key of another pattern": keyed({
    key: z.string().regex(/^k-[0-9a-f]{4,9}$/).optional(),
  }),
  "a key of another pattern": keyed({
    key: z.string().regex(/^k-[0-9a-f]{4,9}$/),
  }),
};

for (const [name, files] of Object.entries(LEGAL)) {
  Deno.test(`nothing is found in ${name}`, async () => {
    const report = await repeated(files);
    assertSilent(report);
    const notes = report.results.flatMap(({ note = "stopped" }) => note);
    assert(notes.every((note) => note.startsWith("stopped")), `${notes}`);
  });
}

/** Servers that accept none of the requests whose repetition would show a fault. */
const REJECTING: Readonly<Record<string, readonly [Modules, string]>> = {
  "a rule": [
    tagged({
      checks: (method) => method !== "PATCH",
      beforeCheck: () => {
        throw new HttpError(422);
      },
      change: { 412: Problem, 422: Problem },
    }),
    "GET /api/notes/[id]: PATCH /api/notes/[id] accepted no request: every response had the status 422; DELETE /api/notes/[id] accepted no request: no request was sent",
  ],
  "a key": [
    keyed({
      isOtherBody: () => false,
      nextId: () => {
        throw new HttpError(422);
      },
    }),
    'POST /api/notes: every response had the status 422; provide accepted values with "generators"',
  ],
  "a PUT": [
    {
      "notes/[id]/route.ts": {
        schema: { put: { body, response: { 204: {}, 409: Problem } } },
        GET: () => new Response(),
        PUT: () => {
          throw new HttpError(409);
        },
      },
    },
    'PUT /api/notes/[id]: every response had the status 409; provide accepted values with "generators"',
  ],
};

for (const [name, [files, wanted]] of Object.entries(REJECTING)) {
  Deno.test(`a note says that ${name} was not repeated`, async () => {
    const { results, failures } = await repeated(files);
    assertEquals(failures, []);
    assertEquals(
      results.flatMap(({ operation, runs, note }) =>
        note === undefined ? [] : [`${operation}: ${note}, ${runs} runs`]
      ),
      [`${wanted}, 0 runs`],
    );
  });
}

Deno.test("operations without ETags and keys have no result", async () => {
  const { results } = await repeated(tagged({ headersOf: () => ({}) }));
  assertEquals(results, []);
});
