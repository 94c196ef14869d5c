import { assertEquals } from "@std/assert";
import { z } from "zod";
import {
  paramWarnings,
  treeWarnings,
} from "../../../src/cli/check/warnings.ts";
import type { RouteInfo } from "../../../src/core/types/plugin.ts";
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
  assertEquals(warningsOf(["a", "a/[...]", "b/[id]/c", "[id]/[...]"]), []);
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

Deno.test("treeWarnings() accepts a wildcard whose own folder has no route, such as a mounted handler", () => {
  assertEquals(warningsOf(["files/[...]", "[id]/[...]"]), []);
  for (const prefix of [[], ["api"]]) {
    assertEquals(warningsOf(["[...]"], prefix), []);
    assertEquals(warningsOf(["[id]/a", "[...]"], prefix), [["[...]", NEXT]]);
  }
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
