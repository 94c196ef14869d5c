/** The pages of a list have each item once, and end. */
import { assertEquals, assertMatch } from "@std/assert";
import type { ContractFailure } from "@bough/framework/testing";
import { check, found, passesWith } from "../support.ts";

/** The suite tries one seed; `BOUGH_SEEDS=5` tries more. */
const SEEDS = Number(Deno.env.get("BOUGH_SEEDS") ?? 1);

const store = globalThis as { pagedNotes?: Note[] };

interface Note {
  readonly id: number;
  readonly text: string;
}

/** A list of notes, whose pages are made in some way. */
interface List {
  /** The members of the query's schema. */
  readonly query: string;
  /** The function that makes the response of `query`, `notes` and `path`. */
  readonly get: string;
  /** The function that makes a new note; a member `id` is added. */
  readonly note?: string;
}

const LIMIT = "limit: z.coerce.number().int().min(1).max(100).default(20)";

const LINK: List = {
  query: `${LIMIT}, after: z.coerce.number().int().default(0)`,
  get: `({ limit, after }) => {
    const rest = notes.filter(({ id }) => id > after);
    const page = rest.slice(0, limit);
    const headers = rest.length > limit
      ? { link: \`<?limit=\${limit}&after=\${page.at(-1).id}>; rel="next"\` }
      : {};
    return Response.json(page, { headers });
  }`,
};

const FILTERED: List = {
  query: `${LIMIT}, after: z.coerce.number().int().default(0),
    kind: z.enum(["a", "b"]).optional()`,
  note:
    '(note) => ({ ...note, kind: globalThis.pagedNotes.length % 3 ? "a" : "b" })',
  get: `({ limit, after, kind = "" }) => {
    const rest = notes.filter((note) => note.id > after && note.kind.startsWith(kind));
    const page = rest.slice(0, limit);
    const query = new URLSearchParams({ limit, after: page.at(-1)?.id });
    if (kind) query.set("kind", kind);
    const headers = rest.length > limit ? { link: \`<?\${query}>; rel="next"\` } : {};
    return Response.json(page, { headers });
  }`,
};

const CURSOR: List = {
  query: `${LIMIT}, cursor: z.string().regex(/^c\\d+$/).optional(),
    pinned: z.enum(["yes", "no"]).optional()`,
  get: `({ limit, cursor, pinned }) => {
    const all = notes.filter((note) => pinned === undefined || (note.id % 2 === 0) === (pinned === "yes"));
    const start = cursor === undefined ? 0 : Number(cursor.slice(1));
    const items = all.slice(start, start + limit);
    const end = start + limit;
    return Response.json({ items, nextCursor: end < all.length ? "c" + end : null });
  }`,
};

const PATH: List = {
  query: `${LIMIT}, page: z.coerce.number().int().min(1).default(1)`,
  get: `({ limit, page }) => {
    const items = notes.slice((page - 1) * limit, page * limit);
    const next = page * limit < notes.length
      ? path + "?limit=" + limit + "&page=" + (page + 1)
      : "";
    return Response.json({ items, links: { next } });
  }`,
};

const OFFSET: List = {
  query: `${LIMIT}, offset: z.coerce.number().int().min(0).default(0)`,
  get:
    `({ limit, offset }) => Response.json(notes.slice(offset, offset + limit))`,
};

const PAGE: List = {
  query: `per_page: z.coerce.number().int().min(2).max(50).default(10),
    page: z.coerce.number().int().min(1).default(1)`,
  get: `({ per_page, page }) => Response.json({
    data: notes.slice((page - 1) * per_page, page * per_page),
    total: notes.length,
  })`,
};

/** No parameter limits the pages, which have ten items. */
const TENS: List = {
  query: "cursor: z.coerce.number().int().default(0)",
  get: `({ cursor }) => Response.json({
    items: notes.slice(cursor, cursor + 10),
    next_cursor: cursor + 10 < notes.length ? cursor + 10 : undefined,
  })`,
};

function changed(list: List, ...changes: [string, string][]): List {
  const get = changes.reduce((text, [before, after]) => {
    assertEquals(text.split(before).length, 2, before);
    return text.replace(before, () => after);
  }, list.get);
  return { ...list, get };
}

function filesOf({ query, get, note = "(note) => note" }: List) {
  return {
    "notes/route.js": `import { z } from "npm:zod@^4.1.13";
const path = "/api/notes";
const note = ${note};
export const schema = {
  get: { query: z.object({ ${query} }) },
  post: { body: z.object({ text: z.string().min(1).max(5) }) },
};
export const GET = ({ validated: { query } }) => {
  const notes = globalThis.pagedNotes;
  return (${get})(query);
};
export const POST = ({ validated: { body } }) => {
  const notes = globalThis.pagedNotes;
  const made = { id: notes.length + 1, ...note(body) };
  notes.push(made);
  return Response.json(made, { status: 201 });
};`,
  };
}

function reset() {
  store.pagedNotes = [];
}

function pagesOf(list: List, seed: number) {
  reset();
  return check(filesOf(list), { properties: ["pages"], seed, reset });
}

