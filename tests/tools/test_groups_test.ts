import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { runGroups } from "../../tools/test_groups.ts";

const FOLDER = fromFileUrl(new URL("./fixtures/", import.meta.url));

/** Runs files of a group, and returns the counts and the errors. */
async function runFiles(...names: readonly string[]) {
  const folder = await Deno.makeTempDir();
  // The type checker would reject this file next to the others.
  await Deno.writeTextFile(`${folder}/imports.ts`, 'import "./missing.ts";');
  const files = names.map((name) =>
    `${name === "imports" ? `${folder}/` : FOLDER}${name}.ts`
  );
  const runs = await runGroups([{ files, args: [] }], {
    atOnce: 1,
    args: ["test", "-A", "--no-check", "--no-config"],
    folder,
  });
  await Deno.remove(folder, { recursive: true });
  return {
    passed: runs.reduce((sum, { passed }) => sum + passed, 0),
    failed: runs.reduce((sum, { failed }) => sum + failed, 0),
    errors: runs.map(({ errors }) => errors.replaceAll(FOLDER, "")).join(""),
  };
}

Deno.test("a group that passes has no errors", async () => {
  assertEquals(await runFiles("passes", "passes"), {
    passed: 2,
    failed: 0,
    errors: "",
  });
});

Deno.test("a test that fails is counted once, with its error", async () => {
  const { passed, failed, errors } = await runFiles("passes", "fails");
  assertEquals([passed, failed], [2, 1]);
  assertMatch(errors, /the test that fails => .+\nerror: Error: The error of/);
});

Deno.test("the other tests run if a process aborts, and the error names its file and test", async () => {
  const { passed, failed, errors } = await runFiles("aborts", "passes");
  assertEquals([passed, failed], [3, 1]);
  assertMatch(
    errors,
    /^\nSIGABRT ended the tests of "aborts.ts" in "the test that aborts"; /,
  );
});

Deno.test("a crash that does not happen again is a failure", async () => {
  const marker = await Deno.makeTempFile();
  Deno.env.set("ABORT_ONCE", marker);
  const { passed, failed, errors } = await runFiles("aborts_once", "passes");
  assertEquals([passed, failed], [3, 1]);
  assertMatch(errors, /^\nSIGABRT ended the tests of "aborts_once.ts" in "the/);
  Deno.env.delete("ABORT_ONCE");
  await Deno.remove(marker);
});

for (const name of ["throws", "imports"]) {
  Deno.test(`the other tests run if a file cannot be imported: ${name}`, async () => {
    const { passed, failed, errors } = await runFiles(name, "passes");
    assertEquals([passed, failed], [2, 1]);
    assertMatch(errors, new RegExp(`${name}\\.ts`));
  });
}
