/** Each limit of a schema is planned, so faults at the limits are found with every seed. */
import { assertEquals, assertNotEquals } from "@std/assert";
import { z } from "zod";
import { check, found, type Modules } from "../support.ts";

/** The values that a schema validates. */
// deno-lint-ignore no-explicit-any
type Value = any;

/** Members around the one with the fault, which random values would have to hit. */
const REST = {
  title: z.string().max(80),
  note: z.string().max(200).optional(),
  count: z.int().min(0).max(9_999),
  tags: z.array(z.string().max(20)).max(5),
  kind: z.enum(["a", "b", "c"]),
  email: z.email().nullable(),
};

function failIf(fails: boolean): Response {
  if (fails) throw new Error("edge");
  return new Response();
}

/** A `POST` whose handler fails if the function throws or returns true. */
function post(
  members: z.ZodRawShape,
  fails: (body: Value) => boolean,
): Modules {
  return {
    "things/route.ts": {
      schema: { post: { body: z.object({ ...members, ...REST }) } },
      POST: ({ validated: { body } }) => failIf(fails(body)),
    },
  };
}

/** A `POST` of a form with a file, whose handler fails if the function returns true. */
function upload(file: z.ZodType, fails: (file: File) => boolean): Modules {
  return {
    "files/route.ts": {
      schema: { post: { body: z.object({ file, name: z.string() }) } },
      POST: ({ validated: { body: { file } } }) => failIf(fails(file)),
    },
  };
}

const nines = Array.from({ length: 9 }, (_, index) => `m${index}`);
const limit = z.coerce.number().int().min(1).max(100);

const FAULTS: Readonly<Record<string, Modules>> = {
  "NUL": post({ text: z.string() }, ({ text }) => text.includes("\0")),
  "a line break in a header": post({ text: z.string().max(99) }, ({ text }) => {
    const value = encodeURI(text).replaceAll("%0D%0A", "\r\n");
    return new Headers({ "x-text": value }) === null;
  }),
  "half of an emoji": post(
    { text: z.string().max(60) },
    ({ text }) => encodeURIComponent(text.slice(0, 31)) === "a",
  ),
  "a text from right to left": post(
    { text: z.string().min(3).max(80) },
    ({ text }) => /[\u0590-\u05ff]/.test(text),
  ),
  "a length in bytes": post(
    { text: z.string().max(100) },
    ({ text }) => new TextEncoder().encode(text).length > 199,
  ),
  "29 February": post(
    { day: z.iso.date().optional() },
    ({ day }) => day?.endsWith("02-29"),
  ),
  "29 February of a distant year": post(
    { at: z.iso.datetime() },
    ({ at }) => at.startsWith("2096-02-29"),
  ),
  "the longest list": post(
    { items: z.array(z.int()).max(40) },
    ({ items }) => items.length === 40,
  ),
  "a sum beyond the safe integers": post(
    { points: z.int() },
    ({ points }) => !Number.isSafeInteger(points + 1),
  ),
  "the smallest integer": post(
    { points: z.int().max(5) },
    ({ points }) => points === Number.MIN_SAFE_INTEGER,
  ),
  "the largest integer of a query": {
    "items/route.ts": {
      schema: {
        get: { query: z.object({ offset: z.coerce.number().int().min(0) }) },
      },
      GET: ({ validated: { query } }) =>
        failIf(query.offset === Number.MAX_SAFE_INTEGER),
    },
  },
  "NUL in a list of a union": post({
    parts: z.array(
      z.union([z.int(), z.object({ text: z.string().max(2_000) })]),
    ),
  }, ({ parts }) => parts.some(({ text }: Value) => text?.includes("\0"))),
  "one missing member among many": post(
    Object.fromEntries(nines.map((name) => [name, z.int().optional()])),
    (body) =>
      nines.every((name) => (body[name] === undefined) === (name === "m4")),
  ),
  "the name of a member of a record": post(
    { scores: z.record(z.string(), z.int()) },
    ({ scores }) => Object.hasOwn(scores, "constructor"),
  ),
  "the largest file": upload(
    z.file().max(50_000),
    ({ size }) => size === 50_000,
  ),
  "the largest file but one": upload(
    z.file().max(50_000),
    ({ size }) => size === 49_999,
  ),
  "the smallest file": upload(z.file().min(70), ({ size }) => size === 70),
  "an empty file": upload(z.file().max(100), ({ size }) => size === 0),
  "a type of file": upload(
    z.file().mime(["text/csv", "image/png", "application/pdf"]),
    ({ type }) => type === "application/pdf",
  ),
  "a quote in the name of a file": upload(
    z.file(),
    ({ name }) => name.includes('"'),
  ),
  "an emoji in the name of a file": upload(
    z.file().mime("image/png"),
    ({ name }) => name.includes("🙂"),
  ),
  "a percent sign that is decoded twice in a query": {
    "search/route.ts": {
      schema: { get: { query: z.object({ q: z.string().min(1) }) } },
      GET: ({ validated: { query } }) => failIf(query.q.includes("%2F")),
    },
  },
  "a percent sign that is decoded twice in a path": {
    "files/[name]/route.ts": {
      GET: ({ params }) => failIf(params.name!.includes("%25")),
    },
  },
  "a long segment of a wildcard": {
    "files/[...]/route.ts": {
      GET: ({ wildcardParams }) =>
        failIf(wildcardParams!.some(({ length }) => length > 150)),
    },
  },
  "a number beyond its limit, which a guard reads": {
    "items/middleware.ts": {
      default: ({ url }, next) => {
        failIf(new URL(url).searchParams.get("limit") === "101");
        return next();
      },
    },
    "items/route.ts": {
      schema: { get: { query: z.object({ limit: limit.optional() }) } },
      GET: () => new Response(),
    },
  },
  "a day that does not exist, which a guard reads": {
    "items/middleware.ts": {
      default: async (request, next) => {
        failIf((await request.clone().text()).includes("02-30"));
        return await next();
      },
    },
    "items/route.ts": {
      schema: { post: { body: z.object({ day: z.iso.date(), ...REST }) } },
      POST: () => new Response(),
    },
  },
};

