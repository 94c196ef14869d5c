/** The pages of a list have each item once, and end. */
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { assertFound, assertSilent, check, type Modules } from "../support.ts";

interface Note {
  readonly id: number;
  readonly text: string;
  readonly kind?: string;
}

let notes: Note[] = [];

function reset(): void {
  notes = [];
}

// deno-lint-ignore no-explicit-any
type Query = any;

/** A list of notes, whose pages are made in some way. */
interface List {
  readonly query: z.ZodRawShape;
  readonly get: (query: Query) => Response;
  readonly note?: (note: Omit<Note, "id">) => Omit<Note, "id">;
}

const { json } = Response;
const integer = z.coerce.number().int();
const limit = integer.min(1).max(100).default(20);
const page = integer.min(1).default(1);
const after = integer.default(0);
const optional = z.string().optional();

function withLink(page: readonly Note[], url: string | undefined): Response {
  return json(page, { headers: url ? { link: `<${url}>; rel="next"` } : {} });
}

function linked(
  {
    first = "",
    rest = (query) => notes.filter(({ id }) => id > query.after),
    hasNext = (rest, { limit }) => rest.length > limit,
    next = (page) => page.at(-1)!.id,
  }: {
    readonly first?: string;
    readonly rest?: (query: Query) => readonly Note[];
    readonly hasNext?: (rest: readonly Note[], query: Query) => boolean;
    readonly next?: (page: readonly Note[], query: Query) => number;
  } = {},
): List {
  return {
    query: { limit, after },
    get: (query) => {
      const all = rest(query);
      const page = all.slice(0, query.limit);
      const url = () =>
        `${first}?limit=${query.limit}&after=${next(page, query)}`;
      return withLink(page, hasNext(all, query) ? url() : undefined);
    },
  };
}

const LINK = linked();

function filtered(setKind: (query: URLSearchParams, kind: string) => void) {
  return {
    query: { limit, after, kind: z.enum(["a", "b"]).optional() },
    note: (note) => ({ ...note, kind: notes.length % 3 ? "a" : "b" }),
    get: ({ limit, after, kind = "" }) => {
      const rest = notes.filter((note) =>
        note.id > after && note.kind!.startsWith(kind)
      );
      const page = rest.slice(0, limit);
      const query = new URLSearchParams({ limit, after: `${page.at(-1)?.id}` });
      if (kind) setKind(query, kind);
      return withLink(page, rest.length > limit ? `?${query}` : undefined);
    },
  } satisfies List;
}

const FILTERED = filtered((query, kind) => query.set("kind", kind));

function cursored(
  {
    isAll = ({ pinned }) => pinned === undefined,
    hasNext = (_items, end, all) => end < all.length,
    next = (end) => `c${end}`,
  }: {
    readonly isAll?: (query: Query) => boolean;
    readonly hasNext?: (
      items: readonly Note[],
      end: number,
      all: readonly Note[],
    ) => boolean;
    readonly next?: (end: number) => string;
  } = {},
): List {
  return {
    query: {
      limit,
      cursor: z.string().regex(/^c\d+$/).optional(),
      pinned: z.enum(["yes", "no"]).optional(),
    },
    get: (query) => {
      const { limit, cursor, pinned } = query;
      const all = notes.filter(({ id }) =>
        isAll(query) || (id % 2 === 0) === (pinned === "yes")
      );
      const start = cursor === undefined ? 0 : Number(cursor.slice(1));
      const end = start + limit;
      const items = all.slice(start, end);
      const nextCursor = hasNext(items, end, all) ? next(end) : null;
      return json({ items, nextCursor });
    },
  };
}

const CURSOR = cursored();

const pathOf = (path: string): List => ({
  query: { limit, page },
  get: ({ limit, page }) => {
    const items = notes.slice((page - 1) * limit, page * limit);
    const next = page * limit < notes.length
      ? `${path}?limit=${limit}&page=${page + 1}`
      : "";
    return json({ items, links: { next } });
  },
});

const offsetOf = (
  items: (limit: number, offset: number) => readonly unknown[],
): List => ({
  query: { limit, offset: integer.min(0).default(0) },
  get: ({ limit, offset }) => json(items(limit, offset)),
});

const OFFSET = offsetOf((limit, offset) => notes.slice(offset, offset + limit));

const pageOf = (
  get: (page: number, size: number, data: readonly Note[]) =>
    | Response
    | readonly Note[],
): List => ({
  query: { per_page: integer.min(2).max(50).default(10), page },
  get: ({ per_page: size, page }) => {
    const result = get(page, size, notes.slice((page - 1) * size, page * size));
    return result instanceof Response
      ? result
      : json({ data: result, total: notes.length });
  },
});

