import { fromFileUrl } from "@std/path";

const CONFIG = fromFileUrl(new URL("../../deno.json", import.meta.url));

/** A process that runs a program of this folder, and answers lines with lines. */
export class Child implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #output: ReadableStreamDefaultReader<string>;

  constructor(program: string, ...args: readonly string[]) {
    const path = fromFileUrl(new URL(program, import.meta.url));
    this.#process = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--v8-flags=--expose-gc"]
        .concat("--config", CONFIG, path, args),
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    this.#input = this.#process.stdin.getWriter();
    this.#output = this.#process.stdout.pipeThrough(new TextDecoderStream())
      .getReader();
  }

  /** The next line of the output. */
  async read(): Promise<string> {
    let line = "";
    while (!line.endsWith("\n")) {
      const { value } = await this.#output.read();
      if (value === undefined) throw new Error(`It ended after "${line}"`);
      line += value;
    }
    return line.trimEnd();
  }

  /** Writes a line to the input. */
  async write(line = ""): Promise<void> {
    await this.#input.write(new TextEncoder().encode(`${line}\n`));
  }

  /** The exit code, if the process ends by itself. */
  get ended(): Promise<number> {
    return this.#process.status.then(({ code }) => code);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#process.kill("SIGKILL");
    } catch {
      // The process has ended.
    }
    await this.#input.abort().catch(() => {});
    await this.#output.cancel();
    await this.#process.status;
  }
}
