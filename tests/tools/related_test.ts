import { assertEquals } from "@std/assert";
import { readDependencies, relatedTests } from "../../tools/related.ts";

const CONTRACTS = "examples/bookshop/contract_test.ts";

/** Changed files, and tests that the change must run. */
const CHANGES: readonly (readonly [path: string, ...tests: string[]])[] = [
  ["src/core/request/form.ts", "tests/core/request/form_test.ts", CONTRACTS],
  ["src/core/framework.ts", CONTRACTS],
  // Examples in comments run, too.
  ["src/live/events.ts", "src/live/events.ts", "tests/live/events_test.ts"],
  // Tests that import it far away, or start a program that does.
  ["src/core/request/body.ts", "tests/openapi/bookshop_test.ts"],
  ["src/cli/docs/markdown.ts", "tests/cli/docs_test.ts"],
  ["src/testing/generate/inputs.ts", "tests/testing/forms_test.ts"],
  ["src/core/own_errors.ts", "tests/shared/document/problems_test.ts"],
  ["src/core/types/path.ts", "tests/type_check/type_check_test.ts"],
  ["src/guide/routing.md", "tests/type_check/type_check_test.ts"],
  ["examples/bookshop/api/books/route.ts", CONTRACTS],
  [
    "examples/cluster/nginx.conf",
    "tests/instruments/cluster/cluster_test.ts",
  ],
  ["tests/cli/fixtures/x/api/route.ts", "tests/cli/routes_test.ts"],
  ["tests/instruments/soak/random.ts", "tests/instruments/soak/soak_test.ts"],
  ["tests/core/request/form_test.ts", "tests/core/request/form_test.ts"],
  ["deno.json", "tests/publish/shipping_test.ts"],
];

Deno.test("a change runs its tests, and those of sentences and pages", async () => {
  const folder = await Deno.makeTempDir();
  const dependencies = await readDependencies(folder);
  await Deno.remove(folder, { recursive: true });
  for (const [path, ...expected] of CHANGES) {
    const files = relatedTests([path], dependencies);
    const missing = [...expected, "tests/repository/words_test.ts"]
      .filter((test) => !files.includes(test));
    assertEquals(missing, [], path);
  }
  assertEquals(relatedTests([], dependencies), []);
});
