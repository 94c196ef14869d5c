/** Finds the tests that a change can break. */
import { basename, dirname, resolve, toFileUrl } from "@std/path";
import { documentedFiles, filesIn, quickFiles } from "./test_files.ts";

/** The tests of sentences, pages, rules and imports, which read all files. */
const REPOSITORY = "tests/repository";

/** The type checks of snippets in pages, of clients and of generated files. */
const TYPE_CHECK = "tests/type_check";
const TYPED = /^src\/(?:cli\/generate|client|core\/types)\/|\.md$/;

/** The names of files in a text: a path of a module, a folder of an example, a page. */
const NAMES =
  /(?:src|tests|tools)\/[\w/]+\.ts|examples\/\w+|[\w-]+\.(?!ts\b)[a-z]+\b/g;

/** The part of the output of `deno info --json` that the search reads. */
interface Info {
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly {
      readonly code?: { readonly specifier?: string };
    }[];
  }[];
}

/** The paths that differ from a commit, from the root, with new files. */
export async function changedSince(commit: string): Promise<string[]> {
  const names = ["-z", "--name-only", "--diff-filter=d", commit];
  const lists = [
    await outputOf("git", ["diff", ...names]),
    await outputOf("git", ["ls-files", "-z", "--others", "--exclude-standard"]),
  ];
  return lists.flatMap((list) => list.split("\0").filter((path) => path));
}

/** What depends on what in the repository. */
export interface Dependencies {
  /** The modules that import each module at run time. */
  readonly importers: ReadonlyMap<string, readonly string[]>;
  /** The modules outside of `src/` that name each module, example or page. */
  readonly naming: ReadonlyMap<string, ReadonlySet<string>>;
  /** The files with quick tests. */
  readonly tests: readonly string[];
  /** The files with examples. */
  readonly documented: readonly string[];
}

/**
 * Reads what depends on what, in about two seconds.
 *
 * @param folder A folder for a module that imports all others.
 */
export async function readDependencies(folder: string): Promise<Dependencies> {
  const files = await filesIn(["examples", "src", "tests", "tools"]);
  return {
    importers: await importersOf(["mod.ts", ...files], `${folder}/all.ts`),
    naming: await namesIn(files.filter((path) => /^[^s].+\.ts$/.test(path))),
    tests: await quickFiles(),
    documented: await documentedFiles(),
  };
}

/**
 * Finds the files with tests or examples that a change can break, the nearest first.
 *
 * A file depends on the modules that it imports, and on the files that it names, as a test
 * does that starts `src/cli/mod.ts` in a process. Tests depend on all files of their folder
 * and below, up to other tests, since applications import their routes by computed paths.
 *
 * @param changed The paths of the changed files, from the root.
 */
export function relatedTests(
  changed: readonly string[],
  { importers, naming, tests, documented }: Dependencies,
): string[] {
  const found = new Set(changed);
  // The loop also visits the files that it adds, so nearer files come first.
  for (const path of found) {
    const [example] = /^examples\/\w+/.exec(path) ?? [];
    const name = path.endsWith(".ts") ? path : basename(path);
    const isNear = !path.startsWith("src/") && !path.endsWith("_test.ts");
    const dependents = [
      ...importers.get(path) ?? [],
      ...naming.get(example ?? name) ?? [],
      ...isNear ? nearestTests(dirname(path), tests) : [],
      ...TYPED.test(path) ? testsIn(TYPE_CHECK, tests) : [],
    ];
    dependents.forEach((path) => found.add(path));
  }
  if (changed.length > 0) {
    testsIn(REPOSITORY, tests).forEach((path) => found.add(path));
  }
  const known = new Set([...tests, ...documented]);
  return [...found].filter((path) =>
    known.has(path) || path.endsWith("_slow.ts") && changed.includes(path)
  );
}

/** The modules that import each module at run time. */
async function importersOf(
  files: readonly string[],
  module: string,
): Promise<Map<string, string[]>> {
  const root = `${toFileUrl(Deno.cwd())}/`;
  const imports = files.filter((path) => /\.[jt]sx?$/.test(path))
    .map((path) => `import "${toFileUrl(resolve(path))}";\n`);
  await Deno.writeTextFile(module, imports.join(""));
  const info: Info = JSON.parse(
    await outputOf(Deno.execPath(), ["info", "--json", module]),
  );
  const importers = new Map<string, string[]>();
  for (const { specifier, dependencies = [] } of info.modules) {
    for (const { code } of dependencies) {
      if (!code?.specifier?.startsWith(root)) continue;
      importers.getOrInsertComputed(
        decodeURI(code.specifier.slice(root.length)),
        () => [],
      ).push(decodeURI(specifier.slice(root.length)));
    }
  }
  return importers;
}

/** The files that name each module, example or page. */
async function namesIn(
  files: readonly string[],
): Promise<Map<string, Set<string>>> {
  const naming = new Map<string, Set<string>>();
  for (const path of files) {
    for (const [name] of (await Deno.readTextFile(path)).matchAll(NAMES)) {
      naming.getOrInsertComputed(name, () => new Set()).add(path);
    }
  }
  return naming;
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

async function outputOf(
  command: string,
  args: readonly string[],
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}
