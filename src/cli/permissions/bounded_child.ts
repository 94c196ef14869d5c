import { within } from "../../common/within.ts";

/** How a command ended. */
export interface Ended {
  /** Its exit code. */
  readonly code: number;
  /** Why it was stopped, if it was. */
  readonly stopped?: "time" | "size" | "signal";
}

/** Whether a command was not ended by something that went wrong. */
export function isComplete({ code, stopped }: Ended): boolean {
  return stopped === "time" || (stopped === undefined && code === 0);
}

/** How long a command may take to end by itself, in milliseconds. */
const GRACE = 10_000;
const IS_WINDOWS = Deno.build.os === "windows";
/** What asks this process to end, and so its command. */
const SIGNALS: readonly Deno.Signal[] = IS_WINDOWS
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM"];

/**
 * Runs a command in the shell of `deno task` until it ends, or is stopped at its bounds,
 * with all processes that it started. Its output goes to standard error.
 *
 * @param bounds How long it may run, in seconds, and what else ends it.
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
    const reason = await within(first, Math.min(time * 1_000, 2 ** 31 - 1)) ??
      "time";
    if (reason !== "ended") {
      end(child, "SIGTERM");
      if (!await within(ended, GRACE)) end(child, "SIGKILL");
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
