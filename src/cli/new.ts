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

  folder           the folder to create; if it exists, it must be empty`,
  run({ path: folder }) {
    // An unset variable in a script is an empty string.
    if (!folder) throw new UsageError("name the folder to create");
    const reason = create(folder);
    if (reason !== undefined) {
      printError(printable(`bough new: "${folder}" ${reason}`));
      return MISUSE;
    }
    print(`Created "${printable(folder)}". Try it:

  cd ${printable(/\s/.test(folder) ? JSON.stringify(folder) : folder)}
  deno task dev     # serves http://localhost:8000/docs, restarts on changes
  deno task test    # "deno task" lists all tasks`);
    return GOOD;
  },
};

/** Writes the files. If the folder is not free, or an error occurs, returns the reason. */
function create(folder: string): string | undefined {
  try {
    if (!isFree(folder)) return "is not an empty folder; name another folder";
    for (const [path, text] of Object.entries(templateFiles())) {
      const file = join(folder, path);
      Deno.mkdirSync(dirname(file), { recursive: true });
      Deno.writeTextFileSync(file, text);
    }
    return undefined;
  } catch (error) {
    // `recursive` accepts an existing folder, so the cause must be a broken link.
    return error instanceof Deno.errors.AlreadyExists
      ? "cannot be created: its path contains a broken link"
      : `cannot be created: ${(error as Error).message}`;
  }
}

/** Whether a folder is missing or empty. */
function isFree(folder: string): boolean {
  try {
    const [first] = Deno.readDirSync(folder);
    return first === undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotADirectory) return false;
    if (error instanceof Deno.errors.NotFound) return true;
    // The folder may contain a project.
    throw error;
  }
}
