import { assertEquals, assertNotEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { SCHEMA_KINDS } from "../cli/generate/schema_kinds.ts";
import { runProgram } from "../cli/support.ts";
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

Deno.test("two processes print the same report", async () => {
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
  const program = fromFileUrl(new URL("two_reports.ts", import.meta.url));
  const { stdout } = await runProgram(folder.path, "-A", program);
  const [report, json] = [await folder.diff(), await folder.diff("--json")];
  assertEquals([report.code, json.code], [1, 1]);
  assertNotEquals(report.stdout, "");
  assertEquals(stdout, `${report.stdout}\n${json.stdout}`);
});
