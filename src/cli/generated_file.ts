import { dirname } from "@std/path/dirname";
import { printable } from "../common/printable.ts";
import { moduleOf } from "./application.ts";
import {
  type Call,
  FINDINGS,
  GOOD,
  print,
  printError,
  UsageError,
} from "./command.ts";

/** Where a generated text goes, and how it is written anew. */
export interface GeneratedFile {
  /** The file; without it, the text is printed. */
  readonly output: string | undefined;
  /** Whether the file is only compared. */
  readonly isCheck: boolean;
  /** The command that writes the file, without its option `-o`. */
  readonly command: string;
}

/**
 * Prints a text, writes it to a file, or compares it with the file, and returns the
 * exit code. A file that has the text already is left alone: to write it would
 * restart what watches it.
 *
 * @throws {UsageError} If the file cannot be written.
 */
export function emit(text: string, file: GeneratedFile): number {
  const { output, isCheck, command } = file;
  if (output === undefined) {
    print(text.trimEnd());
    return GOOD;
  }
  if (!isCheck) {
    write(output, text);
    return GOOD;
  }
  if (readIfExists(output) === text) return GOOD;
  printError(
    printable(
      `"${output}" is out of date; write it anew with: ${command} -o ${output}`,
    ),
  );
  return FINDINGS;
}

/** @throws {UsageError} If the file cannot be written. */
function write(path: string, text: string): void {
  try {
    if (readIfExists(path) !== text) Deno.writeTextFileSync(path, text);
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound
      ? `there is no folder "${dirname(path)}"; make it first`
      : (error as Error).message;
    throw new UsageError(`cannot write "${path}": ${reason}`);
  }
}

/** The text of a file; `undefined` if there is none. */
export function readIfExists(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/**
 * The file to write, for a command that writes one from a folder.
 *
 * @param reason Why it takes no module.
 * @throws {UsageError} If `--check` has no file, or a module is named.
 */
export function outputOf(call: Call, reason: string): string | undefined {
  const output = call.value("output");
  if (output === undefined && call.isOn("check")) {
    throw new UsageError("--check needs the file to check: --output=<file>");
  }
  const module = moduleOf(call);
  if (module !== undefined) {
    throw new UsageError(
      `name the folder of the routes, not "${module}": ${reason}`,
    );
  }
  return output;
}
