/** An application is explored before it is tested. */
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { check, found, type Modules } from "../support.ts";

/** A resource whose identifiers a function knows. */
const item = (
  knows: (params: Readonly<Record<string, string>>) => boolean,
): Modules[string] => ({
  schema: { get: { response: { 200: {}, 404: {} } } },
  GET: ({ params }) =>
    new Response(null, { status: knows(params) ? 200 : 404 }),
});

Deno.test("listed and created resources are requested", async () => {
  const made = new Set<string>();
  const isMade = ({ madeId }: Readonly<Record<string, string>>) =>
    made.has(madeId!);
  const report = await check({
    "listed/route.ts": { GET: () => Response.json({ items: [{ id: "x7" }] }) },
    "listed/[id]/route.ts": item(({ id }) => id === "x7"),
    "made/route.ts": {
      POST: () => {
        const id = crypto.randomUUID();
        made.add(id);
        return Response.json({ id }, { status: 201 });
      },
    },
    "made/[madeId]/route.ts": item(isMade),
    // Known by the name of its segment.
    "notes/[madeId]/route.ts": item(isMade),
    "none/[id]/route.ts": item(() => false),
  }, { properties: ["accepted"], runs: 20 });
  assertEquals(found(report), []);
  assertEquals(
    report.results.flatMap(({ operation, note }) =>
      note === undefined ? [] : [operation]
    ),
    ["GET /api/none/[id]"],
  );
});

Deno.test("a PUT creates resources, unless its path leads to one", async () => {
  const files = new Map<string, Set<string>>();
  const changed: string[] = [];
  const place = (folder: string, paths: readonly string[]): Modules => {
    const names = new Set<string>();
    const [own, other] = paths.map((path) =>
      files.getOrInsertComputed(path, () => names)
    );
    return {
      [`${folder}/[name]/route.ts`]: {
        schema: {
          get: { response: { 200: {}, 404: {} } },
          put: { response: { 204: {} } },
        },
        GET: ({ params: { name = "" } }) => {
          const isFound = own!.has(name) || other?.has(name);
          return new Response(null, { status: isFound ? 200 : 404 });
        },
        PUT: ({ params: { name = "" } }) => {
          changed.push(folder);
          own!.add(name);
          return new Response(null, { status: 204 });
        },
      },
    };
  };
  const report = await check({
    ...place("a", ["a"]),
    ...place("b", ["b"]), // has no such name
    ...place("c", ["c", "a"]), // has the names of /a
  }, { properties: ["accepted"], runs: 1 });
  assertEquals(report.untested, []);
  // The first requests create two resources at each path.
  assertEquals([...new Set(changed.slice(0, 4))], ["a", "b"]);
});

Deno.test("a list is requested without its optional filters", async () => {
  const text = z.string().optional();
  const limit = z.coerce.number().int().min(0).default(20);
  for (const seed of [1, 2, 3]) {
    const report = await check({
      "notes/route.ts": {
        schema: {
          get: { query: z.object({ author: text, tag: text, limit }) },
        },
        GET: ({ validated: { query: { author, tag, limit } } }) => {
          const isAll = author === undefined && tag === undefined && limit > 0;
          return Response.json(isAll ? [{ slug: "x7" }] : []);
        },
      },
      "notes/[slug]/route.ts": item(({ slug }) => slug === "x7"),
    }, { properties: ["accepted"], runs: 20, seed });
    assertEquals(report.untested, []);
  }
});

// The first operation of all, and one after others.
for (const name of ["a", "z"]) {
  Deno.test(`a list /${name} that does not respond is requested once`, async () => {
    let count = 0;
    const report = await check({
      [`${name}/(list)/route.ts`]: {
        GET: () => {
          count++;
          return new Promise(() => {});
        },
      },
      [`${name}/[id]/route.ts`]: { GET: () => new Response() },
      "b/route.ts": { GET: () => new Response() },
    }, { responseTimeout: 50, runs: 3 });
    assertEquals(found(report), [`failure GET /api/${name}`]);
    assertEquals(report.failures[0]!.seen, "no response within 0.05 s");
    assertEquals(count, 1);
  });
}
