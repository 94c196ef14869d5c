import { fromFileUrl, join, toFileUrl } from "@std/path";
import { main } from "@bough/framework/cli";
import { TestFolder } from "../support/application.ts";
import { withoutLockNote } from "../support/process.ts";
import { WorkingFolder } from "../support/working_folder.ts";

/** The program `bough`. */
export const COMMAND = fromFileUrl(
  new URL("../../src/cli/mod.ts", import.meta.url),
);
const PRINT_CPU_TIME = fromFileUrl(
  new URL("print_cpu_time.ts", import.meta.url),
);
const CONFIG = fromFileUrl(new URL("../../deno.json", import.meta.url));

/** The path of a folder of `fixtures/`, which tests do not change. */
export function fixture(name: string): string {
  return fromFileUrl(new URL(`fixtures/${name}`, import.meta.url));
}

/** A changed copy of a folder of `fixtures/`. */
export async function copyOf(
  name: string,
  changes: Readonly<Record<string, string>> = {},
): Promise<TestFolder> {
  const folder = await TestFolder.create({});
  await copyFolder(fixture(name), folder.path);
  for (const [path, text] of Object.entries(changes)) {
    await folder.write(path, text);
  }
  return folder;
}

/** Copies the files of a folder. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    const copy = isDirectory ? copyFolder : Deno.copyFile;
    await copy(join(from, name), join(to, name));
  }
}

/** Copies this package into an empty folder, and imports the copy. */
export async function importCopy(
  folder: TestFolder,
): Promise<typeof import("@bough/framework")> {
  const root = fromFileUrl(new URL("../../", import.meta.url));
  await copyFolder(`${root}/src`, `${folder.path}/src`);
  await Deno.copyFile(`${root}/mod.ts`, `${folder.path}/mod.ts`);
  return await import(toFileUrl(`${folder.path}/mod.ts`).href);
}

/** The outcome of a command. */
export interface CommandOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `bough` as a user does, in a folder. */
export function bough(
  folder: string,
  ...args: readonly string[]
): Promise<CommandOutcome> {
  return runProgram(folder, "-A", COMMAND, ...args);
}

/**
 * Runs commands one after the other in one process, which also shows what the code of an
 * application prints.
 *
 * @param commands The folder and the arguments of each.
 */
export async function boughInTurn(
  commands: readonly (readonly string[])[],
): Promise<CommandOutcome[]> {
  const program = fromFileUrl(new URL("commands_in_turn.ts", import.meta.url));
  const all = JSON.stringify(commands);
  const { stdout, stderr } = await run(".", ["-A", program, all]);
  const errors = stderr.split(/^exit code \d+$/m);
  return [...stdout.matchAll(/([^]*?)^exit code (\d+)$/gm)]
    .map(([, stdout, code], index) => ({
      code: Number(code),
      stdout: stdout!.trim(),
      stderr: errors[index]!.trim(),
    }));
}

/** Runs `bough` as a user does, with further variables of the environment. */
export function boughWith(
  env: Readonly<Record<string, string>>,
  folder: string,
  ...args: readonly string[]
): Promise<CommandOutcome> {
  return run(folder, ["-A", COMMAND, ...args], env);
}

/** Runs a program in a folder, with Bough's configuration. */
export function runProgram(
  folder: string,
  ...args: readonly string[]
): Promise<CommandOutcome> {
  return run(folder, args);
}

async function run(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandOutcome> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--config", CONFIG, ...args],
    cwd: folder,
    env: { NO_COLOR: "1", ...env },
  }).output();
  const decoder = new TextDecoder();
  return {
    code,
    stdout: decoder.decode(stdout).trimEnd(),
    stderr: withoutLockNote(decoder.decode(stderr)).trimEnd(),
  };
}

/**
 * Runs a program in a folder, and returns its processor time in seconds, which other
 * work on the machine hardly changes.
 */
export async function processorTime(
  folder: string,
  ...args: readonly string[]
): Promise<{ readonly seconds: number; readonly outcome: CommandOutcome }> {
  const outcome = await run(folder, [`--preload=${PRINT_CPU_TIME}`, ...args]);
  const [, stdout, last] = /^([^]*?)\n?(.*)$/.exec(outcome.stdout)!;
  return { seconds: Number(last), outcome: { ...outcome, stdout: stdout! } };
}

/** Runs `bough` in this process, with a folder as its working directory. */
export function boughIn(
  folder: string,
  ...args: readonly string[]
): Promise<CommandOutcome> {
  return runHere(folder, args);
}

/**
 * Runs `bough` in this process, in a folder or in a new folder with files.
 *
 * @param line The arguments, separated by spaces.
 * @param last The last argument, if it has spaces of its own.
 */
export async function call(
  place: string | TestFolder | Readonly<Record<string, string>>,
  line: string,
  ...last: readonly string[]
): Promise<CommandOutcome> {
  const args = [...line.split(" "), ...last];
  if (typeof place === "string") return await boughIn(place, ...args);
  if (place instanceof TestFolder) return await boughIn(place.path, ...args);
  await using folder = await TestFolder.create(place);
  return await boughIn(folder.path, ...args);
}

/** A finding of `bough check --json`. */
export interface PrintedFinding {
  readonly level: string;
  readonly rule: string;
  readonly path: string;
  readonly message: string;
}

/** Runs `bough check --json`, and returns the findings. */
export async function findingsIn(
  place: Parameters<typeof call>[0],
  options = "",
): Promise<PrintedFinding[]> {
  const { stdout } = await call(place, `check --json ${options}`.trim());
  return JSON.parse(stdout);
}

/** Runs `bough` in this process, with standard output on a terminal. */
export function boughOnTerminal(
  folder: string,
  ...args: readonly string[]
): Promise<CommandOutcome> {
  return runHere(folder, args, true);
}

/**
 * The environment of processes that a command starts, without the folder for coverage:
 * the tests reach the same lines in this process, and hundreds of projects take time.
 */
function environment(
  { env, clearEnv }: Deno.CommandOptions,
): Readonly<Record<string, string>> {
  const { DENO_COVERAGE_DIR: _, ...own } = clearEnv ? {} : Deno.env.toObject();
  return { ...own, ...env };
}

async function runHere(
  folder: string,
  args: readonly string[],
  isTerminal = false,
): Promise<CommandOutcome> {
  const { log, error } = console;
  const { isTerminal: before } = Deno.stdout;
  using _folder = new WorkingFolder(folder);
  const { Command } = Deno;
  const stdout: string[] = [];
  const stderr: string[] = [];
  console.log = (text: string) => stdout.push(text);
  console.error = (text: string) => stderr.push(text);
  Deno.stdout.isTerminal = () => isTerminal;
  Reflect.set(
    Deno,
    "Command",
    class extends Command {
      constructor(command: string | URL, options: Deno.CommandOptions = {}) {
        const env = environment(options);
        super(command, { ...options, env, clearEnv: true });
      }
    },
  );
  try {
    const code = await main(args);
    return { code, stdout: stdout.join("\n"), stderr: stderr.join("\n") };
  } finally {
    Deno.stdout.isTerminal = before;
    Object.assign(Deno, { Command });
    Object.assign(console, { log, error });
  }
}