const SEEDS = [1, 2, 3];

for (const [name, files] of Object.entries(FAULTS)) {
  Deno.test(`a fault is found with every seed: ${name}`, async () => {
    for (const seed of SEEDS) {
      const report = await check(files, {
        seed,
        runs: 100,
        properties: ["failure"],
      });
      assertEquals(found(report).length, 1, `seed ${seed}`);
    }
  });
}

Deno.test("a planned value is shrunk, with the values around it", async () => {
  const report = await check(
    post(
      { text: z.string().max(2_000).optional() },
      ({ text }) => text?.length > 255,
    ),
    { properties: ["failure"] },
  );
  const body = JSON.parse(report.failures[0]!.requests.at(-1)!.body!);
  assertEquals(body, {
    text: "x".repeat(256),
    ...{ title: "", count: 0, tags: [], kind: body.kind, email: body.email },
  });
});

Deno.test("values that a refinement accepts are changed", async () => {
  const body = z.object({
    from: z.iso.date(),
    to: z.iso.date(),
    guests: z.int().min(1).max(900),
    note: z.string().max(70),
  }).refine(({ from, to, guests }) => from < to && guests % 7 === 0);
  const files: Modules = {
    "stays/route.ts": {
      schema: { post: { body } },
      POST: ({ validated: { body } }) => failIf(body.note.length === 70),
    },
  };
  for (const seed of SEEDS) {
    const report = await check(files, { seed, properties: ["failure"] });
    assertEquals(found(report), ["failure POST /api/stays"], `seed ${seed}`);
  }
});

Deno.test("a seed sends its requests again", async () => {
  const sent: string[][] = [];
  for (const seed of [1, 1, 2]) {
    const all: string[] = [];
    const files = post({}, (body) => all.push(JSON.stringify(body)) === 0);
    await check(files, { seed });
    sent.push(all);
  }
  assertEquals(sent[0], sent[1]);
  assertNotEquals(sent[0], sent[2]);
});
