import { assertEquals } from "@std/assert";
import { fromFileUrl, join, relative } from "@std/path";
import { boughIn } from "../cli/support.ts";
import { TestFolder } from "../support/application.ts";

const CONFIG = fromFileUrl(new URL("../../deno.json", import.meta.url));

/**
 * A module whose path stays the same. Deno keeps what it found by the first path, so the
 * next run checks the files of `src/` only if they changed: 14 instead of 18 CPU seconds.
 */
const KEY = fromFileUrl(import.meta.url);

/** An error of the type checker. */
export interface CompilerError {
  /** The path of the wrong file, below the folder of its subject. */
  readonly file: string;
  /** The wrong line, without indentation. */
  readonly code: string;
  /** The code and the first line, such as "TS2322 [ERROR]: Type …". */
  readonly message: string;
  /** The whole error. */
  readonly text: string;
}

/** Code for the type checker. */
export interface Subject {
  /** Writes files, and returns the paths of those to check. */
  write(folder: TestFolder): Promise<readonly string[]>;
  /** Compares the errors in these files. By default, the files have no errors. */
  compare?(errors: readonly CompilerError[]): void;
}

/** Wrong lines of code, and the first line of the error about each. */
export type Wrong = readonly (readonly [code: string, message: string])[];

/** Reads wrong lines from a text: each line of code, and below it the indented error. */
export function wrongLines(text: string): Wrong {
  return text.trim().split(/\n(?! )/).map((pair) => {
    const [code, error] = pair.split("\n  ");
    return [code!, error!.replace(/^TS\d+/, "$& [ERROR]")];
  });
}

/** The maps of the routes, by name: the command that writes each, and its import. */
const MAPS = {
  types: ["types", 'import type { Routes } from "./types.ts";'],
  standalone: [
    "types --standalone",
    'import type { Routes } from "./standalone.ts";',
  ],
  manifest: [
    "build",
    'import type manifest from "./manifest.ts";\ntype Routes = typeof manifest;',
  ],
} as const;

/**
 * Writes the routes of an application, and code that uses each map in a file with the
 * name of its map: `use_types.ts`. The code finds a client `api`.
 */
export async function writeUses(
  folder: TestFolder,
  files: Readonly<Record<string, string>>,
  code: string,
  maps: readonly (keyof typeof MAPS)[] = ["types", "standalone"],
): Promise<string[]> {
  await writeFiles(folder, files);
  for (const name of maps) {
    const [line, from] = MAPS[name];
    const args = [...line.split(" "), "api", "-o", `${name}.ts`];
    const { code: status, stderr } = await boughIn(folder.path, ...args);
    assertEquals([status, stderr], [0, ""], line);
    await folder.write(
      `use_${name}.ts`,
      `${from}
import { createClient } from "@bough/framework/client";
const api = createClient<Routes>();
${code}`,
    );
  }
  return maps.map((name) => `use_${name}.ts`);
}

/** Subjects by the names of their tests. */
export type Subjects = Readonly<Record<string, Subject>>;

/** Writes files, by path below a folder. */
export async function writeFiles(
  folder: TestFolder,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [path, code] of Object.entries(files)) {
    await folder.write(path, code);
  }
}

/** The bodies of the tests, by name. One run of the type checker checks all subjects. */
export async function checkTogether(
  subjects: Subjects,
): Promise<Map<string, () => void>> {
  await using stack = new AsyncDisposableStack();
  const results = new Map<string, () => void>();
  const checked: { name: string; folder: string; files: string[] }[] = [];
  for (const [name, { write }] of Object.entries(subjects)) {
    const folder = stack.use(await TestFolder.create({}));
    try {
      const files = await write(folder);
      checked.push({ name, folder: folder.path, files: [...files] });
    } catch (error) {
      results.set(name, () => {
        throw error;
      });
    }
  }
  const paths = checked.flatMap(({ folder, files }) =>
    files.map((file) => join(folder, file))
  );
  const errors = await compilerErrors(paths);
  const elsewhere = errors.filter(({ file }) =>
    !checked.some(({ folder }) => file.startsWith(`${folder}/`))
  );
  assertNone(elsewhere);
  for (const { name, folder } of checked) {
    const own = errors.filter(({ file }) => file.startsWith(`${folder}/`))
      .map((error) => ({ ...error, file: relative(folder, error.file) }));
    const { compare = assertNone } = subjects[name]!;
    results.set(name, () => compare(own));
  }
  return results;
}

function assertNone(errors: readonly CompilerError[]): void {
  assertEquals(errors.map(({ text }) => text), []);
}

/** Asserts that each wrong line is one error, and which. */
export function assertMessages(
  errors: readonly CompilerError[],
  wrong: Wrong,
): void {
  assertEquals(
    errors.map(({ code, message }) => [code, message]),
    wrong.map(([code, message]) => [code, sortedUnions(message)]),
  );
}

/** The place of an error; other places follow, such as that of a declaration. */
const PLACE = /^ +at (file:\S+):(\d+):\d+$/m;

/** The errors in files, in the order of the compiler. */
async function compilerErrors(
  paths: readonly string[],
): Promise<CompilerError[]> {
  const { stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["check", "--quiet", "--config", CONFIG, KEY, ...paths],
    env: { NO_COLOR: "1" },
  }).output();
  const output = new TextDecoder().decode(stderr);
  const errors: CompilerError[] = [];
  // The further parts of an error begin with a code, too, but have two spaces.
  for (const text of output.split(/\n\n(?=TS\d+ \[ERROR\]: \S)/)) {
    const [, url, line] = PLACE.exec(text) ?? [];
    if (url === undefined) {
      assertEquals(text, "", "This is not an error of the type checker");
      continue;
    }
    const file = fromFileUrl(url);
    const lines = (await Deno.readTextFile(file)).split("\n");
    errors.push({
      file,
      code: lines[Number(line) - 1]!.trim(),
      message: sortedUnions(text.split("\n")[0]!),
      text,
    });
  }
  return errors;
}

/** The compiler lists a union in the order in which it met its members anywhere. */
function sortedUnions(message: string): string {
  return message.replaceAll(
    /("[^"]*"|\d+)(?: \| ("[^"]*"|\d+))+/g,
    (union) => union.split(" | ").sort().join(" | "),
  );
}
