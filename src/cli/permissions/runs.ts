import { resultWithin } from "../../core/common/deadline.ts";
import { GOOD, ModuleError } from "../command.ts";

/** Milliseconds within which a server must listen. */
const STARTUP = 60_000;
/** Milliseconds to wait for the exit of a process after a signal. */
const GRACE = 10_000;

type Variables = Readonly<Record<string, string>>;

/** A process without output. */
class QuietProcess implements AsyncDisposable {
  /** The exit code. */
  readonly ended: Promise<number>;
  readonly #command: readonly string[];
  readonly #child: Deno.ChildProcess;
  #output = "";

  constructor(command: readonly string[], env: Variables = {}) {
    const [program = "", ...args] = command;
    this.#command = command;
    this.#child = new Deno.Command(program, {
      args,
      env: { NO_COLOR: "1", ...env },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.ended = this.#child.status.then(({ code }) => code);
    this.#read(this.#child.stdout);
    this.#read(this.#child.stderr);
  }

  /** Throws an error with the last lines of the output. */
  fail(reason: string): never {
    const lines = this.#output.trimEnd().split("\n").slice(-12);
    throw new ModuleError(
      this.#command.join(" "),
      [`${reason}, so nothing was written`, ...lines].join("\n"),
    );
  }

  async #read(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      this.#output = (this.#output + text).slice(-4_000);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await resultWithin(this.ended, 0) !== undefined) return;
      this.#child.kill(signal);
      await resultWithin(this.ended, GRACE);
    }
  }
}

/**
 * Runs a command until it ends.
 *
 * @param codes The exit codes of success.
 * @returns The exit code.
 * @throws {ModuleError} If the command fails.
 */
export async function runToEnd(
  command: readonly string[],
  { env, codes = [GOOD] }: {
    readonly env?: Variables;
    readonly codes?: readonly number[];
  } = {},
): Promise<number> {
  await using process = new QuietProcess(command, env);
  const code = await process.ended;
  return codes.includes(code)
    ? code
    : process.fail(`it ended with exit code ${code}`);
}

/**
 * Runs a server until a function has sent the requests.
 *
 * @throws {ModuleError} If the server does not listen at the URL, or ends by itself.
 */
export async function serve(
  command: readonly string[],
  { url, env, send }: {
    readonly url: URL;
    readonly env: Variables | undefined;
    readonly send: () => Promise<unknown>;
  },
): Promise<void> {
  await using server = new QuietProcess(command, env);
  const hasEnded = async () =>
    await resultWithin(server.ended, 50) !== undefined;
  const end = performance.now() + STARTUP;
  while (!await isListening(url)) {
    if (await hasEnded() || performance.now() > end) {
      server.fail(`it does not listen at ${url.origin}`);
    }
  }
  await send();
  if (await hasEnded()) server.fail("it ended during the requests");
}

/** Whether a server accepts connections. */
export async function isListening(
  { hostname, port, protocol }: URL,
): Promise<boolean> {
  try {
    using _ = await Deno.connect({
      hostname: hostname.replace(/^\[|\]$/g, ""),
      port: Number(port || (protocol === "https:" ? 443 : 80)),
    });
    return true;
  } catch {
    return false;
  }
}
