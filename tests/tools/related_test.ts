import { assert, assertEquals } from "@std/assert";
import { relatedTests } from "../../tools/related.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const CONTRACTS = "examples/bookshop/contract_test.ts";

/** Changed files, and tests that the change must run. */
const CHANGES: readonly (readonly [path: string, ...tests: string[]])[] = [
  [
    "src/core/body/form.ts",
    "tests/core/body/form_test.ts",
    CONTRACTS,
    "src/core/body/form.ts",
  ],
  ["src/core/framework.ts", CONTRACTS],
  ["src/core/types/path.ts", "tests/type_check/"],
  ["src/guide/routing.md", "tests/type_check/"],
  ["examples/bookshop/api/books/route.ts", CONTRACTS],
  [
    "examples/cluster/nginx.conf",
    "tests/instruments/cluster/cluster_test.ts",
  ],
  ["tests/cli/fixtures/x/api/route.ts", "tests/cli/routes_test.ts"],
  ["tests/instruments/soak/random.ts", "tests/instruments/soak/soak_test.ts"],
  ["tests/core/body/form_test.ts", "tests/core/body/form_test.ts"],
  ["deno.json", "tests/publish/shipping_test.ts"],
];

for (const [path, ...expected] of CHANGES) {
  Deno.test(`a change of ${path} runs its tests`, async () => {
    const { files, modules } = await relatedTests([path], ROOT);
    for (const test of [...expected, "tests/repository/"]) {
      assert(files.includes(test), `${test} is not in ${files.join(" ")}`);
    }
    const isModule = path.endsWith(".ts") && !path.startsWith("src/") &&
      !path.endsWith("_test.ts");
    assertEquals(modules, isModule ? [path] : []);
  });
}

Deno.test("nothing is run without a change", async () => {
  assertEquals(await relatedTests([], ROOT), { files: [], modules: [] });
});
