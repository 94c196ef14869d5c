/** Each limit of a schema is planned, so faults at the limits are found with every seed. */
import { assertEquals } from "@std/assert";
import { check, found } from "../support.ts";

/** Members around the one with the fault, which random values would have to hit. */
const REST = `title: z.string().max(80), note: z.string().max(200).optional(),
  count: z.int().min(0).max(9_999), tags: z.array(z.string().max(20)).max(5),
  kind: z.enum(["a", "b", "c"]), email: z.email().nullable()`;

/** A `POST` whose handler fails if the expression throws or is true. */
function post(member: string, fails: string): Record<string, string> {
  return {
    "things/route.ts": `import { z } from "zod";
      export const schema = { post: { body: z.object({ ${member}, ${REST} }) } };
      export const POST = ({ validated: { body } }) => {
        if (${fails}) throw new Error("edge");
        return new Response();
      };`,
  };
}

/** A `POST` of a form with a file, whose handler fails if the expression is true. */
function upload(file: string, fails: string): Record<string, string> {
  return {
    "files/route.ts": `import { z } from "zod";
      export const schema = { post: { body: z.object({ file: ${file}, name: z.string() }) } };
      export const POST = ({ validated: { body: { file } } }) => {
        if (${fails}) throw new Error("edge");
        return new Response();
      };`,
  };
}

/** Applications with a fault that only one value shows, by the value. */
const FAULTS: Readonly<Record<string, Record<string, string>>> = {
  "NUL": post("text: z.string()", `body.text.includes("\\0")`),
  "a line break in a header": post(
    "text: z.string().max(99)",
    `new Headers({ "x-text": encodeURI(body.text).replaceAll("%0D%0A", "\\r\\n") }) === null`,
  ),
  "half of an emoji": post(
    "text: z.string().max(60)",
    `encodeURIComponent(body.text.slice(0, 31)) === "a"`,
  ),
  "a text from right to left": post(
    "text: z.string().min(3).max(80)",
    `/[\\u0590-\\u05ff]/.test(body.text)`,
  ),
  "a length in bytes": post(
    "text: z.string().max(100)",
    "new TextEncoder().encode(body.text).length > 199",
  ),
  "29 February": post(
    "day: z.iso.date().optional()",
    `body.day?.endsWith("02-29")`,
  ),
  "29 February of a distant year": post(
    "at: z.iso.datetime()",
    `body.at.startsWith("2096-02-29")`,
  ),
  "the longest list": post(
    "items: z.array(z.int()).max(40)",
    "body.items.length === 40",
  ),
  "NUL in a list of a union": post(
    `parts: z.array(z.union([z.int(), z.object({ text: z.string().max(2_000) })]))`,
    `body.parts.some(({ text }) => text?.includes("\\0"))`,
  ),
  "one missing member among many": post(
    `${
      Array.from({ length: 9 }, (_, index) => `m${index}: z.int().optional()`)
        .join(", ")
    }`,
    "body.m4 === undefined && Object.keys(body).filter((name) => /m\\d/.test(name)).length === 8",
  ),
  "the name of a member of a record": post(
    "scores: z.record(z.string(), z.int())",
    `Object.hasOwn(body.scores, "constructor")`,
  ),
  "the largest file": upload("z.file().max(50_000)", "file.size === 50_000"),
  "the largest file but one": upload(
    "z.file().max(50_000)",
    "file.size === 49_999",
  ),
  "the smallest file": upload("z.file().min(70)", "file.size === 70"),
  "an empty file": upload("z.file().max(100)", "file.size === 0"),
  "a type of file": upload(
    `z.file().mime(["text/csv", "image/png", "application/pdf"])`,
    `file.type === "application/pdf"`,
  ),
  "a quote in the name of a file": upload(
    "z.file()",
    `file.name.includes("%22")`,
  ),
  "an emoji in the name of a file": upload(
    `z.file().mime("image/png")`,
    `file.name.includes("🙂")`,
  ),
  "a percent sign that is decoded twice in a query": {
    "search/route.ts": `import { z } from "zod";
      export const schema = { get: { query: z.object({ q: z.string().min(1) }) } };
      export const GET = ({ validated: { query } }) => {
        if (query.q.includes("%2F")) throw new Error("edge");
        return new Response();
      };`,
  },
  "a percent sign that is decoded twice in a path": {
    "files/[name]/route.ts": `export const GET = ({ params: { name } }) => {
      if (name.includes("%25")) throw new Error("edge");
      return new Response();
    };`,
  },
  "a long segment of a wildcard": {
    "files/[...]/route.ts": `export const GET = ({ wildcardParams }) => {
      if (wildcardParams.some(({ length }) => length > 150)) throw new Error("edge");
      return new Response();
    };`,
  },
  "a number beyond its limit, which a guard reads": {
    "items/middleware.ts": `export default (request, next) => {
      if (new URL(request.url).searchParams.get("limit") === "101") throw new Error("edge");
      return next();
    };`,
    "items/route.ts": `import { z } from "zod";
      const limit = z.coerce.number().int().min(1).max(100);
      export const schema = { get: { query: z.object({ limit: limit.optional() }) } };
      export const GET = () => new Response();`,
  },
  "a day that does not exist, which a guard reads": {
    "items/middleware.ts": `export default async (request, next) => {
      if ((await request.clone().text()).includes("02-30")) throw new Error("edge");
      return next();
    };`,
    "items/route.ts": `import { z } from "zod";
      export const schema = { post: { body: z.object({ day: z.iso.date(), ${REST} }) } };
      export const POST = () => new Response();`,
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
    post("text: z.string().max(2_000).optional()", "body.text?.length > 255"),
    { properties: ["failure"] },
  );
  const body = JSON.parse(report.failures[0]!.requests.at(-1)!.body!);
  assertEquals(body, {
    text: "x".repeat(256),
    ...{ title: "", count: 0, tags: [], kind: body.kind, email: body.email },
  });
});

Deno.test("values that a refinement accepts are changed", async () => {
  const files = {
    "stays/route.ts": `import { z } from "zod";
      const body = z.object({ from: z.iso.date(), to: z.iso.date(), guests: z.int().min(1).max(900),
        note: z.string().max(70) }).refine(({ from, to, guests }) => from < to && guests % 7 === 0);
      export const schema = { post: { body } };
      export const POST = ({ validated: { body } }) => {
        if (body.note.length === 70) throw new Error("edge");
        return new Response();
      };`,
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
    Object.assign(globalThis, { sent: all });
    await check({
      "things/route.ts": `import { z } from "zod";
        export const schema = { post: { body: z.object({ ${REST} }) } };
        export const POST = async (request) => {
          globalThis.sent.push(JSON.stringify(request.validated.body));
          return new Response();
        };`,
    }, { seed });
    sent.push(all);
  }
  assertEquals(sent[0], sent[1]);
  assertEquals(sent[0]!.join() === sent[2]!.join(), false);
});
