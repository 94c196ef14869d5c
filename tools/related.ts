/** Finds the tests that a change can break, even tests that import no changed module. */
import { walk } from "@std/fs/walk";
import { basename, dirname } from "@std/path";

/** The contract tests of an application that uses most of Bough. */
const CONTRACTS = "examples/bookshop/contract_test.ts";

/** The tests of sentences, pages, rules and imports. */
const REPOSITORY = "tests/repository/";

/** The type check of snippets in pages, of clients and of generated files. */
const TYPE_CHECK = "tests/type_check/";
const TYPED = /^src\/(?:cli\/generate|client|core\/types)\/|\.md$/;

/** How to find the tests of a change. */
export interface Related {
  /** Tests, and modules with examples in their comments, to pass to `deno test`. */
  readonly files: readonly string[];
  /** Changed modules outside of `src/`; Deno finds the tests that import them. */
  readonly modules: readonly string[];
}

/** The paths that differ from a commit, from the root, with new files. */
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
 * runs the tests that name its module, the tests of its folder, and contract tests. A
 * change of another file runs the tests that import or name it, and the nearest tests
 * above it: applications import their routes by computed paths.
 *
 * @param changed The paths of the changed files, from the root.
 * @param root The folder of the repository, with a slash at its end.
 */
export async function relatedTests(
  changed: readonly string[],
  root = "./",
): Promise<Related> {
  const texts = await testTexts(root);
  const tests = [...texts.keys()];
  const files = new Set<string>();
  const modules: string[] = [];
  const add = (paths: readonly string[]) =>
    paths.forEach((path) => files.add(path));
  const addNaming = (name: string) =>
    add(tests.filter((test) => texts.get(test)!.includes(name)));
  for (const path of changed) {
    const [, inSource] = /^src\/(.+\.ts)$/.exec(path) ?? [];
    const [example] = /^examples\/[^/]+/.exec(path) ?? [];
    if (TYPED.test(path)) files.add(TYPE_CHECK);
    if (/_(?:test|slow)\.ts$/.test(path)) files.add(path);
    else if (inSource !== undefined) {
      add([path, CONTRACTS]);
      add(testsIn(dirname(`tests/${inSource}`), tests));
      addNaming(`${inSource}"`);
    } else {
      const isModule = path.endsWith(".ts");
      if (isModule) modules.push(path);
      if (example !== undefined) addNaming(example);
      else if (!isModule) addNaming(basename(path));
      add(nearestTests(dirname(path), tests));
    }
  }
  if (changed.length > 0) files.add(REPOSITORY);
  return { files: [...files].sort(), modules };
}

function testsIn(folder: string, tests: readonly string[]): string[] {
  return tests.filter((test) => dirname(test) === folder);
}

/** The tests in the first folder that has some, from a folder upwards. */
function nearestTests(folder: string, tests: readonly string[]): string[] {
  const found = testsIn(folder, tests);
  return found.length > 0 || folder === "."
    ? found
    : nearestTests(dirname(folder), tests);
}

/** The texts of the tests of the quick group, by path. */
async function testTexts(root: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const options = { match: [/_test\.ts$/], includeDirs: false };
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
