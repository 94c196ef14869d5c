/** A new resource shows nothing of a deleted resource with the same identifier. */
import { HttpError } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import type { ContractReport } from "@bough/framework/testing";
import { z } from "zod";
import { assertFound, assertSilent, check, type Modules } from "../support.ts";

interface Item {
  readonly id: number;
  readonly text: string;
}

/** The parts of an application with lists, which a test replaces to plant a fault. */
const PARTS = {
  /** The parts that are removed with a list. */
  removed: ["items", "cover", "done"] as readonly string[],
  /** Members of a list that vary. */
  extra: (_list: { readonly created: number }): object => ({}),
  /** The parts that a list itself shows. */
  shows: ["items", "done"] as readonly string[],
  /** The methods that no route has, such as `GET lists/[id]/items`. */
  missing: [] as readonly string[],
  /** The statuses of a list that is finished, to which `DELETE` responds. */
  finished: 204,
  nextId: (ids: readonly string[]): string =>
    String(Math.max(0, ...ids.map(Number)) + 1),
};

type Parts = Partial<typeof PARTS>;

const text = z.string().min(1).max(9);
const response = { 200: z.unknown(), 404: Problem };
const none = { 404: Problem };

/** Lists with items and a cover, which belong to the identifier of a list. */
function lists(parts: Parts = {}): { files: Modules; reset: () => void } {
  const part = { ...PARTS, ...parts };
  const all = new Map<string, { title: string; created: number }>();
  const own: Record<string, Map<string, unknown>> = {
    items: new Map(),
    cover: new Map(),
    done: new Map(),
  };
  let count = 0;
  const reset = () => {
    all.clear();
    for (const each of Object.values(own)) each.clear();
    count = 0;
  };
  const find = ({ id }: Readonly<Record<string, string>>) => {
    const list = all.get(id!);
    if (list === undefined) throw new HttpError(404);
    return { id: id!, ...list };
  };
  const itemsOf = (id: string) => (own.items!.get(id) ?? []) as Item[];
  const shown = (id: string) => ({
    id: Number(id),
    title: all.get(id)!.title,
    ...(part.shows.includes("items") && { items: itemsOf(id) }),
    ...(part.shows.includes("done") && { isDone: own.done!.has(id) }),
    ...part.extra(all.get(id)!),
  });
  const put = (id: string, title: string) => {
    all.set(id, { title, created: ++count });
    return Response.json(shown(id), { status: 201 });
  };
  const remove = (id: string) => {
    all.delete(id);
    for (const name of part.removed) own[name]!.delete(id);
  };
  const files: Modules = {
    "lists/route.ts": {
      schema: {
        post: {
          body: z.object({ title: text }),
          response: { 201: z.unknown() },
        },
      },
      POST: ({ validated: { body } }) =>
        put(part.nextId([...all.keys()]), body.title),
    },
    "lists/[id]/route.ts": {
      schema: {
        get: { response },
        put: {
          body: z.object({ title: text }),
          response: { 201: z.unknown() },
        },
        delete: { response: { 204: {}, 409: {}, ...none } },
      },
      GET: ({ params }) => Response.json(shown(find(params).id)),
      PUT: ({ params, validated: { body } }) => put(params.id!, body.title),
      DELETE: ({ params }) => {
        const { id } = find(params);
        const status = own.done!.has(id) ? part.finished : 204;
        if (status === 204) remove(id);
        return new Response(null, { status });
      },
    },
    "lists/[id]/items/route.ts": {
      schema: {
        get: { response },
        post: {
          body: z.object({ text }),
          response: { 201: z.unknown(), ...none },
        },
      },
      GET: ({ params }) => Response.json(itemsOf(find(params).id)),
      POST: ({ params, validated: { body } }) => {
        const { id } = find(params);
        const item = { id: ++count, text: body.text };
        own.items!.set(id, [...itemsOf(id), item]);
        return Response.json(item, { status: 201 });
      },
    },
    "lists/[id]/items/[itemId]/route.ts": {
      schema: { get: { response } },
      GET: ({ params }) => {
        const item = itemsOf(find(params).id)
          .find(({ id }) => String(id) === params.itemId);
        if (item === undefined) throw new HttpError(404);
        return Response.json(item);
      },
    },
    "lists/[id]/cover/route.ts": {
      schema: {
        get: { response },
        put: { body: z.object({ text }), response: { 204: {}, ...none } },
      },
      GET: ({ params }) => {
        const cover = own.cover!.get(find(params).id);
        if (cover === undefined) throw new HttpError(404);
        return Response.json({ cover });
      },
      PUT: ({ params, validated: { body } }) => {
        own.cover!.set(find(params).id, body.text);
        return new Response(null, { status: 204 });
      },
    },
    "lists/[id]/finish/route.ts": {
      schema: { post: { response: { 204: {}, ...none } } },
      POST: ({ params }) => {
        own.done!.set(find(params).id, true);
        return new Response(null, { status: 204 });
      },
    },
  };
  for (const name of part.missing) {
    const [method = "", path] = name.split(" ");
    const file = files[`${path}/route.ts`]!;
    Reflect.deleteProperty(file, method);
    Reflect.deleteProperty(file.schema!, method.toLowerCase());
    if (Object.keys(file).length > 1) continue;
    Reflect.deleteProperty(files, `${path}/route.ts`);
  }
  return { files, reset };
}

