import { assert, assertEquals } from "@std/assert";
import { COMMAND, processorTime } from "../cli/support.ts";
import { TestFolder } from "../support/application.ts";

const OPERATIONS = 1_000;
const CHANGED = 50;

function route(index: number, maximum: number): string {
  return `
    import { z } from "npm:zod@^4.2.0";
    import { Author } from "../../author.ts";
    const Book = z.object({
      id: z.uuid(),
      title: z.string().min(1).max(${maximum}),
      price: z.number().min(0),
      tags: z.array(z.string().max(30)).max(10),
      state: z.enum(["new", "used"]).default("new"),
      author: Author,
      other: z.union([z.string(), z.object({ a${index}: z.int() })]).nullish(),
    });
    export const schema = { post: {
      query: z.object({ page: z.coerce.number().int().min(1).optional() }),
      body: Book.omit({ id: true }),
      response: { 201: Book, 409: z.object({ why: z.string() }) },
    } };
    export const POST = () => new Response();
  `;
}

const AUTHOR = `
  import { z } from "npm:zod@^4.2.0";
  export const Author = z.object({
    name: z.string(),
    born: z.iso.date().optional(),
    get friends() { return z.array(Author); },
  }).meta({ id: "Author" });
`;

// Slow: each of two commands imports 1,000 files.
Deno.test("bough diff of 1,000 operations takes at most twice the processor time of bough openapi", async () => {
  await using folder = await TestFolder.create({ "author.ts": AUTHOR });
  for (let index = 0; index < OPERATIONS; index++) {
    await folder.write(`api/r${index}/route.ts`, route(index, 80));
  }
  const run = (...args: string[]) =>
    processorTime(folder.path, "-A", COMMAND, ...args, "api");
  const openapi = await run("openapi");
  await folder.write("api.json", openapi.outcome.stdout);
  for (let index = 0; index < CHANGED; index++) {
    const path = `api/r${index * (OPERATIONS / CHANGED)}/route.ts`;
    await folder.write(path, route(index * (OPERATIONS / CHANGED), 70));
  }
  const most = 2 * openapi.seconds;
  let seconds = Infinity;
  // The load of the machine can raise the time of one attempt.
  for (let attempt = 0; attempt < 3 && seconds > most; attempt++) {
    const diff = await run("diff", "--against=api.json", "--json");
    const { changes } = JSON.parse(diff.outcome.stdout);
    const broken = changes.map(({ operation }: { operation: string }) =>
      operation
    );
    assertEquals(new Set(broken).size, CHANGED);
    seconds = diff.seconds;
  }
  assert(seconds <= most, `${seconds} s, openapi: ${openapi.seconds} s`);
});
