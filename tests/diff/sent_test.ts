import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import { diffDocuments } from "@bough/framework/diff";
import { TestApplication } from "../support/application.ts";
import { changesOf, get, openApiOf, sourceOf } from "./support.ts";

const FILE = "a/[id]/route.ts";

for (const part of ["params", "headers", "query"]) {
  const files = (id: () => z.ZodType) => ({
    [FILE]: get({ [part]: z.object({ id: id() }) }),
  });
  for (
    const [before, after] of [
      [() => z.string(), () => z.string().regex(/^[a-z ]+$/i)],
      [() => z.string(), () => z.string().min(2)],
      [() => z.string(), () => z.enum(["Text"])],
      [() => z.string(), () => z.string().max(3)],
      [() => z.coerce.number(), () => z.coerce.number().int()],
    ] as const
  ) {
    Deno.test(`HTTP carries the value that shows ${sourceOf(before)} became ${sourceOf(after)} in ${part}`, async () => {
      const changes = await changesOf(files(before), files(after));
      assert(changes.length > 0);
      for (const { verdict, request } of changes) {
        assertEquals(verdict, "breaking");
        const { target, headers } = request!;
        const url = `http://localhost${target}`;
        const { pathname } = new URL(new Request(url, { headers }).url);
        assertEquals(
          pathname.split("/").filter((each) => each !== "").length,
          3,
        );
      }
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

const STRINGS: readonly (readonly [() => z.ZodType, () => z.ZodType])[] = [
  [() => z.coerce.number(), () => z.string()],
  [() => z.boolean(), () => z.enum(["true", "false"])],
  [() => z.literal(["1", "2"]), () => z.coerce.number()],
];

for (const place of ["params", "headers", "query"]) {
  for (const [before, after] of STRINGS) {
    Deno.test(`${sourceOf(before)} that became ${sourceOf(after)} in ${place} breaks only typed clients`, async () => {
      const [old, now] = await Promise.all([before, after].map((id) => {
        const schema = { get: { [place]: z.object({ id: id() }) } };
        const routes = { [FILE]: { schema, GET: () => new Response() } };
        return openApiOf(TestApplication.of(routes));
      }));
      const changes = await diffDocuments(old!, now!);
      assertEquals(
        changes.map(({ clients, request }) => [clients, request]),
        [["typed", undefined]],
      );
    });
  }
}

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
