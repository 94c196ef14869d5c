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

Deno.test("a run counts the tests, and shows the errors of those that fail", async () => {
  const abort = (name: string) =>
    new RegExp(
      `^\nSIGABRT ended the tests of "${name}.ts" in "the test that aborts`,
    );
  const marker = await Deno.makeTempFile();
  Deno.env.set("ABORT_ONCE", marker);
  for (
    const [name, passed, failed, errors] of [
      ["passes", 2, 0, /^$/],
      ["fails", 2, 1, /the test that fails => .+\nerror: Error: The error of/],
      // The other tests run if a process aborts, even if it would not abort again.
      ["aborts", 3, 1, abort("aborts")],
      ["aborts_once", 3, 1, abort("aborts_once")],
      // The file cannot be imported.
      ["throws", 2, 1, /throws\.ts/],
      ["imports", 2, 1, /imports\.ts/],
    ] as const
  ) {
    const run = await runFiles(name, "passes");
    assertEquals([run.passed, run.failed], [passed, failed], name);
    assertMatch(run.errors, errors, name);
  }
  Deno.env.delete("ABORT_ONCE");
  await Deno.remove(marker);
});
