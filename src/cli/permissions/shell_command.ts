import { resolve } from "@std/path/resolve";
import { toFileUrl } from "@std/path/to-file-url";
import { resultWithin } from "../../common/deadline.ts";

/** A command of Deno that runs a program, with its arguments. */
const RUNNING = /\bdeno (run|test|serve|bench)\b([^;&|\n]*)/g;
/** A flag that gives permissions. */
const PERMISSION =
  /(?:^|\s)(?:-A|-P|-[RWNESI]+|--permission-set|--allow-[a-z]+)(?:[=\s]|$)|\s-P\S/;
const SCRIPT = /^(?!-).*\.[cm]?[jt]sx?$/;

/**
 * Adds all permissions to commands that give none. The broker decides on each access, but
 * the start of an application queries permissions, which the flags decide.
 */
export function withPermissions(text: string): string {
  return text.replaceAll(
    RUNNING,
    (all, name, rest) => PERMISSION.test(rest) ? all : `deno ${name} -A${rest}`,
  );
}

/** The modules that `deno run` and `deno serve` start, which are of the application. */
export function entriesOf(text: string): string[] {
  return scriptsOf(text, /run|serve/).slice(0, 1);
}

/** The URLs of tests: by their names, and those that `deno test` is given. */
export function testsOf(text: string, urls: readonly string[]): string[] {
  const named = scriptsOf(text, /test|bench/)
    .map((path) => toFileUrl(resolve(path)).href);
  const found = urls.filter((url) =>
    /(?:[_.\/](?:test|bench)\.[cm]?[jt]sx?|\/__tests__\/[^]*)$/.test(url)
  );
  return [...new Set([...named, ...found])];
}

function scriptsOf(text: string, command: RegExp): string[] {
  return [...text.matchAll(RUNNING)].flatMap(([, name = "", rest = ""]) =>
    command.test(name)
      ? rest.split(/\s+/).filter((word) => SCRIPT.test(word))
      : []
  );
}

export interface Ended {
  readonly code: number;
  /** Why it was stopped, if it was. */
  readonly stopped?: "time" | "size" | "signal";
}

/** Whether a command ended well, or at its limit of time. */
export function isComplete({ code, stopped }: Ended): boolean {
  return stopped === "time" || (stopped === undefined && code === 0);
}

/** How long a command may take to end by itself, in milliseconds. */
const GRACE = 10_000;
const IS_WINDOWS = Deno.build.os === "windows";
/** Signals that ask this process to end, and so its command. */
const SIGNALS: readonly Deno.Signal[] = IS_WINDOWS
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM"];

/**
 * Runs a command in the shell of `deno task` until it ends, or is stopped at its bounds,
 * with all processes that it started. Its output goes to standard error.
 *
 * @param bounds How long it may run, in seconds, and a promise that ends it.
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
    // A group of its own, to end with what it started.
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
    // A timer takes no more milliseconds than these.
    const reason =
      await resultWithin(first, Math.min(time * 1_000, 2 ** 31 - 1)) ??
        "time";
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
    // All of them have ended.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

async function toStderr(stream: ReadableStream<Uint8Array>): Promise<void> {
  for await (const chunk of stream) Deno.stderr.writeSync(chunk);
}
