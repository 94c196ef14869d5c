import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import { changesOf, post, sourceOf } from "./support.ts";

/** Creates a schema. */
type Make = () => z.ZodType;

const a = z.object({ k: z.literal("a"), v: z.string() });
const b = z.object({ k: z.literal("b"), w: z.int() });

/** A list of numbers as linked objects. */
function linked(number: z.ZodNumber): z.ZodType {
  const Node = z.object({
    n: number,
    get a(): z.ZodOptional<z.ZodType> {
      return Node.optional();
    },
  });
  return Node;
}

/** Pairs of bodies; the second rejects values of the first. */
const PAIRS: readonly (readonly [before: Make, after: Make])[] = [
  [() => z.email().max(60), () => z.email().max(40)],
  [() => z.url().max(200), () => z.url().max(100)],
  [() => z.string(), () => z.string().regex(/^a/).regex(/z$/)],
  [() => z.string().regex(/^a/), () => z.string().regex(/^a/).regex(/z$/)],
  [() => z.string().max(20_000), () => z.string().max(9_000)],
  [() => z.string().regex(/^\d+$/), () => z.string().regex(/^\d+$/).max(3)],
  [() => z.uuid(), () => z.uuidv7()],
  [() => z.string(), () => z.iso.date()],
  [() => z.number(), () => z.int()],
  [() => z.int().multipleOf(2), () => z.int().multipleOf(4)],
  [() => z.number().min(0.1).max(0.3), () => z.number().min(0.2).max(0.3)],
  [() => z.array(z.string()), () => z.array(z.string()).max(2)],
  [() => z.array(z.string()), () => z.array(z.string()).min(2)],
  [
    () => z.tuple([z.string(), z.int()]),
    () => z.tuple([z.string(), z.int().max(3)]),
  ],
  [
    () => z.record(z.string(), z.int()),
    () => z.record(z.string(), z.int().max(3)),
  ],
  [
    () => z.record(z.string(), z.int()),
    () => z.record(z.string().max(3), z.int()),
  ],
  [() => z.object({ a: z.string() }), () => z.strictObject({ a: z.string() })],
  [
    () => z.strictObject({ a: z.string().optional() }),
    () => z.strictObject({}),
  ],
  [() => z.string().nullable(), () => z.string()],
  [
    () => z.union([z.string(), z.int()]),
    () => z.union([z.string(), z.boolean()]),
  ],
  [() => z.literal(["a", "b"]), () => z.literal(["a", "c"])],
  [() => z.discriminatedUnion("k", [a, b]), () => a],
  [() => linked(z.int()), () => linked(z.int().max(3))],
];

for (const [before, after] of PAIRS) {
  const files = (make: Make) => ({
    "route.ts": post(z.object({ it: make() })),
  });
  Deno.test(`a value and a request show that ${sourceOf(before)} became ${sourceOf(after)}`, async () => {
    const changes = await changesOf(files(before), files(after));
    assert(changes.length > 0);
    for (const { verdict, value, request } of changes) {
      assertEquals([verdict, typeof value], ["breaking", "object"]);
      assertEquals(JSON.parse(request!.body!), value);
    }
    assertEquals(await changesOf(files(after), files(after)), []);
  });
}
