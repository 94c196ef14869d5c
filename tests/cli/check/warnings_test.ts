import { content, type MethodSchema } from "@bough/framework";
import { file, form } from "@bough/framework/uploads";
import { assertEquals } from "@std/assert";
import * as v from "valibot";
import { z } from "zod";
import {
  paramWarnings,
  treeWarnings,
  unsentWarnings,
} from "../../../src/cli/check/warnings.ts";
import type { RouteInfo } from "../../../src/core/options/plugin.ts";
import { compilePattern } from "../../../src/core/routing/pattern.ts";

/** The warnings about a tree of folders, by the path of each folder. */
function warningsOf(
  folders: readonly string[],
  prefix: readonly string[] = ["api"],
): (readonly [path: string, message: string])[] {
  const routes = folders.map((file) => {
    const folders = file.split("/").filter(Boolean);
    return {
      info: { file, folders },
      pattern: compilePattern(prefix, folders),
    };
  });
  return treeWarnings(routes).map(({ path, message }) => [path, message]);
}

const NEXT =
  '"[...]" is next to a dynamic folder that has routes, and serves every path that these routes do not match; keep one of the two folders';

function missing(url: string): string {
  return `"${url}" itself gets 404, since a wildcard matches one or more segments; add a route file there`;
}

Deno.test("treeWarnings() warns of a wildcard next to a dynamic folder with routes below it", () => {
  assertEquals(warningsOf(["a", "a/[...]", "a/[id]/deep/er"]), [
    ["a/[...]", NEXT],
  ]);
  assertEquals(warningsOf(["a/[id]", "a/[id]/b", "(group)/a/[...]"]), [
    ["(group)/a/[...]", NEXT],
  ]);
  assertEquals(
    warningsOf(["a/[x]", "a/[x]/[...]", "a/[y]/[z]/c", "(group)/b", "b/[...]"]),
    [["a/[x]/[...]", NEXT]],
  );
  // A dynamic folder elsewhere, or above the wildcard, is not next to it.
  assertEquals(warningsOf(["a", "a/[...]", "b/[id]/c", "[id]/[...]"]), [
    ["[id]/[...]", missing("/api/[id]")],
  ]);
});

Deno.test("treeWarnings() accepts `products/[id]` next to `products/[...]` (behaviour 2.5)", () => {
  assertEquals(
    warningsOf([
      "products/featured",
      "products/[id]",
      "products/[...]",
      "admin/settings",
      "admin/[section]",
      "admin/[...]",
    ]),
    [],
  );
});

Deno.test("treeWarnings() warns of a wildcard whose own folder has no route", () => {
  assertEquals(warningsOf(["files/[...]"]), [
    ["files/[...]", missing("/api/files")],
  ]);
  assertEquals(warningsOf(["", "[...]"]), []);
  assertEquals(warningsOf(["[...]"]), [["[...]", missing("/api")]]);
  assertEquals(warningsOf(["[...]"], []), [["[...]", missing("/")]]);
  assertEquals(warningsOf(["", "[...]"], []), []);
  assertEquals(warningsOf(["[id]", "[name]/[...]"]), []);
});

Deno.test("treeWarnings() warns of each folder name that clients cannot send", () => {
  const name = "café".normalize("NFD");
  const message =
    `folder "${name}" is not in Unicode NFC, the form that clients send, so its route is unreachable; rename the folder`;
  const path = `${name}/a/${name}`;
  assertEquals(warningsOf([path, "café"]), [[path, message], [path, message]]);
});

/** The findings about a schema of `params`, below `/api/[shop]/items/[id]`. */
function paramFindings(params: unknown): string[] {
  const segments =
    compilePattern(["api"], ["[shop]", "items", "[id]"]).segments;
  const route = {
    path: "/api/[shop]/items/[id]",
    file: "route.ts",
    segments,
    schema: { get: { params } },
    contracts: [],
  } as unknown as RouteInfo;
  return paramWarnings([route]).map(({ message }) => message);
}

const HAS = 'but the path "/api/[shop]/items/[id]" captures "shop" and "id"';

