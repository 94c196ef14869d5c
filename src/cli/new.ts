import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { printable } from "../common/printable.ts";
import {
  type Command,
  GOOD,
  MISUSE,
  print,
  printError,
  UsageError,
} from "./command.ts";
import { templateFiles } from "./template.ts";

/** Creates a new project. */
export const newProject: Command = {
  summary: "Makes a small project that runs",
  help: `
Usage: bough new <folder>

  folder           where to make it; it must not exist yet, or be empty`,
  boolean: [],
  string: [],
  positionals: 1,
  run({ positionals: [folder] }) {
    if (folder === undefined) throw new UsageError("name the folder to make");
    if (!isFree(folder)) {
      printError(printable(
        `bough new: "${folder}" exists and is not empty; nothing was written`,
      ));
      return MISUSE;
    }
    for (const [path, text] of Object.entries(templateFiles())) {
      const file = join(folder, path);
      Deno.mkdirSync(dirname(file), { recursive: true });
      Deno.writeTextFileSync(file, text);
    }
    print(`Made "${printable(folder)}". Try it:

  cd ${printable(/\s/.test(folder) ? JSON.stringify(folder) : folder)}
  deno task dev     # serves http://localhost:8000/docs, restarts on changes
  deno task test    # and "deno task" lists the others`);
    return GOOD;
  },
};

/** Whether a folder does not exist or is empty, so that nothing is overwritten. */
function isFree(folder: string): boolean {
  try {
    return Deno.readDirSync(folder)[Symbol.iterator]().next().done === true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    if (error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
}
