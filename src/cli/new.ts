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
  summary: "Makes a small project that runs",
  help: `
Usage: bough new <folder>

  folder           where to make it; it must not exist yet, or be empty`,
  run({ path: folder }) {
    if (folder === undefined) throw new UsageError("name the folder to make");
    const reason = refusalOf(folder) ?? make(folder);
    if (reason !== undefined) {
      printError(printable(`bough new: "${folder}" ${reason}`));
      return MISUSE;
    }
    print(`Made "${printable(folder)}". Try it:

  cd ${printable(/\s/.test(folder) ? JSON.stringify(folder) : folder)}
  deno task dev     # serves http://localhost:8000/docs, restarts on changes
  deno task test    # and "deno task" lists the others`);
    return GOOD;
  },
};

/** Why nothing is written: something would be lost. */
function refusalOf(folder: string): string | undefined {
  try {
    const [first] = Deno.readDirSync(folder);
    if (first === undefined) return undefined;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotADirectory)) return undefined;
  }
  return "exists and is not empty; nothing was written";
}

/** Writes the files, and says what went wrong, if something did. */
function make(folder: string): string | undefined {
  try {
    for (const [path, text] of Object.entries(templateFiles())) {
      const file = join(folder, path);
      Deno.mkdirSync(dirname(file), { recursive: true });
      Deno.writeTextFileSync(file, text);
    }
    return undefined;
  } catch (error) {
    // With "recursive", that is all that can exist.
    return error instanceof Deno.errors.AlreadyExists
      ? "cannot be made: its path has a link that leads to nothing"
      : `cannot be made: ${(error as Error).message}`;
  }
}