const FAULTS: Readonly<Record<string, readonly [List, RegExp]>> = {
  "the next link drops the filter": [
    changed(FILTERED, ['if (kind) query.set("kind", kind);', ""]),
    /^only the items of .*kind=a" on the pages of .*: item \d at /,
  ],
  "the next link skips one": [
    changed(LINK, ["page.at(-1).id}", "page.at(-1).id + 1}"]),
    /^the items of .* on the pages of .*: no item 2$/,
  ],
  "the next link repeats one": [
    changed(LINK, ["page.at(-1).id}", "page.at(-1).id - 1}"]),
    /^each item once .*: item 1 again at /,
  ],
  "the next link is missing on a page": [
    changed(LINK, ["rest.length > limit", "rest.length > limit && after < 2"]),
    /^the items of .*: no item /,
  ],
  "the pages never end": [
    changed(LINK, ["rest.length > limit", "true"], [
      "page.at(-1).id",
      "(page.at(-1)?.id ?? after)",
    ]),
    /^an end of the pages/,
  ],
  "empty pages never end": [
    changed(CURSOR, ["end < all.length", "true"]),
    /^an end of the pages/,
  ],
  "the schema rejects the next cursor": [
    changed(CURSOR, ['"c" + end', '"d" + end']),
    /^a page at ".*cursor=d1": a 400/,
  ],
  "the next cursor loses the filter": [
    changed(CURSOR, [
      "pinned === undefined ||",
      "pinned === undefined || cursor !== undefined ||",
    ], ["end < all.length", "end < notes.length"]),
    /^only the items of |^each item once /,
  ],
  "the cursor is a text that many notes have": [
    {
      query: `${LIMIT}, after: z.string().optional()`,
      get: `({ limit, after = "" }) => {
        const rest = notes.toSorted((a, b) => a.text < b.text ? -1 : a.text > b.text ? 1 : 0)
          .filter(({ text }) => text > after);
        const items = rest.slice(0, limit);
        return Response.json({ items, next: rest.length > limit ? items.at(-1).text : null });
      }`,
    },
    /^the items of .*: no item /,
  ],
  "the next path leads nowhere": [
    changed(PATH, ['path + "?limit', 'path + "/more?limit']),
    /^a page at "\/api\/notes\/more.*: a 404/,
  ],
  "the offset counts from one": [
    changed(OFFSET, ["slice(offset,", "slice(offset && offset + 1,"]),
    /^the items of .*: no item /,
  ],
  "the pages overlap": [
    changed(PAGE, [
      "(page - 1) * per_page,",
      "(page - 1) * (per_page - 1),",
    ], ["page * per_page)", "(page - 1) * (per_page - 1) + per_page)"]),
    /^each item once /,
  ],
  "a page has one item more": [
    changed(OFFSET, ["offset + limit)", "offset + limit + 1)"]),
    /^at most \d items, .*: \d items$/,
  ],
  "a page that nobody limits repeats one": [
    changed(TENS, ["slice(cursor,", "slice(cursor && cursor - 1,"]),
    /^each item once /,
  ],
  "a page has another shape": [
    {
      query: `${LIMIT}, cursor: z.string().optional()`,
      get: `({ limit, cursor }) => cursor === undefined
        ? Response.json({ items: notes.slice(0, limit), next: "2" })
        : new Response("moved", { status: 301, headers: { location: "/" } })`,
    },
    /^a page at ".*cursor=2": a 301/,
  ],
};

for (const [name, [list, wanted]] of Object.entries(FAULTS)) {
  Deno.test(`${name}: the fault is found`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const report = await pagesOf(list, seed);
      assertEquals(found(report), ["pages GET /api/notes"], `seed ${seed}`);
      const [{ expected, seen, test, replays }] = report.failures as [
        ContractFailure,
      ];
      assertMatch(`${expected}: ${seen}`, wanted);
      const passing = [];
      for (const each of [list, LINK]) {
        reset();
        passing.push(await passesWith(filesOf(each), test));
      }
      assertEquals([replays, ...passing], [true, false, true]);
    }
  });
}

