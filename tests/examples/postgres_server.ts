import { assert } from "@std/assert";
import { pathOf } from "../../tools/installed.ts";
import { freePort } from "../support/process.ts";

/** Postgres rejects root, so root runs it as a user without rights. */
const USER = Deno.uid() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** A server of its own, with its data in a temporary folder. */
export class PostgresServer implements AsyncDisposable {
  readonly #folder: string;
  readonly #port = freePort();
  #child: Deno.ChildProcess | undefined;
  #databases = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Starts a server. */
  static async start(): Promise<PostgresServer> {
    const folder = await Deno.makeTempDir();
    if (USER.uid) await Deno.chown(folder, USER.uid, USER.gid);
    const server = new PostgresServer(folder);
    await server.#run("initdb", "-U", "test", "--auth=trust", "--no-sync");
    await server.start();
    return server;
  }

  /** Starts again, and waits until it accepts connections. */
  async start(): Promise<void> {
    const child = this.#child = this.#command("postgres", [
      ...["-p", `${this.#port}`, "-k", "", "-c", "fsync=off"],
      ...["-c", "listen_addresses=127.0.0.1", "-c", "shared_buffers=16MB"],
    ]).spawn();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let output = "";
    child.stderr.pipeThrough(new TextDecoderStream()).pipeTo(
      new WritableStream({
        write(text) {
          output += text;
          if (output.includes("ready to accept connections")) resolve();
        },
        close: () => reject(new Error(output)),
      }),
    );
    await promise;
  }

  /** Stops: by "SIGINT" it ends its connections, by "SIGQUIT" it crashes. */
  async stop(signal: "SIGINT" | "SIGQUIT" = "SIGINT"): Promise<void> {
    this.#child?.kill(signal);
    await this.#child?.status;
    this.#child = undefined;
  }

  /** Creates a database, and returns its URL. */
  async createDatabase(): Promise<string> {
    const name = `test${++this.#databases}`;
    await this.query("postgres", `CREATE DATABASE ${name}`);
    return `postgres://test@127.0.0.1:${this.#port}/${name}`;
  }

  /** The output of `psql` for a statement. */
  async query(database: string, sql: string): Promise<string> {
    const address = ["-h", "127.0.0.1", "-p", `${this.#port}`, "-U", "test"];
    return await this.#run("psql", ...address, "-d", database, "-Atc", sql);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop("SIGQUIT");
    await Deno.remove(this.#folder, { recursive: true });
  }

  #command(program: string, args: readonly string[]): Deno.Command {
    return new Deno.Command(pathOf(program)!, {
      args: [...args],
      cwd: this.#folder,
      env: { PGDATA: `${this.#folder}/data`, LC_ALL: "C.UTF-8" },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      ...USER,
    });
  }

  async #run(program: string, ...args: readonly string[]): Promise<string> {
    const { success, stdout, stderr } = await this.#command(program, args)
      .output();
    const decoder = new TextDecoder();
    assert(success, `${program}: ${decoder.decode(stderr)}`);
    return decoder.decode(stdout).trim();
  }
}
