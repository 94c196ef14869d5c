import { assert, assertEquals } from "@std/assert";
import { ChangedFolder, post } from "./support.ts";

/** Pairs of bodies; the second refuses values of the first. */
const PAIRS: readonly (readonly [before: string, after: string])[] = [
  ["z.email().max(60)", "z.email().max(40)"],
  ["z.url().max(200)", "z.url().max(100)"],
  ["z.string()", "z.string().regex(/^a/).regex(/z$/)"],
  ["z.string().regex(/^a/)", "z.string().regex(/^a/).regex(/z$/)"],
  ["z.string().max(20_000)", "z.string().max(9_000)"],
  ["z.string().regex(/^\\d+$/)", "z.string().regex(/^\\d+$/).max(3)"],
  ["z.uuid()", "z.uuidv7()"],
  ["z.string()", "z.iso.date()"],
  ["z.number()", "z.int()"],
  ["z.int().multipleOf(2)", "z.int().multipleOf(4)"],
  ["z.number().min(0.1).max(0.3)", "z.number().min(0.2).max(0.3)"],
  ["z.array(z.string())", "z.array(z.string()).max(2)"],
  ["z.array(z.string())", "z.array(z.string()).min(2)"],
  ["z.tuple([z.string(), z.int()])", "z.tuple([z.string(), z.int().max(3)])"],
  ["z.record(z.string(), z.int())", "z.record(z.string(), z.int().max(3))"],
  ["z.record(z.string(), z.int())", "z.record(z.string().max(3), z.int())"],
  ["z.object({ a: z.string() })", "z.strictObject({ a: z.string() })"],
  ["z.strictObject({ a: z.string().optional() })", "z.strictObject({})"],
  ["z.string().nullable()", "z.string()"],
  ["z.union([z.string(), z.int()])", "z.union([z.string(), z.boolean()])"],
  ['z.literal(["a", "b"])', 'z.literal(["a", "c"])'],
  [
    `z.discriminatedUnion("k", [z.object({ k: z.literal("a"), v: z.string() }),
      z.object({ k: z.literal("b"), w: z.int() })])`,
    'z.object({ k: z.literal("a"), v: z.string() })',
  ],
  [
    "(() => { const A = z.object({ n: z.int(), get a() { return A.optional() } }); return A })()",
    "(() => { const A = z.object({ n: z.int().max(3), get a() { return A.optional() } }); return A })()",
  ],
];

for (const [before, after] of PAIRS) {
  Deno.test(`a value and a request show that ${before} became ${after}`, async () => {
    const [old = {}, now = {}] = [before, after].map((each) => ({
      "api/route.ts": post(`z.object({ it: ${each} })`),
    }));
    await using folder = await ChangedFolder.create(old, now);
    const changes = await folder.changes();
    assert(changes.length > 0);
    for (const { verdict, value, request } of changes) {
      assertEquals([verdict, typeof value], ["breaking", "object"]);
      assertEquals(JSON.parse(request!.body!), value);
    }
    await using same = await ChangedFolder.create(now, now);
    assertEquals(await same.changes(), []);
  });
}
