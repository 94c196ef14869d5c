import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { printable } from "../common/log.ts";
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
    if (folder === undefined) throw new UsageError("name the folder to create");
    const reason = refusalOf(folder) ?? create(folder);
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

/**
 * The reason why a project cannot be created; `undefined` if the folder is empty or
 * missing.
 */
function refusalOf(folder: string): string | undefined {
  try {
    const [first] = Deno.readDirSync(folder);
    if (first === undefined) return undefined;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotADirectory)) return undefined;
  }
  return "is not an empty folder; name another folder";
}

/** Writes the files. If an error occurs, returns its reason. */
function create(folder: string): string | undefined {
  try {
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
