import { fromFileUrl } from "@std/path";
import { DenoProcess } from "../../support/process.ts";
import type { open } from "./live.ts";

const FOLDER = fromFileUrl(new URL(".", import.meta.url));
/** The time in which connections must close, in milliseconds. */
const CLOSE_TIMEOUT = 5_000;

/** The note that Deno prints when a process first clones a request with a used signal. */
export const CLONE_NOTE: RegExp =
  /^Deno\.serve: request\.signal aborts on successful responses.*\n?/m;

export interface Holdings {
  /** Bytes that JavaScript uses, including buffers, without garbage. */
  readonly heap: number;
  readonly rss: number;
  /** Open files and sockets; 0 if the system does not list them. */
  readonly descriptors: number;
  /** Live streams and sockets that its handlers hold open. */
  readonly live: number;
}

/** The program `server.ts`, as a process with narrow permissions. */
export class ServerProcess implements AsyncDisposable {
  readonly port: number;
  readonly #process: DenoProcess;
  readonly #greeting: string;
  readonly #pid: number;
  readonly #idle: number;

  private constructor(process: DenoProcess) {
    this.#process = process;
    this.#greeting = process.output;
    // Deno may print installed packages first.
    const [, pid, port] = /Process (\d+) listens on port (\d+)/.exec(
      this.#greeting,
    )!;
    this.port = Number(port);
    this.#pid = Number(pid);
    this.#idle = countDescriptors(this.#pid);
  }

  static async start(): Promise<ServerProcess> {
    const process = new DenoProcess(FOLDER, [
      "-P=soak",
      "--v8-flags=--expose-gc",
    ], "server.ts");
    await process.printed("listens on port");
    return new ServerProcess(process);
  }

  /** The output since startup: warnings and errors. */
  get printed(): string {
    const { output } = this.#process;
    return output.slice(this.#greeting.length).replace(CLONE_NOTE, "");
  }

  /** Measures its resources after the connections of former clients are closed. */
  async holdings(): Promise<Holdings> {
    const live = await settled(() => this.#live(), 0);
    const { heapUsed, external, rss } = await this.#get<Deno.MemoryUsage>(
      "memory",
    );
    const descriptors = await settled(
      () => countDescriptors(this.#pid),
      this.#idle,
    );
    return { heap: heapUsed + external, rss, descriptors, live };
  }

  /** Stops the program, and returns its exit code and the duration in milliseconds. */
  async stop(): Promise<{ code: number; duration: number }> {
    const start = performance.now();
    this.#process.kill("SIGTERM");
    const { code } = await this.#process.outcome();
    return { code, duration: performance.now() - start };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }

  async #live(): Promise<number> {
    const { streams, sockets } = await this.#get<typeof open>("open");
    // A connection that closes twice would hide a connection that never closes.
    return Math.max(Math.abs(streams), Math.abs(sockets));
  }

  async #get<Value>(path: string): Promise<Value> {
    using client = Deno.createHttpClient({});
    const url = `http://127.0.0.1:${this.port}/api/${path}`;
    return await (await fetch(url, { client })).json();
  }
}

/** Waits until a figure is at most `idle`, up to a time limit, and returns the figure. */
async function settled(
  measure: () => number | Promise<number>,
  idle: number,
): Promise<number> {
  const deadline = performance.now() + CLOSE_TIMEOUT;
  let figure = await measure();
  while (figure > idle && performance.now() < deadline) {
    await new Promise((go) => setTimeout(go, 50));
    figure = await measure();
  }
  return figure;
}

function countDescriptors(pid: number): number {
  if (Deno.build.os !== "linux") return 0;
  return [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
}