const LEGAL: Readonly<Record<string, List>> = {
  "a link": LINK,
  "a link with a filter": FILTERED,
  "a cursor that contains the filter": {
    ...FILTERED,
    query:
      `${LIMIT}, after: z.string().default("0."), kind: z.string().optional()`,
    get: `({ limit, after, kind = after.split(".")[1] }) => {
      const rest = notes.filter((note) => note.id > parseInt(after) && note.kind.startsWith(kind));
      const page = rest.slice(0, limit);
      const next = rest.length > limit ? "?limit=1&after=" + page.at(-1).id + "." + kind : null;
      return Response.json({ page, next });
    }`,
  },
  "a cursor": CURSOR,
  "a path": PATH,
  "an offset": OFFSET,
  "a page": PAGE,
  "pages of ten": TENS,
  "an absolute link behind a proxy": changed(LINK, [
    "<?limit",
    "<https://example.com/v1/notes?limit",
  ]),
  "a limit that is lowered silently": changed(
    OFFSET,
    ["=> Response", "=> { limit = Math.min(limit, 3); return Response"],
    ["offset + limit))", "offset + limit)); }"],
  ),
  "a random order": changed(OFFSET, [
    "notes.slice",
    "notes.toSorted(() => Math.random() - 0.5).slice",
  ]),
  "the newest first": changed(OFFSET, [
    "notes.slice",
    "notes.toReversed().slice",
  ]),
  "cursors that work once": {
    query: `${LIMIT}, cursor: z.string().optional()`,
    get: `({ limit, cursor }) => {
      const all = globalThis.pagedSnapshots ??= new Map();
      if (cursor !== undefined && !all.has(cursor)) return new Response(null, { status: 410 });
      const rest = cursor === undefined ? [...notes] : all.get(cursor);
      all.delete(cursor);
      const next = crypto.randomUUID();
      if (rest.length > limit) all.set(next, rest.slice(limit));
      return Response.json({ items: rest.slice(0, limit), ...(rest.length > limit && { next }) });
    }`,
  },
  "a page beyond the last is a 404": changed(PAGE, [
    "=> Response",
    "=> page > 1 && (page - 1) * per_page >= notes.length ? new Response(null, { status: 404 }) : Response",
  ]),
  "pages with an end cursor and hasNextPage": {
    query:
      `first: z.coerce.number().int().min(1).max(50).default(10), after: z.coerce.number().optional()`,
    get: `({ first, after = 0 }) => {
      const nodes = notes.slice(after, after + first);
      const pageInfo = { endCursor: String(after + nodes.length), hasNextPage: after + first < notes.length };
      return Response.json({ nodes, pageInfo });
    }`,
  },
  "a page beyond the last is the last": changed(PAGE, [
    "=> Response",
    "=> (page = Math.min(page, Math.ceil(notes.length / per_page) || 1)) && Response",
  ]),
  "a filter of sizes": {
    ...PAGE,
    query:
      "size: z.string().optional(), page: z.coerce.number().int().min(1).default(1)",
    get:
      `({ size, page }) => Response.json(size ? [] : notes.slice(3 * page - 3, 3 * page))`,
  },
  "a cursor that is repeated in the response": {
    ...OFFSET,
    query: `${LIMIT}, cursor: z.coerce.number().int().default(0)`,
    get: `({ limit, cursor }) => Response.json({
      items: notes.slice(cursor, cursor + limit),
      cursor,
      nextCursor: cursor + limit < notes.length ? cursor + limit : null,
    })`,
  },
  "a cursor that is only repeated": {
    ...OFFSET,
    query: `${LIMIT}, cursor: z.coerce.number().int().default(0)`,
    get:
      `({ limit, cursor }) => Response.json({ items: notes.slice(cursor, cursor + limit), cursor })`,
  },
  "an offset after each page": {
    ...OFFSET,
    get: `({ limit, offset }) => {
      const items = notes.slice(offset, offset + limit);
      return Response.json({ items, nextOffset: offset + items.length });
    }`,
  },
  "a log of its own requests": {
    ...OFFSET,
    get: `({ limit, offset }) => {
      notes.unshift({ id: notes.length + 1, text: "read" });
      return Response.json(notes.slice(offset, offset + limit));
    }`,
  },
  "a list that grows with each page": changed(LINK, [
    "const rest",
    "notes.push({ id: notes.length + 1, text: '' }); const rest",
  ]),
  "an empty last page": changed(CURSOR, [
    "end < all.length",
    "items.length > 0",
  ]),
  "items that repeat": {
    ...OFFSET,
    get:
      `({ limit, offset }) => Response.json(notes.map(() => "same").slice(offset, offset + limit))`,
  },
  "a page of a book": {
    query: "page: z.coerce.number().int().min(1).optional()",
    get:
      `({ page }) => Response.json(notes.filter(({ id }) => page === undefined || id % 5 === page % 5))`,
  },
  "an offset of a time zone": {
    query: "offset: z.coerce.number().int().default(0)",
    get: "() => Response.json(notes)",
  },
  "the limit of a price": {
    query: "limit: z.coerce.number().int().min(1).default(1000)",
    get:
      "({ limit }) => Response.json(notes.filter(({ id }) => id <= limit + 2))",
  },
};

for (const [name, list] of Object.entries(LEGAL)) {
  Deno.test(`nothing is found in ${name}`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { failures } = await pagesOf(list, seed);
      assertEquals(
        failures.map(({ expected, seen, curl }) => [expected, seen, curl]),
        [],
      );
    }
  });
}

Deno.test("a list without a second page is noted, and is not counted", async () => {
  const list = { ...OFFSET, get: "() => Response.json([])" };
  const { results } = await pagesOf(list, 1);
  assertEquals(results.map(({ runs, note }) => [runs, note]), [
    [0, "no list had a second page"],
  ]);
});

Deno.test("an operation without pages has no result", async () => {
  const query = "color: z.enum(['red']).optional()";
  const { results } = await pagesOf(
    { query, get: "() => Response.json([])" },
    1,
  );
  assertEquals(results, []);
});
