/** Lost updates are found behind actions that end changes, and behind rules of handlers. */
import { HttpError } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { TestApplication, type TestModule } from "../../support/application.ts";
import {
  assertSilent,
  checkFast,
  type Handler,
  type Modules,
  Store,
} from "../support.ts";

type Note = Record<string, unknown> & {
  id: string;
  version: number;
  isClosed: boolean;
};

interface Data {
  readonly notes: Store<Note>;
  readonly others: Record<string, unknown>[];
}

/** A kind of application whose changes a rule may reject. */
interface Case {
  readonly folder?: string;
  readonly param?: string;
  readonly create?: z.ZodType;
  readonly change?: z.ZodType;
  /** The status with which the handler rejects a change. */
  readonly rule?: (
    note: Note,
    body: Record<string, unknown>,
    store: Data,
  ) => number | undefined;
  readonly more?: (store: Data) => Modules;
  /** Whether the handler checks the version before the rule. */
  readonly isVersionFirst?: boolean;
}

const text = z.string().min(1).max(12);

/** Tests notes with ETags, whose changes check `If-Match` or lose updates. */
function report(
  {
    folder = "notes",
    param = "id",
    create = z.object({ title: text }),
    change = z.object({ title: text }),
    rule = () => undefined,
    more = () => ({}),
    isVersionFirst = false,
  }: Case,
  isLost: boolean,
) {
  return checkFast(() => {
    const store: Data = { notes: new Store(), others: [] };
    const find = (params: Readonly<Record<string, string>>) =>
      store.notes.find(params[param]);
    const tagOf = ({ id, version }: Note) => `"${id}-${version}"`;
    const show = (note: Note, status = 200) => {
      const { version: _, ...shown } = note;
      return Response.json(shown, { status, headers: { etag: tagOf(note) } });
    };
    const act: Handler = ({ params }) => {
      const note = find(params);
      note.isClosed = true;
      note.version++;
      return new Response(null, { status: 204 });
    };
    const errors = Object.fromEntries(
      [400, 404, 409, 412, 422].map((status) => [status, Problem]),
    );
    const item: TestModule = {
      schema: {
        get: { response: { 200: {}, 404: Problem } },
        patch: { body: change, response: { 200: {}, ...errors } },
      },
      GET: ({ params }) => show(find(params)),
      PATCH: ({ params, headers, validated }) => {
        const note = find(params);
        const given = headers.get("if-match");
        const isStale = given !== null && given !== "*" &&
          !given.split(", ").includes(tagOf(note));
        const checkVersion = () => {
          if (isStale && !isLost) throw new HttpError(412);
        };
        if (isVersionFirst) checkVersion();
        const body = validated.body as Record<string, unknown>;
        const status = rule(note, body, store);
        if (status !== undefined) throw new HttpError(status as 422);
        checkVersion();
        Object.assign(note, body);
        note.version++;
        return show(note);
      },
    };
    return TestApplication.of({
      [`${folder}/route.ts`]: {
        schema: { post: { body: create } },
        POST: ({ validated }) => {
          const body = validated.body as Record<string, unknown>;
          const id = crypto.randomUUID();
          const note = { id, version: 1, isClosed: false, ...body };
          store.notes.set(id, note);
          return show(note, 201);
        },
      },
      [`${folder}/[${param}]/route.ts`]: item,
      [`${folder}/[${param}]/close/route.ts`]: { POST: act },
      ...more(store),
    }).app;
  }, { seed: 1, runs: 60, properties: ["repeats"] });
}

const others =
  (folder: string, shape: z.ZodRawShape, idOf = (_: number): unknown => 0) =>
  ({ others }: Data): Modules => ({
    [`${folder}/route.ts`]: {
      schema: { post: { body: z.object(shape) } },
      GET: () => Response.json(others),
      POST: ({ validated }) => {
        const id = idOf(others.length + 1) || crypto.randomUUID();
        const made = { id, ...validated.body as object };
        others.push(made);
        return Response.json(made, { status: 201 });
      },
    },
    [`${folder}/[id]/route.ts`]: {
      schema: { get: { response: { 200: {}, 404: Problem } } },
      GET: ({ params }) => {
        const found = others.find(({ id }) => String(id) === params.id);
        return Response.json(found ?? null, { status: found ? 200 : 404 });
      },
    },
  });

