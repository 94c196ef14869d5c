/** The values and requests that show a change. */
import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import { diffDocuments } from "@bough/framework/diff";
import { TestApplication } from "../support/application.ts";
import { changesOf, get, openApiOf, post, sourceOf } from "./support.ts";

const FILE = "a/[id]/route.ts";

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

/** Pairs of schemas; the second rejects values of the first. */
type Pairs = readonly (readonly [before: Make, after: Make])[];

const BODIES: Pairs = [
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

for (const [before, after] of BODIES) {
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

const SENT: Pairs = [
  [() => z.string(), () => z.string().regex(/^[a-z ]+$/i)],
  [() => z.string(), () => z.string().min(2)],
  [() => z.string(), () => z.enum(["Text"])],
  [() => z.string(), () => z.string().max(3)],
  [() => z.coerce.number(), () => z.coerce.number().int()],
];

/** Pairs whose values are equal texts. */
const STRINGS: Pairs = [
  [() => z.coerce.number(), () => z.string()],
  [() => z.boolean(), () => z.enum(["true", "false"])],
  [() => z.literal(["1", "2"]), () => z.coerce.number()],
];

for (const part of ["params", "headers", "query"]) {
  const files = (id: Make) => ({
    [FILE]: get({ [part]: z.object({ id: id() }) }),
  });
  for (const [before, after] of SENT) {
    Deno.test(`HTTP carries the value that shows ${sourceOf(before)} became ${sourceOf(after)} in ${part}`, async () => {
      const changes = await changesOf(files(before), files(after));
      assert(changes.length > 0);
      for (const { verdict, request } of changes) {
        assertEquals(verdict, "breaking");
        const { target, headers } = request!;
        const url = `http://localhost${target}`;
        const { pathname } = new URL(new Request(url, { headers }).url);
        const segments = pathname.split("/").filter((each) => each !== "");
        assertEquals(segments.length, 3);
      }
    });
  }
  for (const [before, after] of STRINGS) {
    Deno.test(`${sourceOf(before)} that became ${sourceOf(after)} in ${part} breaks only typed clients`, async () => {
      const changes = await diffDocuments(
        await openApiOf(TestApplication.of(files(before))),
        await openApiOf(TestApplication.of(files(after))),
      );
      assertEquals(
        changes.map(({ clients, request }) => [clients, request]),
        [["typed", undefined]],
      );
    });
  }
}

Deno.test("a path parameter is never empty", async () => {
  const files = (id: z.ZodType) => ({
    [FILE]: get({ params: z.object({ id }) }),
  });
  assertEquals(
    await changesOf(files(z.string()), files(z.string().min(1))),
    [],
  );
});

const LISTS: readonly (readonly [() => z.ZodType, () => z.ZodType, string])[] =
  [
    [() => z.string(), () => z.array(z.string()), "typed"],
    [() => z.string(), () => z.array(z.string()).min(2), "all"],
    [() => z.string(), () => z.array(z.enum(["a"])), "all"],
    [() => z.array(z.string()), () => z.string(), "all"],
    [() => z.array(z.string()).optional(), () => z.array(z.string()), "no"],
    [
      () => z.array(z.string()).optional(),
      () => z.array(z.string()).min(1),
      "all",
    ],
    [
      () => z.string().optional(),
      () => z.array(z.string().min(1)).min(1),
      "all",
    ],
    [
      () => z.union([z.string(), z.array(z.string())]),
      () => z.array(z.string()),
      "typed",
    ],
  ];

for (const [before, after, wanted] of LISTS) {
  Deno.test(`${sourceOf(before)} that became ${sourceOf(after)} in a query breaks ${wanted} clients`, async () => {
    const files = (tag: z.ZodType) => ({
      [FILE]: get({ query: z.object({ tag }) }),
    });
    const changes = await changesOf(files(before()), files(after()));
    const clients = new Set(changes.map(({ clients }) => clients));
    assertEquals(clients.has("all"), wanted === "all");
    assertEquals(clients.size > 0, wanted !== "no");
  });
}

Deno.test("a number that replaces a string in a header of a response breaks only typed clients", async () => {
  const files = (header: z.ZodType) => {
    const headers = z.object({ "x-rate": header });
    return { [FILE]: get({ response: { 200: { headers } } }) };
  };
  const [string, number] = [z.string(), z.int()].map(files);
  const [wider, narrower] = [
    await changesOf(number!, string!),
    await changesOf(string!, number!),
  ].map((changes) => changes.map(({ clients }) => clients));
  assertEquals([wider, narrower], [["all"], ["typed"]]);
});
