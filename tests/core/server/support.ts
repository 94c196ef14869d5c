import { assert } from "@std/assert";
import { dirname, fromFileUrl } from "@std/path";
import { DenoProcess, type Outcome } from "../../support/process.ts";
import { until } from "../../support/until.ts";

/** The folder of the programs that these tests run. */
export const FOLDER = dirname(fromFileUrl(import.meta.url));

/** For tests that send signals, and for tests of files that Windows does not have. */
export const UNIX = { ignore: Deno.build.os === "windows" };

/** A child process that serves on free ports, and prints them. */
export class ServingProcess extends DenoProcess {
  /** The first port; a test calls `listen()` before. */
  get port(): number {
    return this.ports[0]!;
  }

  /** All ports that the program has printed. */
  get ports(): number[] {
    return [...this.output.matchAll(/istening on http:\/\/[^/]*:(\d+)\//g)]
      .map(([, port]) => Number(port));
  }

  /** Waits until the program has printed its ports. */
  async listen(count = 1): Promise<this> {
    await this.printed("istening on http://");
    await until(() => this.ports.length >= count);
    return this;
  }

  /** Kills the process, and throws, if it does not end within a minute. */
  override async outcome(): Promise<Outcome> {
    let isKilled = false;
    const timer = setTimeout(() => {
      isKilled = true;
      this.kill("SIGKILL");
    }, 60_000);
    const outcome = await super.outcome();
    clearTimeout(timer);
    assert(!isKilled, `the process did not end: ${outcome.output}`);
    return outcome;
  }
}

/** Sends a request, and reports the status, or 0 if the connection is cut off. */
export async function statusAt(
  port: number,
  path: string,
  init?: RequestInit,
): Promise<number> {
  const url = `http://127.0.0.1:${port}${path}`;
  const response = await fetch(url, init).catch(() => undefined);
  await response?.body?.cancel();
  return response?.status ?? 0;
}

/** Waits until no server accepts connections on a port. */
export async function refusing(port: number): Promise<void> {
  await until(async () => {
    const connection = await Deno.connect({ port }).catch(() => undefined);
    connection?.close();
    return connection === undefined;
  });
}

/** A connection with the beginning of a request, whose body a test sends by itself. */
export class OpenRequest implements Disposable {
  readonly #connection: Deno.TcpConn;

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  /**
   * Connects, and sends the head and the beginning of the body.
   *
   * @param line The method and the target.
   */
  static async begin(
    port: number,
    line: string,
    type: string,
    { length, sent = "" }: { length: number; sent?: string },
  ): Promise<OpenRequest> {
    const request = new OpenRequest(await Deno.connect({ port }));
    await request.send(
      `${line} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n${sent}`,
    );
    return request;
  }

  async send(body: string | Uint8Array): Promise<void> {
    let rest = typeof body === "string" ? new TextEncoder().encode(body) : body;
    while (rest.length > 0) {
      rest = rest.subarray(await this.#connection.write(rest));
    }
  }

  /** Reads what has arrived; an empty string at the end of the connection. */
  async read(): Promise<string> {
    const bytes = new Uint8Array(1_000);
    const size = await this.#connection.read(bytes) ?? 0;
    return new TextDecoder().decode(bytes.subarray(0, size));
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }
}
