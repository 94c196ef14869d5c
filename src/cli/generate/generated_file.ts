import { compileOrThrow } from "../../start/compile.ts";
import type { Discovery } from "../../start/discover.ts";
import type { ResolvedOptions } from "../../start/options.ts";
import { printWarnings } from "../application.ts";
import { dirname } from "@std/path/dirname";
import { resolve } from "@std/path/resolve";
import { printable } from "../../common/log.ts";
import { moduleOf } from "../application.ts";
import {
  type Call,
  FINDINGS,
  GOOD,
  print,
  printError,
  UsageError,
} from "../command.ts";
import { exists, fileInfo, readIfExists } from "../files.ts";

/**
 * Prints a text, writes it to a file, or compares it with the file, and returns the
 * exit code. A file that has the text already is left alone: to write it would
 * restart what watches it.
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
    if (outputInfo(output)?.isFile === false) refuse("it is not a file");
    return readIfExists(output);
  });
  if (found === text) return GOOD;
  printError(
    printable(
      `"${output}" is out of date; write it anew with: ${command} -o ${output}`,
    ),
  );
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
      ? `there is no folder "${dirname(path)}"; make it first`
      : (error as Error).message;
    throw new UsageError(`cannot ${verb} "${path}": ${reason}`);
  }
}

function refuse(reason: string): never {
  throw new Error(reason);
}

/**
 * The folder that the imports of a generated text are relative to: that of the file, or
 * the working directory for what is printed.
 *
 * @throws {UsageError} If the file is a link to nothing.
 */
export function folderOf({ value }: Call): string {
  const output = value("output");
  if (output === undefined) return Deno.cwd();
  const info = explained("write", output, () => outputInfo(output));
  if (info === undefined) return dirname(resolve(output));
  return info.isFile ? dirname(Deno.realPathSync(output)) : Deno.cwd();
}

/** What wrote a file says so in the comments that it begins with. */
const WRITER = /^(?:\/\/.*\n)*?\/\/ Written by "bough (\w+)/;

/** Writes a file that does not exist, or that the same command wrote. */
function write(path: string, text: string, isForced: boolean): void {
  const info = outputInfo(path);
  if (info?.isDirectory) refuse("it is a folder");
  // A pipe or a device: nothing is there to read, or to replace.
  if (info?.isFile === false) return Deno.writeTextFileSync(path, text);
  const before = readIfExists(path) ?? "";
  if (before === text) return;
  const [writer, own] = [before, text].map((each) => WRITER.exec(each)?.[1]);
  if (before !== "" && writer !== own && !isForced) {
    refuse(
      `"bough ${own}" did not write what is there; name another file, or add --force to replace it`,
    );
  }
  // Of a link, what it leads to is replaced.
  const target = info === undefined ? path : Deno.realPathSync(path);
  const next = `${target}.${Deno.pid}.tmp`;
  if (!isPermitted(next)) return Deno.writeTextFileSync(target, text);
  // At no time does the file hold a part of the text.
  Deno.writeTextFileSync(next, text);
  if (info?.mode) Deno.chmodSync(next, info.mode & 0o777);
  Deno.renameSync(next, target);
}

/** Whether a file next to the output may be written: a permission may be for one alone. */
function isPermitted(path: string): boolean {
  return (["read", "write"] as const).every((name) =>
    Deno.permissions.querySync({ name, path }).state === "granted"
  );
}

/** What is at the path of the output; `undefined` if nothing is. */
function outputInfo(path: string): Deno.FileInfo | undefined {
  const info = fileInfo(path);
  if (info !== undefined || !exists(path)) return info;
  return refuse("it is a link that leads to nothing");
}

/**
 * Checks what a command that writes a file from a folder is called with.
 *
 * @param reason Why it takes no module.
 * @throws {UsageError} If `--check` has no file, or a module is named.
 */
export function checkOutput(call: Call, reason: string): void {
  if (call.value("output") === undefined && call.isOn("check")) {
    throw new UsageError("--check needs the file to check: --output=<file>");
  }
  const module = moduleOf(call);
  if (module !== undefined) {
    throw new UsageError(
      `name the folder of the routes, not "${module}": ${reason}`,
    );
  }
}

/** Help on the options that all commands for a generated file share. */
export const FILE_HELP = `
  --check          writes nothing, and fails if the file is out of date
  --force          replaces a file that this command did not write`;

/** The files that are to be listed; what may be wrong with them is printed. */
export async function discoveryOf(
  options: ResolvedOptions,
): Promise<Discovery> {
  const { discovery } = await compileOrThrow(options);
  printWarnings(discovery.warnings);
  return discovery;
}
