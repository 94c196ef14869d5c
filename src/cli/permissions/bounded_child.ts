import { within } from "../../common/within.ts";
import { join } from "@std/path/join";

/** How far a command may go. */
export interface Bounds {
  /** How long it may run, in seconds. */
  readonly time: number;
  /** How large the files in its folder of logs may grow together, in bytes. */
  readonly size: number;
}

/** Why a command was stopped. */
export type Stop = "time" | "size" | "signal";

/** How a command ended. */
export interface Ended {
  /** Its exit code. */
  readonly code: number;
  /** Why it was stopped, if it was. */
  readonly stopped?: Stop;
}

/** How often to look at the size of the logs, in milliseconds. */
const INTERVAL = 250;
/** How long a command may take to end by itself, in milliseconds. */
const GRACE = 10_000;
const IS_WINDOWS = Deno.build.os === "windows";
/** What asks this process to end, and so its command. */
const SIGNALS: readonly Deno.Signal[] = IS_WINDOWS
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM"];

/**
 * Runs a command until it ends, or is stopped at its bounds, with all processes that it
 * started. Its output goes to standard error.
 *
 * @throws {Deno.errors.NotFound} If there is no such program.
 */
export async function runBounded(
  program: string,
  options: Pick<Deno.CommandOptions, "args" | "env">,
  { logs, time, size }: Bounds & { readonly logs: string },
): Promise<Ended> {
  const child = new Deno.Command(program, {
    ...options,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    // A group of its own, to end with what it started.
    detached: !IS_WINDOWS,
  }).spawn();
  const signal = Promise.withResolvers<void>();
  for (const name of SIGNALS) Deno.addSignalListener(name, signal.resolve);
  try {
    const output = Promise.all([child.stdout, child.stderr].map(toStderr));
    const ended = Promise.all([child.status, output]).then(() => true as const);
    const asked = signal.promise.then(() => "signal" as const);
    const stopped = await stopOf(ended, asked, { logs, time, size });
    if (stopped !== undefined) {
      // At the bound of size, the logs would go on growing meanwhile.
      end(child, stopped === "size" ? "SIGKILL" : "SIGTERM");
      if (!await within(ended, GRACE)) end(child, "SIGKILL");
    }
    const { code } = await child.status;
    await ended;
    return { code, ...(stopped !== undefined && { stopped }) };
  } finally {
    for (const name of SIGNALS) Deno.removeSignalListener(name, signal.resolve);
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

/** Waits until a command ends, or has to be stopped. */
async function stopOf(
  ended: Promise<true>,
  asked: Promise<Stop>,
  { logs, time, size }: Bounds & { readonly logs: string },
): Promise<Stop | undefined> {
  const deadline = performance.now() + time * 1_000;
  const first = Promise.race([ended, asked]);
  for (;;) {
    const found = await within(first, INTERVAL);
    if (found !== undefined) return found === true ? undefined : found;
    if (performance.now() > deadline) return "time";
    if (sizeOf(logs) > size) return "size";
  }
}

async function toStderr(stream: ReadableStream<Uint8Array>): Promise<void> {
  for await (const chunk of stream) Deno.stderr.writeSync(chunk);
}

function sizeOf(logs: string): number {
  let bytes = 0;
  for (const { name, isFile } of Deno.readDirSync(logs)) {
    if (isFile) bytes += Deno.statSync(join(logs, name)).size;
  }
  return bytes;
}