const PAGE = pageOf((_page, _size, data) => data);

/** A list without a parameter that limits the pages, which have ten items. */
const tens = (start: (cursor: number) => number): List => ({
  query: { cursor: integer.default(0) },
  get: ({ cursor }) =>
    json({
      items: notes.slice(start(cursor), cursor + 10),
      next_cursor: cursor + 10 < notes.length ? cursor + 10 : undefined,
    }),
});

const TENS = tens((cursor) => cursor);

function filesOf({ query, get, note = (note) => note }: List): Modules {
  const body = z.object({ text: z.string().min(1).max(5) });
  return {
    "notes/route.ts": {
      schema: { get: { query: z.object(query) }, post: { body } },
      GET: ({ validated: { query } }) => get(query),
      POST: ({ validated: { body } }) => {
        const made = { id: notes.length + 1, ...note(body) };
        notes.push(made);
        return json(made, { status: 201 });
      },
    },
  };
}

function pagesOf(list: List) {
  reset();
  return check(filesOf(list), { properties: ["pages"], seed: 1, reset });
}

const FAULTS: Readonly<Record<string, readonly [List, RegExp]>> = {
  "the next link drops the filter": [
    filtered(() => {}),
    /^only the items of .*kind=a" on the pages of .*: item \d at /,
  ],
  "the next link skips one": [
    linked({ next: (page) => page.at(-1)!.id + 1 }),
    /^the items of .* on the pages of .*: no item 2$/,
  ],
  "the next link repeats one": [
    linked({ next: (page) => page.at(-1)!.id - 1 }),
    /^each item once .*: item 1 again at /,
  ],
  "the next link is missing on a page": [
    linked({
      hasNext: (rest, { limit, after }) => rest.length > limit && after < 2,
    }),
    /^the items of .*: no item /,
  ],
  "the pages never end": [
    linked({
      hasNext: () => true,
      next: (page, { after }) => page.at(-1)?.id ?? after,
    }),
    /^an end of the pages/,
  ],
  "empty pages never end": [
    cursored({ hasNext: () => true }),
    /^an end of the pages/,
  ],
  "the schema rejects the next cursor": [
    cursored({ next: (end) => `d${end}` }),
    /^a page at ".*cursor=d1": a 400/,
  ],
  "the next cursor loses the filter": [
    cursored({
      isAll: ({ pinned, cursor }) =>
        pinned === undefined || cursor !== undefined,
      hasNext: (_items, end) => end < notes.length,
    }),
    /^only the items of |^each item once /,
  ],
  "the cursor is a text that many notes have": [
    {
      query: { limit, after: optional },
      get: ({ limit, after = "" }) => {
        const rest = notes
          .toSorted((a, b) => a.text < b.text ? -1 : a.text > b.text ? 1 : 0)
          .filter(({ text }) => text > after);
        const items = rest.slice(0, limit);
        const next = rest.length > limit ? items.at(-1)!.text : null;
        return json({ items, next });
      },
    },
    /^the items of .*: no item /,
  ],
  "the next path leads nowhere": [
    pathOf("/api/notes/more"),
    /^a page at "\/api\/notes\/more.*: a 404/,
  ],
  "the offset counts from one": [
    offsetOf((limit, offset) =>
      notes.slice(offset && offset + 1, offset + limit)
    ),
    /^the items of .*: no item /,
  ],
  "the pages overlap": [
    pageOf((page, size) => {
      const start = (page - 1) * (size - 1);
      return notes.slice(start, start + size);
    }),
    /^each item once /,
  ],
  "a page has one item more": [
    offsetOf((limit, offset) => notes.slice(offset, offset + limit + 1)),
    /^at most \d items, .*: \d items$/,
  ],
  "a page without a limit repeats one": [
    tens((cursor) => cursor && cursor - 1),
    /^each item once /,
  ],
  "a page has another shape": [
    {
      query: { limit, cursor: optional },
      get: ({ limit, cursor }) =>
        cursor === undefined
          ? json({ items: notes.slice(0, limit), next: "2" })
          : new Response("moved", { status: 301, headers: { location: "/" } }),
    },
    /^a page at ".*cursor=2": a 301/,
  ],
};

for (const [name, [list, wanted]] of Object.entries(FAULTS)) {
  Deno.test(`${name}: the fault is found`, async () => {
    const [faulty, healthy] = [filesOf(list), filesOf(LINK)];
    await assertFound(await pagesOf(list), wanted, { faulty, healthy, reset });
  });
}

/** The rest of the notes after each page, by a cursor that works once. */
const snapshots = new Map<string, readonly Note[]>();

