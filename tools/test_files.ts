/** Finds the files with tests and examples. */
import { walk } from "@std/fs/walk";

/** The files of the quick group, in tests and examples of the repository. */
export function quickFiles(): Promise<string[]> {
  return filesIn(["tests", "examples"], /_test\.ts$/);
}

/** The files of the slow group, which Deno does not find by their names. */
export function slowFiles(): Promise<string[]> {
  return filesIn(["tests", "examples"], /_slow\.ts$/);
}

/** The modules and pages with examples, which tests run. */
export async function documentedFiles(): Promise<string[]> {
  const files = await filesIn(["examples", "src", "tools"], /\.(?:ts|md)$/);
  return ["mod.ts", ...files].filter((path) =>
    !/_(?:test|slow)\.ts$/.test(path) &&
    Deno.readTextFileSync(path).includes("```")
  );
}

/** The files in folders of the repository, in the order of their paths. */
export async function filesIn(
  folders: readonly string[],
  match = /(?:)/,
): Promise<string[]> {
  const files: string[] = [];
  const options = {
    includeDirs: false,
    match: [match],
    skip: [/node_modules/],
  };
  for (const folder of folders) {
    for await (const { path } of walk(folder, options)) files.push(path);
  }
  // Without files, Deno would run all tests that it finds.
  if (files.length === 0) throw new Error(`Found no ${match} in ${folders}`);
  return files.sort();
}