function checkLists(parts: Parts): Promise<ContractReport> {
  const { files, reset } = lists(parts);
  return check(files, { properties: ["state"], runs: 100, seed: 1, reset });
}

const ITEMS = "GET lists/[id]/items";
const BY_PUT = { missing: ["POST lists"] };

const FAULTS: Readonly<Record<string, readonly [Parts, RegExp]>> = {
  "items that only the list itself shows": [
    { removed: ["cover", "done"], missing: [ITEMS] },
    /: "items" \[\{/,
  ],
  "items that only their list shows": [
    { removed: ["cover", "done"], shows: ["done"] },
    /: text "\[\{/,
  ],
  "an item that only its own path shows": [
    { removed: ["cover", "done"], shows: [], missing: [ITEMS] },
    /: a 200/,
  ],
  "a cover": [{ removed: ["items", "done"] }, /: status 200/],
  "an action": [{ removed: ["items", "cover"] }, /: "isDone" true/],
  "items of a list that a PUT creates": [
    { removed: ["cover", "done"], ...BY_PUT },
    /: "items" \[\{/,
  ],
};

for (const [name, [parts, seen]] of Object.entries(FAULTS)) {
  Deno.test(`a new resource that shows the old parts is found: ${name}`, async () => {
    const { files: faulty } = lists(parts);
    const { files: healthy } = lists({ missing: parts.missing ?? [] });
    await assertFound(await checkLists(parts), seen, { faulty, healthy });
  });
}

const LEGAL: Readonly<Record<string, Parts>> = {
  "times in seconds and milliseconds": {
    extra: ({ created }) => ({
      seconds: 1_790_000_000 + Number(created > 5),
      milliseconds: 1_790_000_000_000 + Number(created > 5),
      date: new Date(1_790_000_000_000 + created * 60_000).toISOString(),
    }),
  },
  "random values and counters": {
    extra: ({ created }) => ({ key: crypto.randomUUID(), created }),
  },
  "identifiers that are not used again": {
    removed: [],
    nextId: () => String(1e6 + Math.trunc(Math.random() * 1e9)),
  },
  "a list that a PUT creates": BY_PUT,
  "a finished list that cannot be deleted": { finished: 409 },
};

for (const [name, parts] of Object.entries(LEGAL)) {
  Deno.test(`a new resource raises no alarm: ${name}`, async () => {
    assertSilent(await checkLists(parts));
  });
}