const LEGAL: Readonly<Record<string, List>> = {
  "a link": LINK,
  "a link with a filter": FILTERED,
  "a cursor that contains the filter": {
    ...FILTERED,
    query: { limit, after: z.string().default("0."), kind: optional },
    get: ({ limit, after, kind = after.split(".")[1] }) => {
      const rest = notes.filter((note) =>
        note.id > parseInt(after) && note.kind!.startsWith(kind)
      );
      const page = rest.slice(0, limit);
      const next = rest.length > limit
        ? `?limit=1&after=${page.at(-1)!.id}.${kind}`
        : null;
      return json({ page, next });
    },
  },
  "a cursor": CURSOR,
  "a path": pathOf("/api/notes"),
  "an offset": OFFSET,
  "a page": PAGE,
  "pages of ten": TENS,
  "an absolute link behind a proxy": linked({
    first: "https://example.com/v1/notes",
  }),
  "a limit that is lowered silently": offsetOf((limit, offset) =>
    notes.slice(offset, offset + Math.min(limit, 3))
  ),
  "a random order": offsetOf((limit, offset) =>
    notes.toSorted(() => Math.random() - 0.5).slice(offset, offset + limit)
  ),
  "cursors that work once": {
    query: { limit, cursor: optional },
    get: ({ limit, cursor }) => {
      const rest = cursor === undefined ? notes : snapshots.get(cursor);
      if (rest === undefined) return new Response(null, { status: 410 });
      snapshots.delete(cursor);
      const items = rest.slice(0, limit);
      if (rest.length <= limit) return json({ items });
      const next = crypto.randomUUID();
      snapshots.set(next, rest.slice(limit));
      return json({ items, next });
    },
  },
  "a page beyond the last is a 404": pageOf((page, size, data) =>
    page > 1 && (page - 1) * size >= notes.length
      ? new Response(null, { status: 404 })
      : data
  ),
  "pages with an end cursor and hasNextPage": {
    query: {
      first: integer.min(1).max(50).default(10),
      after: z.coerce.number().optional(),
    },
    get: ({ first, after = 0 }) => {
      const nodes = notes.slice(after, after + first);
      const endCursor = String(after + nodes.length);
      const hasNextPage = after + first < notes.length;
      return json({ nodes, pageInfo: { endCursor, hasNextPage } });
    },
  },
  "a page beyond the last is the last": pageOf((page, size) => {
    const last = Math.min(page, Math.ceil(notes.length / size) || 1);
    return notes.slice((last - 1) * size, last * size);
  }),
  "a filter of sizes": {
    query: { size: optional, page },
    get: ({ size, page }) =>
      json(size ? [] : notes.slice(3 * page - 3, 3 * page)),
  },
  "a cursor that is repeated in the response": {
    query: { limit, cursor: integer.default(0) },
    get: ({ limit, cursor }) =>
      json({
        items: notes.slice(cursor, cursor + limit),
        cursor,
        nextCursor: cursor + limit < notes.length ? cursor + limit : null,
      }),
  },
  "an offset after each page": {
    ...OFFSET,
    get: ({ limit, offset }) => {
      const items = notes.slice(offset, offset + limit);
      return json({ items, nextOffset: offset + items.length });
    },
  },
  "a list that grows with each page": linked({
    rest: ({ after }) => {
      notes.push({ id: notes.length + 1, text: "" });
      return notes.filter(({ id }) => id > after);
    },
  }),
  "an empty last page": cursored({ hasNext: (items) => items.length > 0 }),
  "items that repeat": offsetOf((limit, offset) =>
    notes.map(() => "same").slice(offset, offset + limit)
  ),
  "an offset of a time zone": {
    query: { offset: integer.default(0) },
    get: () => json(notes),
  },
  "the limit of a price": {
    query: { limit: integer.min(1).default(1000) },
    get: ({ limit }) => json(notes.filter(({ id }) => id <= limit + 2)),
  },
};

for (const [name, list] of Object.entries(LEGAL)) {
  Deno.test(`nothing is found in ${name}`, async () => {
    assertSilent(await pagesOf(list));
  });
}

Deno.test("a list without a second page is noted and not counted", async () => {
  const { results } = await pagesOf({ ...OFFSET, get: () => json([]) });
  assertEquals(results.map(({ runs, note }) => [runs, note]), [
    [0, "no list had a second page"],
  ]);
});

Deno.test("an operation without pages has no result", async () => {
  const query = { color: z.enum(["red"]).optional() };
  const { results } = await pagesOf({ query, get: () => json([]) });
  assertEquals(results, []);
});
