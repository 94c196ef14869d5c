import { assertEquals, assertNotEquals } from "@std/assert";
import { SCHEMA_KINDS } from "../cli/generate/schema_kinds.ts";
import { bough } from "../cli/support.ts";
import { ChangedFolder } from "./support.ts";

/** A route for each library: its schema changes from one kind to another kind. */
function routes(kinds: readonly (readonly [string, string])[], version: 0 | 1) {
  return Object.fromEntries(
    Object.entries(SCHEMA_KINDS).flatMap(([library, source]) => [
      [`api/_${library}.ts`, source],
      ...kinds.map((pair) => [
        `api/${library}/${pair.join("_")}/route.ts`,
        `import { kinds } from "../../_${library}.ts";
         const kind = kinds.${pair[version]};
         export const schema = { post: { body: kind, response: kind } };
         export const POST = () => new Response();`,
      ]),
    ]),
  );
}

Deno.test("two processes print one report of two versions", async () => {
  const kinds = [
    ["string", "email"],
    ["union", "object"],
    ["tree", "record"],
    ["unknown", "tuple"],
    ["optional", "object"],
    ["mutual", "expression"],
    ["regex", "uuid"],
    ["array", "nested"],
  ] as const;
  await using folder = await ChangedFolder.create(
    routes(kinds, 0),
    routes(kinds, 1),
  );
  const args = ["diff", "api", "--against=api.json"];
  const [first, second, json] = await Promise.all([
    bough(folder.path, ...args),
    bough(folder.path, ...args),
    bough(folder.path, ...args, "--json"),
  ]);
  assertEquals(first, second);
  assertEquals(first.code, 1);
  assertNotEquals(first.stdout, "");
  assertEquals(
    JSON.parse(json.stdout).changes,
    JSON.parse(JSON.stringify(await folder.changes())),
  );
});