Deno.test("paramWarnings() names the params that the path does not capture", () => {
  const text = z.string();
  assertEquals(paramFindings(z.object({ shop: text, id: text })), []);
  assertEquals(paramFindings(z.object({ id: text })), []);
  assertEquals(paramFindings(z.record(text, text)), []);
  assertEquals(paramFindings(z.object({ userId: text, shop: text })), [
    `schema.get.params has "userId", ${HAS}, so every request is rejected; use the name in brackets, or remove it`,
  ]);
  assertEquals(paramFindings(z.object({ page: text.optional() })), [
    `schema.get.params has "page", ${HAS}, so its value is always missing; use the name in brackets, or remove it`,
  ]);
  assertEquals(paramFindings(z.strictObject({ id: text })), [
    'schema.get.params rejects "shop", which the path "/api/[shop]/items/[id]" captures, so every request is rejected; declare the name',
  ]);
  // Another warning reports schemas without a JSON Schema.
  assertEquals(paramFindings(z.object({ id: z.date() })), []);
});

/** The messages about a schema of a method, without the remedy. */
function unsentIn(schema: MethodSchema): string[] {
  const route = {
    file: "route.ts",
    path: "/",
    segments: [],
    schema: { post: schema },
    contracts: [{ file: "middleware.ts", contract: { query: schema.query } }],
  } as unknown as RouteInfo;
  return unsentWarnings([route]).map(({ message }) => message.split("; ")[0]!);
}

Deno.test("unsentWarnings() names the members that no request can send (behaviour 7.1)", () => {
  const text = z.string();
  const object = z.object({ a: text });
  const photo = z.file();
  const query =
    ", which no request can send, since a query has only strings and lists of strings";
  const words =
    ", which no request can send, since a form has only strings, files, and lists of these";
  assertEquals(
    unsentIn({
      query: z.object({ filter: object.optional(), n: z.array(z.int()) }),
    }),
    ["contract", "schema.post"].map((place) =>
      `${place}.query has "n" and "filter"${query}`
    ),
  );
  assertEquals(
    unsentIn({
      params: z.object({ id: z.number() }),
      headers: z.object({ "x-tags": z.array(text) }),
    }),
    [
      'schema.post.params has "id", which no request can send, since a path has only strings',
      'schema.post.headers has "x-tags", which no request can send, since a header is one string, even if its name is repeated',
    ],
  );
  const bodies: NonNullable<MethodSchema["body"]>[] = [
    z.object({ meta: object, photo }),
    z.object({ meta: object, photo: z.array(photo).optional() }),
    form({ fields: z.object({ meta: object }), files: {} }),
    content("application/x-www-form-urlencoded", z.object({ meta: object })),
  ];
  for (const body of bodies) {
    assertEquals(unsentIn({ body }), [`schema.post.body has "meta"${words}`]);
  }
});

Deno.test("unsentWarnings() accepts members that a string, a file or a list may be", () => {
  const text = z.string();
  const some = z.object({
    text: text.nullable(),
    number: z.coerce.number(),
    pre: z.preprocess(JSON.parse as never, z.object({ a: text })),
    bool: z.stringbool(),
    codec: z.codec(text, z.number(), { decode: Number, encode: String }),
    union: z.union([z.number(), z.literal("all")]),
    any: z.any(),
    date: z.coerce.date(),
    never: z.never().optional(),
  });
  const lists = z.object({
    list: z.array(text).optional(),
    tuple: z.tuple([text], z.coerce.number()),
    set: z.array(text).transform((list) => new Set(list)),
  });
  const query = z.object({ ...some.shape, ...lists.shape });
  const files = { photo: file(), more: file({ count: [0, 9] }) };
  const bodies: NonNullable<MethodSchema["body"]>[] = [
    z.object({ object: z.object({}), number: z.number() }),
    z.object({ ...query.shape, photo: z.file(), more: z.array(z.file()) }),
    form({ fields: query, files }),
    file(),
    content("multipart/form-data", query),
    content("application/json", z.object({ number: z.number() })),
  ];
  for (const body of bodies) {
    assertEquals(unsentIn({ params: some, headers: some, query, body }), []);
  }
  const ways = z.union([z.object({ a: z.number() }), z.object({ a: text })]);
  const VALIBOT = v.object({ a: v.number() });
  for (const query of [ways, VALIBOT, z.record(text, text)]) {
    assertEquals(unsentIn({ query }), []);
  }
});
