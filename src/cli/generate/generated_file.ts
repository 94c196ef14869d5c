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
import { exists, fileInfo, readIfExists, replaceFile } from "../files.ts";

/**
 * Prints generated code, writes the code to a file, or compares the code with a file.
 * Returns the exit code. Does not write unchanged code, because watchers would restart.
 *
 * @param command The command that writes the file, without its option `-o`.
 * @throws {UsageError} If the file cannot be written.
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
  if (!isOn("check")) {
    explained("write", output, () => write(output, text, isOn("force")));
    return GOOD;
  }
  const found = explained("compare", output, () => {
    if (outputInfo(output)?.isFile === false) refuse("the path is not a file");
    return readIfExists(output);
  });
  if (found === text) return GOOD;
  const remedy = `update it with: ${command} -o ${output}`;
  printError(printable(`"${output}" is out of date; ${remedy}`));
  return FINDINGS;
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

function refuse(reason: string): never {
  throw new Error(reason);
}

/**
 * The base folder for imports of generated code: the folder of the file, or the working
 * directory if the code is printed.
 *
 * @throws {UsageError} If the file is a broken link.
 */
export function folderOf({ value }: Call): string {
  const output = value("output");
  if (output === undefined) return Deno.cwd();
  const info = explained("write", output, () => outputInfo(output));
  if (info === undefined) return dirname(resolve(output));
  return info.isFile ? dirname(Deno.realPathSync(output)) : Deno.cwd();
}

/** Finds the command that wrote a file in the first comments of the file. */
const WRITER = /^(?:\/\/.*\n)*?\/\/ Written by "bough (\w+)/;

/** Writes a file; only `--force` replaces a file that another command wrote. */
function write(path: string, text: string, isForced: boolean): void {
  const info = outputInfo(path);
  if (info?.isDirectory) refuse("the path is a folder");
  // A pipe or a device has no content to compare.
  if (info?.isFile === false) return Deno.writeTextFileSync(path, text);
  const before = readIfExists(path) ?? "";
  if (before === text) return;
  const [writer, own] = [before, text].map((each) => WRITER.exec(each)?.[1]);
  if (before !== "" && writer !== own && !isForced) {
    refuse(
      `the file was not written by "bough ${own}"; name another file, or add --force to replace it`,
    );
  }
  // If the path is a link, its target is replaced.
  const target = info === undefined ? path : Deno.realPathSync(path);
  if (isPermitted(`${target}.tmp`)) replaceFile(target, text);
  else Deno.writeTextFileSync(target, text);
}

/** Whether permissions allow a file next to the output, not only the output itself. */
function isPermitted(path: string): boolean {
  return (["read", "write"] as const).every((name) =>
    Deno.permissions.querySync({ name, path }).state === "granted"
  );
}

/** The information on the output; `undefined` if it does not exist. */
function outputInfo(path: string): Deno.FileInfo | undefined {
  const info = fileInfo(path);
  if (info !== undefined || !exists(path)) return info;
  return refuse("the path is a broken link");
}
