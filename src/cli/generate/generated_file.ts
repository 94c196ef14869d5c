import { dirname } from "@std/path/dirname";
import { resolve } from "@std/path/resolve";
import { printable } from "../../core/common/log.ts";
import {
  type Call,
  FINDINGS,
  GOOD,
  print,
  printError,
  UsageError,
} from "../command.ts";
import { fileInfo, readIfExists } from "../files.ts";

/** Finds the command that wrote a file in the first comments of the file. */
const WRITER = /^(?:\/\/.*\n)*?\/\/ Written by "bough (\w+)/;

/**
 * Prints generated code, writes the code to a file, or compares the code with a file.
 * Returns the exit code. Does not write unchanged code, because watchers would restart.
 *
 * @param command The command that writes the file, without its option `-o`.
 * @throws {UsageError} If the file cannot be read or written, or if another command
 * wrote the file.
 */
export function emit(
  text: string,
  command: string,
  { isOn, value }: Call,
): number {
  const output = value("output");
  if (output === undefined) {
    print(text.trimEnd());
    return GOOD;
  }
  const before = explained("read", output, () => {
    if (fileInfo(output)?.isFile !== false) return readIfExists(output);
    throw new Error("the path is not a file");
  });
  if (before === text) return GOOD;
  if (isOn("check")) {
    const remedy = `update it with: ${command} -o ${output}`;
    printError(printable(`"${output}" is out of date; ${remedy}`));
    return FINDINGS;
  }
  const [writer, own] = [before, text].map((each = "") =>
    WRITER.exec(each)?.[1]
  );
  if (before && writer !== own && !isOn("force")) {
    throw new UsageError(
      `cannot write "${output}": the file was not written by "bough ${own}"; name another file, or add --force to replace it`,
    );
  }
  explained("write", output, () => Deno.writeTextFileSync(output, text));
  return GOOD;
}

/** @throws {UsageError} If the task fails. */
function explained<Result>(
  verb: string,
  path: string,
  task: () => Result,
): Result {
  try {
    return task();
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound
      ? `folder "${dirname(path)}" does not exist; create it first`
      : (error as Error).message;
    throw new UsageError(`cannot ${verb} "${path}": ${reason}`);
  }
}

/**
 * The base folder for imports of generated code: the folder of the file, or the working
 * directory if the code is printed.
 */
export function folderOf({ value }: Call): string {
  return dirname(resolve(value("output") ?? "_"));
}
