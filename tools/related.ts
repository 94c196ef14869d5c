/** The tests that a change can break: what Deno's module graph shows, and what it does not. */
import { walk } from "@std/fs/walk";
import { basename, dirname } from "@std/path";

/** The contract tests of an application that uses most of Bough. */
const CONTRACTS = "examples/bookshop/contract_test.ts";

/** The tests of sentences, pages, rules and imports. */
const REPOSITORY = "tests/repository/";

/** How to find the tests of a change. */
export interface Related {
  /** Tests, and modules with examples in their comments, to pass to `deno test`. */
  readonly files: readonly string[];
  /** Changed modules outside of `src/`, of which Deno finds the tests by imports. */
  readonly modules: readonly string[];
}

/** The paths that differ from a commit, from the root; new files included. */
export async function changedSince(commit: string): Promise<string[]> {
  const git = async (...args: readonly string[]): Promise<string[]> => {
    const { success, stdout, stderr } = await new Deno.Command("git", {
      args: [...args],
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return new TextDecoder().decode(stdout).split("\0").filter((path) => path);
  };
  return [
    ...await git("diff", "-z", "--name-only", "--diff-filter=d", commit),
    ...await git("ls-files", "-z", "--others", "--exclude-standard"),
  ];
}

/**
 * Finds the tests of a change. Nearly all tests import the core, so a change of `src/`
 * runs those that name its module, those of its folder, and contract tests.
 *
 * @param changed The paths of the changed files, from the root.
 * @param root The folder of the repository, which ends in a slash.
 */
export async function relatedTests(
  changed: readonly string[],
  root = "./",
): Promise<Related> {
  const texts = await testTexts(root);
  const files = new Set<string>();
  const modules: string[] = [];
  for (const path of changed) {
    const folder = /^src\/(.*?)[^/]+\.ts$/.exec(path)?.[1];
    const isNamed = folder === undefined
      ? basename(path)
      : `${folder}${basename(path)}"`;
    const naming = [...texts].filter(([, text]) => text.includes(isNamed));
    if (/_(?:test|slow)\.ts$/.test(path)) files.add(path);
    else if (folder !== undefined) {
      const mirrored = [...texts.keys()]
        .filter((test) => dirname(test) === dirname(`tests/${folder}x`));
      [path, CONTRACTS, ...mirrored].forEach((each) => files.add(each));
      naming.forEach(([test]) => files.add(test));
    } else if (path.endsWith(".ts")) modules.push(path);
    else naming.forEach(([test]) => files.add(test));
  }
  if (changed.length > 0) files.add(REPOSITORY);
  return { files: [...files].sort(), modules };
}

/** The texts of the tests of the quick group, by path. */
async function testTexts(root: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const options = { exts: ["_test.ts"], includeDirs: false };
  for (const folder of ["tests", "examples"]) {
    for await (const { path } of walk(`${root}${folder}`, options)) {
      texts.set(
        path.slice(root === "./" ? 0 : root.length),
        await Deno.readTextFile(path),
      );
    }
  }
  return texts;
}
