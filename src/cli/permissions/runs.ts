import { resultWithin } from "../../core/common/deadline.ts";
import { GOOD, ModuleError } from "../command.ts";

/** Milliseconds within which a server must begin to respond. */
const STARTUP = 60_000;
/** Milliseconds to wait for one response. */
const RESPONSE = 10_000;
/** Milliseconds to wait for the exit of a process after a signal. */
const GRACE = 10_000;

type Variables = Readonly<Record<string, string>>;

const IS_WINDOWS = Deno.build.os === "windows";
/** Signals that end the process, and thereby the command. */
const SIGNALS: readonly Deno.Signal[] = IS_WINDOWS
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM"];

/** A process without output. On its disposal, it ends with the processes it started. */
class QuietProcess implements AsyncDisposable {
  /** The exit code. */
  readonly ended: Promise<number>;
  readonly #name: string;
  readonly #child: Deno.ChildProcess;
  #output = "";

  /** @param name Its name in errors. */
  constructor(name: string, command: readonly string[], env: Variables = {}) {
    const [program = "", ...args] = command;
    this.#name = name;
    this.#child = new Deno.Command(program, {
      args,
      env: { NO_COLOR: "1", ...env },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      // A process group can be ended together with all processes that it started.
      detached: !IS_WINDOWS,
    }).spawn();
    this.ended = this.#child.status.then(({ code }) => code);
    this.#read(this.#child.stdout);
    this.#read(this.#child.stderr);
    for (const name of SIGNALS) Deno.addSignalListener(name, this.#interrupt);
  }

  /** Throws an error with the last lines of the output. */
  fail(reason: string): never {
    const lines = this.#output.split("\n").filter((line) => line.trim());
    throw new ModuleError(
      this.#name,
      [`${reason}, so nothing was written`, ...lines.slice(-12)].join("\n"),
    );
  }

  readonly #interrupt = (): void => this.#signal("SIGKILL");

  #signal(signal: Deno.Signal): void {
    const { pid } = this.#child;
    try {
      Deno.kill(IS_WINDOWS ? pid : -pid, signal);
    } catch (error) {
      // No process of the group is left.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }

  async #read(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      this.#output = (this.#output + text).slice(-4_000);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of SIGNALS) {
      Deno.removeSignalListener(name, this.#interrupt);
    }
    if (await resultWithin(this.ended, 0) === undefined) {
      this.#signal("SIGTERM");
      await resultWithin(this.ended, GRACE);
    }
    this.#signal("SIGKILL");
    await this.ended;
  }
}

/**
 * Runs a command until it ends.
 *
 * @param name The name of the command in errors; by default, the command itself.
 * @param codes The exit codes of success.
 * @returns The exit code.
 * @throws {ModuleError} If the command fails.
 */
export async function runToEnd(
  command: readonly string[],
  { name = command.join(" "), env, codes = [GOOD] }: {
    readonly name?: string;
    readonly env?: Variables;
    readonly codes?: readonly number[];
  } = {},
): Promise<number> {
  await using process = new QuietProcess(name, command, env);
  const code = await process.ended;
  return codes.includes(code)
    ? code
    : process.fail(`it ended with exit code ${code}`);
}

/**
 * Runs a server until a function has sent the requests.
 *
 * @throws {ModuleError} If the server does not respond at the URL, or ends by itself.
 */
export async function serve(
  command: readonly string[],
  { url, env, send }: {
    readonly url: URL;
    readonly env: Variables | undefined;
    readonly send: () => Promise<unknown>;
  },
): Promise<void> {
  await using server = new QuietProcess(command.at(-1)!, command, env);
  const hasEnded = async () =>
    await resultWithin(server.ended, 50) !== undefined;
  const end = performance.now() + STARTUP;
  while (!await isServed(url)) {
    if (await hasEnded() || performance.now() > end) {
      server.fail(`it does not respond at ${url.origin}`);
    }
  }
  await send();
  if (await hasEnded()) server.fail("it ended during the requests");
}

/** Whether a server responds. */
export async function isServed(url: URL): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(RESPONSE);
    const response = await fetch(url, { signal, redirect: "manual" });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
