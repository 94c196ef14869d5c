import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { printable } from "../core/common/log.ts";
import {
  type Command,
  GOOD,
  MISUSE,
  print,
  printError,
  UsageError,
} from "./command.ts";
import { templateFiles } from "./generate/template.ts";

export const newProject: Command = {
  summary: "Creates a small project that runs",
  help: `
Usage: bough new <folder>

  folder           the folder to create; if it exists, it may only contain a README,
                   a license, AGENTS.md and names with a leading dot, such as
                   .git, which are kept`,
  run({ path: folder }) {
    // An unset variable in a script is an empty string.
    if (!folder) throw new UsageError("name the folder to create");
    const kept = create(folder);
    if (typeof kept === "string") {
      printError(printable(`bough new: "${folder}" ${kept}`));
      return MISUSE;
    }
    print(`Created "${printable(folder)}". Try it:

  cd ${printable(/\s/.test(folder) ? JSON.stringify(folder) : folder)}
  deno task dev     # serves http://localhost:8000/docs, restarts on changes
  deno task test    # "deno task" lists all tasks`);
    if (kept.length > 0) {
      print(`\nKept existing files: ${kept.join(", ")}`);
    }
    if (kept.includes(".gitignore")) {
      print('Add "/.env" to .gitignore: the file .env contains secrets');
    }
    return GOOD;
  },
};

/**
 * Writes the files, and returns the existing files that it kept. If the folder contains
 * other files, or an error occurs, returns the reason.
 */
function create(folder: string): string[] | string {
  try {
    if (!isFree(folder)) return "is not an empty folder; name another folder";
    return Object.entries(templateFiles()).flatMap(([path, text]) => {
      const file = join(folder, path);
      Deno.mkdirSync(dirname(file), { recursive: true });
      return isWritten(file, text) ? [] : [path];
    });
  } catch (error) {
    return `cannot be created: ${(error as Error).message}`;
  }
}

/** Writes a new file; returns whether the file did not exist. */
function isWritten(file: string, text: string): boolean {
  try {
    Deno.writeTextFileSync(file, text, { createNew: true });
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  }
}

/** Whether a folder is missing, or contains only the files of a new repository. */
function isFree(folder: string): boolean {
  try {
    return [...Deno.readDirSync(folder)].every(({ name }) =>
      /^(?:\.|README|LICENSE|AGENTS\.md$)/i.test(name)
    );
  } catch (error) {
    if (error instanceof Deno.errors.NotADirectory) return false;
    if (error instanceof Deno.errors.NotFound) return true;
    // The folder may contain a project.
    throw error;
  }
}
