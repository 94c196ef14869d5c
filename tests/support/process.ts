import { fromFileUrl, join } from "@std/path";
import { delay } from "./until.ts";

const CONFIG = fromFileUrl(new URL("../../deno.json", import.meta.url));

export interface Outcome {
  readonly code: number;
  /** Its standard output and standard error together. */
  readonly output: string;
}

/** Options of a process other than a plain `deno run`. */
export interface ProcessOptions {
  readonly command?: "run" | "serve" | "test";
  /** The number of files and sockets that it may have open. */
  readonly descriptors?: number;
  readonly args?: readonly string[];
  /** Further variables of its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Its configuration; by default that of the package. */
  readonly config?: string;
}

/** The output of Deno, without its note that another process starts at the same time. */
export function withoutLockNote(output: string): string {
  return output.replaceAll(
    /^Blocking waiting for file lock on node_modules directory\n/gm,
    "",
  );
}

/** A `deno run` or `deno serve` of a file, started as by a user. */
export class DenoProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #reading: Promise<unknown>;
  #output = "";
  #changed = Promise.withResolvers<void>();

  /**
   * Starts `main.ts` of a folder, with that folder as the working directory.
   *
   * @param flags The permissions and other flags.
   */
  constructor(
    folder: string,
    flags: readonly string[],
    main = "main.ts",
    { command = "run", descriptors, args: own = [], env, config = CONFIG }:
      ProcessOptions = {},
  ) {
    const args = [command, "--config", config, "--no-check", "--no-prompt"]
      .concat(flags, join(folder, main), own);
    const limited = ["-c", `ulimit -n ${descriptors}; exec "$0" "$@"`];
    const [program, all] = descriptors === undefined
      ? [Deno.execPath(), args]
      : ["sh", [...limited, Deno.execPath(), ...args]];
    this.#child = new Deno.Command(program, {
      args: all,
      cwd: folder,
      env: { NO_COLOR: "1", ...env },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#reading = Promise.all([
      this.#read(this.#child.stdout),
      this.#read(this.#child.stderr),
    ]);
  }

  /** Starts a program that may read and listen, and waits until it listens. */
  static async listening(folder: string): Promise<DenoProcess> {
    const process = new DenoProcess(folder, ["--allow-net", "--allow-read"]);
    await process.printed("Listening");
    return process;
  }

  /** Starts `deno serve` of a program on a port, and waits until it listens. */
  static async serving(
    folder: string,
    port: number,
    ...flags: readonly string[]
  ): Promise<DenoProcess> {
    const all = ["--allow-read", `--port=${port}`, "--host=127.0.0.1"];
    const process = new DenoProcess(
      folder,
      [...all, ...flags],
      "main.ts",
      { command: "serve" },
    );
    await process.printed("Listening");
    return process;
  }

  get output(): string {
    return withoutLockNote(this.#output);
  }

  async printed(text: string): Promise<void> {
    const ended = this.#reading.then(() => true);
    while (!this.#output.includes(text)) {
      const over = await Promise.race([this.#changed.promise, ended]);
      if (over && !this.#output.includes(text)) {
        throw new Error(
          `It ended without printing "${text}":\n${this.#output}`,
        );
      }
    }
  }

  kill(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  /** Sends it a signal later than 200 ms after one that it has handled. */
  async killAgain(signal: Deno.Signal): Promise<void> {
    await delay(201);
    this.kill(signal);
  }

  async outcome(): Promise<Outcome> {
    const { code } = await this.#child.status;
    await this.#reading;
    return { code, output: this.output };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It ended already.
    }
    await this.outcome();
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      this.#output += decoder.decode(chunk, { stream: true });
      this.#changed.resolve();
      this.#changed = Promise.withResolvers<void>();
    }
  }
}

/**
 * A free port of the loopback interface, for a server that starts later or again. The
 * system gives no port of this range to connections, or to servers with port 0, of tests
 * that run at the same time. `fetch` blocks port 10080, which is below this range.
 */
export function freePort(): number {
  for (;;) {
    const port = 11_000 + Math.floor(Math.random() * 21_000);
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
