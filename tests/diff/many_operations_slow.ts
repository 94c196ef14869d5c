import { assert, assertEquals } from "@std/assert";
import { bough, type CommandOutcome } from "../cli/support.ts";
import { TestFolder } from "../support/application.ts";

const OPERATIONS = 1_000;
const CHANGED = 50;

function route(index: number, maximum: number): string {
  return `
    import { z } from "npm:zod@^4.1.13";
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
  import { z } from "npm:zod@^4.1.13";
  export const Author = z.object({
    name: z.string(),
    born: z.iso.date().optional(),
    get friends() { return z.array(Author); },
  }).meta({ id: "Author" });
`;

// Slow: each command imports 1,000 files, six times in all.
Deno.test("bough diff of 1,000 operations takes at most twice the time of bough openapi", async () => {
  await using folder = await TestFolder.create({ "author.ts": AUTHOR });
  for (let index = 0; index < OPERATIONS; index++) {
    await folder.write(`api/r${index}/route.ts`, route(index, 80));
  }
  const run = (...args: string[]) => bough(folder.path, ...args, "api");
  const { stdout } = await run("openapi");
  await folder.write("api.json", stdout);
  for (let index = 0; index < CHANGED; index++) {
    const path = `api/r${index * (OPERATIONS / CHANGED)}/route.ts`;
    await folder.write(path, route(index * (OPERATIONS / CHANGED), 70));
  }
  const times = { openapi: [] as number[], diff: [] as number[] };
  const timed = async (
    name: keyof typeof times,
    ...args: string[]
  ): Promise<CommandOutcome> => {
    const start = performance.now();
    const outcome = await run(name, ...args);
    times[name].push(performance.now() - start);
    return outcome;
  };
  // Alternately, since the machine may be busy: only the ratio matters.
  for (let round = 0; round < 3; round++) {
    await timed("openapi");
    const { stdout } = await timed("diff", "--against=api.json", "--json");
    const { changes } = JSON.parse(stdout);
    const broken = changes.map(({ operation }: { operation: string }) =>
      operation
    );
    assertEquals(new Set(broken).size, CHANGED);
  }
  const [openapi, diff] = [median(times.openapi), median(times.diff)];
  const text = `openapi ${openapi.toFixed()} ms, diff ${diff.toFixed()} ms`;
  console.log(text);
  assert(diff <= 2 * openapi, text);
});

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
