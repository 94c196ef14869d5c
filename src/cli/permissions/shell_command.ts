import { resolve } from "@std/path/resolve";
import { toFileUrl } from "@std/path/to-file-url";
import { LONGEST_DELAY, resultWithin } from "../../core/common/deadline.ts";

/** A Deno command that runs a program, with its arguments. */
const RUNNING = /\bdeno (run|test|serve|bench)\b([^;&|\n]*)/g;
const PERMISSION =
  /(?:^|\s)(?:-A|-P|-[RWNESI]+|--permission-set|--allow-[a-z]+)(?:[=\s]|$)|\s-P\S/;
const SCRIPT = /^(?!-).*\.[cm]?[jt]sx?$/;
const TEST = /(?:(?:^|[_.\/])(?:test|bench)\.[cm]?[jt]sx?|\/__tests__\/[^]*)$/;

/**
 * Adds `-A` to commands without permission flags. The broker decides on each access,
 * but an application also queries permissions at startup, and the flags decide on
 * queries.
 */
export function withPermissions(text: string): string {
  return text.replaceAll(
    RUNNING,
    (all, name, rest) => PERMISSION.test(rest) ? all : `deno ${name} -A${rest}`,
  );
}

/** The URLs of tests: modules with the name of a test, and arguments of `deno test`. */
export function testsOf(text: string, urls: readonly string[]): string[] {
  const named = namedBy(text, /test|bench/)
    .map((path) => toFileUrl(resolve(path)).href);
  return [...new Set([...named, ...urls.filter((url) => TEST.test(url))])];
}

/** The paths of the modules that commands run or serve, except tests. */
export function scriptsOf(commands: readonly string[]): string[] {
  return commands.flatMap((text) => namedBy(text, /run|serve/))
    .filter((path) => !TEST.test(path));
}

function namedBy(text: string, names: RegExp): string[] {
  return [...text.matchAll(RUNNING)].flatMap(([, name = "", rest = ""]) =>
    names.test(name)
      ? rest.split(/\s+/).filter((word) => SCRIPT.test(word))
      : []
  );
}

export interface Ended {
  readonly code: number;
  /** The reason why the command was stopped; absent if the command ended by itself. */
  readonly stopped?: "time" | "size" | "signal";
}

/** Whether a command ended by itself, and succeeded. */
export function isComplete({ code, stopped }: Ended): boolean {
  return stopped === undefined && code === 0;
}

/** Milliseconds to wait for the exit of a command after `SIGTERM`. */
const GRACE = 10_000;
const IS_WINDOWS = Deno.build.os === "windows";
/** Signals that end this process and the command. */
const SIGNALS: readonly Deno.Signal[] = IS_WINDOWS
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM"];

/**
 * Runs a command in the shell of `deno task`. At a limit, stops the command and all
 * processes that the command started. The output of the command goes to standard error.
 *
 * @param limits The time limit in seconds, and a promise that stops the command.
 */
export async function runBounded(
  command: string,
  env: Readonly<Record<string, string>>,
  { time, full }: { readonly time: number; readonly full: Promise<"size"> },
): Promise<Ended> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "--cwd", Deno.cwd(), "--eval", command],
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    // In a separate process group, the command can be ended together with all processes
    // that it started.
    detached: !IS_WINDOWS,
  }).spawn();
  const signal = Promise.withResolvers<"signal">();
  const ask = () => signal.resolve("signal");
  for (const name of SIGNALS) Deno.addSignalListener(name, ask);
  try {
    const output = [child.stdout, child.stderr].map(toStderr);
    const ended = Promise.all([child.status, ...output])
      .then(() => "ended" as const);
    const first = Promise.race([ended, signal.promise, full]);
    const limit = Math.min(time * 1_000, LONGEST_DELAY);
    const reason = await resultWithin(first, limit) ?? "time";
    if (reason !== "ended") {
      end(child, "SIGTERM");
      if (!await resultWithin(ended, GRACE)) end(child, "SIGKILL");
    }
    await ended;
    const { code } = await child.status;
    return { code, ...(reason !== "ended" && { stopped: reason }) };
  } finally {
    for (const name of SIGNALS) Deno.removeSignalListener(name, ask);
  }
}

function end({ pid }: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    Deno.kill(IS_WINDOWS ? pid : -pid, signal);
  } catch (error) {
    // `NotFound` means that all processes have ended.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

async function toStderr(stream: ReadableStream<Uint8Array>): Promise<void> {
  for await (const chunk of stream) Deno.stderr.writeSync(chunk);
}