/** The changes must name what other resources have. */
const known =
  (member: string, of: string, status = 422): NonNullable<Case["rule"]> =>
  (_note, body, { others }) =>
    others.some((each) => each[of] === body[member]) ? undefined : status;

const closed: NonNullable<Case["rule"]> = ({ isClosed }) =>
  isClosed ? 409 : undefined;

const done: Handler = () => new Response(null, { status: 204 });

const CASES: Readonly<Record<string, Case>> = {
  "an action that ends changes": { rule: closed },
  "an action that ends changes, checked after the version": {
    rule: closed,
    isVersionFirst: true,
  },
  "several actions": {
    rule: closed,
    more: ({ notes }) => {
      const close: Handler = ({ params }) => {
        const note = notes.find(params.id);
        note.isClosed = true;
        note.version++;
        return Response.json({ id: "1" }, { status: 201 });
      };
      return {
        "notes/[id]/archive/route.ts": { PUT: close },
        "notes/[id]/closings/route.ts": { POST: close },
        "notes/[id]/closings/[closingId]/route.ts": { GET: done, PATCH: done },
        "notes/[id]/publish/route.ts": { POST: done },
      };
    },
  },
  "a title of other resources": {
    rule: known("title", "title"),
    more: others("books", { title: text }),
  },
  "an optional title of other resources": {
    change: z.object({ title: text.optional(), body: text.optional() }),
    rule: (_note, { title, body }, { others }) =>
      others.some((each) => each.title === title) && body === undefined
        ? undefined
        : 422,
    more: others("books", { title: text }),
  },
  "two members of other resources": {
    change: z.object({ title: text, author: text }),
    rule: (_note, { title, author }, { others }) =>
      others.some((each) => each.title === title && each.author === author)
        ? undefined
        : 409,
    more: others("books", { title: text, author: text }),
  },
  "the name of an author": {
    change: z.object({ author: text }),
    rule: known("author", "name", 400),
    more: others("authors", { name: text }),
  },
  "the id of a user": {
    change: z.object({ assignee: z.string() }),
    rule: known("assignee", "id"),
    more: others("users", { name: text }),
  },
  "the number of a category": {
    change: z.object({ category: z.int() }),
    rule: known("category", "id"),
    more: others("categories", { label: text }, (count) => 4_000 + count),
  },
  "a state that comes next": {
    change: z.object({ status: z.enum(["open", "doing", "done"]) }),
    rule: ({ status = "open", isClosed }, body) =>
      !isClosed &&
        ["open doing", "doing done"].includes(`${status} ${body.status}`)
        ? undefined
        : 409,
  },
  "nested resources": {
    folder: "boards/[boardId]/cards",
    param: "cardId",
    change: z.object({ title: text }),
    rule: (note, body, store) =>
      closed(note, body, store) ?? known("title", "title")(note, body, store),
    more: (store) => ({
      ...others("books", { title: text })(store),
      "boards/route.ts": {
        schema: { post: { body: z.object({ name: text }) } },
        POST: () => Response.json({ id: "7" }, { status: 201 }),
      },
      "boards/[boardId]/route.ts": { GET: done },
    }),
  },
};

for (const [name, each] of Object.entries(CASES)) {
  Deno.test(`a lost update is found behind ${name}, and nothing in correct changes`, async () => {
    const { failures } = await report(each, true);
    assertEquals(
      failures.map(({ expected }) => expected),
      ["a 412 to PATCH with an old ETag, and no change"],
    );
    assertSilent(await report(each, false));
  });
}
