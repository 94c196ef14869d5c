/** The snippets of the pages for users, and a new project. */
import { assert, assertEquals } from "@std/assert";
import { dirname, join, relative } from "@std/path";
import { templateFiles } from "../../src/cli/generate/template.ts";
import { boughIn } from "../cli/support.ts";
import type { TestFolder } from "../support/application.ts";
import { Page } from "../support/pages.ts";
import { type Subjects, writeFiles } from "./compiler.ts";

const PAGES = (await Page.all()).filter(({ path }) =>
  !path.startsWith(".github/")
);

/** The files of a new project that a page keeps, because it continues the project. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  "src/guide/SKILL.md": ["env.ts", "main.ts"],
  "src/guide/first_hour.md": ["env.ts", "main.ts"],
  "src/guide/resources.md": ["main_test.ts", "contract_test.ts"],
};

/** A command that writes a file, and its arguments. */
const WRITES =
  /^(?:bough|deno run -A jsr:@bough\/framework\/cli) ((?:build|types) .*-o (?!.*--check).*)$/;

/** The argument lists of the commands of a page that write a file. */
function writingCommands({ commands }: Page, name: string): string[][] {
  return commands.flatMap(({ line }) => {
    const args = WRITES.exec(line)?.[1]?.split(" ") ?? [];
    return args[0] === name ? [args] : [];
  });
}

/** Writes the snippets of a page, and runs its commands that write files. */
async function writePage(
  folder: TestFolder,
  page: Page,
  commands: readonly string[],
): Promise<string[]> {
  const below = page.path.replaceAll("/", "-");
  const project = templateFiles();
  const files: Record<string, string> = {};
  for (const [name, code] of Object.entries(page.files)) {
    // The type checker reads the examples in their own folders.
    if (!name.startsWith("examples/")) files[`${below}/${name}`] = code;
  }
  for (const name of KEPT[page.path] ?? []) {
    files[`${below}/${name}`] = project[name]!;
  }
  await writeFiles(folder, files);
  for (
    const args of commands.flatMap((name) => writingCommands(page, name))
  ) {
    const { code, stderr } = await boughIn(join(folder.path, below), ...args);
    assertEquals([code, stderr], [0, ""], args.join(" "));
  }
  return Object.keys(files);
}

/** The modules of a new project, whose names in `deno.json` become paths. */
function projectModules(): Record<string, string> {
  const files = templateFiles();
  const { imports } = JSON.parse(files["deno.json"]!);
  const types = imports["#types"] as string;
  assert(join(types) in files, types);
  return Object.fromEntries(
    Object.entries(files).filter(([path]) => path.endsWith(".ts"))
      .map(([path, code]) => {
        const from = relative(dirname(path), types);
        return [path, code.replaceAll('"#types"', JSON.stringify(from))];
      }),
  );
}

export const SHOWN_CODE: Subjects = {
  "the modules of a new project pass the type checker": {
    async write(folder) {
      const files = projectModules();
      await writeFiles(folder, files);
      return Object.keys(files);
    },
  },
  "the snippets of the pages pass the type checker": {
    async write(folder) {
      const paths: string[] = [];
      for (const page of PAGES) {
        // A page may show the types as a file.
        const isShown = "api.types.ts" in page.files;
        const commands = isShown ? ["build"] : ["build", "types"];
        paths.push(...await writePage(folder, page, commands));
      }
      assert(paths.length > 30, `only ${paths.length} files`);
      return paths;
    },
  },
  "the snippets of the pages pass with the types that bough types writes": {
    async write(folder) {
      const pages = PAGES.filter((page) =>
        writingCommands(page, "types").length > 0
      );
      const paths: string[] = [];
      for (const page of pages) {
        paths.push(...await writePage(folder, page, ["types"]));
      }
      assertEquals(pages.map(({ path }) => path), [
        "README.md",
        "src/cli/README.md",
        "src/client/README.md",
      ]);
      return paths;
    },
  },
};
